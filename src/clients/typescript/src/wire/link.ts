/** One connection to the server, for one statement at a time. What fails on the way, or is cancelled, is not used again. */
import { connect as connectSocket } from 'node:net';
import postgres from 'postgres';
import type { Carrier, Notice } from '../config.ts';
import { ConnectionFailedError, InvalidArgumentError } from '../errors.ts';
import type { Address } from './address.ts';
import { DECODERS } from './decode.ts';

export interface Statement {
  readonly sql: string;
  readonly params: readonly (string | null)[];
}

type Reserved = postgres.ReservedSql;

/** Treatment of a column that no document has: null for the client's own queries, an error in SQL that somebody wrote. */
export type UnknownColumns = 'null' | 'error';

export interface LinkOptions {
  /** Its session may only read, and nothing that is sent changes that. */
  readonly isReadOnly: boolean;
  /** At its beginning. */
  readonly unknownColumns: UnknownColumns;
  readonly applicationName?: string | undefined;
  readonly onNotice?: ((notice: Notice) => void) | undefined;
  /** Opens what goes to the server, without TLS; absent: a socket to its address. */
  readonly open?: (() => Carrier) | undefined;
}

/** A statement of the driver, as far as it is used: the driver's own types need Node's, which users may not have. */
export interface Pending extends Promise<unknown> {
  values(): Promise<unknown>;
  raw(): RawPending;
  forEach(onRow: (row: Record<string, unknown>) => void): Promise<unknown>;
  /** So many rows at a time, by a portal. @param onRows gives the driver's `CLOSE` when they are enough. */
  cursor(rows: number, onRows: () => unknown): Pending;
  writable(): Promise<unknown>;
  /** The driver's cancellation, whose promise its `cancel()` drops: it fails where the server is gone. Once. */
  canceller: ((query: Pending) => Promise<unknown>) | null;
  /** The driver calls it with the server's error, also where its promise has been kept: in a COPY, by a stream. */
  reject: (error: unknown) => void;
}

/** Rows as their cells' bytes. */
interface RawPending extends Promise<unknown> {
  forEach(onRow: (row: readonly (Uint8Array | null)[]) => void): Promise<unknown>;
}

/** Without it a statement that has no parameters goes by the simple protocol. The driver's types do not know it. */
const EXTENDED: object = { simple: false };

const CONNECT_SECONDS = 10;
/** Time that a server has to answer a cancellation, or a goodbye. */
const PATIENCE_MS = 5000;
/** PostgreSQL's answer to the question for TLS. */
const TLS_BYTE = 83;

/** An error of the way to the server, with a code as the system's have one. */
class WayError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export class Link {
  isAlive = false;
  isCancelled = false;
  /** Fails when the connection ends. */
  readonly lost: Promise<never>;
  /** Fails when the server refuses what was started last: of the end of a COPY nobody else hears. */
  refused: Promise<never> = new Promise(() => undefined);
  readonly #driver: postgres.Sql;
  readonly #isReadOnly: boolean;
  /** Settings as the server tells them, also when a rollback takes one back. */
  readonly #told = new Map<string, string>();
  #sql: Reserved | null = null;
  #running: Pending | null = null;
  #socket: Carrier | null = null;
  #sayLost: (error: Error) => void = () => undefined;

