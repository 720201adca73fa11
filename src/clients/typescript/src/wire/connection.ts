/** Statements over a pool of connections: sent, asked again where that is safe, streamed, cancelled, traced. */
import postgres from 'postgres';
import { backoffMs, type ClientConfig, type Retries, retriesOf, type StatementTrace } from '../config.ts';
import { type Address, addressOf } from './address.ts';
import { DECODERS } from './decode.ts';
import type { PackedFields } from './encode.ts';
import { failureOf, mayRetry } from './failure.ts';

export interface Statement {
  readonly sql: string;
  readonly params: readonly (string | null)[];
}

export interface RunOptions {
  readonly signal?: AbortSignal | undefined;
  /** It reads, or writes the same documents as the first time: a lost connection is no reason not to ask again. */
  readonly repeatable?: boolean | undefined;
  /** A transaction of its own that may not write, with these settings. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
}

/** Rows by column name. */
export interface Rows {
  readonly columns: readonly string[];
  /** OIDs. */
  readonly types: readonly number[];
  readonly values: readonly (readonly unknown[])[];
}

/** What one statement of a script gave, values as the server's text. */
export interface ScriptResult {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
  /** `INSERT 2`. */
  readonly tag: string;
}

type Sql = postgres.Sql;
type Pending = postgres.PendingQuery<postgres.Row[]>;

const CONNECT_SECONDS = 10;
/** A program that forgets `close()` ends after this. */
const IDLE_SECONDS = 5;

export class Connection {
  readonly address: Address;
  readonly retries: Retries;
  /** By collection: what is known of its vectors. */
  readonly packedFields = new Map<string, PackedFields>();
  readonly #sql: Sql;
  readonly #trace: ((statement: StatementTrace) => void) | undefined;

  constructor(config: ClientConfig) {
    const environment = typeof process === 'undefined' ? {} : process.env;
    this.address = addressOf(config, environment);
    this.retries = retriesOf(config.retryConfig);
    this.#trace = config.onStatement;
    this.#sql = open(this.address, config.maxConnections ?? 10);
  }

  /** All rows of a statement. */
  async run(statement: Statement, options: RunOptions = {}): Promise<Rows> {
    const started = performance.now();
    for (let tries = 1; ; tries++) {
      try {
        options.signal?.throwIfAborted();
        const rows = await this.#once(statement, options);
        this.#tell(statement, started, rows.values.length, tries, null);
        return rows;
      } catch (error) {
        const failure = options.signal?.aborted ? options.signal.reason : failureOf(error, this.address);
        const waited = performance.now() - started;
        const again =
          tries <= this.retries.maxRetries &&
          waited < this.retries.timeout &&
          !options.signal?.aborted &&
          mayRetry(failure, options.repeatable ?? true);
        if (!again) {
          this.#tell(statement, started, 0, tries, failure as Error);
          throw failure;
        }
        await pause(backoffMs(this.retries, tries - 1), options.signal);
      }
    }
  }

  /** Rows as they come. Ending the iteration cancels the statement. */
  async *stream(statement: Statement, options: RunOptions = {}): AsyncGenerator<Record<string, unknown>> {
    options.signal?.throwIfAborted();
    const started = performance.now();
    const queue = new RowQueue();
    const pending = this.#pending(this.#sql, statement);
    const stop = (): void => pending.cancel();
    options.signal?.addEventListener('abort', stop, { once: true });
    let ended = false;
    const all = pending
      .forEach((row) => {
        queue.push(row);
      })
      .then(
        () => queue.end(null),
        (error: unknown) =>
          queue.end(options.signal?.aborted ? options.signal.reason : failureOf(error, this.address)),
      );
    let count = 0;
    try {
      for (let row = await queue.next(); row !== null; row = await queue.next()) {
        count++;
        yield row;
      }
      ended = true;
    } finally {
      options.signal?.removeEventListener('abort', stop);
      if (!ended && !queue.ended) {
        stop();
        await all;
      }
      this.#tell(statement, started, count, 1, queue.failure);
    }
  }

  /** Bytes into a COPY. @returns what the statement after it, on the same connection, gives. */
  async copyIn(copy: string, bytes: AsyncIterable<Uint8Array>, then: Statement): Promise<Rows> {
    const reserved = await this.#sql.reserve().catch((error: unknown) => {
      throw failureOf(error, this.address);
    });
    try {
      const sink = await reserved.unsafe(copy).writable();
      const { pipeline } = await import('node:stream/promises');
      await pipeline(bytes, sink);
      return await rowsOf(this.#pending(reserved, then));
    } catch (error) {
      throw failureOf(error, this.address);
    } finally {
      reserved.release();
    }
  }

