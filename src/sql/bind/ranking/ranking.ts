/**
 * Ranking functions and keyword predicates: bound to arms of the scan of the column's relation, so that all
 * above sees a plain column (`plan.ts`, `Arm`). Equal calls share an arm. product.md section 2.
 */
import { PRIVILEGE } from '../../../catalog/access/privileges.ts';
import { present } from '../../../assert.ts';
import type { IndexKind } from '../../../catalog/index-kinds.ts';
import type { Index, Relation } from '../../../catalog/model.ts';
import { notSupported, SqlError } from '../../../errors.ts';
import { type Arm, isExplained } from '../../../plan/plan.ts';
import { dimensionOf } from '../../../types/vector/dimension.ts';
import { OID } from '../../../types/oids.ts';
import { findTypeByOid, formatType, typeByOid } from '../../../types/registry.ts';
import type { TextPath } from '../../../types/json/path-column.ts';
import type { TypeRef } from '../../../types/type.ts';
import { columnPath } from '../relation/text-path.ts';
import { arrayTypeOf, coerce, isUnknown } from '../expression/coerce.ts';
import {
  BOOLEAN,
  type Draft,
  eachReference,
  type Expression,
  FLOAT,
  INTEGER,
  JSONB,
  reference,
  sameExpression,
  type ScanDraft,
  TEXT,
} from '../draft.ts';
import type { Call } from '../expression/arguments.ts';
import type { KeywordArm, Level, RankingArm, ScoreCall } from '../level.ts';
import { ALIASES, type Arguments, namedArguments, signatureHint } from './call.ts';
import {
  answeringIndexes,
  chooseIndexes,
  columnsOfWords,
  type IndexedColumn,
  type IndexWish,
  KINDS_OF_WORDS,
} from './index-choice.ts';
import { wantWhole } from '../rights.ts';
import { type ColumnInfo, newId } from '../state.ts';

export function bindRanking(level: Level, written: Call): Expression {
  const call = { ...written, name: ALIASES[written.name] ?? written.name };
  if (call.over || call.distinct || call.star || call.filter || call.order.length > 0) {
    throw new SqlError('wrong_object_type', `${call.name} is not an aggregate or window function`, {
      position: call.at,
    });
  }
  const given = namedArguments(level, call);
  switch (call.name) {
    case 'bm25_score':
    case 'explain_score':
      return bindScore(level, given, call.name);
    case 'embedding':
      return bindEmbedding(level, given);
    case 'semantic_similarity':
      return bindSemantic(level, given);
    case 'vector_distance':
      return bindVector(level, given);
    case 'multi_vector_distance':
      return bindMultiVector(level, given);
    default:
      return bindKeyword(level, given);
  }
}

interface Target {
  readonly info: ColumnInfo;
  readonly scan: ScanDraft;
  readonly relation: Relation;
  readonly type: TypeRef;
  readonly path: TextPath | undefined;
}

/** The stored column, or path into one, that a ranking function is about. @throws SqlError 42809. */
function targetOf(
  level: Level,
  given: Arguments,
  column = present(given.byName.get('col'), 'column'),
): Target {
  const within = columnPath(column);
  const stored = within?.column ?? column;
  const info = stored.kind === 'column' ? level.state.columns.get(stored.id) : undefined;
  const relation = info?.scan ? level.state.context.catalog.relations.get(info.relation) : undefined;
  if (info?.scan && relation) {
    return { info, scan: info.scan, relation, type: stored.type, path: within?.path };
  }
  const absent = (stored.kind === 'literal' && stored.absent) || null;
  if (absent !== null) {
    const message = `there is no field "${absent}" that ${given.call.name} could search`;
    throw new SqlError('undefined_column', message, {
      position: column.at || given.call.at,
      hint: 'Declare it with an index, or name a field that has one.',
    });
  }
  throw new SqlError('wrong_object_type', `${given.call.name} needs a column of a stored relation`, {
    position: column.at || given.call.at,
    hint:
      column.kind === 'column' ? 'Call it where the relation itself is in FROM.' : signatureHint(given.call),
  });
}

/** @throws SqlError 42809, 42704, 55000. */
function indexOf(given: Arguments, target: Target, kind: IndexKind): Index {
  return present(chooseIndexes([indexed(target)], wishOf(given, [kind]))[0], 'index');
}

const indexed = ({ info, relation, type, path }: Target): IndexedColumn => ({
  relation,
  attribute: info.attribute,
  path,
  name: info.name,
  type,
});

const wishOf = ({ call, indexes }: Arguments, kinds: readonly IndexKind[]): IndexWish => ({
  function: call.name,
  at: call.at,
  kinds,
  named: indexes,
});

