/** Statements over a pool of connections: sent, asked again where that is safe, streamed, cancelled, traced. */
import {
  backoffMs,
  type ClientConfig,
  configOf,
  OPEN,
  type Retries,
  retriesOf,
  type ScriptResult,
  type StatementTrace,
} from '../config.ts';
import type { Options } from '../options.ts';
import { InvalidArgumentError, QuernError } from '../errors.ts';
import { type Address, addressOf } from './address.ts';
import type { PackedFields } from './encode.ts';
import { failureOf, mayRetry } from './failure.ts';
import type { Link, Pending, Statement, UnknownColumns } from './link.ts';
import { Pool, untilAborted } from './pool.ts';
import { RowStream } from './row-stream.ts';

/** Where a client has its connection. */
export const CONNECTION: unique symbol = Symbol('connection');

export interface RunOptions {
  readonly signal?: AbortSignal | undefined;
  /** It reads, or writes the same documents as the first time: a lost connection is no reason not to ask again. */
  readonly repeatable?: boolean | undefined;
  /** A transaction of its own that may not write, with these settings. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
  /** Somebody wrote it: a column that no document has is an error. Default: it is null, as in queries that the client makes. */
  readonly unknownColumns?: UnknownColumns | undefined;
  /** Asked on the same connection when the statement is done; its rows are what is given. */
  readonly then?: Statement | undefined;
}

export interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
  /** The first so many rows are enough: no more of them are made. */
  readonly maxRows?: number | undefined;
}

/** Rows by column name. */
export interface Rows {
  readonly columns: readonly string[];
  /** OIDs. */
  readonly types: readonly number[];
  readonly values: readonly (readonly unknown[])[];
  /** `SELECT`, `INSERT`. */
  readonly command: string;
}

export class Connection {
  readonly address: Address;
  readonly retries: Retries;
  /** By collection: what is known of its vectors. */
  readonly packedFields = new Map<string, PackedFields>();
  readonly #pool: Pool;
  /** Their sessions may only read, and each statement finds them new. */
  readonly #readers: Pool;
  readonly #trace: ((statement: StatementTrace) => void) | undefined;

  constructor(given: Options<ClientConfig>) {
    const config = configOf(given);
    const environment = typeof process === 'undefined' ? {} : process.env;
    this.address = addressOf(config, environment);
    this.retries = retriesOf(config.retryConfig);
    this.#trace = config.onStatement;
    const max = config.maxConnections ?? 10;
    const { onNotice } = config;
    const open = given?.[OPEN] ?? undefined;
    this.#pool = new Pool(this.address, max, { isReadOnly: false, onNotice, open });
    this.#readers = new Pool(this.address, max, { isReadOnly: true, onNotice, open });
  }

  /** All rows of a statement. */
  async run(statement: Statement, options: RunOptions = {}): Promise<Rows> {
    return await this.#traced(statement, options, async () =>
      lent(this.#pool, options, async (link) => await this.#rows(link, statement, options)),
    );
  }

