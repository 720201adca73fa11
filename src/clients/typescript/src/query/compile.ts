/** Queries and expressions as SQL: one row here for each operation, as `docs/clients-sql.md` lists them. */
import { InvalidArgumentError } from '../errors.ts';
import { identifier, pathSql, textLiteral } from '../wire/names.ts';
import { matrixParameter, type Parameter, parameterOf, vectorParameter } from '../wire/encode.ts';
import type { Statement } from '../wire/link.ts';
import type { CallName, DateUnit, Node, ScoreNode, TextPredicate, Value } from './expression.ts';
import type { Aggregate } from './functions.ts';
import type { Query, SortKey, Stage } from './stages.ts';

/** SQL text of one statement, and its parameters in the order of their numbers. */
export class Sql {
  readonly params: (string | null)[] = [];

  /** @returns the parameter's place with its type: `$3::bigint`. */
  parameter({ text, type }: Parameter): string {
    this.params.push(text);
    return type === '' ? `$${this.params.length}` : `$${this.params.length}::${type}`;
  }

  value(value: Value | undefined): string {
    return value === null ? 'NULL' : this.parameter(parameterOf(value));
  }
}

/** SQL that stands by itself, as filters of `search()` and `ask()` do: values are literals. */
export class LiteralSql extends Sql {
  override parameter({ text, type }: Parameter): string {
    return text === null ? 'NULL' : `${textLiteral(text)}::${type}`;
  }
}

/** Meaning of names: the SQL of an alias of an earlier stage. Other names are fields. */
type Names = ReadonlyMap<string, string>;
const NO_NAMES: Names = new Map();

type Operation = (args: readonly string[]) => string;
const infix =
  (sign: string): Operation =>
  (args) =>
    `(${args.join(` ${sign} `)})`;
const prefix =
  (name: string): Operation =>
  (args) =>
    `${name}(${args.join(', ')})`;

const OPERATIONS: Readonly<Record<CallName, Operation>> = {
  eq: infix('='),
  ne: infix('<>'),
  lt: infix('<'),
  lte: infix('<='),
  gt: infix('>'),
  gte: infix('>='),
  and: infix('AND'),
  or: infix('OR'),
  not: ([of]) => `(NOT ${of})`,
  all: infix('AND'),
  any: infix('OR'),
  is_null: ([of]) => `(${of} IS NULL)`,
  is_not_null: ([of]) => `(${of} IS NOT NULL)`,
  add: infix('+'),
  sub: infix('-'),
  mul: infix('*'),
  div: infix('/'),
  abs: prefix('abs'),
  ln: prefix('ln'),
  exp: prefix('exp'),
  sqrt: prefix('sqrt'),
  square: prefix('square'),
  min: prefix('least'),
  max: prefix('greatest'),
  coalesce: prefix('coalesce'),
  choose: ([when, holds, otherwise]) => `(CASE WHEN ${when} THEN ${holds} ELSE ${otherwise} END)`,
  boost: ([of, when, factor]) => `(${of} * boost(${when}, ${factor}))`,
  starts_with: prefix('starts_with'),
  contains: prefix('contains'),
  in: ([part, whole]) => `contains(${whole}, ${part})`,
};

/** Parts of a time that PostgreSQL calls or counts otherwise. */
const DATE_PARTS: Readonly<Partial<Record<DateUnit, (of: string) => string>>> = {
  day_of_year: (of) => `date_part('doy', ${of})::bigint`,
  day_of_week: (of) => `(date_part('isodow', ${of})::bigint - 1)`,
  second: (of) => `floor(date_part('second', ${of}))::bigint`,
  millisecond: (of) => `(floor(date_part('millisecond', ${of}))::bigint % 1000)`,
};
const PARTS = 'year month week day day_of_year day_of_week hour minute second millisecond'.split(' ');
const UNITS = 'year month week day hour minute second millisecond'.split(' ');