  /** @param onLost called when it ended after it was open. */
  constructor(address: Address, options: LinkOptions, onLost: (link: Link) => void) {
    this.#isReadOnly = options.isReadOnly;
    this.lost = new Promise((_, reject) => {
      this.#sayLost = reject;
    });
    this.lost.catch(() => undefined);
    const onclose = (): void => {
      const wasAlive = this.isAlive;
      this.isAlive = false;
      this.#sayLost(new WayError('CONNECTION_CLOSED', 'the connection ended'));
      if (wasAlive) onLost(this);
    };
    this.#driver = postgres({
      ...driverOptions(address, options),
      onclose,
      onparameter: (name: string, value: string) => void this.#told.set(name, value),
      socket: () => this.#opened(address, options.open),
    } as never);
  }

  /** @throws whatever stands in the way */
  async open(): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      const error = new WayError('CONNECT_TIMEOUT', `no answer in ${CONNECT_SECONDS} seconds`);
      timer = setTimeout(() => reject(error), CONNECT_SECONDS * 1000);
    });
    try {
      // A connection has to be open before it can be reserved: otherwise `reserve` waits without end.
      const opened = this.#driver.unsafe('').simple();
      await Promise.race([opened, late]);
      this.isAlive = true;
      this.#sql = await Promise.race([this.#driver.reserve(), this.lost]);
    } finally {
      clearTimeout(timer);
    }
    if (this.#isReadOnly && this.#told.get('quern.read_only') !== 'on') {
      throw new ConnectionFailedError('the server does not keep this session read only', {
        hint: 'an older server, or a pooler on the way that leaves start-up settings out',
      });
    }
  }

  /** True when `take` has nothing to say to the server. */
  has(unknownColumns: UnknownColumns): boolean {
    return this.#told.get('quern.unknown_columns') === unknownColumns;
  }

  /** Tells the statements from now on. Where it cannot be said, they fail too, or end the failed transaction. */
  take(unknownColumns: UnknownColumns): void {
    if (this.has(unknownColumns)) return;
    this.script(`SET quern.unknown_columns = '${unknownColumns}'`).catch(() => undefined);
  }

  /**
   * One statement, by the extended protocol always: it takes no second one. What has parameters stays prepared, unless
   * the session is left as it was.
   */
  statement({ sql, params }: Statement): Pending {
    for (const text of [sql, ...params]) checkText(text);
    const prepare = params.length > 0 && !this.#isReadOnly;
    return this.#started((on) =>
      heeded(on.unsafe(sql, [...params] as string[], { prepare, ...EXTENDED }) as unknown as Pending),
    );
  }

  /** The first rows of one statement: the server makes no more of them. */
  firstRows(statement: Statement, count: number): Pending {
    return this.statement(statement).cursor(count, () => this.#driver.CLOSE);
  }

  /** Statements as one text, without parameters. */
  script(text: string): Pending {
    checkText(text);
    return this.#started((on) => on.unsafe(text).simple() as unknown as Pending);
  }

  /** Leaves nothing of what has been done in the session to the statements that are sent from now on. */
  discardAll(): void {
    if (this.isAlive && !this.isCancelled) this.script('DISCARD ALL').catch(() => this.cancel());
  }

  /** Sends a cancellation; after it nothing more is sent. */
  cancel(): void {
    this.isCancelled = true;
    void this.interrupt();
  }

  /** Asks for the end of what runs. @returns when the server has read that: it cannot meet the next statement. */
  async interrupt(): Promise<void> {
    const running = this.#running;
    const send = running?.canceller ?? null;
    if (running === null || send === null) return;
    running.canceller = null;
    // It has nowhere to go where the server is not there any more.
    await send(running).catch(() => undefined);
  }

  /** Waits until what was cancelled is over, no longer than a server may take for it. */
  async settle(work: Promise<unknown>): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, PATIENCE_MS);
    });
    await Promise.race([work.catch(() => undefined), late]);
    clearTimeout(timer);
  }

  /** Says goodbye; a statement that still runs fails. */
  async end(): Promise<void> {
    this.isAlive = false;
    const timer = setTimeout(() => this.#socket?.destroy(), PATIENCE_MS);
    if (typeof timer === 'object') timer.unref?.();
    await this.#driver.end({ timeout: 0 });
  }

  #started(start: (on: Reserved) => Pending): Pending {
    if (this.#sql === null || !this.isAlive || this.isCancelled) {
      throw new WayError('CONNECTION_CLOSED', 'the connection ended');
    }
    const running = start(this.#sql);
    this.#running = running;
    this.refused = new Promise((_, reject) => {
      const { reject: told } = running;
      running.reject = (error) => {
        told(error);
        reject(error);
      };
    });
    this.refused.catch(() => undefined);
    return running;
  }

  /** The driver asks for a second one when the first ended before it was of use, and would do so without end. */
  #opened({ host, port, tls }: Address, open: LinkOptions['open']): Carrier {
    if (this.#socket !== null && !this.isAlive) {
      throw new WayError('CONNECTION_ENDED_EARLY', 'the server ended the connection before it was ready');
    }
    if (open !== undefined) {
      const opened = open();
      this.#socket ??= opened;
      return opened;
    }
    const socket = connectSocket({ host, port });
    this.#socket ??= socket;
    if (tls !== 'off') {
      socket.once('data', (answer: Uint8Array) => {
        if (answer[0] !== TLS_BYTE) socket.destroy(new WayError('NO_TLS', 'the server has no TLS'));
      });
    }
    // The driver reads from here for which host a certificate has to be.
    return Object.assign(socket, { host, port });
  }
}

/** A zero byte ends a text of the protocol: what comes after it would be read as something else. */
function checkText(text: string | null): void {
  if (text === null) return;
  if (typeof text !== 'string') throw new InvalidArgumentError('a statement is a string');
  if (text.includes('\0')) throw new InvalidArgumentError('no text holds a zero byte', { sqlstate: '22021' });
}

/** The driver gives a COPY as a stream, which may fail before anybody has it, and would end the program. */
function heeded(pending: Pending): Pending {
  const query = pending as Pending & { resolve: (given: unknown) => void };
  const { resolve } = query;
  query.resolve = (given) => {
    if (!Array.isArray(given)) (given as NodeJS.ReadableStream).on('error', () => undefined);
    resolve(given);
  };
  return query;
}

function driverOptions({ host, port, apiKey, tls }: Address, options: LinkOptions): object {
  const text = {
    to: 25,
    from: [] as number[],
    serialize: (value: unknown): unknown => value,
  };
  const types = Object.fromEntries(
    [...DECODERS].map(([oid, parse]) => [`oid${oid}`, { ...text, to: oid, from: [oid], parse }]),
  );
  return {
    host,
    port,
    user: 'quern',
    database: 'quern',
    password: apiKey,
    ssl: tls === 'off' ? false : tls === 'verified' ? 'verify-full' : 'require',
    max: 1,
    types: {
      ...types,
      date: { to: 1184, from: [1082], serialize: String, parse: String },
    },
    fetch_types: false,
    idle_timeout: 0,
    max_lifetime: 0,
    connect_timeout: CONNECT_SECONDS,
    onnotice: options.onNotice ?? (() => undefined),
    connection: {
      application_name: options.applicationName ?? 'quern-client',
      TimeZone: 'UTC',
      'quern.unknown_columns': options.unknownColumns,
      ...(options.isReadOnly && { 'quern.read_only': 'on' }),
    },
  };
}
