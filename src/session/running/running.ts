/**
 * A statement under way: rows come out in pieces as large as the client wants, then a command tag. One
 * interface for plans, cursors and the statements that answer from the session itself.
 */
import { ROWS_WAIT_MS_MAX } from '../../limits.ts';
import type { OutputColumn } from '../../plan/plan.ts';
import type { Datum } from '../../types/datum.ts';
import type { ResultSink } from '../protocol.ts';
import { typeByOid } from '../../types/registry.ts';
import { type Batch, vectorOf } from '../../types/column/vector.ts';

export interface Running {
  /** Null when the statement returns no rows. */
  readonly columns: readonly OutputColumn[] | null;
  /** The next rows, at most `limit` of them (0: as many as come); null at the end. */
  next(limit: number): Batch | null | Promise<Batch | null>;
  /** @param count rows sent to the client by this Execute. */
  tag(count: number): string;
  /** Releases what it holds; may be called at any time, and again. */
  close(): void | Promise<void>;
}

/** Rows that are there already, or none. */
export class FixedResult implements Running {
  readonly columns: readonly OutputColumn[] | null;
  #rest: Batch | null;
  #tag: string;

  constructor(tag: string, columns: readonly OutputColumn[] | null = null, rows: readonly Datum[][] = []) {
    this.columns = columns;
    this.#tag = tag;
    this.#rest = columns === null ? null : batchOf(columns, rows);
  }

  next(limit: number): Batch | null {
    if (this.#rest === null) return null;
    const [first, rest] = splitBatch(this.#rest, limit);
    this.#rest = rest;
    return first;
  }

  tag(): string {
    return this.#tag;
  }

  close(): void {}
}

/** The first `limit` rows and the others; 0 is no limit. */
export function splitBatch(batch: Batch, limit: number): [Batch, Batch | null] {
  if (limit === 0 || batch.length <= limit) return [batch, null];
  const cut = (start: number, end: number): Batch => ({
    length: end - start,
    columns: batch.columns.map((column) => column.slice(start, end)),
  });
  return [cut(0, limit), cut(limit, batch.length)];
}

function batchOf(columns: readonly OutputColumn[], rows: readonly (readonly Datum[])[]): Batch {
  return {
    length: rows.length,
    columns: columns.map((column, i) =>
      vectorOf(
        typeByOid(column.type.oid).vector,
        rows.map((row) => row[i] as Datum),
      ),
    ),
  };
}

export function column(name: string, oid: number): OutputColumn {
  return { name, type: { oid, modifier: -1 }, relation: 0, attribute: 0 };
}

/**
 * Rows that have been given do not wait for the next ones: `ask()` tells how far it is while it goes on.
 *
 * @param next more rows, which what the sink holds is sent without when they take long.
 */
export async function flushedMeanwhile<T>(next: Promise<T>, sink: ResultSink): Promise<T> {
  const timer = setTimeout(() => sink.flush?.(), ROWS_WAIT_MS_MAX);
  try {
    return await next;
  } finally {
    clearTimeout(timer);
  }
}
