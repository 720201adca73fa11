/**
 * `hybrid('books', 'query text' [, columns, k, method, weights, depth, filter])` in FROM: the rows of a relation
 * ranked by meaning and by words at once. Every semantic index is an arm of its own, all keyword indexes together
 * are one. `more_like('books', id)` is the same with examples in place of a query. product.md section 2; docs/hybrid.md has
 * the columns.
 */
import { present } from '../../../assert.ts';
import type { IndexKind } from '../../../catalog/index-kinds.ts';
import { type Index, indexedName, liveColumns, type Relation } from '../../../catalog/model.ts';
import { notSupported, SqlError } from '../../../errors.ts';
import type { Arm, FusedKind } from '../../../plan/plan.ts';
import type { TypeRef } from '../../../types/type.ts';
import type { Argument, Expr, FromItem } from '../../ast.ts';
import { arrayTypeOf, coerce } from '../expression/coerce.ts';
import {
  type Draft,
  type DraftColumn,
  type Expression,
  FLOAT,
  INTEGER,
  JSONB,
  literal,
  type Plan,
  project,
  reference,
  type ScanDraft,
  TEXT,
} from '../draft.ts';
import { bindExpression } from '../context.ts';
import { namedItem } from '../query/from-item.ts';
import { scanRelation } from '../query/from-relation.ts';
import type { Call } from '../expression/arguments.ts';
import { constantNames, constantText, fieldsOf, syntaxOf } from './call.ts';
import { filtered } from './filter-argument.ts';
import { alsoFiltered } from './hybrid-conditions.ts';
import { bindWebSigns } from './hybrid-syntax.ts';
import { columnPath, samePath } from '../relation/text-path.ts';
import { parseExpression } from '../../parse/parse.ts';
import {
  answeringIndexes,
  checkNamed,
  columnsOfWords,
  type IndexedColumn,
  KINDS_OF_WORDS,
  searchedName,
} from './index-choice.ts';
import { likenessOf } from './more-like.ts';
import { armColumn } from './ranking.ts';
import { searchedRelation, useSearched } from './searched-relation.ts';
import { KINDS_OF_VECTORS, type VectorArm, vectorArms } from './vector-arguments.ts';
import { type FromResult, type Level, newLevel } from '../level.ts';
import { newId } from '../state.ts';

/** Arguments of each function, in order. */
const ARGUMENTS = {
  hybrid: [
    'collection',
    'query',
    'columns',
    'k',
    'method',
    'weights',
    'depth',
    'filter',
    'column_weights',
    'fields',
    'index',
    'vector',
    'vector_column',
    'syntax',
    'explain',
    'diversity',
    'fuzzy',
  ],
  more_like: [
    'collection',
    'like',
    'not_like',
    'k',
    'columns',
    'filter',
    'diversity',
    'text',
    'not_text',
    'method',
    'weights',
    'depth',
    'column_weights',
    'fields',
    'index',
  ],
} as const;
type FunctionName = keyof typeof ARGUMENTS;
type Name = (typeof ARGUMENTS)[FunctionName][number];
type Given = ReadonlyMap<Name, Argument>;

const isFunction = (name: string): name is FunctionName => Object.hasOwn(ARGUMENTS, name);

export const isHybrid = ({ name, schema }: Call): boolean =>
  isFunction(name) && (schema === null || schema === 'quern');

