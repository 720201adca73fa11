/** DECLARE, FETCH, MOVE and CLOSE. */
import type { OutputColumn } from '../../plan/plan.ts';
import type { Batch } from '../../types/column/vector.ts';
import { SqlError } from '../../errors.ts';
import type { Account } from '../../execute/account.ts';
import { bytesOf } from '../../execute/held-rows.ts';
import { Cursor } from './cursor.ts';
import { FixedResult, type Running, splitBatch } from '../running/running.ts';
import type { StatementCall, StatementOf } from './statement-call.ts';
import { lockedPlan } from '../running/locked-plan.ts';
import type { Runner } from '../running/runner.ts';
import { runTask } from '../../task.ts';

export async function declareCursor({
  runner,
  parsed,
  statement,
  request: { parameters, prepared },
}: StatementCall<'declare cursor'>): Promise<Running> {
  const { name, hold, scroll, query, at } = statement;
  if (!hold && !runner.block.inBlock) {
    throw new SqlError('no_active_sql_transaction', 'DECLARE CURSOR can only be used in transaction blocks');
  }
  refuseLocking(statement);
  const inner = { ...parsed, statement: { kind: 'query' as const, query, at } };
  // A cursor lives longer than the statement that declares it: what ends it is the cancel of a FETCH.
  const controller = new AbortController();
  const cancel = (reason: unknown): void => controller.abort(reason);
  const request = { parameters, signal: controller.signal };
  const planned = await runTask(lockedPlan(runner, inner, { ...request, prepared }));
  const running = await runner.runPlanned(planned, request, null);
  try {
    const createdMicros = runner.clockMicros();
    const account = hold || scroll ? runner.openAccount() : null;
    const options = { name, hold, scroll, text: parsed.text, createdMicros, cancel, account };
    runner.cursors.add(new Cursor(options, running));
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
  runner: Runner,
  statement: StatementOf<'fetch'>,
): readonly OutputColumn[] | null {
  return statement.move ? null : runner.cursors.get(statement.cursor).columns;
}

export async function fetchRows({ runner, statement, request }: StatementCall<'fetch'>): Promise<Running> {
  const cursor = runner.cursors.get(statement.cursor);
  const { signal } = request;
  const { direction, count } = statement;
  if (statement.move) {
    let moved = 0;
    const counted = (batch: Batch): void => {
      moved += batch.length;
    };
    await cursor.fetch(direction, count, { signal, take: counted });
    return new FixedResult(`MOVE ${moved}`);
  }
  const fetched = new FetchedRows(cursor.columns, runner.openAccount());
  try {
    await cursor.fetch(direction, count, { signal, take: (batch) => fetched.add(batch) });
  } catch (error) {
    await fetched.close();
    throw error;
  }
  return fetched;
}

export async function closeCursor({ runner, statement }: StatementCall<'close cursor'>): Promise<Running> {
  if (statement.name === null) await runner.cursors.closeAll();
  else await runner.cursors.close(statement.name);
  return new FixedResult(statement.name === null ? 'CLOSE CURSOR ALL' : 'CLOSE CURSOR');
}

class FetchedRows implements Running {
  readonly columns: readonly OutputColumn[];
  #batches: Batch[] = [];
  readonly #account: Account;

  /** @param account of the rows; given back when they are sent. */
  constructor(columns: readonly OutputColumn[], account: Account) {
    this.columns = columns;
    this.#account = account;
  }

  add(batch: Batch): void {
    this.#account.hold(bytesOf(batch));
    this.#batches.push(batch);
  }

  async next(limit: number): Promise<Batch | null> {
    const batch = this.#batches.shift();
    if (batch === undefined) return null;
    const [first, rest] = splitBatch(batch, limit);
    if (rest !== null) this.#batches.unshift(rest);
    return first;
  }

  tag(count: number): string {
    return `FETCH ${count}`;
  }

  async close(): Promise<void> {
    this.#batches = [];
    this.#account[Symbol.dispose]();
  }
}