function unitOf(unit: DateUnit, units: readonly string[]): DateUnit {
  if (units.includes(unit)) return unit;
  throw new InvalidArgumentError(`unknown unit ${JSON.stringify(unit)}: one of ${units.join(', ')}`);
}

/** A back reference, or a name for one. */
const BACK_REFERENCE = /(?:^|[^\\])(?:\\\\)*\\(?:[1-9]|k<)/;

/** Flags stand before the pattern; `s` is how PostgreSQL's patterns are anyway, `m` is its `n`. */
function patternOf(pattern: string, flags: string): string {
  const unknown = [...flags].find((flag) => !'imsx'.includes(flag));
  if (unknown !== undefined)
    throw new InvalidArgumentError(`unknown flag "${unknown}" of regexpMatch: i, m, s, x`);
  const own = flags.replaceAll('s', '').replaceAll('m', 'n');
  return own === '' ? pattern : `(?${own})${pattern}`;
}

/** An expression as SQL. */
function compileNode(node: Node, sql: Sql, names: Names = NO_NAMES): string {
  const of = (one: Node): string => compileNode(one, sql, names);
  switch (node.op) {
    case 'field':
      return names.get(node.name) ?? fieldSql(node.name, names);
    case 'literal':
      return sql.value(node.value);
    case 'call': {
      const args = node.args.map(of);
      const [first] = node.args;
      // Within a struct null is a value of JSON's.
      if (first?.op === 'field' && first.name.includes('.') && !names.has(first.name)) {
        const isNull = `(${args[0]} IS NULL OR jsonb_typeof(${args[0]}) = 'null')`;
        if (node.name === 'is_null') return isNull;
        if (node.name === 'is_not_null') return `(NOT ${isNull})`;
      }
      return OPERATIONS[node.name](args);
    }
    case 'date_part': {
      const unit = unitOf(node.unit, PARTS);
      return DATE_PARTS[unit]?.(of(node.of)) ?? `date_part('${unit}', ${of(node.of)})::bigint`;
    }
    case 'elapsed':
      return `elapsed(${of(node.from)}, ${of(node.to)}, '${unitOf(node.unit, UNITS)}')`;
    case 'regexp_match':
      if (BACK_REFERENCE.test(node.pattern)) {
        throw new InvalidArgumentError('regexpMatch takes no back references');
      }
      return `(${of(node.of)} ~ ${sql.value(patternOf(node.pattern, node.flags))})`;
    case 'words': {
      // Their weight is 0, so that they never change a score.
      const name = typeof node.words === 'string' ? 'match' : 'match_tokens';
      const words = sql.value(typeof node.words === 'string' ? node.words : [...node.words]);
      return `${name}(${words}, ${of(node.of)}, weight => 0${node.all ? ', all_terms => true' : ''})`;
    }
    case 'text':
      return textSql(node.predicate, sql);
    default:
      return scoreSql(node, sql);
  }
}

/** `a.b.c` is `"a"['b']['c']`. */
function fieldSql(name: string, names: Names): string {
  const [column = '', ...path] = name.split('.');
  if (column === '' || path.includes(''))
    throw new InvalidArgumentError(`${JSON.stringify(name)} is no field`);
  return pathSql(names.get(column) ?? identifier(column), path);
}

function textSql(predicate: TextPredicate, sql: Sql): string {
  const field = predicate.field === null ? null : fieldSql(predicate.field, NO_NAMES);
  const weight = predicate.weight === 1 && !predicate.all ? null : predicate.weight;
  const text = sql.value(predicate.kind === 'tokens' ? [...predicate.tokens] : predicate.text);
  const args = [
    text,
    ...(field === null ? [] : [field]),
    ...(weight === null ? [] : [`weight => ${numberSql(weight)}`]),
    ...(predicate.all ? ['all_terms => true'] : []),
  ];
  const name = { match: 'match', should: 'should', tokens: 'match_tokens' }[predicate.kind];
  return `${name}(${args.join(', ')})`;
}

const numberSql = (value: number): string => {
  if (Number.isFinite(value)) return `${value}::float8`;
  throw new InvalidArgumentError(`${value} is no weight`);
};

