/** DECLARE, FETCH, MOVE and CLOSE. */
import type { OutputColumn } from '../plan/plan.ts';
import type { Batch } from '../types/vector.ts';
import { SqlError } from '../errors.ts';
import { Cursor } from './cursor.ts';
import { FixedResult, type Running, splitBatch } from './running.ts';
import type { StatementCall, StatementOf } from './session-statements.ts';
import type { StatementRunner } from './statement-runner.ts';

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
  const inner = { ...parsed, statement: { kind: 'query' as const, query, at } };
  // A cursor lives longer than the statement that declares it, and is not cancelled with it.
  const request = { parameters, signal: new AbortController().signal };
  const running = await runner.runPlanned(runner.plan(inner, prepared?.types ?? []), request, null);
  try {
    const createdMicros = runner.clockMicros();
    runner.cursors.add(new Cursor({ name, hold, scroll, text: parsed.text, createdMicros }, running));
  } catch (error) {
    await running.close();
    throw error;
  }
  return new FixedResult('DECLARE CURSOR');
}

export function fetchColumns(
  runner: StatementRunner,
  statement: StatementOf<'fetch'>,
): readonly OutputColumn[] | null {
  return statement.move ? null : runner.cursors.get(statement.cursor).columns;
}

export async function fetchRows({ runner, statement }: StatementCall<'fetch'>): Promise<Running> {
  const cursor = runner.cursors.get(statement.cursor);
  const batches = await cursor.fetch(statement.direction, statement.count);
  const count = batches.reduce((sum, batch) => sum + batch.length, 0);
  if (statement.move) return new FixedResult(`MOVE ${count}`);
  return new FetchedRows(cursor.columns, batches);
}

export async function closeCursor({ runner, statement }: StatementCall<'close cursor'>): Promise<Running> {
  if (statement.name === null) await runner.cursors.closeAll();
  else await runner.cursors.close(statement.name);
  return new FixedResult(statement.name === null ? 'CLOSE CURSOR ALL' : 'CLOSE CURSOR');
}

class FetchedRows implements Running {
  readonly columns: readonly OutputColumn[];
  #batches: Batch[];

  constructor(columns: readonly OutputColumn[], batches: Batch[]) {
    this.columns = columns;
    this.#batches = batches;
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
  }
}
