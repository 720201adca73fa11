/** DECLARE, FETCH, MOVE and CLOSE. */
import type { OutputColumn } from '../../plan/plan.ts';
import type { Batch } from '../../types/column/vector.ts';
import { SqlError } from '../../errors.ts';
import type { KeptBatches } from '../../execute/spill/kept-batches.ts';
import { Cursor } from './cursor.ts';
import { KeptRows } from './kept-rows.ts';
import { FixedResult, type Running, splitBatch } from '../running/running.ts';
import type { StatementCall, StatementOf } from './statement-call.ts';
import { lockedPlan } from '../running/locked-plan.ts';
import type { SessionState } from '../session-state.ts';

export async function declareCursor({
  session,
  statement,
  parsed,
  tree,
}: StatementCall<'declare cursor'>): Promise<Running> {
  const { name, hold, scroll, query, at } = tree;
  if (!hold && !session.block.inBlock) {
    throw new SqlError('no_active_sql_transaction', 'DECLARE CURSOR can only be used in transaction blocks');
  }
  refuseLocking(tree);
  const inner = { ...parsed, statement: { kind: 'query' as const, query, at } };
  // A cursor lives longer than the statement that declares it: what ends it is the cancel of a FETCH.
  const controller = new AbortController();
  const cancel = (reason: unknown): void => controller.abort(reason);
  const selecting = statement.with({ signal: controller.signal });
  const planned = await lockedPlan(selecting, inner);
  const running = await selecting.run(planned);
  try {
    const createdMicros = session.clockMicros();
    const kept = hold || scroll ? new KeptRows(session.keptBatches()) : null;
    const options = { name, hold, scroll, text: parsed.text, createdMicros, cancel, kept };
    session.cursors.add(new Cursor(options, running));
  } catch (error) {
    await running.close();
    throw error;
  }
  return new FixedResult('DECLARE CURSOR');
}

/** Rows that were locked are those that were fetched: a cursor cannot keep them or go back. @throws 0A000. */
function refuseLocking({ hold, scroll, query }: StatementOf<'declare cursor'>): void {
  const [clause] = query.locking;
  if (clause === undefined || (!hold && !scroll)) return;
  const words = `FOR ${clause.strength.toUpperCase()}`;
  const cursor = hold ? 'DECLARE CURSOR WITH HOLD' : 'DECLARE SCROLL CURSOR';
  throw new SqlError('feature_not_supported', `${cursor} ... ${words} is not supported`, {
    detail: `${hold ? 'Holdable' : 'Scrollable'} cursors must be READ ONLY.`,
  });
}

export function fetchColumns(
  session: SessionState,
  tree: StatementOf<'fetch'>,
): readonly OutputColumn[] | null {
  return tree.move ? null : session.cursors.get(tree.cursor).columns;
}

export async function fetchRows({ session, statement, tree }: StatementCall<'fetch'>): Promise<Running> {
  const cursor = session.cursors.get(tree.cursor);
  const { signal } = statement;
  const { direction, count } = tree;
  if (tree.move) {
    let moved = 0;
    const counted = (batch: Batch): void => {
      moved += batch.length;
    };
    await cursor.fetch(direction, count, { signal, take: counted });
    return new FixedResult(`MOVE ${moved}`);
  }
  const fetched = new FetchedRows(cursor.columns, session.keptBatches());
  try {
    await cursor.fetch(direction, count, { signal, take: (batch) => fetched.add(batch) });
  } catch (error) {
    await fetched.close();
    throw error;
  }
  return fetched;
}

export async function closeCursor({ session, tree }: StatementCall<'close cursor'>): Promise<Running> {
  if (tree.name === null) await session.cursors.closeAll();
  else await session.cursors.close(tree.name);
  return new FixedResult(tree.name === null ? 'CLOSE CURSOR ALL' : 'CLOSE CURSOR');
}

class FetchedRows implements Running {
  readonly columns: readonly OutputColumn[];
  readonly #batches: KeptBatches;
  #next = 0;
  /** Rows that a limit has left of the batch before. */
  #rest: Batch | null = null;

  /** @param batches of the rows; given back when they are sent. */
  constructor(columns: readonly OutputColumn[], batches: KeptBatches) {
    this.columns = columns;
    this.#batches = batches;
  }

  add(batch: Batch): void | Promise<void> {
    return this.#batches.add(batch);
  }

  async next(limit: number): Promise<Batch | null> {
    if (this.#rest === null && this.#next === this.#batches.count) return null;
    const batch = this.#rest ?? (await this.#batches.get(this.#next++));
    const [first, rest] = splitBatch(batch, limit);
    this.#rest = rest;
    return first;
  }

  tag(count: number): string {
    return `FETCH ${count}`;
  }

  async close(): Promise<void> {
    this.#batches[Symbol.dispose]();
  }
}
