/** One connection to the server, for one statement at a time. What fails on the way, or is cancelled, is not used again. */
import { connect as connectSocket, type Socket } from 'node:net';
import postgres from 'postgres';
import type { Address } from './address.ts';
import { DECODERS } from './decode.ts';

export interface Statement {
  readonly sql: string;
  readonly params: readonly (string | null)[];
}

type Reserved = postgres.ReservedSql;
/** A statement of the driver, as far as it is used: the driver's own types need Node's, which users may not have. */
export interface Pending extends Promise<unknown> {
  values(): Promise<unknown>;
  raw(): Promise<unknown>;
  forEach(onRow: (row: Record<string, unknown>) => void): Promise<unknown>;
  writable(): Promise<unknown>;
  cancel(): unknown;
}

const CONNECT_SECONDS = 10;
/** What a server has to answer a cancellation, or a goodbye. */
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
  readonly #driver: postgres.Sql;
  #sql: Reserved | null = null;
  #running: Pending | null = null;
  #socket: Socket | null = null;
  #sayLost: (error: Error) => void = () => undefined;

  /** @param onLost called when it ended after it was open. */
  constructor(address: Address, onLost: (link: Link) => void) {
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
      ...driverOptions(address),
      onclose,
      socket: () => this.#opened(address),
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
  }

  statement({ sql, params }: Statement): Pending {
    return this.#started(
      (on) => on.unsafe(sql, [...params] as string[], { prepare: true }) as unknown as Pending,
    );
  }

  /** Statements as one text, without parameters. */
  script(text: string): Pending {
    return this.#started((on) => on.unsafe(text).simple() as unknown as Pending);
  }

  /** Sends a cancellation; after it nothing more is sent. */
  cancel(): void {
    this.isCancelled = true;
    const sent: unknown = this.#running?.cancel();
    // It has nowhere to go where the server is not there any more.
    if (sent instanceof Promise) sent.catch(() => undefined);
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
    this.#running = start(this.#sql);
    return this.#running;
  }

  /** The driver asks for a second one when the first ended before it was of use, and would do so without end. */
  #opened({ host, port, tls }: Address): Socket {
    if (this.#socket !== null && !this.isAlive) {
      throw new WayError('CONNECTION_ENDED_EARLY', 'the server ended the connection before it was ready');
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

function driverOptions({ host, port, apiKey, tls }: Address): object {
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
    onnotice: () => undefined,
    connection: {
      application_name: 'quern-client',
      TimeZone: 'UTC',
      'quern.unknown_columns': 'null',
    },
  };
}
