/**
 * `facets('films', 'query', columns => ARRAY['year', 'genre'] [, k, filter, buckets, …])` in FROM: how often the values of
 * columns come in all rows that a keyword search finds. The rows are found once, as a common table; each facet is a
 * query over it. docs/facets.md has the arguments.
 */
import { present } from '../../../assert.ts';
import { liveColumns, type Relation } from '../../../catalog/model.ts';
import { notSupported, SqlError } from '../../../errors.ts';
import { FACETS_COUNT_MAX } from '../../../limits.ts';
import { OID } from '../../../types/oids.ts';
import { findTypeByOid } from '../../../types/registry.ts';
import { quoteLiteral } from '../../../types/text/quote.ts';
import type { Argument, Expr, FromItem } from '../../ast.ts';
import { parseExpression } from '../../parse/parse.ts';
import { bindExpression, bindQuery } from '../context.ts';
import { type DraftColumn, type Expression, filter, type Plan, project } from '../draft.ts';
import type { Call } from '../expression/arguments.ts';
import { coerceBoolean, settleUnknown } from '../expression/coerce.ts';
import type { CommonTableEntry } from '../query/common-tables.ts';
import { namedItem } from '../query/from-item.ts';
import { queryOf, scanRelation } from '../query/from-relation.ts';
import { type FromResult, inClause, type Level, newLevel } from '../level.ts';
import { newId } from '../state.ts';
import { constantNames } from './call.ts';
import { type Bucket, bucketsOf, bucketText } from './facet-buckets.ts';
import { filtered } from './filter-argument.ts';
import { finishRanking } from './finish.ts';
import { searchedRelation, useSearched } from './searched-relation.ts';

const NAMES = ['collection', 'query', 'columns', 'k', 'filter', 'buckets'] as const;
/** They are `match()`'s. */
const OF_MATCH = ['search', 'all_terms', 'fields', 'column_weights', 'index', 'syntax'] as const;
type Name = (typeof NAMES)[number] | (typeof OF_MATCH)[number];
type Given = ReadonlyMap<Name, Argument>;

const VALUES_DEFAULT = 10;
/** The most values of one facet. */
const VALUES_MAX = 10_000;
const HITS = 'hits';

export const isFacets = ({ name, schema }: Call): boolean =>
  name === 'facets' && (schema === null || schema === 'quern');

export function bindFacets(level: Level, call: Call, item: FromItem & { kind: 'function' }): FromResult {
  if (item.ordinality) throw notSupported('WITH ORDINALITY on facets', { position: call.at });
  const given = argumentsOf(call);
  const inner = newLevel(level.state, level.parent, level.commonTables);
  const { relation, name } = searchedRelation(level, argumentOf(given, 'collection'), call);
  const use = useSearched(level.state, relation);
  const scanned = scanRelation(inner, relation, { name, alias: null, use });
  inner.items = scanned.items;
  inner.columns = scanned.columns;
  const names = constantNames(argumentOf(given, 'columns'), 'columns', call);
  checkCount(names.length, call);
  const buckets = bucketsOf(given.get('buckets')?.value, names, call);
  const facets = names.map((text) => ({ text, value: facetValue(inner, relation, text, call) }));
  const hits = hitsOf(
    inner,
    scanned.plan,
    facets.map(({ value }) => value),
    given,
    call,
  );
  const limit = limitText(given, call);
  const text = facets
    .map(({ text: facet, value }, i) => facetQuery(facet, value, i, { bucket: buckets.get(facet), limit }))
    .join(' UNION ALL ');
  const counted = atCall(call, () => countHits(level, hits, text));
  return namedItem(level, counted, item.alias ?? { name: call.name, columns: [] });
}

const argumentOf = (given: Given, name: Name): Expr => present(given.get(name), name).value;

/** @throws SqlError 42883 when arguments are missing, too many or unknown by name. */
function argumentsOf(call: Call): Given {
  const given = new Map<Name, Argument>();
  for (const [i, arg] of call.args.entries()) {
    const known: readonly Name[] = [...NAMES, ...OF_MATCH];
    const name = arg.name === null ? NAMES[i] : known.find((one) => one === arg.name);
    if (name === undefined || given.has(name)) throw signatureError(call);
    given.set(name, arg);
  }
  if (!given.has('collection') || !given.has('query') || !given.has('columns')) throw signatureError(call);
  return given;
}

const signatureError = (call: Call): SqlError =>
  new SqlError('undefined_function', 'facets is not called with these arguments', {
    position: call.at,
    hint: `It is facets(${NAMES.slice(0, 3).join(', ')} [, ${[...NAMES.slice(3), ...OF_MATCH].join(', ')}]).`,
  });

function checkCount(count: number, call: Call): void {
  if (count >= 1 && count <= FACETS_COUNT_MAX) return;
  const message = `facets counts between 1 and ${FACETS_COUNT_MAX} columns, not ${count}`;
  throw new SqlError(count === 0 ? 'invalid_parameter_value' : 'program_limit_exceeded', message, {
    position: call.at,
  });
}

