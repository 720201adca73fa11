/** Statements over a pool of connections: sent, asked again where that is safe, streamed, cancelled, traced. */
import { backoffMs, type ClientConfig, type Retries, retriesOf, type StatementTrace } from '../config.ts';
import { InvalidArgumentError } from '../errors.ts';
import { type Address, addressOf } from './address.ts';
import type { PackedFields } from './encode.ts';
import { failureOf, mayRetry } from './failure.ts';
import type { Link, Pending, Statement } from './link.ts';
import { Pool, untilAborted } from './pool.ts';
import { RowStream } from './row-stream.ts';

export interface RunOptions {
  readonly signal?: AbortSignal | undefined;
  /** It reads, or writes the same documents as the first time: a lost connection is no reason not to ask again. */
  readonly repeatable?: boolean | undefined;
  /** A transaction of its own that may not write, with these settings. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
  /** Asked on the same connection when the statement is done; its rows are what is given. */
  readonly then?: Statement | undefined;
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

/** What one statement of a script gave, values as the server's text. */
export interface ScriptResult {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
  /** `INSERT 2`. */
  readonly tag: string;
}

export class Connection {
  readonly address: Address;
  readonly retries: Retries;
  /** By collection: what is known of its vectors. */
  readonly packedFields = new Map<string, PackedFields>();
  readonly #pool: Pool;
  readonly #trace: ((statement: StatementTrace) => void) | undefined;

  constructor(config: ClientConfig) {
    const environment = typeof process === 'undefined' ? {} : process.env;
    this.address = addressOf(config, environment);
    this.retries = retriesOf(config.retryConfig);
    this.#trace = config.onStatement;
    this.#pool = new Pool(this.address, config.maxConnections ?? 10);
  }

  /** All rows of a statement. */
  async run(statement: Statement, options: RunOptions = {}): Promise<Rows> {
    const started = performance.now();
    let tries = 0;
    try {
      const rows = await this.#retrying(options, async () => {
        tries++;
        return await this.#lent(options.signal, async (link) => await this.#rows(link, statement, options));
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
        rows = new RowStream(this.#pool, await this.#pool.take(signal), statement, signal);
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
    const link = await this.#retrying({ repeatable: false }, async () => await this.#pool.take());
    try {
      // The driver says nothing of a connection that ends after the last byte.
      return await Promise.race([this.#copied(link, copy, bytes, then), link.lost]);
    } catch (error) {
      link.cancel();
      throw failureOf(error, this.address);
    } finally {
      this.#pool.give(link);
    }
  }

  /** Several statements as one, all or nothing unless they say otherwise. */
  async script(text: string, signal?: AbortSignal): Promise<readonly ScriptResult[]> {
    return await this.#retrying({ signal, repeatable: false }, async () =>
      this.#lent(signal, async (link) => scriptResults(await link.script(text).raw())),
    );
  }

  async close(): Promise<void> {
    await this.#pool.close();
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

  /** Work with a connection; when the signal comes, what it does is cancelled and not waited for. */
  async #lent<T>(signal: AbortSignal | undefined, work: (link: Link) => Promise<T>): Promise<T> {
    const link = await this.#pool.take(signal);
    const doing = work(link);
    try {
      return await untilAborted(doing, signal, () => link.cancel());
    } finally {
      if (link.isCancelled) void link.settle(doing).then(() => this.#pool.discard(link));
      else this.#pool.give(link);
    }
  }

  async #rows(link: Link, statement: Statement, { settings, then }: RunOptions): Promise<Rows> {
    if (settings !== undefined) return await this.#withSettings(link, statement, settings);
    const rows = await rowsOf(link.statement(statement));
    if (rows.command === 'BEGIN' && this.#pool.max > 1) {
      link.cancel();
      throw new InvalidArgumentError('a transaction needs a connection of its own', {
        hint: 'give all its statements to script(), or make the client with maxConnections: 1',
      });
    }
    return then === undefined ? rows : await rowsOf(link.statement(then));
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
      return await rowsOf(link.statement(statement));
    } finally {
      // Nothing was written: what does not end so ends with the connection.
      if (link.isAlive && !link.isCancelled) await link.script('ROLLBACK').catch(() => link.cancel());
    }
  }

  async #copied(link: Link, copy: string, bytes: AsyncIterable<Uint8Array>, then: Statement): Promise<Rows> {
    const sink = (await link.script(copy).writable()) as NodeJS.WritableStream;
    const { pipeline } = await import('node:stream/promises');
    await pipeline(bytes, sink);
    return await rowsOf(link.statement(then));
  }

  #tell({ sql }: Statement, started: number, rows: number, tries: number, error: Error | null): void {
    this.#trace?.({ sql, milliseconds: performance.now() - started, rows, tries, error });
  }
}

async function rowsOf(pending: Pending): Promise<Rows> {
  const result = (await pending.values()) as unknown as unknown[][] & {
    readonly columns?: readonly { readonly name: string; readonly type: number }[];
    readonly command?: string | null;
  };
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
