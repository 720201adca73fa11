/**
 * `hybrid()`: each arm gives its best rows, all of them get the exact scores of every arm, and a method of
 * `fusion-methods.ts` makes one score of these. Ties come by primary key.
 */
import { SqlError } from '../../errors.ts';
import { CANDIDATES_MAX, DIVERSE_ROWS_MAX } from '../../limits.ts';
import type { Expression } from '../../plan/expression.ts';
import type { FusedRanking, Fusion, Scan } from '../../physical/physical.ts';
import { type Task, wait } from '../../task.ts';
import type { ArrayDatum } from '../../types/datum.ts';
import { type Batch, Float64Vector, Int32Vector, type Vector } from '../../types/column/vector.ts';
import { prepareArms } from '../arms/arms.ts';
import { concatBatches } from '../batches.ts';
import { type Candidates, readCandidates } from './candidates.ts';
import { evaluateConstant } from '../expression/evaluate.ts';
import { nodeStatistics } from '../node-statistics.ts';
import { explainFused } from './fusion-explanation.ts';
import { candidateVectors } from './candidate-vectors.ts';
import { diversified, type Relevant } from './diversity.ts';
import { gather, rankArm } from './fused-candidates.ts';
import { FUSION_METHODS, type FusionMethod, fuse } from './fusion-methods.ts';
import { type LeftOut, likeArms } from './likeness.ts';
import type { RankedRows } from './plain-ranking.ts';
import { checkPartition } from '../scan/part-rows.ts';
import type { ScanSource } from '../scan/scan-rows.ts';
import type { Steps } from '../plan-rows.ts';
import type { Run } from '../state.ts';
import { byScore, firstByKey } from './ties.ts';

const COUNT_DEFAULT = 10;
const DEPTH_DEFAULT = 100;
const METHOD_DEFAULT = 'softmax';
/**
 * Rows like others have a query of many words, and vectors that its own text gave. Diversity weighs scores against
 * cosines, beside which probabilities of all but the best rows are nothing.
 */
const METHOD_DEFAULT_EVEN = 'linear';

/** Its rows are one batch. */
export function* runFusion(plan: Fusion, run: Run): Steps {
  const batch = yield* fusedRows(plan, run);
  if (batch.length > 0) yield batch;
}

function* fusedRows(plan: Fusion, run: Run): Task<Batch> {
  const { scan, rankings } = plan;
  checkPartition(scan, run);
  const { count, depth, diversity } = yield* boundsOf(plan, run);
  const { name, method } = yield* methodOf(plan, diversity, run);
  const given = yield* weightsOf(plan, run);
  const { statistics } = run.context;
  // Arms are made ready once for all searches.
  if (statistics !== null) statistics.set(scan, nodeStatistics(plan, statistics));
  const { arms, leftOut } = yield* preparedArms(plan, scan, run);
  const source = { plan: scan, arms, run };
  const found: RankedRows[] = [];
  for (const ranking of rankings) {
    const measured = beginMeasuring(ranking, run);
    const ranked = yield* rankArm({ ...source, plan: ranking.scan }, ranking, { depth, leftOut });
    measured?.(ranked.best.length);
    found.push(ranked);
  }
  if (found.every(({ best }) => best.length === 0)) return concatBatches(plan.output, []);
  const { rows, arms: fused, known } = yield* gather(source, rankings, found);
  const result = fuse(method, fused, given ?? method.weights(fused));
  const { scores, shares } = result;
  const candidates = { ...rows, known };
  const wanted = diversity === 0 ? count : scores.length;
  const order = yield* firstByKey(source, { ...rows, scores }, { order: byScore(scores, true), wanted });
  const best =
    diversity === 0 ? order : yield* diverseRows(source, candidates, { scores, order, count, diversity });
  const { length, columns } = yield* readCandidates(source, candidates, best);
  const own = fused.flatMap(({ ranks }, i) => [ranksOf(ranks, best), valuesOf(shares[i] ?? [], best)]);
  const added = [valuesOf(scores, best), ...own];
  if (!plan.explained) return { length, columns: [...columns, ...added] };
  const search = { name, method, rankings, arms: fused, ...result };
  const told = yield* explainFused(source, search, { candidates, best });
  return { length, columns: [...columns, ...added, told] };
}

const valuesOf = (values: ArrayLike<number>, places: Uint32Array): Vector =>
  new Float64Vector(Float64Array.from(places, (place) => values[place] as number));

/** NULL where a row is not among an arm's best. */
function ranksOf(ranks: Int32Array, places: Uint32Array): Vector {
  const own = Int32Array.from(places, (place) => ranks[place] as number);
  return new Int32Vector(
    own,
    Uint8Array.from(own, (rank) => Number(rank === 0)),
  );
}

/** @throws SqlError 22023 */
function* boundsOf(plan: Fusion, run: Run): Task<{ count: number; depth: number; diversity: number }> {
  const called = nameOf(plan);
  const diversity = yield* diversityOf(plan, run);
  const most = diversity === 0 ? CANDIDATES_MAX : DIVERSE_ROWS_MAX;
  const suffix = diversity === 0 ? '' : ' with diversity';
  const limits = { called, most, suffix };
  const count = yield* within(plan.count, { ...limits, name: 'k', otherwise: COUNT_DEFAULT }, run);
  const otherwise = Math.max(DEPTH_DEFAULT, count);
  const deep = { called, most: CANDIDATES_MAX, suffix: '', name: 'depth', otherwise };
  return { count, depth: yield* within(plan.depth, deep, run), diversity };
}