/** A column by its name, or SQL over the columns. @throws SqlError 42703 */
function facetValue(level: Level, relation: Relation, text: string, call: Call): Expression {
  const column = liveColumns(relation).some(({ name }) => name === text);
  const written: Expr = column ? { kind: 'column', path: [text], at: call.at } : parseExpression(text);
  const bound = inClause(level, 'GROUP BY', () => atCall(call, () => bindExpression(level, written)));
  return settleUnknown(level.state, bound);
}

/** Hits: a column for each facet. */
function hitsOf(level: Level, scan: Plan, values: readonly Expression[], given: Given, call: Call): Plan {
  level.clause = 'WHERE';
  const args = OF_MATCH.flatMap((name): Argument[] => {
    const arg = given.get(name);
    return arg === undefined ? [] : [{ ...arg, name: name === 'search' ? 'col' : name }];
  });
  const query = { ...present(given.get('query'), 'query'), name: null };
  const match: Expr = { ...call, name: 'match', schema: null, args: [query, ...withColumns(args, call)] };
  const found = coerceBoolean(level.state, bindExpression(level, match), 'WHERE');
  const plan = filtered(level, filter(scan, found), given.get('filter')?.value, call);
  finishRanking(level);
  const output = values.map(({ type }, i): DraftColumn => {
    return { id: newId(level.state), name: columnName(i), type, relation: 0, attribute: 0 };
  });
  return project(plan, values, output);
}

const columnName = (i: number): string => `c${i}`;

/** `search => ARRAY['title']`: names, as `columns` are. */
function withColumns(args: readonly Argument[], call: Call): readonly Argument[] {
  return args.map((arg) => {
    if (arg.name !== 'col') return arg;
    const elements = constantNames(arg.value, 'search', call).map((name): Expr => {
      return { kind: 'column', path: [name], at: call.at };
    });
    return { ...arg, value: { kind: 'array', elements, at: call.at } };
  });
}

/** The number of values wanted of each facet, as SQL: a constant, or a parameter. @throws SqlError 22023 */
function limitText(given: Given, call: Call): string {
  const value = given.get('k')?.value;
  if (value === undefined || value.kind === 'null') return String(VALUES_DEFAULT);
  if (value.kind === 'parameter') {
    const parameter = `$${value.number}::bigint`;
    return `least(${VALUES_MAX}, greatest(0, coalesce(${parameter}, ${VALUES_DEFAULT})))`;
  }
  const count = value.kind === 'integer' ? Number(value.text) : 0;
  if (count >= 1 && count <= VALUES_MAX) return String(count);
  const message = `k of facets must be a constant between 1 and ${VALUES_MAX}, or a parameter`;
  throw new SqlError('invalid_parameter_value', message, { position: call.at });
}

/**
 * Rows of (facet, value, count) of one facet over the hits, most frequent first; ranges in their order. Equal values are
 * counted before anything is made of them: elements of arrays, ranges.
 */
function facetQuery(
  facet: string,
  { type }: Expression,
  i: number,
  { bucket, limit }: { readonly bucket: Bucket | undefined; readonly limit: string },
): string {
  const column = columnName(i);
  const isArray = findTypeByOid(type.oid)?.category === 'A';
  const values = `SELECT ${column} AS v, pg_catalog.count(*) AS n FROM ${HITS} WHERE ${column} IS NOT NULL GROUP BY 1`;
  const single = isArray ? `SELECT pg_catalog.unnest(v) AS v, n FROM (${values}) AS arrays` : values;
  const inRanges = bucket === undefined ? 'v' : bucketText(bucket, 'v');
  const isCounted = !isArray && bucket === undefined;
  const rows = isCounted
    ? values
    : `SELECT ${inRanges} AS v, pg_catalog.sum(n)::bigint AS n FROM (${single}) AS singles WHERE v IS NOT NULL GROUP BY 1`;
  const shown = bucket !== undefined ? 'v[2]' : type.oid === OID.jsonb ? "(v #>> '{}')" : 'v::text';
  const order = bucket === undefined ? `n DESC, v LIMIT ${limit}` : `v[1]::numeric LIMIT ${VALUES_MAX}`;
  const name = `${quoteLiteral(facet)}::text`;
  return `(SELECT ${name} AS facet, ${shown} AS value, n AS count FROM (${rows}) AS counted ORDER BY ${order})`;
}

/** @param text of a query that reads the hits. */
function countHits(level: Level, hits: Plan, text: string): Plan {
  const { state } = level;
  const id = state.nextCommonTable++;
  const columns = hits.output;
  const entry: CommonTableEntry = { name: HITS, id, columns, scans: 0, writes: false, readable: true };
  const commonTables = { entries: new Map([[HITS, entry]]), later: new Set<string>(), parent: null };
  const { plan: body } = bindQuery({ state, parent: null, commonTables }, queryOf(text));
  return { kind: 'with', id, name: HITS, definition: hits, recursive: null, body, output: body.output };
}

/** Our own text has no place in the statement: the call has. */
function atCall<T>(call: Call, bind: () => T): T {
  try {
    return bind();
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
    const { position: _, ...fields } = error.fields;
    throw new SqlError(error.condition, error.message, { ...fields, position: call.at });
  }
}