  /** All rows of a statement that somebody wrote, in a session that may only read. */
  async read(statement: Statement, { signal, maxRows }: ReadOptions = {}): Promise<Rows> {
    const start = (link: Link): Pending =>
      maxRows === undefined ? link.statement(statement) : link.firstRows(statement, maxRows);
    return await this.#traced(statement, { signal }, async () =>
      lent(this.#readers, { signal, unknownColumns: 'error' }, async (link) => {
        try {
          return await soleRows(link, start(link), 'each call of readOnly() is one statement by itself');
        } catch (error) {
          // After a value that cannot be read the driver does not know where in its portal it is.
          if (maxRows !== undefined && error instanceof QuernError) link.cancel();
          throw error;
        } finally {
          link.discardAll();
        }
      }),
    );
  }

  async #traced(statement: Statement, options: RunOptions, work: () => Promise<Rows>): Promise<Rows> {
    const started = performance.now();
    let tries = 0;
    try {
      const rows = await this.#retrying(options, async () => {
        tries++;
        return await work();
      });
      this.#tell(statement, started, rows.values.length, tries, null);
      return rows;
    } catch (error) {
      this.#tell(statement, started, 0, tries, error as Error);
      throw error;
    }
  }

  /** Rows as they come. Ending the iteration cancels the statement. Before its first row it is asked again. */
  async *stream(statement: Statement, options: RunOptions = {}): AsyncGenerator<Record<string, unknown>> {
    const { signal } = options;
    const started = performance.now();
    let tries = 0;
    let count = 0;
    let failure: Error | null = null;
    let rows: RowStream | null = null;
    try {
      const first = await this.#retrying(options, async () => {
        tries++;
        await rows?.close();
        rows = new RowStream(this.#pool, await this.#pool.take('null', signal), statement, signal);
        return await rows.next();
      });
      const open = rows as RowStream | null;
      for (let row = first; row !== null && open !== null; row = await open.next()) {
        count++;
        yield row;
      }
    } catch (error) {
      failure = this.#failure(error, signal) as Error;
      throw failure;
    } finally {
      (rows as RowStream | null)?.close();
      this.#tell(statement, started, count, tries, failure);
    }
  }

  /** Bytes into a COPY. @returns what the statement after it, on the same connection, gives. */
  async copyIn(copy: string, bytes: AsyncIterable<Uint8Array>, then: Statement): Promise<Rows> {
    const link = await this.#retrying({ repeatable: false }, async () => await this.#pool.take('null'));
    // Bytes that cannot be read are no fault of the way to the server.
    let own: unknown = null;
    const watched = async function* (): AsyncGenerator<Uint8Array> {
      try {
        yield* bytes;
      } catch (error) {
        own = error;
        throw error;
      }
    };
    try {
      // The driver says nothing of a connection that ends after the last byte.
      return await Promise.race([this.#copied(link, copy, watched(), then), link.lost]);
    } catch (error) {
      link.cancel();
      throw error === own ? error : failureOf(error, this.address);
    } finally {
      this.#pool.give(link);
    }
  }

  /** Several statements as one, all or nothing unless they say otherwise. */
  async script(text: string, signal?: AbortSignal): Promise<readonly ScriptResult[]> {
    return await this.#retrying({ signal, repeatable: false }, async () =>
      lent(this.#pool, { signal, unknownColumns: 'error' }, async (link) =>
        scriptResults(await link.script(text).raw()),
      ),
    );
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool.close(), this.#readers.close()]);
  }

  /** Tries until it works, or may not be tried again. */
  async #retrying<T>({ signal, repeatable = true }: RunOptions, work: () => Promise<T>): Promise<T> {
    const started = performance.now();
    for (let retry = 0; ; retry++) {
      try {
        return await work();
      } catch (error) {
        const failure = this.#failure(error, signal);
        const isLate = performance.now() - started >= this.retries.timeout;
        if (signal?.aborted || isLate || retry >= this.retries.maxRetries || !mayRetry(failure, repeatable)) {
          throw failure;
        }
        await untilAborted(pause(backoffMs(this.retries, retry)), signal);
      }
    }
  }

  #failure(error: unknown, signal: AbortSignal | undefined): unknown {
    return signal?.aborted ? signal.reason : failureOf(error, this.address);
  }

  async #rows(link: Link, statement: Statement, { settings, then }: RunOptions): Promise<Rows> {
    if (settings !== undefined) return await this.#withSettings(link, statement, settings);
    const isShared = this.#pool.max > 1;
    const hint = 'give all its statements to script(), or make the client with maxConnections: 1';
    const pending = link.statement(statement);
    const rows = await (isShared ? soleRows(link, pending, hint) : rowsOf(link, pending));
    return then === undefined ? rows : await rowsOf(link, link.statement(then));
  }

  async #withSettings(
    link: Link,
    statement: Statement,
    settings: Readonly<Record<string, string>>,
  ): Promise<Rows> {
    const set = Object.entries(settings);
    const calls = set.map((_, index) => `set_config($${2 * index + 1}, $${2 * index + 2}, true)`);
    await link.script('BEGIN READ ONLY');
    try {
      if (calls.length > 0) await link.statement({ sql: `SELECT ${calls.join(', ')}`, params: set.flat() });
      return await rowsOf(link, link.statement(statement));
    } finally {
      // Nothing was written: what does not end so ends with the connection.
      if (link.isAlive && !link.isCancelled) await link.script('ROLLBACK').catch(() => link.cancel());
    }
  }

  async #copied(link: Link, copy: string, bytes: AsyncIterable<Uint8Array>, then: Statement): Promise<Rows> {
    const sink = (await link.script(copy).writable()) as NodeJS.WritableStream;
    const { pipeline } = await import('node:stream/promises');
    await Promise.race([pipeline(bytes, sink), link.refused]);
    return await rowsOf(link, link.statement(then));
  }

  #tell({ sql }: Statement, started: number, rows: number, tries: number, error: Error | null): void {
    this.#trace?.({ sql, milliseconds: performance.now() - started, rows, tries, error });
  }
}

/** Statements that begin a transaction. */
const BEGINS: ReadonlySet<string> = new Set(['BEGIN', 'START TRANSACTION']);

/** Rows of a statement that leaves no transaction open. @throws InvalidArgumentError */
async function soleRows(link: Link, pending: Pending, hint: string): Promise<Rows> {
  const rows = await rowsOf(link, pending);
  if (!BEGINS.has(rows.command)) return rows;
  link.cancel();
  throw new InvalidArgumentError('a transaction needs a connection of its own', { hint });
}

/** Work with a connection of a pool; when the signal comes, what it does is cancelled and not waited for. */
async function lent<T>(
  pool: Pool,
  { signal, unknownColumns = 'null' }: Pick<RunOptions, 'signal' | 'unknownColumns'>,
  work: (link: Link) => Promise<T>,
): Promise<T> {
  const link = await pool.take(unknownColumns, signal);
  const doing = work(link);
  try {
    return await untilAborted(doing, signal, () => link.cancel());
  } finally {
    if (link.isCancelled) void link.settle(doing).then(() => pool.discard(link));
    else pool.give(link);
  }
}

type Values = unknown[][] & {
  readonly columns?: readonly { readonly name: string; readonly type: number }[];
  readonly command?: string | null;
};

/** @throws InvalidArgumentError for a COPY, which the driver gives as a stream. */
async function rowsOf(link: Link, pending: Pending): Promise<Rows> {
  const result = (await pending.values()) as Values;
  if (!Array.isArray(result)) {
    link.cancel();
    throw new InvalidArgumentError('COPY is no statement with rows', {
      hint: 'SELECT gives rows, upsert() takes documents; psql has \\copy',
    });
  }
  const columns = result.columns ?? [];
  return {
    columns: columns.map(({ name }) => name),
    types: columns.map(({ type }) => type),
    values: result,
    command: result.command ?? '',
  };
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

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
