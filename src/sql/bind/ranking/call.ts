/**
 * Calls of ranking functions as they are written: which arguments each takes, by place or by name.
 */
import { SqlError } from '../../../errors.ts';
import type { Expr } from '../../ast.ts';
import { bindExpression } from '../context.ts';
import type { Expression } from '../draft.ts';
import type { Call } from '../expression/arguments.ts';
import type { Level } from '../level.ts';

/**
 * Argument names in order; `index` may be given to all by name, `fields` and `column_weights` to those that take
 * several columns. A `...` takes all that follow.
 */
const RANKING: Readonly<Record<string, readonly string[]>> = {
  embedding: ['col'],
  semantic_similarity: ['col', 'query'],
  vector_distance: ['col', 'query', 'skip_refine'],
  multi_vector_distance: ['col', 'query', 'candidates'],
  match: ['query', 'col', 'weight', 'all_terms'],
  match_tokens: ['query', 'col', 'weight', 'all_terms'],
  should: ['query', 'col', 'weight', 'all_terms'],
  match_all: ['col', '...query'],
  match_any: ['col', '...query'],
  phrase: ['col', 'query', 'slop'],
  fuzzy: ['col', 'query', 'distance'],
  prefix: ['col', 'query'],
  bm25: ['col', 'query'],
  bm25_score: ['b', 'k1'],
  explain_score: ['b', 'k1'],
};
const REQUIRED: readonly string[] = ['query', '...query', 'col'];
const COLUMN_OPTIONAL = new Set(['match', 'match_tokens', 'should']);
/** They search several columns at once. */
const SEVERAL_COLUMNS = new Set([...COLUMN_OPTIONAL, 'bm25']);
const FIELDS = ['together', 'separate'] as const;
/** How the text of a query is read: as words, or as people write for a search engine. */
const SYNTAXES = ['plain', 'web'] as const;

/** Parsers of tools (sqlglot: Superset's SQL Lab) take `match` for MySQL's MATCH … AGAINST. */
export const ALIASES: Readonly<Record<string, string>> = { matches: 'match' };

export function isRanking(name: string): boolean {
  return Object.hasOwn(RANKING, name) || Object.hasOwn(ALIASES, name);
}

export interface Arguments {
  readonly call: Call;
  readonly byName: ReadonlyMap<string, Expression>;
  /** As many as were given: `ARRAY[title, summary]`, or one. */
  readonly columns: readonly Expression[];
  readonly tokens: readonly Expression[];
  /** Names of `index =>`: one, or as many as columns are searched. */
  readonly indexes: readonly string[];
  /** Several columns as the fields of one text, or each by itself. */
  readonly fields: (typeof FIELDS)[number];
  readonly syntax: (typeof SYNTAXES)[number];
}

/** @throws SqlError 42883 when arguments are missing, too many or unknown by name. */
export function namedArguments(level: Level, call: Call): Arguments {
  const names = namesOf(call);
  const byName = new Map<string, Expression>();
  const tokens: Expression[] = [];
  let columns: readonly Expression[] = [];
  const constants = new Map<string, string>();
  let indexes: readonly string[] = [];
  call.args.forEach((arg, i) => {
    if (arg.name === 'index') {
      indexes = constantNames(arg.value, arg.name, call);
      return;
    }
    if (arg.name !== null && isConstant(arg.name, call)) {
      constants.set(arg.name, constantText(arg.value, arg.name, call));
      return;
    }
    const positional = names[Math.min(i, names.length - 1)];
    const name = arg.name ?? (i < names.length || positional?.startsWith('...') ? positional : undefined);
    if (name === undefined || byName.has(name) || !takes(call, name)) throw signatureError(call);
    const several = name === 'col' && SEVERAL_COLUMNS.has(call.name) ? severalColumns(arg.value) : null;
    const values = (several ?? [arg.value]).map((value) => bindExpression(level, value));
    if (name === 'col') columns = values;
    if (name.startsWith('...') || names.includes(`...${name}`)) tokens.push(...values);
    else if (values[0] !== undefined) byName.set(name, values[0]);
  });
  for (const name of names) {
    if (!REQUIRED.includes(name) || (name === 'col' && COLUMN_OPTIONAL.has(call.name))) continue;
    if (!byName.has(name) && !(name === '...query' && tokens.length > 0)) throw signatureError(call);
  }
  return {
    call,
    byName,
    columns,
    tokens,
    indexes,
    fields: fieldsOf(constants, call),
    syntax: syntaxOf(constants, call),
  };
}