function scoreSql(node: ScoreNode, sql: Sql): string {
  switch (node.op) {
    case 'vector_distance': {
      const query = sql.parameter(vectorParameter(node.query));
      return `vector_distance(${fieldSql(node.field, NO_NAMES)}, ${query}${node.skipRefine ? ', true' : ''})`;
    }
    case 'multi_vector_distance': {
      const query = sql.parameter(matrixParameter(node.query));
      const candidates = node.candidates === null ? '' : `, ${node.candidates}`;
      return `multi_vector_distance(${fieldSql(node.field, NO_NAMES)}, ${query}${candidates})`;
    }
    case 'semantic_similarity':
      return `semantic_similarity(${fieldSql(node.field, NO_NAMES)}, ${sql.value(node.text)})`;
    case 'snippet':
    case 'highlight': {
      const args = [fieldSql(node.field, NO_NAMES), ...(node.text === null ? [] : [sql.value(node.text)])];
      if (node.op === 'snippet') return `snippet(${args.join(', ')})`;
      return `highlight(${args.join(', ')}, before => ${sql.value(node.before)}, after => ${sql.value(node.after)})`;
    }
    case 'bm25_score': {
      const { b, k1 } = node;
      const args = [...(b === null ? [] : [`b => ${b}`]), ...(k1 === null ? [] : [`k1 => ${k1}`])];
      return `bm25_score(${args.join(', ')})`;
    }
  }
}

function aggregateSql({ aggregate, of }: Aggregate, sql: Sql, names: Names): string {
  return `${aggregate}(${of === null ? '*' : compileNode(of, sql, names)})`;
}

/** The column of a collection that names the fields of a document that were written as null. */
export const NULLS = '_nulls';
/** The same, where only the columns beside it are meant. */
export const NULLS_HERE = '__nulls';
/** As SQL, behind other columns. */
export const NULLS_COLUMN = `, ${identifier(NULLS)} AS ${identifier(NULLS_HERE)}`;

/** Columns that are there to be checked alone. */
export const SORT_FIELD = '__sort';

/** One level of SELECT that grows stage by stage. */
class Level {
  readonly #sql: Sql;
  readonly #from: string;
  /** Rows are documents, which have an `_id`. */
  readonly #documents: boolean;
  readonly #columns = new Map<string, string>();
  readonly #names = new Map<string, string>();
  readonly #where: string[] = [];
  #order: string[] = [];
  /** Fields that rows are sorted by, as SQL. */
  #sortFields: readonly string[] = [];
  #limit = '';
  #offset = '';

  constructor(sql: Sql, from: string, documents: boolean) {
    this.#sql = sql;
    this.#from = from;
    this.#documents = documents;
  }

  add(stage: Exclude<Stage, { kind: 'count' } | { kind: 'group_by' }>): void {
    switch (stage.kind) {
      case 'select': {
        const added = [...stage.columns].map(([alias, of]) => [alias, this.compile(of)] as const);
        for (const [alias, text] of added) {
          this.#columns.set(alias, text);
          this.#names.set(alias, text);
        }
        break;
      }
      case 'filter':
        this.#where.push(this.compile(stage.condition));
        break;
      case 'sort':
        this.#order = stage.keys.map((key) => this.#sortKey(key));
        this.#sortFields = stage.keys.filter(({ of }) => of.op === 'field').map(({ of }) => this.compile(of));
        break;
      default:
        if (stage.kind === 'limit') this.#limit = ` LIMIT ${stage.count}`;
        else this.#offset = ` OFFSET ${stage.count}`;
    }
  }

  compile(node: Node): string {
    return compileNode(node, this.#sql, this.#names);
  }

  #sortKey({ of, ascending }: SortKey): string {
    return `${this.compile(of)} ${ascending ? 'ASC' : 'DESC'} NULLS LAST`;
  }

  /** Rows have been taken: a filter or an order now is about those. */
  get isCut(): boolean {
    return this.#limit !== '' || this.#offset !== '';
  }

