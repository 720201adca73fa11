/**
 * Embeddings for rows that are older than a semantic index, while others read and write. Batch by batch the
 * texts are embedded without any lock, then the rows are written anew with their passages in a short
 * transaction. One thing to know: rows written since the index is in the catalog have their passages, so that
 * only those are looked at that were there when the build began; a build that was cut off begins anew and
 * passes over what it has done.
 */
import { findPosition, firstNot } from '../../binary-search.ts';
import { assert } from '../../assert.ts';
import { type Index, liveColumns, type Relation } from '../../catalog/model.ts';
import type { Engine, Part } from '../../engine/engine.ts';
import { SqlError } from '../../errors.ts';
import type { EmbeddedText, Inference } from '../../inference/provider.ts';
import type { Sender } from '../../inference/sender.ts';
import { hasBit } from '../../types/column/bitset.ts';
import { textsAtPath } from '../../types/json/path-column.ts';
import type { Vector } from '../../types/column/vector.ts';
import { embedRows, type KnownPassages, modelOf } from './embeddings.ts';

/** Enough for every thread of a model, and soon written. */
const BATCH_ROWS = 256;
/** Between two looks for rows that others had locked. */
const LOCKED_MS = 50;

export interface EmbeddingBuild {
  readonly relation: number;
  /** OID of the index. */
  readonly index: number;
  readonly signal: AbortSignal;
  /** Counted up while it runs. */
  readonly progress: BuildProgress;
}

export interface BuildProgress {
  rowsTotal: number;
  rowsDone: number;
  partitionsTotal: number;
  partitionsDone: number;
}

interface Host {
  readonly engine: Engine;
  readonly inference: Inference;
  /** Sends texts of the relation, for its owner. */
  sender(relation: number): Sender;
}

/** Rows of one partition from a number on. */
interface Stretch {
  readonly partition: string | null;
  /** Row numbers: greater than `after`, and at most `last`. */
  readonly after: number;
  readonly last: number;
}

interface EmbeddedBatch {
  /** Row numbers, ascending, of rows that want passages, with these. */
  readonly wanted: ReadonlyMap<number, EmbeddedText>;
  /** The last row looked at. */
  readonly after: number;
  readonly rows: number;
}

/** @throws SqlError 42704 when the index is gone, of the model, of the store; the signal's reason. */
export async function embedOlderRows(build: EmbeddingBuild, host: Host): Promise<void> {
  const { progress } = build;
  const stretches = wholeTable(build.relation, host.engine);
  progress.partitionsTotal = stretches.length;
  progress.rowsTotal = host.engine.size(build.relation).rows;
  for (const stretch of stretches) {
    while ((await embedStretch(stretch, build, host)) > 0) await delay(LOCKED_MS);
    progress.partitionsDone++;
  }
}

function wholeTable(relation: number, engine: Engine): readonly Stretch[] {
  using snapshot = engine.snapshot();
  return [null, ...snapshot.partitions(relation)].flatMap((partition) => {
    const part = snapshot.parts(relation, partition).at(-1);
    const last = part?.rowNumbers[part.rowCount - 1];
    return last === undefined ? [] : [{ partition, after: -1, last }];
  });
}

/** @returns rows that others held locked. */
async function embedStretch(stretch: Stretch, build: EmbeddingBuild, host: Host): Promise<number> {
  let left = 0;
  for (let rest = stretch; ; ) {
    build.signal.throwIfAborted();
    const batch = await embedBatch(rest, build, host);
    if (batch === null) return left;
    if (batch.wanted.size > 0) left += await writeBatch(stretch.partition, batch.wanted, build, host);
    build.progress.rowsDone = Math.min(build.progress.rowsDone + batch.rows, build.progress.rowsTotal);
    rest = { ...rest, after: batch.after };
  }
}