export function bindHybrid(level: Level, call: Call, item: FromItem & { kind: 'function' }): FromResult {
  if (item.ordinality) throw notSupported(`WITH ORDINALITY on ${call.name}`, { position: call.at });
  const given = argumentsOf(call);
  const collection = present(given.get('collection'), 'collection').value;
  const { relation, name } = searchedRelation(level, collection, call);
  const like = call.name === 'more_like' ? likenessOf(level, { relation, given, call }) : null;
  const query = like === null ? queryOf(level, given) : literal(null, TEXT);
  const inner = newLevel(level.state, level.parent, level.commonTables);
  const use = useSearched(level.state, relation);
  const scanned = scanRelation(inner, relation, { name, alias: null, use });
  inner.items = scanned.items;
  inner.columns = scanned.columns;
  const web = webSigns(inner, { relation, scan: scanned.plan, query, given, call });
  const arms = armsOf(inner, { relation, scan: scanned.plan, query: web?.words ?? query, given, call });
  const found = filtered(inner, scanned.plan, given.get('filter')?.value, call);
  const input = web === null ? found : alsoFiltered(found, web.condition);
  const option = (name: Name, type: TypeRef): Expression | null => {
    const value = given.get(name)?.value;
    return value === undefined ? null : coerced(level, value, type);
  };
  const score = ownColumn(level, 'score', FLOAT);
  const ranks = arms.map(({ name }) => ownColumn(level, `${name}_rank`, INTEGER));
  const shares = arms.map(({ name }) => ownColumn(level, `${name}_share`, FLOAT));
  const told = isExplained(given, call) ? [ownColumn(level, 'explanation', JSONB)] : [];
  const fusion: Plan = {
    kind: 'fusion',
    input,
    arms: arms.map(({ kind, score: column, metric }) => ({ kind, score: column, ...(metric && { metric }) })),
    count: option('k', INTEGER),
    method: option('method', TEXT),
    weights: option('weights', arrayTypeOf(FLOAT, call.at)),
    depth: option('depth', INTEGER),
    explained: told.length > 0,
    diversity: option('diversity', FLOAT),
    like,
    output: [score, ...ranks.flatMap((rank, i) => [rank, present(shares[i], 'share')]), ...told],
  };
  const perArm = arms.flatMap(({ name, score: column }, i) => [
    [ranks[i]?.name ?? '', reference(ranks[i]?.id ?? 0, INTEGER)] as const,
    [`${name}_score`, column] as const,
    [shares[i]?.name ?? '', reference(shares[i]?.id ?? 0, FLOAT)] as const,
  ]);
  const stored = scanned.columns.map(({ name, expression }) => [name, expression] as const);
  const explanation = told.map(({ id, name }) => [name, reference(id, JSONB)] as const);
  const own = [['score', reference(score.id, FLOAT)] as const, ...perArm, ...explanation];
  const taken = new Set(stored.map(([name]) => name));
  const free = own.map(([name, value]) => [taken.has(name) ? `_${name}` : name, value] as const);
  const bound = named(level, fusion, [...stored, ...free], item);
  const ids = bound.plan.output.map(({ id }) => id);
  level.searches.set(bound.plan, new Map(stored.map(([, value], i) => [ids[i] as number, value])));
  return bound;
}

function queryOf(level: Level, given: Given): Expression | null {
  const text = given.get('query')?.value;
  return text === undefined ? null : coerced(level, text, TEXT);
}

type NamedValue = readonly [name: string, value: Expression];

function named(
  level: Level,
  input: Plan,
  values: readonly NamedValue[],
  { alias, calls }: FromItem & { kind: 'function' },
): FromResult {
  const output = values.map(([name, { type }]) => ownColumn(level, name, type));
  for (const { id, name } of output) if (name.endsWith('score')) level.state.ranking.add(id);
  const plan = project(
    input,
    values.map(([, value]) => value),
    output,
  );
  return namedItem(level, plan, alias ?? { name: calls[0]?.name ?? '', columns: [] });
}

const ownColumn = (level: Level, name: string, type: TypeRef): DraftColumn => ({
  id: newId(level.state),
  name,
  type,
  relation: 0,
  attribute: 0,
});

/** @throws SqlError 42883 when arguments are missing, too many or unknown by name. */
function argumentsOf(call: Call): Given {
  const names = namesOf(call);
  const given = new Map<Name, Argument>();
  for (const [i, arg] of call.args.entries()) {
    const name = arg.name === null ? names[i] : names.find((known) => known === arg.name);
    if (name === undefined || given.has(name)) throw signatureError(call);
    given.set(name, arg);
  }
  const asks = ASKING.some((name) => given.has(name));
  if (!given.has('collection') || !asks) throw signatureError(call);
  return given;
}

const namesOf = ({ name }: Call): readonly Name[] => ARGUMENTS[name as FunctionName];

/** Arguments of which a call gives one at least. */
const ASKING: readonly Name[] = ['query', 'vector', 'like', 'text'];

