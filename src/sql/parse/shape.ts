/**
 * Shapes of texts: what is left of a statement when its whole numbers are taken out. Texts of one shape are one
 * statement with parameters, parsed and planned once. Lifted are only numbers that stand beside columns in WHERE and
 * SET, or by themselves in VALUES: there a parameter of type integer means what the number does. What else is
 * written, numbers of LIMIT and strings too, belongs to the shape.
 */
import { OID } from '../../types/oids.ts';
import type { Expr, InsertStatement, Query, SetItem, Statement } from '../ast.ts';

/** A text's numbers, and what stands around them. */
export interface Outline {
  readonly shape: string;
  readonly numbers: readonly string[];
  /** Where each begins in the text, from 0. */
  readonly starts: readonly number[];
}

/** A statement in which numbers have become parameters. */
export interface Template {
  readonly statement: Statement;
  readonly types: readonly number[];
  /** Numbers of the text that the parameters stand for, by their place, with their signs. */
  readonly lifted: readonly { readonly place: number; readonly sign: 1 | -1 }[];
  /** Numbers that belong to the shape, by their place. */
  readonly kept: ReadonlyMap<number, string>;
}

const TEXT_UNITS_MAX = 2_000;
const NUMBERS_MAX = 64;
/** Where a number might begin within something else: escapes, `$1`, dollar quotes, comments; pairs of surrogates. */
const UNCLEAR = /[\0\\$\ud800-\udfff]|--|\/\*/;
/** Strings and quoted names, which are passed over, and numbers that are an integer whatever their sign is. */
const PIECES = /'[^']*'|"[^"]*"|(?<![\w.\u0080-\uffff])\d{1,9}(?![\w.\u0080-\uffff])/g;

/** Null where no number can be told by its looks, or there is none. */
export function outlineOf(text: string): Outline | null {
  if (text.length > TEXT_UNITS_MAX || UNCLEAR.test(text)) return null;
  const numbers: string[] = [];
  const starts: number[] = [];
  let shape = '';
  let end = 0;
  for (const { 0: piece, index } of text.matchAll(PIECES)) {
    const first = piece.charCodeAt(0);
    if (first === QUOTE || first === DOUBLE_QUOTE) continue;
    shape += `${text.slice(end, index)}\0`;
    end = index + piece.length;
    numbers.push(piece);
    starts.push(index);
  }
  if (numbers.length === 0 || numbers.length > NUMBERS_MAX) return null;
  return { shape: shape + text.slice(end), numbers, starts };
}

const QUOTE = "'".charCodeAt(0);
const DOUBLE_QUOTE = '"'.charCodeAt(0);

/** Null where nothing can be lifted. @param statement of the text whose outline it is. */
export function templateOf(text: string, outline: Outline, statement: Statement): Template | null {
  const lifting = new Lifting(text, outline);
  const changed = lifting.statement(statement);
  if (changed === null || lifting.lifted.length === 0) return null;
  const { lifted } = lifting;
  const places = new Set(lifted.map(({ place }) => place));
  const kept = outline.numbers.flatMap((number, place) =>
    places.has(place) ? [] : [[place, number] as const],
  );
  return { statement: changed, types: lifted.map(() => OID.int4), lifted, kept: new Map(kept) };
}

/** The parameters' values; null where a number differs that belongs to the shape. */
export function valuesOf({ lifted, kept }: Template, { numbers }: Outline): number[] | null {
  for (const [place, number] of kept) if (numbers[place] !== number) return null;
  return lifted.map(({ place, sign }) => sign * Number(numbers[place]) || 0);
}

class Lifting {
  readonly lifted: { place: number; sign: 1 | -1 }[] = [];
  readonly #text: string;
  readonly #outline: Outline;

  constructor(text: string, outline: Outline) {
    this.#text = text;
    this.#outline = outline;
  }

  /** Null: it is none of those that are lifted from. */
  statement(statement: Statement): Statement | null {
    switch (statement.kind) {
      case 'query': {
        const query = this.#query(statement.query);
        return query === null ? null : { ...statement, query };
      }
      case 'update': {
        if (statement.with !== null || statement.from.length > 0) return null;
        const where = this.#where(statement.where);
        const set = statement.set.map(
          (item): SetItem => ({
            ...item,
            value: this.#number(item.value) ?? this.#operand(item.value),
          }),
        );
        return where === null ? null : { ...statement, set, where };
      }
      case 'delete': {
        if (statement.with !== null || statement.using.length > 0) return null;
        const where = this.#where(statement.where);
        return where === null ? null : { ...statement, where };
      }
      case 'insert':
        return this.#insert(statement);
      default:
        return null;
    }
  }

  #query(query: Query): Query | null {
    if (query.kind !== 'select' || query.with !== null || query.from.length !== 1) return null;
    if (query.from[0]?.kind !== 'relation') return null;
    const where = this.#where(query.where);
    return where === null ? null : { ...query, where };
  }

  #insert(statement: InsertStatement): Statement | null {
    const { source } = statement;
    if (statement.with !== null || source?.kind !== 'values' || 'cells' in source.rows) return null;
    if (source.with !== null) return null;
    const rows = source.rows.map((row) => row.map((value) => this.#number(value) ?? value));
    return { ...statement, source: { ...source, rows } };
  }

  #where(where: Expr | null): Expr | null {
    return where === null || !isPlain(where) ? null : this.#operand(where);
  }

  /** Numbers beside columns. */
  #operand(value: Expr): Expr {
    if (value.kind === 'and') return { ...value, args: value.args.map((arg) => this.#operand(arg)) };
    if (value.kind !== 'operator' || value.left === null || !OPERATORS.has(value.operator)) return value;
    const { left, right } = value;
    if (hasColumn(left)) {
      return { ...value, left: this.#operand(left), right: this.#number(right) ?? this.#operand(right) };
    }
    if (!hasColumn(right)) return value;
    return { ...value, left: this.#number(left) ?? left, right: this.#operand(right) };
  }

  /** The parameter in a number's place. */
  #number(value: Expr): Expr | null {
    if (value.kind !== 'integer') return null;
    const sign = value.text.startsWith('-') ? -1 : 1;
    let start = value.at - 1;
    if (sign < 0) while (/[-\s]/.test(this.#text[start] ?? '')) start++;
    const place = this.#outline.starts.indexOf(start);
    const written = this.#outline.numbers[place];
    if (written === undefined || sign * Number(written) !== Number(value.text)) return null;
    this.lifted.push({ place, sign });
    return { kind: 'parameter', number: this.lifted.length, at: value.at };
  }
}

const OPERATORS: ReadonlySet<string> = new Set(['=', '<', '>', '<=', '>=', '<>', '+', '-', '*', '/']);

function hasColumn(value: Expr): boolean {
  if (value.kind === 'column') return true;
  if (value.kind !== 'operator') return false;
  return (value.left !== null && hasColumn(value.left)) || hasColumn(value.right);
}

/** Columns, constants and operators: nothing that is planned by itself. */
function isPlain(value: Expr): boolean {
  switch (value.kind) {
    case 'column':
    case 'integer':
    case 'decimal':
    case 'string':
    case 'boolean':
    case 'null':
      return true;
    case 'and':
      return value.args.every(isPlain);
    case 'operator':
      return (value.left === null || isPlain(value.left)) && isPlain(value.right);
    default:
      return false;
  }
}
