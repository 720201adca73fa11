/**
 * A SQL port answered by a session without SQL: it echoes its parameters, so that what is tested is bytes
 * alone; and a client reduced to bytes.
 */
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqlError } from '../errors.ts';
import { TIME_SLICE_MS } from '../limits.ts';
import type { OutputColumn, ResultSink, Session, SessionFactory } from '../session/protocol.ts';
import type { Datum } from '../types/datum.ts';
import { OID } from '../types/oids.ts';
import { DEFAULT_SETTINGS } from '../types/settings.ts';
import { vectorOf } from '../types/vector.ts';
import { openCertificate } from './certificate.ts';
import type { ConnectionLimits } from './connection-limits.ts';
import { listenSql, type SqlListener } from './listener.ts';

/** What the sessions have met, and what they wait for. */
export const echo = {
  disposedCount: 0,
  cancelledCount: 0,
  /** Cancel requests. */
  cancelled: [] as [number, number][],
  /** What happened in which order: answers, and turns that others had. */
  turns: [] as string[],
  /** Of keys and statements that take their time. */
  slow: Promise.withResolvers<void>(),
  /** What was logged. */
  log: [] as unknown[],
};

const COLUMNS: readonly OutputColumn[] = [
  { name: '?column?', type: { oid: OID.text, modifier: -1 }, relation: 0, attribute: 0 },
];

class EchoSession implements Session {
  readonly processId = 4711;
  readonly secretKey = 42;
  #statements = new Map<string, string>();
  #portals = new Map<string, readonly Datum[]>();