/** The arm's column; an equal arm of the scan is shared. */
export function armColumn(level: Level, scan: ScanDraft, info: ColumnInfo, arm: Arm<Draft>): Expression {
  const type = typeOfArm(arm);
  const known = scan.arms.findIndex((candidate) => sameExpression(candidate, arm));
  const column = scan.armColumns[known];
  if (column) return reference(column.id, type);
  const id = newId(level.state);
  const name = nameOfArm(arm);
  // A score depends on rows that the statement does not give: whoever is shown it may read them all.
  const use = level.state.scanUses.get(scan);
  if (use !== undefined && arm.kind !== 'vector') wantWhole(use, PRIVILEGE.select);
  scan.arms.push(arm);
  scan.armColumns.push({ id, name, type, relation: 0, attribute: 0 });
  level.state.columns.set(id, { ...info, name, undeclared: false, relation: 0, attribute: 0, scan: null });
  if (arm.kind !== 'embedding') level.state.ranking.add(id);
  return reference(id, type);
}

function typeOfArm(arm: Arm<Draft>): TypeRef {
  if (isExplained(arm)) return JSONB;
  if (arm.kind === 'embedding') return VECTOR;
  return arm.kind === 'keyword' && arm.output === 'matched' ? BOOLEAN : FLOAT;
}

const VECTOR: TypeRef = { oid: OID.vector, modifier: -1 };

function nameOfArm(arm: Arm<Draft>): string {
  if (isExplained(arm)) return 'explanation';
  if (arm.kind === 'embedding') return arm.kind;
  return arm.kind === 'keyword' ? arm.operator : `${arm.kind}_score`;
}

function bindEmbedding(level: Level, given: Arguments): Expression {
  const target = targetOf(level, given);
  const index = indexOf(given, target, 'semantic');
  return armColumn(level, target.scan, target.info, { kind: 'embedding', index: index.oid });
}

/** Query that must not depend on the row that is ranked. */
function constantQuery(level: Level, given: Arguments, query: Expression, info: ColumnInfo): Expression {
  eachReference(query, (column) => {
    if (level.state.columns.get(column.id)?.level === info.level) {
      throw notSupported(`a query of ${given.call.name} that depends on the row`, {
        position: column.at || given.call.at,
        hint: 'Give a constant or a parameter, or rank in a LATERAL subquery.',
      });
    }
  });
  return query;
}

function queryText(level: Level, given: Arguments, info: ColumnInfo): Expression {
  const query = present(given.byName.get('query'), 'query argument');
  if (QUERY_TYPES.has(query.type.oid) || [...QUERY_TYPES.values()].includes(query.type.oid)) {
    const message = `argument "query" of ${given.call.name} must be a text, not a ${formatType(query.type)}`;
    throw new SqlError('datatype_mismatch', message, {
      position: query.at || given.call.at,
      hint: 'By a vector one searches with vector_distance(col, vector) or hybrid(…, vector => …).',
    });
  }
  return constantQuery(
    level,
    given,
    argument(level, given, { value: query, type: TEXT, name: 'query' }),
    info,
  );
}

/** Numbers, times, booleans and arrays of them: what would be searched for is their text, which nobody wrote. */
function isNoText({ oid }: TypeRef): boolean {
  const type = findTypeByOid(oid);
  const element = type?.category === 'A' ? findTypeByOid(type.elementOid ?? 0) : type;
  return /^[NBDT]$/.test(element?.category ?? '');
}

function argument(
  level: Level,
  given: Arguments,
  arg: { readonly value: Expression; readonly type: TypeRef; readonly name: string },
): Expression {
  return coerce(level.state, arg.value, {
    type: arg.type,
    context: arg.name === 'query' && isNoText(arg.value.type) ? 'implicit' : 'assignment',
    fail: (from, to, at) =>
      new SqlError(
        'datatype_mismatch',
        `argument "${arg.name}" of ${given.call.name} must be type ${to}, not type ${from}`,
        { position: at },
      ),
  });
}

function optional(level: Level, given: Arguments, name: string, type: TypeRef): Expression | null {
  const value = given.byName.get(name);
  return value ? argument(level, given, { value, type, name }) : null;
}

function bindSemantic(level: Level, given: Arguments): Expression {
  const target = targetOf(level, given);
  const index = indexOf(given, target, 'semantic');
  const query = queryText(level, given, target.info);
  const arm: RankingArm = { kind: 'semantic', index: index.oid, query };
  level.rankingArms.push({ scan: target.scan, arm });
  return armColumn(level, target.scan, target.info, arm);
}

/**
 * Types of queries, where it is not the column's: dense vectors are asked with float32 ones, however few bits
 * the column keeps, and so are sparse vectors and matrices.
 */
