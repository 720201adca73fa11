/** Rows that have been given do not wait for the next ones: `ask()` tells how far it is while it goes on. */
import { ROWS_WAIT_MS_MAX } from '../../limits.ts';
import type { ResultSink } from '../protocol.ts';

/** @param next more rows, which what the sink holds is sent without when they take long. */
export async function flushedMeanwhile<T>(next: Promise<T>, sink: ResultSink): Promise<T> {
  const timer = setTimeout(() => sink.flush?.(), ROWS_WAIT_MS_MAX);
  try {
    return await next;
  } finally {
    clearTimeout(timer);
  }
}