function signatureError(call: Call): SqlError {
  const names = namesOf(call);
  const signature = `${names.slice(0, 2).join(', ')} [, ${names.slice(2).join(', ')}]`;
  return new SqlError('undefined_function', `${call.name} is not called with these arguments`, {
    position: call.at,
    hint: `It is ${call.name}(${signature}); all may be given by name.`,
  });
}

function coerced(level: Level, value: Expr, type: TypeRef): Expression {
  return coerce(level.state, bindExpression(level, value), { type, context: 'assignment' });
}

/** It is a column more. @throws SqlError 22023 */
function isExplained(given: Given, call: Call): boolean {
  const value = given.get('explain')?.value;
  if (value === undefined || value.kind === 'null') return false;
  if (value.kind === 'boolean') return value.value;
  const message = 'the argument "explain" of hybrid must be true or false';
  throw new SqlError('invalid_parameter_value', message, { position: call.at });
}

interface HybridArm {
  readonly kind: FusedKind;
  /** Prefix of its columns. */
  readonly name: string;
  readonly score: Expression;
  readonly metric?: string;
}

interface Searched {
  readonly relation: Relation;
  readonly scan: ScanDraft;
  readonly query: Expression | null;
  readonly given: Given;
  readonly call: Call;
}

/** @throws SqlError 42809 when there is nothing to search. */
function armsOf(level: Level, { query, ...target }: Searched): readonly HybridArm[] {
  const { relation, scan, given, call } = target;
  const info = present(level.state.columns.get(present(scan.output[0], 'column').id), 'column');
  const ofText = query === null ? [] : textArms(level, { ...target, query });
  const named = given.get('vector_column')?.value;
  const columns = named === undefined ? null : constantNames(named, 'vector_column', call);
  const vector = given.get('vector')?.value;
  const ofVectors = vectorArms(level, {
    relation,
    vector,
    columns,
    named: namedIndexes(given, call),
    call,
  });
  checkIndexes(level, target, ofVectors);
  return [
    ...ofText,
    ...ofVectors.map(({ name, metric, arm }): HybridArm => {
      return { kind: 'vector', name, metric, score: armColumn(level, scan, info, arm) };
    }),
  ];
}

/** Signs that `syntax => 'web'` finds in the query; null where it is only words. */
function webSigns(level: Level, target: Searched) {
  const { relation, scan, query, given, call } = target;
  const text = given.get('syntax')?.value;
  const written = text === undefined ? 'plain' : constantText(text, 'syntax', call);
  if (syntaxOf(new Map([['syntax', written]]), call) === 'plain' || query === null) return null;
  const info = present(level.state.columns.get(present(scan.output[0], 'column').id), 'column');
  const { keyword } = searchedIndexes(wantedColumns(level, relation, given, call), target);
  return bindWebSigns(level, { scan, info, indexes: keyword, query, at: call.at });
}

/** @throws SqlError 42809 when there is neither a semantic nor a keyword index to search. */
function textArms(level: Level, target: Searched & { readonly query: Expression }): readonly HybridArm[] {
  const { relation, scan, query, call } = target;
  const fields = target.given.get('fields')?.value;
  const weights = target.given.get('column_weights')?.value;
  const fuzzy = target.given.get('fuzzy')?.value;
  const wanted = wantedColumns(level, relation, target.given, call);
  const { semantic, keyword } = searchedIndexes(wanted, target);
  if (keyword.length === 0) {
    throw new SqlError(
      'wrong_object_type',
      `relation "${relation.name}" has no index for ${call.name} to search`,
      {
        position: call.at,
        hint: `Make one: CREATE INDEX ON ${relation.name} USING semantic (column), or USING keyword.`,
      },
    );
  }
  const info = present(level.state.columns.get(present(scan.output[0], 'column').id), 'column');
  const arm = (kind: FusedKind, name: string, one: Arm<Draft>): HybridArm => ({
    kind,
    name,
    score: armColumn(level, scan, info, one),
  });
  return [
    ...semantic.map((index) => {
      const name = semantic.length === 1 ? 'semantic' : `${indexedName(relation, index, '_')}_semantic`;
      return arm('semantic', name, { kind: 'semantic', index: index.oid, query });
    }),
    arm('keyword', 'keyword', {
      kind: 'keyword',
      indexes: keyword.map(({ oid }) => oid),
      operator: 'bm25',
      query,
      weight: null,
      option: null,
      b: null,
      k1: null,
      fields: fieldsOf(
        new Map(fields === undefined ? [] : [['fields', constantText(fields, 'fields', call)]]),
        call,
      ),
      columnWeights: weights === undefined ? null : coerced(level, weights, JSONB),
      fuzzy: fuzzy === undefined ? null : coerced(level, fuzzy, TEXT),
      output: 'score',
    }),
  ];
}