export const QUERY_TYPES: ReadonlyMap<number, number> = new Map([
  [OID.halfvec, OID.vector],
  [OID.f8_vector, OID.vector],
  [OID.u8_vector, OID.vector],
  [OID.i8_vector, OID.vector],
  [OID.u8_sparse_vector, OID.f32_sparse_vector],
  [OID.f16_matrix, OID.f32_matrix],
  [OID.f8_matrix, OID.f32_matrix],
  [OID.u8_matrix, OID.f32_matrix],
  [OID.i8_matrix, OID.f32_matrix],
]);

function queryVector(level: Level, given: Arguments, target: Target): Expression {
  const value = present(given.byName.get('query'), 'query argument');
  const type: TypeRef = { oid: QUERY_TYPES.get(target.type.oid) ?? target.type.oid, modifier: -1 };
  const typed = argument(level, given, { value, type, name: 'query' });
  checkDimension(typed, target);
  return constantQuery(level, given, typed, target.info);
}

function bindVector(level: Level, given: Arguments): Expression {
  const target = targetOf(level, given);
  const index = indexOf(given, target, 'vector');
  const query = queryVector(level, given, target);
  optional(level, given, 'skip_refine', BOOLEAN);
  const arm: Arm<Draft> = { kind: 'vector', index: index.oid, query, value: 'metric' };
  return armColumn(level, target.scan, target.info, arm);
}

function bindMultiVector(level: Level, given: Arguments): Expression {
  const target = targetOf(level, given);
  const index = indexOf(given, target, 'multi_vector');
  refuseOtherMatrix(given, target);
  const query = queryVector(level, given, target);
  const candidates = optional(level, given, 'candidates', INTEGER);
  const arm: Arm<Draft> = {
    kind: 'vector',
    index: index.oid,
    query,
    value: 'metric',
    ...(candidates && { candidates: constantQuery(level, given, candidates, target.info) }),
  };
  return armColumn(level, target.scan, target.info, arm);
}

/** One of float32 is asked of any column; one of another element of a column of that. @throws SqlError 42804. */
function refuseOtherMatrix({ call, byName }: Arguments, { type }: Target): void {
  const query = present(byName.get('query'), 'query argument');
  const own = query.type.oid;
  if (own === type.oid || own === OID.f32_matrix || !QUERY_TYPES.has(own)) return;
  const [to, from] = [typeByOid(type.oid).displayName, typeByOid(own).displayName];
  const message = `argument "query" of ${call.name} must be type ${to}, not type ${from}`;
  throw new SqlError('datatype_mismatch', message, {
    position: query.at || call.at,
    hint: 'Cast it to what the column keeps, or to f32_matrix.',
  });
}

/** @throws SqlError 22000 naming both dimensions, when the query is a constant. */
function checkDimension(query: Expression, target: Target): void {
  const { type } = target;
  const given = query.kind === 'literal' ? dimensionOf(query.value) : 0;
  if (given === 0 || type.modifier < 1 || given === type.modifier) return;
  throw new SqlError('data_exception', `expected ${type.modifier} dimensions, not ${given}`, {
    position: query.at,
    detail: `Column "${target.info.name}" is ${formatType(type)}.`,
  });
}

function bindKeyword(level: Level, given: Arguments): Expression {
  const { call } = given;
  if (given.syntax === 'web' && given.byName.has('all_terms')) {
    throw new SqlError('invalid_parameter_value', `all_terms has no meaning with syntax 'web'`, {
      position: call.at,
      hint: 'All words are wanted there; OR stands between those of which one is enough.',
    });
  }
  if (given.byName.has('fuzzy') && (given.syntax === 'web' || given.fields === 'separate')) {
    const other = given.syntax === 'web' ? `syntax => 'web'` : `fields => 'separate'`;
    throw new SqlError('invalid_parameter_value', `fuzzy cannot be used with ${other}`, {
      position: call.at,
    });
  }
  const searched = given.byName.has('col') ? namedColumns(level, given) : allColumns(level, given);
  const operator = given.syntax === 'web' ? 'web' : (call.name as KeywordArm['operator']);
  const option =
    optional(level, given, 'all_terms', BOOLEAN) ??
    optional(level, given, 'slop', INTEGER) ??
    optional(level, given, 'distance', INTEGER);
  const arm: KeywordArm = {
    kind: 'keyword',
    indexes: searched.indexes,
    operator,
    query: keywordQuery(level, given, searched.info),
    weight: optional(level, given, 'weight', FLOAT),
    option,
    b: null,
    k1: null,
    fields: given.fields,
    columnWeights: optional(level, given, 'column_weights', JSONB),
    fuzzy: optional(level, given, 'fuzzy', TEXT),
    output: operator === 'bm25' ? 'score' : 'matched',
  };
  const column = armColumn(level, searched.scan, searched.info, arm);
  if (operator === 'bm25') level.rankingArms.push({ scan: searched.scan, arm });
  else if (!level.keywordArms.some((known) => sameExpression(known.arm, arm))) {
    level.keywordArms.push({ scan: searched.scan, arm });
  }
  return { ...column, at: call.at };
}