const nameOf = ({ like }: Fusion): string => (like === null ? 'hybrid' : 'more_like');

/** 0: none. @throws SqlError 22023 outside of 0 to 1. */
function* diversityOf(plan: Fusion, run: Run): Task<number> {
  const value = plan.diversity === null ? null : yield* wait(evaluateConstant(plan.diversity, run));
  const diversity = Number(value ?? 0);
  if (diversity >= 0 && diversity <= 1) return diversity;
  const message = `diversity of ${nameOf(plan)} must be between 0 and 1, not ${diversity}`;
  throw new SqlError('invalid_parameter_value', message);
}

function* preparedArms(
  plan: Fusion,
  scan: Scan,
  run: Run,
): Task<{ readonly arms: ScanSource['arms']; readonly leftOut: LeftOut }> {
  const arms = yield* prepareArms(scan, run);
  const { like } = plan;
  return like === null
    ? { arms, leftOut: NONE_LEFT_OUT }
    : yield* likeArms({ ...plan, like }, scan, arms, run);
}

const NONE_LEFT_OUT: LeftOut = new Map();

/** The vectors of all candidates are held while the rows are chosen. */
function* diverseRows(
  { plan, run }: ScanSource,
  candidates: Candidates,
  how: Omit<Relevant, 'vectors'> & { readonly count: number; readonly diversity: number },
): Task<Uint32Array> {
  const vectors = yield* candidateVectors(plan, candidates, run);
  const bytes = vectors.reduce((sum, vector) => sum + (vector?.byteLength ?? 0), 0);
  const { account } = run.context;
  account.hold(bytes);
  try {
    return yield* diversified({ ...how, vectors }, how, run);
  } finally {
    account.release(bytes);
  }
}

/**
 * Each arm's search is a scan of its own, which this file runs and not a run of it.
 *
 * @returns what ends the measurement, called with the rows found; null where nothing is measured.
 */
function beginMeasuring({ scan }: FusedRanking, { context }: Run): ((rows: number) => void) | null {
  const { statistics } = context;
  if (statistics === null) return null;
  const node = nodeStatistics(scan, statistics);
  const began = context.now();
  return (rows) => {
    const ms = context.now() - began;
    node.loops++;
    node.rows += rows;
    node.startMs += ms;
    node.totalMs += ms;
  };
}

interface WholeNumber {
  readonly called: string;
  readonly name: string;
  readonly otherwise: number;
  readonly most: number;
  readonly suffix: string;
}

/** @throws SqlError 22023 outside of 1 to the most. */
function* within(
  expression: Expression | null,
  { called, name, otherwise, most, suffix }: WholeNumber,
  run: Run,
): Task<number> {
  const value = expression === null ? null : yield* wait(evaluateConstant(expression, run));
  if (value === null) return otherwise;
  if (Number(value) >= 1 && Number(value) <= most) return Number(value);
  const message = `${name} of ${called} must be between 1 and ${most}${suffix}, not ${value}`;
  throw new SqlError('invalid_parameter_value', message);
}

function* methodOf(plan: Fusion, diversity: number, run: Run): Task<{ name: string; method: FusionMethod }> {
  const given = plan.method === null ? null : yield* wait(evaluateConstant(plan.method, run));
  const isEven = plan.like !== null || diversity > 0;
  const name = String(given ?? (isEven ? METHOD_DEFAULT_EVEN : METHOD_DEFAULT));
  const known = Object.hasOwn(FUSION_METHODS, name) ? FUSION_METHODS[name] : undefined;
  if (known !== undefined) return { name, method: known };
  throw new SqlError('invalid_parameter_value', `method "${name}" of ${nameOf(plan)} does not exist`, {
    hint: `Methods are ${Object.keys(FUSION_METHODS).join(', ')}.`,
  });
}

/** Null: none are given. @throws SqlError 22023 for another number of weights than arms, negative ones, and none above 0. */
function* weightsOf(plan: Fusion, run: Run): Task<readonly number[] | null> {
  const { weights, arms } = plan;
  const given =
    weights === null ? null : ((yield* wait(evaluateConstant(weights, run))) as ArrayDatum | null);
  if (given === null) return null;
  const values = given.elements.map((weight) => (weight === null ? Number.NaN : Number(weight)));
  if (values.length !== arms.length) {
    const kinds = arms.map(({ kind }) => kind).join(', ');
    throw new SqlError(
      'invalid_parameter_value',
      `${nameOf(plan)} has ${arms.length} arms, not ${values.length}`,
      {
        hint: `Weights are given in the order of the arms: ${kinds}.`,
      },
    );
  }
  const valid = values.every((value) => value >= 0 && Number.isFinite(value));
  if (valid && values.some((value) => value > 0)) return values;
  throw new SqlError(
    'invalid_parameter_value',
    `weights of ${nameOf(plan)} must not be negative, nor all 0`,
    {
      hint: `They are numbers, one for each arm: ${arms.map(({ kind }) => kind).join(', ')}.`,
    },
  );
}
