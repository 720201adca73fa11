/** ANALYZE: a sample of a relation's rows, evenly spread over all of it, and what it says of each column. */
import { seededRandom } from '../../seeded-random.ts';
import type { ColumnStatistics } from '../../catalog/column-statistics.ts';
import { liveColumns, type Relation } from '../../catalog/model.ts';
import type { Part, Snapshot } from '../../engine/engine.ts';
import { countBits, hasBit } from '../../types/column/bitset.ts';
import { ColumnSample, STATISTICS_TARGET } from './column-sample.ts';

/** As many as PostgreSQL takes. */
const SAMPLE_ROWS = 300 * STATISTICS_TARGET;
const RUN_ROWS = 100;

export interface AnalyzeRequest {
  readonly relation: Relation;
  /** Attribute numbers; null: all columns. */
  readonly attributes: readonly number[] | null;
  /** Gives others a turn, and raises what ends the work. */
  readonly pause: () => Promise<void>;
}

/** @returns statistics by attribute number, and the number of rows they are about. */
export async function analyzeRelation(
  snapshot: Snapshot,
  { relation, attributes, pause }: AnalyzeRequest,
): Promise<{ rows: number; columns: Map<number, ColumnStatistics> }> {
  const parts = [null, ...snapshot.partitions(relation.oid)].flatMap((partition) =>
    snapshot.parts(relation.oid, partition),
  );
  const rows = parts.reduce((sum, part) => sum + countBits(part.visible, part.rowCount), 0);
  const columns = new Map<number, ColumnStatistics>();
  for (const { attribute, type } of liveColumns(relation)) {
    if (attributes !== null && !attributes.includes(attribute)) continue;
    const sample = new ColumnSample(type.oid);
    for (const { part, start, end } of sampleRuns(parts)) {
      const [vector] = await part.read([attribute], start, end);
      const places = visiblePlaces(part, start, end);
      if (vector !== undefined) sample.add(places === null ? vector : vector.take(places));
      await pause();
    }
    columns.set(attribute, await sample.result(rows, pause));
    await pause();
  }
  return { rows, columns };
}

interface SampleRun {
  readonly part: Part;
  readonly start: number;
  readonly end: number;
}

/**
 * A run of rows in each of many equal stretches, everything where that is little. Where in its stretch is left to
 * chance (the same in every run), or values that repeat would be met again and again.
 */
function* sampleRuns(parts: readonly Part[]): Generator<SampleRun> {
  const total = parts.reduce((sum, part) => sum + part.rowCount, 0);
  const distance = total <= SAMPLE_ROWS ? RUN_ROWS : (total / SAMPLE_ROWS) * RUN_ROWS;
  const random = seededRandom(1);
  for (const part of parts) {
    for (let run = 0; Math.floor(run * distance) < part.rowCount; run++) {
      const shift = (distance - RUN_ROWS) * random();
      const start = Math.floor(run * distance + shift);
      if (start < part.rowCount) yield { part, start, end: Math.min(part.rowCount, start + RUN_ROWS) };
    }
  }
}

/** Null when all of the rows are visible. */
function visiblePlaces({ visible }: Part, start: number, end: number): number[] | null {
  if (visible === null) return null;
  const places: number[] = [];
  for (let row = start; row < end; row++) {
    if (hasBit(visible, row)) places.push(row - start);
  }
  return places;
}