interface Searched {
  readonly info: ColumnInfo;
  readonly scan: ScanDraft;
  readonly indexes: readonly number[];
}

/** One column, or several of one relation. */
function namedColumns(level: Level, given: Arguments): Searched {
  const targets = given.columns.map((column) => targetOf(level, given, column));
  const [{ info, scan }] = targets as [Target];
  if (targets.some((target) => target.scan !== scan)) {
    throw new SqlError('wrong_object_type', `${given.call.name} needs columns of one relation`, {
      position: given.call.at,
      hint: `Join calls: ${given.call.name}(query, a.column) OR ${given.call.name}(query, b.column).`,
    });
  }
  const indexes = chooseIndexes(targets.map(indexed), wishOf(given, KINDS_OF_WORDS));
  return { info, scan, indexes: [...new Set(indexes.map(({ oid }) => oid))] };
}

/** match(query): all keyword columns of the one indexed relation of this query level, else 42702. */
function allColumns(level: Level, given: Arguments): Searched {
  const indexed = level.items.filter((item) => item.scan && keywordIndexes(item.relation).length > 0);
  const [item, second] = indexed;
  const position = given.call.at;
  if (second) {
    throw new SqlError('ambiguous_column', `${given.call.name} without a column is ambiguous`, {
      position,
      hint: `Name the column: ${given.call.name}(query, column).`,
    });
  }
  const relation = item?.relation;
  if (!item?.scan || !relation) {
    throw new SqlError('wrong_object_type', 'no relation in FROM has a keyword index', {
      position,
      hint: 'Make one: CREATE INDEX ON table USING keyword (column).',
    });
  }
  const first = item.columns.find((column) => column.expression.kind === 'column')?.expression;
  const info = first?.kind === 'column' ? level.state.columns.get(first.id) : undefined;
  const all = columnsOfWords(relation).filter(
    (column) => answeringIndexes(column, KINDS_OF_WORDS).length > 0,
  );
  const wanted = all.filter((column) =>
    answeringIndexes(column, KINDS_OF_WORDS).some(({ name }) => given.indexes.includes(name)),
  );
  const columns = wanted.length > 0 ? wanted : all;
  const indexes = chooseIndexes(columns, wishOf(given, KINDS_OF_WORDS)).map(({ oid }) => oid);
  return { info: present(info, 'column'), scan: item.scan, indexes };
}

function keywordIndexes(relation: Relation | null): readonly Index[] {
  return (relation?.indexes ?? []).filter(
    ({ kind, standby }) => standby === undefined && KINDS_OF_WORDS.includes(kind),
  );
}

/** Text, or tokens as text[] for match_tokens, match_all and match_any. */
function keywordQuery(level: Level, given: Arguments, info: ColumnInfo): Expression {
  const { name } = given.call;
  const tokens = name === 'match_tokens' ? [present(given.byName.get('query'), 'query')] : given.tokens;
  const [only] = tokens;
  if (!only) return queryText(level, given, info);
  const array = arrayTypeOf(TEXT, given.call.at);
  const isArray = findTypeByOid(only.type.oid)?.category === 'A' || only.kind === 'array';
  const parameter = only.kind === 'parameter' && isUnknown(only);
  let query: Expression;
  if (tokens.length === 1 && (isArray || (parameter && name === 'match_tokens') || isArrayText(only))) {
    query = argument(level, given, { value: only, type: array, name: 'query' });
  } else if (tokens.length === 1) {
    query = argument(level, given, { value: only, type: TEXT, name: 'query' });
  } else {
    const elements = tokens.map((value) => argument(level, given, { value, type: TEXT, name: 'query' }));
    query = { kind: 'array', elements, type: array };
  }
  return constantQuery(level, given, query, info);
}

/** A string constant written as an array: `'{red,blue}'`. */
function isArrayText(value: Expression): boolean {
  return value.kind === 'literal' && value.type.oid === OID.unknown && /^\{.*\}$/s.test(String(value.value));
}

/** The sum over this level's keyword predicates, or what it is made of: known when the level is complete. */
function bindScore(level: Level, given: Arguments, name: ScoreCall['name']): Expression {
  const id = newId(level.state);
  const b = optional(level, given, 'b', FLOAT);
  const k1 = optional(level, given, 'k1', FLOAT);
  level.scoreCalls.push({ id, name, at: given.call.at, b, k1 });
  if (name === 'bm25_score') level.state.ranking.add(id);
  return reference(id, name === 'bm25_score' ? FLOAT : JSONB, given.call.at);
}