  /** A level over this one's rows, where its columns are fields. */
  wrapped(): Level {
    return new Level(this.#sql, `(${this.rows(this.#nulls)}) AS q`, this.#documents);
  }

  /** The level's rows as a statement. @param hidden columns behind them. */
  rows(hidden = ''): string {
    const columns = new Map(this.#documents ? [['_id', '"_id"']] : []);
    for (const [alias, text] of this.#columns) columns.set(alias, text);
    const listed = [...columns].map(([alias, text]) => `${text} AS ${identifier(alias)}`);
    return this.#statement(`${this.#columns.size === 0 ? '*' : listed.join(', ')}${hidden}`);
  }

  /** The same, and behind them the fields that they are sorted by, whose types are checked. */
  checkedRows(): string {
    const sorted = this.#sortFields.map((text, at) => `, ${text} AS ${identifier(`${SORT_FIELD}${at}`)}`);
    return this.rows(`${sorted.join('')}${this.#nulls}`);
  }

  /** Behind columns that are named: which fields were written as null. Whole rows have it themselves. */
  get #nulls(): string {
    return this.#documents && this.#columns.size > 0 ? NULLS_COLUMN : '';
  }

  count(): string {
    if (!this.isCut) {
      return `SELECT count(*) AS "_count" FROM ${this.#from}${this.#conditions()}`;
    }
    return `SELECT count(*) AS "_count" FROM (${this.#statement('1')}) AS q`;
  }

  group(keys: ReadonlyMap<string, Node>, aggregates: ReadonlyMap<string, Aggregate>): string {
    const named = [...keys].map(([alias, of]) => [alias, this.compile(of)] as const);
    const computed = [...aggregates].map(
      ([alias, of]) => [alias, aggregateSql(of, this.#sql, this.#names)] as const,
    );
    const columns = [...named, ...computed].map(([alias, text]) => `${text} AS ${identifier(alias)}`);
    const groups = named.map((_, index) => index + 1).join(', ');
    return `SELECT ${columns.join(', ')} FROM ${this.#from}${this.#conditions()} GROUP BY ${groups}`;
  }

  #conditions(): string {
    return this.#where.length === 0 ? '' : ` WHERE ${this.#where.join(' AND ')}`;
  }

  #statement(columns: string): string {
    const order = this.#order.length === 0 ? '' : ` ORDER BY ${this.#order.join(', ')}`;
    return `SELECT ${columns} FROM ${this.#from}${this.#conditions()}${order}${this.#limit}${this.#offset}`;
  }
}

/** @param relation the collection or partition as quoted SQL. */
export function compileQuery({ stages }: Query<unknown>, relation: string): Statement {
  if (stages.some(({ kind }) => kind === 'sort') && !stages.some(({ kind }) => kind === 'limit')) {
    throw new InvalidArgumentError('sort needs a limit', { hint: 'add .limit(k)' });
  }
  const sql = new Sql();
  let level = new Level(sql, relation, true);
  let counted: string | null = null;
  for (const stage of stages) {
    if (counted !== null)
      throw new InvalidArgumentError(`count() is the last stage, not followed by ${stage.kind}`);
    if (stage.kind === 'count') counted = level.count();
    else if (stage.kind === 'group_by') {
      if (level.isCut) level = level.wrapped();
      level = new Level(sql, `(${level.group(stage.keys, stage.aggregates)}) AS q`, false);
    } else {
      if (level.isCut && (stage.kind === 'filter' || stage.kind === 'sort')) level = level.wrapped();
      level.add(stage);
    }
  }
  return { sql: counted ?? level.checkedRows(), params: sql.params };
}

/** A condition as SQL, for `delete` and filters of datasets. */
export function compileCondition(
  condition: Node,
  sql: Sql = new Sql(),
  names: Names = NO_NAMES,
): { readonly text: string; readonly params: readonly (string | null)[] } {
  return { text: compileNode(condition, sql, names), params: sql.params };
}