const namesOf = ({ name }: Call): readonly string[] => RANKING[name] ?? [];

/** Requires a constant: what the plan depends on has to be known when it is made. */
const isConstant = (name: string, call: Call): boolean =>
  (name === 'fields' && SEVERAL_COLUMNS.has(call.name)) || (name === 'syntax' && call.name === 'match');

function takes(call: Call, name: string): boolean {
  const names = namesOf(call);
  if (name === 'column_weights') return SEVERAL_COLUMNS.has(call.name);
  if (name === 'fuzzy') return call.name === 'match';
  return names.includes(name) || names.includes(`...${name}`);
}

/** `ARRAY[title, tags]`, whose columns need not have one type; null: it is none. */
const severalColumns = (value: Expr): readonly Expr[] | null =>
  value.kind === 'array' && value.elements.length > 0 ? value.elements : null;

export const fieldsOf = (constants: ReadonlyMap<string, string>, call: Call): (typeof FIELDS)[number] =>
  oneOf(FIELDS, { name: 'fields', given: constants.get('fields'), call });

export const syntaxOf = (constants: ReadonlyMap<string, string>, call: Call): (typeof SYNTAXES)[number] =>
  oneOf(SYNTAXES, { name: 'syntax', given: constants.get('syntax'), call });

/** The first where none is given. @throws SqlError 22023 */
function oneOf<const Known extends readonly [string, ...string[]]>(
  all: Known,
  { name, given, call }: { readonly name: string; readonly given: string | undefined; readonly call: Call },
): Known[number] {
  const known = given === undefined ? all[0] : all.find((one) => one === given);
  if (known !== undefined) return known;
  const message = `the argument "${name}" of ${call.name} must not be "${given}"`;
  throw new SqlError('invalid_parameter_value', message, {
    position: call.at,
    hint: `Valid values are ${all.map((one) => `"${one}"`).join(', ')}.`,
  });
}

/** Constant text: what the plan depends on has to be known when it is made. @throws SqlError 22023 */
export function constantText(value: Expr, name: string, call: Call): string {
  if (value.kind === 'string') return value.value;
  throw new SqlError(
    'invalid_parameter_value',
    `the argument "${name}" of ${call.name} must be a string constant`,
    { position: call.at },
  );
}

/** `ARRAY['title', 'summary']`, `'{title,summary}'` or one name. @throws SqlError 22023 */
export function constantNames(value: Expr, name: string, call: Call): readonly string[] {
  if (value.kind === 'array') return value.elements.map((element) => constantText(element, name, call));
  const text = constantText(value, name, call);
  const list = /^\{(.*)\}$/s.exec(text)?.[1];
  return list === undefined ? [text] : list.split(',').map((one) => one.trim().replace(/^"(.*)"$/, '$1'));
}

function signatureError(call: Call): SqlError {
  return new SqlError('undefined_function', `${call.name} is not called with these arguments`, {
    position: call.at,
    hint: signatureHint(call),
  });
}

export function signatureHint(call: Call): string {
  const byIndex =
    call.name === 'bm25_score' || call.name === 'explain_score' ? '' : ", and may be given index => 'name'";
  return `It is ${call.name}(${namesOf(call).join(', ')})${byIndex}.`;
}
