/** Shared work of all arms on the parts of a snapshot: bring their structures into memory, score rows in slices of time. */
import type { Relation } from '../../../catalog/model.ts';
import type { RowExplanation } from '../../../index/explanation.ts';
import type { Structure } from '../../../index/structure.ts';
import { type Task, wait } from '../../../task.ts';
import type { Part } from '../../engine.ts';
import type { EnginePart } from './part.ts';
import type { StructurePlan } from './source.ts';

/** Rows scored between two turns of the event loop. */
const SCORE_ROWS = 4096;

/** Loads the structures of the parts that have one. */
export function* loadStructures(
  relation: Relation,
  parts: readonly EnginePart[],
  { index, kind }: StructurePlan,
): Task<ReadonlyMap<Part, Structure>> {
  const structures = new Map<Part, Structure>();
  for (const part of parts) {
    const loading = part.run.source.loadStructure(relation, index, kind);
    if (loading !== undefined) yield* wait(loading);
    const structure = part.run.source.structure(relation, index, kind);
    if (structure !== null) structures.set(part, structure);
  }
  return structures;
}

/** @param score writes scores over the NaN of `into`, which has a place for each of the rows. */
export function scoreInSlices(
  rows: Uint32Array,
  score: (rows: Uint32Array, into: Float64Array) => void,
  turns: { readonly pause: () => Promise<void>; readonly signal: AbortSignal },
): Float64Array | Promise<Float64Array> {
  const scores = new Float64Array(rows.length).fill(Number.NaN);
  if (rows.length > SCORE_ROWS) return scoreMany(rows, scores, score, turns);
  score(rows, scores);
  return scores;
}

async function scoreMany(
  rows: Uint32Array,
  scores: Float64Array,
  score: (rows: Uint32Array, into: Float64Array) => void,
  { pause, signal }: { readonly pause: () => Promise<void>; readonly signal: AbortSignal },
): Promise<Float64Array> {
  for (let start = 0; start < rows.length; start += SCORE_ROWS) {
    signal.throwIfAborted();
    score(rows.subarray(start, start + SCORE_ROWS), scores.subarray(start));
    await pause();
  }
  return scores;
}

/** An explanation of structures, with the indexes' OIDs in the place of the fields' numbers. */
export function ofIndexes(row: RowExplanation, indexes: readonly number[]): RowExplanation {
  if (row.kind !== 'terms') return row;
  const terms = row.terms.map((term) => ({
    ...term,
    fields: term.fields.map((one) => ({ ...one, field: indexes[one.field] ?? 0 })),
  }));
  return { kind: 'terms', terms };
}
