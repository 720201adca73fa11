/**
 * Arms of a scan made ready: query expressions evaluated, query texts embedded, requests prepared for the
 * snapshot. An arm with a NULL query scores NULL everywhere.
 */
import { present } from '../../assert.ts';
import { columnByAttribute, findIndex } from '../../catalog/model.ts';
import type { PreparedArm, Snapshot } from '../../engine/engine.ts';
import { SqlError } from '../../errors.ts';
import { CANDIDATES_MAX } from '../../limits.ts';
import { checkQueryLength } from '../../inference/query-text.ts';
import type { Expression } from '../../plan/expression.ts';
import { type Arm, isExplained, type Scan } from '../../plan/plan.ts';
import { type Task, wait } from '../../task.ts';
import type { ArrayDatum, Datum } from '../../types/datum.ts';
import { differentDimensions, dimensionOf } from '../../types/vector/dimension.ts';
import { formatType, typeByOid } from '../../types/registry.ts';
import { BoolVector, constantVector, Float64Vector, type Vector } from '../../types/column/vector.ts';
import { modelOf } from '../embedding/embeddings.ts';
import { evaluateConstant } from '../expression/evaluate.ts';
import type { Run } from '../state.ts';
import { searchedFields } from './column-weights.ts';

type ArmRequest = Parameters<Snapshot['prepare']>[2];
type VectorRequest = Extract<ArmRequest, { kind: 'vector' }>;

/** BM25 as Lucene has it. */
const BM25_B = 0.75;
const BM25_K1 = 1.2;
/** Edits allowed when none are given: 0, 1 or 2 by the word's length. */
const FUZZY_BY_LENGTH = -1;
const HAS_WORD = /[\p{L}\p{N}]/u;

/**
 * One per arm of the scan; null where the query is NULL.
 * @param unused positions of arms that nobody will ask, null as well.
 */
export function* prepareArms(
  plan: Scan,
  run: Run,
  unused: ReadonlySet<number> = NONE,
): Task<(PreparedArm | null)[]> {
  const prepared: (PreparedArm | null)[] = [];
  for (const [i, arm] of plan.arms.entries()) {
    const request = unused.has(i) ? null : yield* requestOf(plan, arm, run);
    if (request === null) prepared.push(null);
    else prepared.push(yield* wait(run.snapshot.prepare(plan.relation, plan.partition, request)));
  }
  return prepared;
}

const NONE: ReadonlySet<number> = new Set();

function* requestOf(plan: Scan, arm: Arm, run: Run): Task<ArmRequest | null> {
  if (arm.kind === 'embedding') {
    run.snapshot.requireIndex(plan.relation, arm.index);
    return null;
  }
  const query = yield* wait(evaluateConstant(arm.query, run));
  if (query === null) return null;
  switch (arm.kind) {
    case 'semantic':
      return yield* semanticRequest(plan, arm.index, query as string, run);
    case 'vector':
      return yield* vectorRequest(plan, arm, query as VectorRequest['query'], run);
    case 'keyword':
      return yield* keywordRequest(plan, arm, query, run);
  }
}

/** Null for a text without any word, which means nothing: as with NULL, nothing is similar to it. */
function* semanticRequest(plan: Scan, index: number, text: string, run: Run): Task<ArmRequest | null> {
  checkQueryLength(text);
  if (!HAS_WORD.test(text)) return null;
  const found = present(findIndex(run.snapshot.catalog, index), `index ${index}`);
  const model = modelOf(found.index, run.context.inference);
  const node = run.context.statistics?.get(plan);
  const before = node && { cached: model.hasQuery(text), now: run.context.now() };
  const query = yield* wait(model.embedQuery(text, run.context.signal, run.context.sender));
  if (before !== undefined) {
    const ms = run.context.now() - before.now;
    node?.embeddings?.push({ model: model.name, ms, cached: before.cached });
  }
  return { kind: 'vector', index, query, value: 'metric', ef: run.context.efSearch };
}

function* vectorRequest(
  plan: Scan,
  arm: Arm & { kind: 'vector' },
  query: VectorRequest['query'],
  run: Run,
): Task<VectorRequest> {
  const { index, value } = arm;
  checkDimension(plan, arm, query, run);
  const candidates = arm.candidates && (yield* wait(evaluateConstant(arm.candidates, run)));
  if (typeof candidates === 'number' && (candidates < 1 || candidates > CANDIDATES_MAX)) {
    throw new SqlError(
      'invalid_parameter_value',
      `candidates of multi_vector_distance must be between 1 and ${CANDIDATES_MAX}, not ${candidates}`,
    );
  }
  const some = typeof candidates === 'number' && { candidates };
  return { kind: 'vector', index, query, value, ef: run.context.efSearch, ...some };
}

