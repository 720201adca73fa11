/**
 * Embeds the rows a relation already has, for a semantic index that is added to it in a transaction block:
 * every row is written anew with its passages, within that transaction.
 */
import { hasBit } from '../../types/column/bitset.ts';
import type { Relation } from '../../catalog/model.ts';
import type { Part } from '../../engine/engine.ts';
import type { Vector } from '../../types/column/vector.ts';
import { BATCH_ROWS_MAX } from '../../limits.ts';
import type { ExecutionContext } from '../context.ts';
import { storedAttributes } from './build.ts';
import { embedRows } from './embeddings.ts';

export async function embedStoredRows(relation: Relation, context: ExecutionContext): Promise<void> {
  using snapshot = context.transaction.snapshot();
  for (const partition of [null, ...snapshot.partitions(relation.oid)]) {
    for (const part of snapshot.parts(relation.oid, partition)) {
      await rewritePart({ relation, partition, part }, context);
    }
  }
}

async function rewritePart(
  { relation, partition, part }: { relation: Relation; partition: string | null; part: Part },
  context: ExecutionContext,
): Promise<void> {
  const { transaction, signal } = context;
  const attributes = storedAttributes(relation);
  for (let start = 0; start < part.rowCount; start += BATCH_ROWS_MAX) {
    const pause = context.yieldToOthers();
    if (pause !== null) await pause;
    const rows = visibleIn(part, start, Math.min(start + BATCH_ROWS_MAX, part.rowCount));
    if (rows.length === 0) continue;
    const vectors = await part.readRows(attributes, rows);
    const columns = new Map(attributes.map((attribute, i) => [attribute, vectors[i] as Vector] as const));
    const embeddings = await embedRows(relation, { length: rows.length, columns }, context);
    const rowNumbers = Float64Array.from(rows, (row) => part.rowNumbers[row] as number);
    await transaction.lock(relation.oid, partition, rowNumbers, {
      mode: 'no key update',
      wait: 'block',
      signal,
    });
    transaction.delete(relation.oid, partition, rowNumbers);
    const written = { length: rows.length, columns, embeddings, replaces: rowNumbers };
    await transaction.insert(relation.oid, partition, written, 'error', signal);
  }
}

function visibleIn({ visible }: Part, start: number, end: number): Uint32Array {
  const rows: number[] = [];
  for (let row = start; row < end; row++) {
    if (visible === null || hasBit(visible, row)) rows.push(row);
  }
  return Uint32Array.from(rows);
}
