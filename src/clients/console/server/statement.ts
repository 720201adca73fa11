/** Statements sent to `/sql`, and their answers as they come. */
import {
  type Column,
  type Done,
  type Json,
  type Message,
  type Notice,
  type Row,
  StatementError,
} from './messages.ts';
import { request } from './request.ts';

export interface StatementOptions {
  readonly params?: readonly unknown[];
  readonly settings?: Readonly<Record<string, string>>;
  readonly requestId?: string;
  readonly signal?: AbortSignal | undefined;
}

/** A message, and how many characters its line had. */
export type SizedMessage = Message & { readonly size: number };

/** Messages in order; the end of the loop ends the statement. @throws StatementError where the request is refused. */
export async function* messagesOf(
  statement: string,
  options: StatementOptions = {},
): AsyncGenerator<SizedMessage> {
  const { params, settings, requestId, signal } = options;
  const gone = new AbortController();
  const either = signal === undefined ? gone.signal : AbortSignal.any([signal, gone.signal]);
  const json = { statement, params, settings, request_id: requestId };
  const response = await request('sql', { method: 'POST', json, signal: either });
  try {
    if (response.body !== null)
      for await (const line of linesOf(response.body))
        yield { ...(JSON.parse(line) as Message), size: line.length };
  } finally {
    gone.abort();
  }
}

async function* linesOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  // Pieces of a line are put together once, however long it becomes.
  let begun: string[] = [];
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    const [first = '', ...others] = value.split('\n');
    begun.push(first);
    for (const next of others) {
      const line = begun.join('');
      begun = [next];
      if (line !== '') yield line;
    }
  }
  const rest = begun.join('');
  if (rest !== '') yield rest;
}

export interface Result {
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly notices: readonly Notice[];
  readonly done: Done | null;
}

/** The whole answer of one statement. @throws StatementError. */
export async function run(statement: string, options: StatementOptions = {}): Promise<Result> {
  let columns: readonly Column[] = [];
  let done: Done | null = null;
  const rows: Row[] = [];
  const notices: Notice[] = [];
  for await (const message of messagesOf(statement, options)) {
    if (message.columns !== undefined) columns = message.columns;
    if (message.rows !== undefined) for (const row of message.rows) rows.push(row);
    if (message.notice !== undefined) notices.push(message.notice);
    if (message.done !== undefined) done = message.done;
    if (message.error !== undefined) throw new StatementError(message.error);
  }
  return { columns, rows, notices, done };
}

export type Named = Readonly<Record<string, Json>>;

/** Rows as objects by the names of their columns. @throws StatementError. */
export async function rowsOf<Shape = Named>(
  statement: string,
  options: StatementOptions = {},
): Promise<Shape[]> {
  const { columns, rows } = await run(statement, options);
  return rows.map((row) => Object.fromEntries(columns.map(({ name }, i) => [name, row[i] ?? null])) as Shape);
}