  status(): 'I' {
    return 'I';
  }
  reportedSettings(): ReadonlyMap<string, string> {
    return new Map([
      ['server_version', '17.4'],
      ['client_encoding', 'UTF8'],
    ]);
  }
  formatSettings(): typeof DEFAULT_SETTINGS {
    return DEFAULT_SETTINGS;
  }
  async readParameter(): Promise<Datum> {
    return null;
  }
  async simpleQuery(text: string, sink: ResultSink): Promise<void> {
    if (text.startsWith('fail')) throw new SqlError('syntax_error', 'no', { position: 3, hint: 'try yes' });
    if (text === 'wait') await echo.slow.promise;
    if (text.startsWith('bug')) throw new Error('a bug');
    sink.describe(COLUMNS);
    const count = Number(/^rows (\d+)/.exec(text)?.[1] ?? 1);
    for (let done = 0; done < count; done += 1000) {
      const texts = new Array<string>(Math.min(1000, count - done)).fill(text);
      await sink.rows(
        { length: texts.length, columns: [vectorOf('text', texts)] },
        COLUMNS,
        this.formatSettings(),
      );
    }
    sink.complete(`SELECT ${count}`);
  }
  async parse(name: string, text: string): Promise<void> {
    if (text.startsWith('fail')) throw new SqlError('syntax_error', 'no', { position: 3 });
    this.#statements.set(name, text);
  }
  parameterTypes(name: string): readonly number[] {
    const text = this.#statements.get(name);
    if (text === undefined) {
      throw new SqlError('invalid_sql_statement_name', `prepared statement "${name}" does not exist`);
    }
    return text.includes('$1') ? [OID.text] : [];
  }
  describeStatement(): readonly OutputColumn[] {
    return COLUMNS;
  }
  async bind(portal: string, _statement: string, parameters: readonly Datum[]): Promise<void> {
    this.#portals.set(portal, parameters);
  }
  describePortal(): readonly OutputColumn[] {
    return COLUMNS;
  }
  async execute(portal: string, _maxRows: number, sink: ResultSink): Promise<void> {
    if (this.#portals.get(portal)?.[0] === 'long') takeLong();
    const value = this.#portals.get(portal)?.[0] ?? 'none';
    await sink.rows({ length: 1, columns: [vectorOf('text', [value])] }, COLUMNS, this.formatSettings());
    sink.complete('SELECT 1');
  }
  closeStatement(name: string): void {
    this.#statements.delete(name);
  }
  async closePortal(name: string): Promise<void> {
    this.#portals.delete(name);
  }
  fail(): void {}
  async sync(): Promise<void> {
    echo.turns.push('answered');
  }
  onTerminate(): void {}
  onNotification(): void {}
  cancel(): void {
    echo.cancelledCount++;
  }
  async [Symbol.asyncDispose](): Promise<void> {
    echo.disposedCount++;
  }
}

/** Computes for longer than a slice, while somebody else waits for a turn. */
function takeLong(): void {
  setImmediate(() => echo.turns.push('turn'));
  const began = performance.now();
  while (performance.now() - began < 2 * TIME_SLICE_MS);
}

const factory: SessionFactory = {
  async authenticate(startup, password) {
    if (password === 'slow') await echo.slow.promise;
    if (password === 'slow') return new EchoSession();
    if (password === 'right') return new EchoSession();
    throw new SqlError('invalid_password', `password authentication failed for user "${startup.user}"`, {
      severity: 'FATAL',
    });
  },
  cancel(processId, secretKey) {
    echo.cancelled.push([processId, secretKey]);
  },
};

const certificates = mkdtempSync(join(tmpdir(), 'quern-wire-'));

export async function listenEcho(limits: ConnectionLimits): Promise<SqlListener> {
  return listenSql({
    host: '127.0.0.1',
    port: 0,
    factory,
    secureContext: await openCertificate({ certificate: null, key: null, folder: certificates }),
    limits,
    log: (event, fields) => echo.log.push([event, fields]),
  });
}

/** A raw client: sends hex or bytes, reads all that comes until a message of type `until`. */
export class RawClient {
  #socket: Socket;
  #bytes = Buffer.alloc(0);
  closed: Promise<unknown>;

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1');
    this.#socket.on('error', () => undefined);
    this.#socket.on('data', (chunk: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk]);
    });
    this.closed = once(this.#socket, 'close');
  }

  send(bytes: Buffer): void {
    this.#socket.write(bytes);
  }

  destroy(): void {
    this.#socket.resetAndDestroy();
  }

  /** As a killed process does: what was sent is on its way, and nothing more comes. */
  end(): void {
    this.#socket.destroy();
  }

  /** Types of the messages received, once the last is `until`; 'close' waits for the end. */
  async types(until: string): Promise<string> {
    for (let i = 0; i < 500; i++) {
      const types = this.#messages().map((message) => message.type);
      if (types.at(-1) === until) return types.join('');
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error(`no ${until}: ${this.#bytes.toString('latin1')}`);
  }

  last(): string {
    return this.#messages().at(-1)?.body.toString() ?? '';
  }

  forget(): void {
    this.#bytes = Buffer.alloc(0);
  }

  raw(): string {
    return this.#bytes.toString('latin1');
  }

  #messages(): { type: string; body: Buffer }[] {
    const messages = [];
    let at = 0;
    while (at + 5 <= this.#bytes.length) {
      const length = this.#bytes.readInt32BE(at + 1);
      if (at + 1 + length > this.#bytes.length) break;
      messages.push({
        type: String.fromCharCode(this.#bytes[at] as number),
        body: this.#bytes.subarray(at + 5, at + 1 + length),
      });
      at += 1 + length;
    }
    return messages;
  }
}

export function message(type: string, ...parts: (string | number | Buffer)[]): Buffer {
  const body = Buffer.concat(
    parts.map((part) => {
      if (typeof part === 'string') return Buffer.from(`${part}\0`);
      if (typeof part !== 'number') return part;
      const word = Buffer.alloc(2);
      word.writeInt16BE(part);
      return word;
    }),
  );
  const head = Buffer.alloc(type === '' ? 4 : 5);
  head.write(type, 'latin1');
  head.writeInt32BE(body.length + 4, type === '' ? 0 : 1);
  return Buffer.concat([head, body]);
}

export const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

export const startup = (version = 0x30000, extra: string[] = []): Buffer =>
  message('', int32(version), 'user', 'quern', ...extra, Buffer.from([0]));

export async function askedForPassword(port: number): Promise<RawClient> {
  const client = new RawClient(port);
  client.send(startup());
  await client.types('R');
  return client;
}

export async function signedIn(port: number): Promise<RawClient> {
  const client = await askedForPassword(port);
  client.send(message('p', 'right'));
  await client.types('Z');
  client.forget();
  return client;
}