  /** Several statements as one, all or nothing unless they say otherwise. */
  async script(text: string, signal?: AbortSignal): Promise<readonly ScriptResult[]> {
    signal?.throwIfAborted();
    const pending = this.#sql.unsafe(text).simple();
    const stop = (): void => pending.cancel();
    signal?.addEventListener('abort', stop, { once: true });
    try {
      return scriptResults(await pending.raw());
    } catch (error) {
      throw signal?.aborted ? signal.reason : failureOf(error, this.address);
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  async close(): Promise<void> {
    await this.#sql.end({ timeout: 5 });
  }

  async #once(statement: Statement, { signal, settings }: RunOptions): Promise<Rows> {
    if (settings !== undefined) return await this.#withSettings(statement, settings, signal);
    return await abortable(this.#pending(this.#sql, statement), signal);
  }

  async #withSettings(
    statement: Statement,
    settings: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
  ): Promise<Rows> {
    const set = Object.entries(settings).map(([name, value]) => [name, value] as const);
    const calls = set.map((_, index) => `set_config($${2 * index + 1}, $${2 * index + 2}, true)`);
    const result = await this.#sql.begin('read only', async (transaction) => {
      if (calls.length > 0) {
        await this.#pending(transaction, { sql: `SELECT ${calls.join(', ')}`, params: set.flat() });
      }
      return await abortable(this.#pending(transaction, statement), signal);
    });
    return result as Rows;
  }

  #pending(sql: Pick<Sql, 'unsafe'>, { sql: text, params }: Statement): Pending {
    return sql.unsafe(text, [...params] as string[], { prepare: true }) as Pending;
  }

  #tell({ sql }: Statement, started: number, rows: number, tries: number, error: Error | null): void {
    this.#trace?.({ sql, milliseconds: performance.now() - started, rows, tries, error });
  }
}

function open({ host, port, apiKey, tls }: Address, max: number): Sql {
  const text = { to: 25, from: [] as number[], serialize: (value: unknown): unknown => value };
  const types = Object.fromEntries(
    [...DECODERS].map(([oid, parse]) => [`oid${oid}`, { ...text, to: oid, from: [oid], parse }]),
  );
  return postgres({
    host,
    port,
    user: 'quern',
    database: 'quern',
    password: apiKey,
    ssl: tls === 'off' ? false : tls === 'verified' ? 'verify-full' : 'require',
    max,
    types: { ...types, date: { to: 1184, from: [1082], serialize: String, parse: String } },
    fetch_types: false,
    idle_timeout: IDLE_SECONDS,
    connect_timeout: CONNECT_SECONDS,
    onnotice: () => undefined,
    connection: { application_name: 'quern-client', TimeZone: 'UTC', 'quern.unknown_columns': 'null' },
  }) as Sql;
}

async function rowsOf(pending: Pending): Promise<Rows> {
  const result = (await pending.values()) as unknown as unknown[][] & {
    readonly columns?: readonly { readonly name: string; readonly type: number }[];
  };
  const columns = result.columns ?? [];
  return { columns: columns.map(({ name }) => name), types: columns.map(({ type }) => type), values: result };
}

type RawResult = (readonly (Uint8Array | null)[])[] & {
  readonly columns?: readonly { readonly name: string }[];
  readonly command?: string | null;
  readonly count?: number | null;
};

/** The driver gives one result by itself, several as a list of them. */
function scriptResults(given: unknown): ScriptResult[] {
  const one = given as RawResult;
  const results = one.command === undefined ? (given as RawResult[]) : [one];
  return results.map((result) => ({
    columns: (result.columns ?? []).map(({ name }) => name),
    rows: [...result].map((row) => row.map((cell) => (cell === null ? null : TEXT.decode(cell)))),
    tag: [result.command, result.count].filter((part) => part !== null && part !== undefined).join(' '),
  }));
}

const TEXT = new TextDecoder();

async function abortable(pending: Pending, signal: AbortSignal | undefined): Promise<Rows> {
  if (signal === undefined) return await rowsOf(pending);
  const stop = (): void => pending.cancel();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await rowsOf(pending);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

/** Rows between a driver that pushes and an iteration that pulls. */
class RowQueue {
  readonly #rows: Record<string, unknown>[] = [];
  #wake: (() => void) | null = null;
  ended = false;
  failure: Error | null = null;

  push(row: Record<string, unknown>): void {
    this.#rows.push(row);
    this.#wake?.();
  }

  end(failure: unknown): void {
    this.ended = true;
    this.failure = failure as Error | null;
    this.#wake?.();
  }

  /** The next row, or null after the last. */
  async next(): Promise<Record<string, unknown> | null> {
    for (;;) {
      const row = this.#rows.shift();
      if (row !== undefined) return row;
      if (this.failure !== null) throw this.failure;
      if (this.ended) return null;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