/** The next rows; null: there are none. */
async function embedBatch(
  stretch: Stretch,
  build: EmbeddingBuild,
  { engine, inference, sender }: Host,
): Promise<EmbeddedBatch | null> {
  using snapshot = engine.snapshot();
  const { index } = described(snapshot.catalog.relations.get(build.relation), build);
  for (const part of snapshot.parts(build.relation, stretch.partition)) {
    const rows = nextRows(part, stretch);
    if (rows.length === 0) continue;
    const [column] = await part.readRows(index.columns, rows);
    const texts = column && textsAtPath(column, index.path);
    const known = (await part.passages?.(index.oid, rows)) ?? [];
    const places = [...rows.keys()].filter((i) => texts?.get(i) != null && (known[i] ?? null) === null);
    const model = modelOf(index, inference);
    const made = await model.embedDocuments(
      places.map((i) => texts?.get(i) as string),
      build.signal,
      sender(build.relation),
    );
    const numberOf = (i: number): number => part.rowNumbers[rows[i] as number] as number;
    const wanted = new Map(places.map((i, place) => [numberOf(i), made[place] as EmbeddedText] as const));
    return { wanted, after: numberOf(rows.length - 1), rows: rows.length };
  }
  return null;
}

function nextRows(part: Part, { after, last }: Stretch): Uint32Array {
  const { rowNumbers, rowCount, visible } = part;
  const rows: number[] = [];
  const first = firstNot(0, rowCount, (row) => (rowNumbers[row] as number) <= after);
  for (let row = first; row < rowCount && rows.length < BATCH_ROWS; row++) {
    if ((rowNumbers[row] as number) > last) break;
    if (visible === null || hasBit(visible, row)) rows.push(row);
  }
  return Uint32Array.from(rows);
}

/**
 * Rows that others have locked stay for the next look, so that nobody waits for a build in a circle.
 * @returns how many.
 */
async function writeBatch(
  partition: string | null,
  wanted: EmbeddedBatch['wanted'],
  build: EmbeddingBuild,
  { engine, inference, sender }: Host,
): Promise<number> {
  const { relation: oid, signal } = build;
  await using transaction = engine.begin({ isolation: 'read committed', readOnly: false });
  const locking = transaction.lockTable(oid, { mode: 'row exclusive', wait: 'block', signal });
  if (locking !== null) await locking;
  const { relation } = described(transaction.catalog().relations.get(oid), build);
  const numbers = Float64Array.from(wanted.keys());
  const request = { mode: 'no key update', wait: 'skip locked', signal } as const;
  const found = await transaction.lock(oid, partition, numbers, request);
  const kept = numbers.filter((number, i) => found[i] === number);
  using snapshot = transaction.snapshot();
  for (const part of snapshot.parts(oid, partition)) {
    const rows = rowsOf(part, kept);
    if (rows.length === 0) continue;
    const attributes = storedAttributes(relation);
    const vectors = await part.readRows(attributes, rows);
    const columns = new Map(attributes.map((attribute, i) => [attribute, vectors[i] as Vector] as const));
    const replaces = Float64Array.from(rows, (row) => part.rowNumbers[row] as number);
    const known: KnownPassages = async (index) => {
      if (index.oid === build.index) return Array.from(replaces, (number) => wanted.get(number));
      const passages = await part.passages?.(index.oid, rows);
      return passages?.map((one) => one ?? undefined) ?? null;
    };
    const own = { length: rows.length, columns };
    const embeddings = await embedRows(relation, own, { inference, signal, sender: sender(oid) }, known);
    transaction.delete(oid, partition, replaces);
    const written = { ...own, embeddings, replaces, changed: new Set<number>() };
    await transaction.insert(oid, partition, written, 'error', signal);
  }
  await transaction.commit();
  return found.filter((number) => number < 0).length;
}

/** Columns with values in rows: those that only an index reads, too. */
export function storedAttributes(relation: Relation): readonly number[] {
  const hidden = relation.columns.filter((column) => column.hidden && !column.dropped);
  return [...liveColumns(relation), ...hidden].map(({ attribute }) => attribute);
}

/** Positions of the numbers that the part has. */
function rowsOf(part: Part, numbers: Float64Array): Uint32Array {
  const rows: number[] = [];
  for (const number of numbers) {
    const row = findPosition(part.rowNumbers, part.rowCount, number);
    if (row >= 0) rows.push(row);
  }
  return Uint32Array.from(rows);
}

function described(
  relation: Relation | undefined,
  build: EmbeddingBuild,
): { readonly relation: Relation; readonly index: Index } {
  const index = relation?.indexes.find(({ oid }) => oid === build.index);
  if (relation === undefined || index === undefined) {
    throw new SqlError('undefined_object', 'the index was dropped before it was built');
  }
  assert(index.kind === 'semantic', 'only semantic indexes are embedded');
  return { relation, index };
}

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