/** @throws SqlError 22000 */
function checkDimension(
  plan: Scan,
  { index: oid, value }: Arm & { kind: 'vector' },
  query: Datum,
  run: Run,
): void {
  const relation = run.snapshot.catalog.relations.get(plan.relation);
  const index = relation?.indexes.find((one) => one.oid === oid);
  const column = relation && columnByAttribute(relation, index?.columns[0] ?? 0);
  const given = dimensionOf(query);
  if (index === undefined || column === undefined || given === 0) return;
  const { name, type } = column;
  const isText = index.kind === 'semantic';
  const stored = isText ? modelOf(index, run.context.inference).dimension : type.modifier;
  if (stored < 0 || stored === given) return;
  const what = isText ? `indexed with vector(${stored})` : formatType(type);
  const error = differentDimensions(isText ? 'vector' : typeByOid(type.oid).name, stored, given);
  // An operator's error is pgvector's to the letter.
  throw value === 'metric' ? error.with({ detail: `Column "${name}" is ${what}.` }) : error;
}

export function* keywordRequest(
  plan: Scan,
  arm: Arm & { kind: 'keyword' },
  query: Datum,
  run: Run,
): Task<ArmRequest> {
  const tokens = typeof query === 'string' ? query : (query as ArrayDatum).elements.filter((e) => e !== null);
  if (typeof tokens === 'string') checkQueryLength(tokens);
  const { b, k1 } = yield* constantsOf(arm, run);
  const given = arm.columnWeights && (yield* wait(evaluateConstant(arm.columnWeights, run)));
  const fuzzy = editsOf(arm.fuzzy && (yield* wait(evaluateConstant(arm.fuzzy, run))));
  return {
    kind: 'keyword',
    ...searchedFields(present(run.snapshot.catalog.relations.get(plan.relation), 'relation'), arm, given),
    operator: arm.operator,
    query: typeof tokens === 'string' ? tokens : tokens.map(String),
    weight: weightOf(arm, yield* number(arm.weight, 1, run)),
    option: yield* number(arm.option, arm.operator === 'fuzzy' ? FUZZY_BY_LENGTH : 0, run),
    b,
    k1,
    ...(fuzzy !== null && { fuzzy }),
  };
}

/** By what `fuzzy` takes. */
const EDITS: ReadonlyMap<string, number | null> = new Map([
  ['auto', FUZZY_BY_LENGTH],
  ['0', null],
  ['1', 1],
  ['2', 2],
]);

/** @returns null: no word is corrected. @throws SqlError 22023 */
function editsOf(given: Datum): number | null {
  if (given === null) return null;
  const edits = EDITS.get(String(given));
  if (edits !== undefined) return edits;
  throw new SqlError('invalid_parameter_value', `the argument "fuzzy" must not be "${String(given)}"`, {
    hint: `Valid values are ${[...EDITS.keys()].map((name) => `'${name}'`).join(', ')}.`,
  });
}

/** @throws SqlError 22023: scores below 0 have no bounds to search by. */
function weightOf({ operator }: Arm & { kind: 'keyword' }, weight: number): number {
  if (weight >= 0 && Number.isFinite(weight)) return weight;
  const message = `the weight of ${operator} must be a number that is not negative, not ${weight}`;
  throw new SqlError('invalid_parameter_value', message, {
    hint: 'What a search must not find is left out by NOT match(…).',
  });
}

/** BM25's. @throws SqlError 22023 */
export function* constantsOf(arm: Arm & { kind: 'keyword' }, run: Run): Task<{ b: number; k1: number }> {
  return {
    b: within('b', yield* number(arm.b, BM25_B, run), 1),
    k1: within('k1', yield* number(arm.k1, BM25_K1, run), Number.MAX_VALUE),
  };
}

function* number(expression: Expression | null, otherwise: number, run: Run): Task<number> {
  const value = expression === null ? null : yield* wait(evaluateConstant(expression, run));
  return value === null ? otherwise : Number(value);
}

function within(name: string, value: number, most: number): number {
  if (value >= 0 && value <= most) return value;
  const range = most === 1 ? 'between 0 and 1' : 'at least 0';
  throw new SqlError('invalid_parameter_value', `${name} of bm25_score must be ${range}, not ${value}`);
}

/**
 * Scores as the arm's output column. NaN, which means a NULL column or no match, becomes NULL for vectors,
 * FALSE or 0 for keywords.
 */
export function armColumn(arm: Arm, scores: Float64Array): Vector {
  if (arm.kind === 'keyword') {
    if (arm.output === 'score') {
      return new Float64Vector(scores.map((score) => (Number.isNaN(score) ? 0 : score)));
    }
    const always = arm.operator === 'should';
    return new BoolVector(Uint8Array.from(scores, (score) => (always || !Number.isNaN(score) ? 1 : 0)));
  }
  return new Float64Vector(scores, nullsOf(scores));
}

/** 1 where the score is NaN; null where none is. */
function nullsOf(scores: Float64Array): Uint8Array | null {
  let nulls: Uint8Array | null = null;
  for (let i = 0; i < scores.length; i++) {
    if (!Number.isNaN(scores[i])) continue;
    nulls ??= new Uint8Array(scores.length);
    nulls[i] = 1;
  }
  return nulls;
}

/** The column of an arm without a query. */
export function nullArmColumn(arm: Arm, length: number): Vector {
  if (isExplained(arm)) return constantVector('text', null, length);
  const kind = arm.kind === 'keyword' && arm.output === 'matched' ? 'bool' : 'float64';
  return constantVector(kind, null, length);
}
