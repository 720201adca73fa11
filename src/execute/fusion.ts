/**
 * `hybrid()`: each arm gives its best rows, all of them get the exact scores of every arm, and a method of
 * `fusion-methods.ts` makes one score of these. Ties come by primary key.
 */
import { assert } from '../assert.ts';
import type { Part } from '../engine/engine.ts';
import { SqlError } from '../errors.ts';
import { CANDIDATES_MAX } from '../limits.ts';
import type { Expression } from '../plan/expression.ts';
import type { Fusion, Plan, Scan } from '../plan/plan.ts';
import { runTask } from '../task.ts';
import type { ArrayDatum } from '../types/datum.ts';
import { OID } from '../types/oids.ts';
import { type Batch, Float64Vector, Int32Vector, type Vector } from '../types/vector.ts';
import { prepareArms } from './arms.ts';
import { concatBatches } from './batches.ts';
import { evaluateConstant, takeBatch } from './evaluate.ts';
import { DEFAULT_METHOD, FUSION_METHODS, type FusedArm, fuse } from './fusion-methods.ts';
import { rowOrder, sortRows } from './order.ts';
import { checkPartition, keyAttributes, keyOrder } from './scan.ts';
import { ScanRows, type ScanSource } from './scan-rows.ts';
import type { Run } from './state.ts';
import { bestRows } from './top-k.ts';

const COUNT_DEFAULT = 10;
const DEPTH_DEFAULT = 100;

export async function* runFusion(plan: Fusion, run: Run): AsyncGenerator<Batch> {
  const scan = scanOf(plan.input);
  checkPartition(scan, run);
  const count = await within(plan.count, { name: 'k', otherwise: COUNT_DEFAULT }, run);
  const depth = await within(plan.depth, { name: 'depth', otherwise: Math.max(DEPTH_DEFAULT, count) }, run);
  const method = await methodOf(plan, run);
  const weights = await weightsOf(plan, method.weights, run);
  const arms = await runTask(prepareArms(scan, run));
  const found: Ranks[] = [];
  for (const { score } of plan.arms) found.push(await armRanks({ plan: scan, arms, run }, score, depth));
  const { rows, keys } = await readCandidates({ plan: scan, arms, run }, found);
  if (rows.batch.length === 0) return;
  const fused = plan.arms.map(
    ({ kind, score }, i): FusedArm => ({
      kind,
      scores: scoresOf(rows.batch.columns[positionOf(score)] as Vector, kind),
      ranks: Int32Array.from(rows.places, (place) => found[i]?.get(place.part)?.get(place.row) ?? 0),
    }),
  );
  const { scores, shares } = fuse(method, fused, weights);
  const own = fused.flatMap(({ ranks }, i) => [
    new Int32Vector(
      ranks,
      Uint8Array.from(ranks, (rank) => Number(rank === 0)),
    ),
    new Float64Vector(shares[i] as Float64Array),
  ]);
  const order = await bestFirst({ plan: scan, arms, run }, scores, keys);
  const all: Batch = {
    length: scores.length,
    columns: [...rows.batch.columns, new Float64Vector(scores), ...own],
  };
  yield takeBatch(all, order.subarray(0, count));
}

/** The scan that is ranked, with a filter over it as its own. */
function scanOf(input: Plan): Scan {
  const scan = input.kind === 'filter' ? input.input : input;
  assert(scan.kind === 'scan', 'fusion over a scan');
  if (input.kind !== 'filter') return scan;
  const { condition } = input;
  const both =
    scan.filter === null ? condition : { ...condition, kind: 'and' as const, args: [scan.filter, condition] };
  return { ...scan, filter: both };
}

/** @throws SqlError 22023 outside of 1..CANDIDATES_MAX. */
async function within(
  expression: Expression | null,
  { name, otherwise }: { readonly name: string; readonly otherwise: number },
  run: Run,
): Promise<number> {
  const value = expression === null ? null : await evaluateConstant(expression, run);
  if (value === null) return otherwise;
  if (Number(value) >= 1 && Number(value) <= CANDIDATES_MAX) return Number(value);
  const message = `${name} of hybrid must be between 1 and ${CANDIDATES_MAX}, not ${value}`;
  throw new SqlError('invalid_parameter_value', message);
}