/** Indexes of meaning and of words for each column: one that `index` names, else the oldest. */
function searchedIndexes(
  columns: readonly IndexedColumn[],
  { given, call }: { readonly given: Given; readonly call: Call },
): { readonly semantic: readonly Index[]; readonly keyword: readonly Index[] } {
  const named = namedIndexes(given, call);
  const ofKinds = (kinds: readonly IndexKind[]): readonly Index[] =>
    columns.flatMap((column) => {
      const fitting = answeringIndexes(column, kinds);
      return fitting.find(({ name }) => named.includes(name)) ?? fitting[0] ?? [];
    });
  return { semantic: ofKinds(['semantic']), keyword: ofKinds(KINDS_OF_WORDS) };
}

function namedIndexes(given: Given, call: Call): readonly string[] {
  const names = given.get('index')?.value;
  return names === undefined || names.kind === 'null' ? [] : constantNames(names, 'index', call);
}

/** Every index that is named is one of an arm. @throws SqlError 42704, 42809, 55000. */
function checkIndexes(
  level: Level,
  { relation, scan, given, call }: Omit<Searched, 'query'>,
  ofVectors: readonly VectorArm[],
): void {
  const asked = [...scan.arms, ...ofVectors.map(({ arm }) => arm)];
  const oids = asked.flatMap((arm) => (arm.kind === 'keyword' ? arm.indexes : [arm.index]));
  const columns = [
    ...wantedColumns(level, relation, given, call),
    ...(ofVectors.length === 0 ? [] : liveColumns(relation).map((column) => ({ ...column, relation }))),
  ];
  checkNamed(
    columns,
    relation.indexes.filter(({ oid }) => oids.includes(oid)),
    {
      function: call.name,
      at: call.at,
      kinds: [...new Set([...KINDS_OF_WORDS, ...(ofVectors.length === 0 ? [] : KINDS_OF_VECTORS)])],
      named: namedIndexes(given, call),
    },
  );
}

/** Those named by `columns`, else all, in the relation's order. @throws SqlError 42703, 42809. */
function wantedColumns(level: Level, relation: Relation, given: Given, call: Call): readonly IndexedColumn[] {
  const all = columnsOfWords(relation);
  const columns = given.get('columns')?.value;
  if (columns === undefined || columns.kind === 'null') return all;
  const wanted = constantNames(columns, 'columns', call).map((name): IndexedColumn => {
    const found = all.find((column) => searchedName(column) === name) ?? pathNamed(level, all, name);
    if (found !== undefined) return found;
    const position = call.at;
    if (!liveColumns(relation).some((column) => column.name === name)) {
      const message = `column "${name}" of relation "${relation.name}" does not exist`;
      throw new SqlError('undefined_column', message, { position });
    }
    const message = `column "${name}" of relation "${relation.name}" has no semantic or keyword index`;
    throw new SqlError('wrong_object_type', message, { position });
  });
  return all.filter((column) => wanted.includes(column));
}

/** `meta->>'title'`, as in a query. */
function pathNamed(level: Level, all: readonly IndexedColumn[], text: string): IndexedColumn | undefined {
  if (!/->|#>|\[/.test(text)) return undefined;
  const within = columnPath(bindExpression(level, parseExpression(text)));
  const attribute = within && level.state.columns.get(within.column.id)?.attribute;
  return all.find((column) => column.attribute === attribute && samePath(column.path, within?.path));
}