async function methodOf({ method }: Fusion, run: Run) {
  const name = (method === null ? null : await evaluateConstant(method, run)) ?? DEFAULT_METHOD;
  const known = Object.hasOwn(FUSION_METHODS, String(name)) ? FUSION_METHODS[String(name)] : undefined;
  if (known !== undefined) return known;
  throw new SqlError('invalid_parameter_value', `method "${name}" of hybrid does not exist`, {
    hint: `Methods are ${Object.keys(FUSION_METHODS).join(', ')}.`,
  });
}

/** @throws SqlError 22023 for another number of weights than arms, negative ones, and none above 0. */
async function weightsOf(
  { weights, arms }: Fusion,
  defaults: Readonly<Record<string, number>>,
  run: Run,
): Promise<readonly number[]> {
  const given = weights === null ? null : ((await evaluateConstant(weights, run)) as ArrayDatum | null);
  if (given === null) return arms.map(({ kind }) => defaults[kind] ?? 1);
  const values = given.elements.map(Number);
  if (values.length !== arms.length) {
    const kinds = arms.map(({ kind }) => kind).join(', ');
    throw new SqlError('invalid_parameter_value', `hybrid has ${arms.length} arms, not ${values.length}`, {
      hint: `Weights are given in the order of the arms: ${kinds}.`,
    });
  }
  if (values.every((value) => value >= 0) && values.some((value) => value > 0)) return values;
  throw new SqlError('invalid_parameter_value', 'weights of hybrid must not be negative, nor all 0');
}

const positionOf = (score: Expression): number => (score.kind === 'column' ? score.index : -1);

/** Ranks from 1 of an arm's best rows by part and row. */
type Ranks = ReadonlyMap<Part, ReadonlyMap<number, number>>;

async function armRanks(source: ScanSource, score: Expression, depth: number): Promise<Ranks> {
  const count: Expression = { kind: 'literal', value: BigInt(depth), type: { oid: OID.int8, modifier: -1 } };
  const keys = [{ expression: score, descending: true, nullsFirst: false }];
  const ranked = await runTask(
    bestRows({ ...source, plan: { ...source.plan, topK: { count, offset: null, keys } } }, depth),
  );
  const isKeyword = source.plan.arms[positionOf(score) - source.plan.columns.length]?.kind === 'keyword';
  const ranks = new Map<Part, Map<number, number>>();
  for (const [place, { part, row, key }] of (await runTask(ranked.ranked())).entries()) {
    if (key === null || (isKeyword && key <= 0)) continue;
    const known = ranks.get(part) ?? new Map<number, number>();
    ranks.set(part, known.set(row, place + 1));
  }
  return ranks;
}

/** Every arm's candidates once, with all columns and scores, and their primary keys. */
async function readCandidates(source: ScanSource, found: readonly Ranks[]) {
  const pieces: Batch[] = [];
  const keyPieces: Batch[] = [];
  const places: { part: Part; row: number }[] = [];
  for (const part of new Set(found.flatMap((ranks) => [...ranks.keys()]))) {
    const rows = Uint32Array.from(
      new Set(found.flatMap((ranks) => [...(ranks.get(part)?.keys() ?? [])])),
    ).sort();
    pieces.push(await new ScanRows(source, part, rows).all());
    const columns = await part.readRows(keyAttributes(source), rows);
    keyPieces.push({ length: rows.length, columns });
    for (const row of rows) places.push({ part, row });
  }
  const keys = pieces.length === 0 ? [] : concatBatches([], keyPieces).columns;
  return { rows: { batch: concatBatches(source.plan.output, pieces), places }, keys };
}

function scoresOf(column: Vector, kind: FusedArm['kind']): Float64Array {
  return Float64Array.from({ length: column.length }, (_, row) => {
    const score = column.get(row) as number | null;
    return score === null || (kind === 'keyword' && score === 0) ? Number.NaN : score;
  });
}

async function bestFirst(
  source: ScanSource,
  scores: Float64Array,
  keys: readonly Vector[],
): Promise<Uint32Array> {
  const type = { oid: OID.float8, modifier: -1 };
  const expression: Expression = { kind: 'column', index: 0, type };
  const order = [{ expression, descending: true, nullsFirst: false }, ...keyOrder(source)];
  return sortRows(scores.length, rowOrder(order, [new Float64Vector(scores), ...keys]), source.run);
}
