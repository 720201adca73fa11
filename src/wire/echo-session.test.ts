/**
 * The wire on a real socket, answered by a session without SQL: it echoes its parameters, so that what is
 * tested is bytes alone. Clients are node-postgres, postgres.js and raw sockets.
 */
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SqlError } from '../errors.ts';
import { TIME_SLICE_MS } from '../limits.ts';
import type { OutputColumn, ResultSink, Session, SessionFactory } from '../session/protocol.ts';
import type { Datum } from '../types/datum.ts';
import { OID } from '../types/oids.ts';
import { DEFAULT_SETTINGS } from '../types/settings.ts';
import { vectorOf } from '../types/vector.ts';
import { openCertificate } from './certificate.ts';
import { listenSql, type SqlListener } from './listener.ts';

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
  async simpleQuery(text: string, sink: ResultSink): Promise<void> {
    if (text.startsWith('fail')) throw new SqlError('syntax_error', 'no', { position: 3, hint: 'try yes' });
    if (text === 'wait') await slow.promise;
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
    turns.push('answered');
  }
  onTerminate(): void {}
  onNotification(): void {}
  cancel(): void {
    cancelledCount++;
  }
  async [Symbol.asyncDispose](): Promise<void> {
    disposedCount++;
  }
}

let disposedCount = 0;
let cancelledCount = 0;

/** What happened in which order: answers, and turns that others had. */
const turns: string[] = [];

/** Computes for longer than a slice, while somebody else waits for a turn. */
function takeLong(): void {
  setImmediate(() => turns.push('turn'));
  const began = performance.now();
  while (performance.now() - began < 2 * TIME_SLICE_MS);
}

/** Keys that take their time. */
let slow = Promise.withResolvers<void>();

const cancelled: [number, number][] = [];
const factory: SessionFactory = {
  async authenticate(startup, password) {
    if (password === 'slow') await slow.promise;
    if (password === 'slow') return new EchoSession();
    if (password === 'right') return new EchoSession();
    throw new SqlError('invalid_password', `password authentication failed for user "${startup.user}"`, {
      severity: 'FATAL',
    });
  },
  cancel(processId, secretKey) {
    cancelled.push([processId, secretKey]);
  },
};

const certificates = mkdtempSync(join(tmpdir(), 'quern-wire-'));
let listener: SqlListener;
const errors: unknown[] = [];

beforeAll(async () => {
  const secureContext = await openCertificate({ certificate: null, key: null, folder: certificates });
  listener = await listenSql({
    host: '127.0.0.1',
    port: 0,
    factory,
    secureContext,
    limits: { signedIn: 1100, waiting: 50, http: 0 },
    log: (event, fields) => errors.push([event, fields]),
  });
});

afterAll(async () => {
  await listener.close();
});

const options = (password = 'right'): pg.ClientConfig => ({
  host: '127.0.0.1',
  port: listener.port,
  user: 'quern',
  database: 'quern',
  password,
});

async function withClient<T>(run: (client: pg.Client) => Promise<T>, config = options()): Promise<T> {
  const client = new pg.Client(config);
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await run(client);
  } finally {
    await client.end();
  }
}

describe('drivers', () => {
  it('node-postgres runs simple and extended queries', async () => {
    await withClient(async (client) => {
      expect((await client.query('select 1')).rows).toEqual([{ '?column?': 'select 1' }]);
      expect((await client.query('select $1', ['é'])).rows).toEqual([{ '?column?': 'é' }]);
    });
  });

  it('node-postgres over TLS', async () => {
    const config = { ...options(), ssl: { rejectUnauthorized: false } };
    await withClient(async (client) => {
      expect((await client.query('hello')).rows[0]).toEqual({ '?column?': 'hello' });
    }, config);
  });

  it('postgres.js runs prepared queries and pipelines', async () => {
    const sql = postgres({ ...options(), username: 'quern', max: 1, onnotice: () => undefined } as never);
    const answers = await Promise.all([sql`select ${'a'}`, sql`select ${'b'}`]);
    expect(answers.map((rows) => rows[0]?.['?column?'])).toEqual(['a', 'b']);
    await sql.end();
  });

  it('an answer goes out before others have their turn, the next statement after it', async () => {
    const sql = postgres({ ...options(), username: 'quern', max: 1, onnotice: () => undefined } as never);
    await Promise.all([sql`select ${'a'}`, sql`select ${'b'}`]);
    turns.length = 0;
    await Promise.all([sql`select ${'long'}`, sql`select ${'b'}`]);
    expect(turns).toEqual(['answered', 'turn', 'answered']);
    await sql.end();
  });

  it('a long result arrives whole', async () => {
    await withClient(async (client) => {
      expect((await client.query('rows 30000')).rows.length).toBe(30_000);
    });
  });

  it('errors carry their fields and leave the connection usable', async () => {
    await withClient(async (client) => {
      const wanted = { code: '42601', position: '3', hint: 'try yes', severity: 'ERROR' };
      await expect(client.query('fail')).rejects.toMatchObject(wanted);
      await expect(client.query('fail $1', ['x'])).rejects.toMatchObject({ code: '42601' });
      await expect(client.query('bug')).rejects.toMatchObject({ code: 'XX000' });
      expect((await client.query('on')).rows.length).toBe(1);
    });
    expect(errors.length).toBe(1);
  });

  it('a wrong password is 28P01', async () => {
    const wanted = { code: '28P01', message: 'password authentication failed for user "quern"' };
    await expect(withClient(async () => undefined, options('wrong'))).rejects.toMatchObject(wanted);
  });
});

/** A raw client: sends hex or bytes, reads all that comes until a message of type `until`. */
class RawClient {
  #socket: Socket;
  #bytes = Buffer.alloc(0);
  closed: Promise<unknown>;

  constructor(port = listener.port) {
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

function message(type: string, ...parts: (string | number | Buffer)[]): Buffer {
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

const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

const startup = (version = 0x30000, extra: string[] = []): Buffer =>
  message('', int32(version), 'user', 'quern', ...extra, Buffer.from([0]));

async function signedIn(): Promise<RawClient> {
  const client = new RawClient();
  client.send(startup());
  await client.types('R');
  client.send(message('p', 'right'));
  await client.types('Z');
  client.forget();
  return client;
}

describe('start-up', () => {
  it('asks for a password, then tells settings, key and readiness', async () => {
    const client = new RawClient();
    client.send(startup());
    expect(await client.types('R')).toBe('R');
    client.send(message('p', 'right'));
    expect(await client.types('Z')).toBe('RRSSKZ');
    client.destroy();
  });

  it('negotiates later minors and unknown options', async () => {
    const client = new RawClient();
    client.send(startup(0x30063, ['_pq_.new_thing', '1']));
    expect(await client.types('R')).toBe('vR');
    expect(client.raw()).toContain('_pq_.new_thing');
    client.destroy();
  });

  it('speaks 3.2 without negotiation', async () => {
    const client = new RawClient();
    client.send(startup(0x30002));
    expect(await client.types('R')).toBe('R');
    client.destroy();
  });

  it('answers N to GSS and S to SSL requests', async () => {
    const client = new RawClient();
    client.send(message('', int32(80877104)));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(client.raw()).toBe('N');
    client.send(message('', int32(80877103)));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(client.raw()).toBe('NS');
    client.destroy();
  });

  it('hands cancel requests on and closes', async () => {
    const client = new RawClient();
    client.send(message('', int32(80877102), int32(4711), int32(42)));
    await client.closed;
    expect(cancelled).toContainEqual([4711, 42]);
  });

  it('refuses protocol 2 and impossible lengths', async () => {
    for (const bytes of [startup(0x20000), Buffer.from('GET / HTTP/1.1\r\n\r\n')]) {
      const client = new RawClient();
      client.send(bytes);
      expect(await client.types('E')).toBe('E');
      await client.closed;
    }
  });
});

describe('messages', () => {
  it('an error skips to Sync', async () => {
    const client = await signedIn();
    const parts = [message('P', '', 'fail', 0), message('E', '', int32(0)), message('H')];
    client.send(Buffer.concat([...parts, message('S'), message('Q', 'x')]));
    expect(await client.types('Z')).toBe('EZTDCZ');
    client.destroy();
  });

  it('Flush sends without Sync, and bytes may come one by one', async () => {
    const client = await signedIn();
    const pipeline = [message('P', 's', '$1', 0), message('D', Buffer.from('S'), 's'), message('H')];
    for (const byte of Buffer.concat(pipeline)) client.send(Buffer.from([byte]));
    expect(await client.types('T')).toBe('1tT');
    client.forget();
    const value = Buffer.concat([int32(2), Buffer.from('hi')]);
    client.send(
      Buffer.concat([message('B', '', 's', 0, 1, value, 0), message('E', '', int32(0)), message('S')]),
    );
    expect(await client.types('Z')).toBe('2DCZ');
    client.destroy();
  });

  it.each([
    ['too few bytes', message('B', '', 's', 0, 1, int32(100), 0), '08P01'],
    ['a lying count', message('B', '', '', 30000), '08P01'],
    ['bytes left over', message('D', Buffer.from('S'), 's', 7), '08P01'],
    ['no zero byte', message('Q', Buffer.from('select')), '08P01'],
    ['invalid UTF-8', message('Q', Buffer.from([0xff, 0])), '22021'],
    ['a zero byte inside', message('Q', Buffer.from('a\0b\0')), '08P01'],
    ['a wrong format code', message('B', '', '', 1, 7, 0, 0), '22023'],
  ])('%s is one error, and the connection goes on', async (_, bytes, sqlstate) => {
    const client = await signedIn();
    client.send(Buffer.concat([bytes, message('S')]));
    const types = await client.types('Z');
    expect(types).toMatch(/^EZ+$/);
    expect(client.raw()).toContain(`C${sqlstate}`);
    client.forget();
    client.send(message('Q', 'x'));
    expect(await client.types('Z')).toContain('TDCZ');
    client.destroy();
  });

  it.each([
    ['an unknown type', Buffer.from('!\0\0\0\x04')],
    ['a length below 4', Buffer.from('Q\0\0\0\x01')],
    ['a length beyond all reason', Buffer.from('Q\x7f\xff\xff\xff')],
  ])('%s ends the connection with 08P01', async (_, bytes) => {
    const client = await signedIn();
    client.send(bytes);
    expect(await client.types('E')).toBe('E');
    expect(client.raw()).toContain('C08P01');
    await client.closed;
  });

  it('a message above the limit is read past, and the connection goes on', async () => {
    const client = await signedIn();
    const size = 100 * 1024 * 1024;
    client.send(Buffer.concat([Buffer.from('Q'), int32(size + 4)]));
    const piece = Buffer.alloc(1024 * 1024, 0x20);
    for (let i = 0; i < 100; i++) client.send(piece);
    client.send(message('Q', 'x'));
    expect(await client.types('Z')).toMatch(/^EZ(TDCZ)?$/);
    expect(client.raw()).toContain('C54000');
    client.destroy();
  });
});

describe('crowds', () => {
  it('1,000 idle connections leave the server answering; vanished clients leave nothing behind', async () => {
    const clients: RawClient[] = [];
    for (let i = 0; i < 25; i++) {
      clients.push(...(await Promise.all(Array.from({ length: 40 }, () => idleClient()))));
    }
    await withClient(async (client) => {
      expect((await client.query('still here')).rows.length).toBe(1);
    });
    expect(listener.sessionCount()).toBeGreaterThanOrEqual(1000);
    for (const client of clients) client.destroy();
    for (let i = 0; i < 500 && listener.sessionCount() > 0; i++) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(listener.sessionCount()).toBe(0);
  });

  it('a flood of connections that never sign in keeps nobody out: the oldest go, and are told', async () => {
    const idle = Array.from({ length: 300 }, () => new RawClient());
    await withClient(async (client) => {
      expect((await client.query('let in')).rows.length).toBe(1);
    });
    await Promise.all(idle.slice(0, 200).map((client) => client.closed));
    expect(idle[0]?.raw()).toContain('C53300');
    for (const client of idle) client.destroy();
  });

  it('who goes while the key is checked leaves no place taken and no session', async () => {
    await eventually(() => listener.sessionCount() === 0);
    slow = Promise.withResolvers();
    const before = disposedCount;
    const clients = await Promise.all(Array.from({ length: 5 }, () => askedForPassword()));
    for (const client of clients) client.send(message('p', 'slow'));
    await new Promise((resolve) => setTimeout(resolve, 50));
    for (const client of clients) client.destroy();
    await Promise.all(clients.map((client) => client.closed));
    await new Promise((resolve) => setTimeout(resolve, 50));
    slow.resolve();
    await eventually(() => disposedCount === before + 5);
    expect(listener.sessionCount()).toBe(0);
  });

  it('keys that turn out right in one tick do not get more places than there are', async () => {
    const secureContext = await openCertificate({ certificate: null, key: null, folder: certificates });
    const limits = { signedIn: 2, waiting: 50, http: 0 };
    const few = await listenSql({
      host: '127.0.0.1',
      port: 0,
      factory,
      secureContext,
      limits,
      log: () => {},
    });
    slow = Promise.withResolvers();
    const clients = await Promise.all(Array.from({ length: 5 }, () => askedForPassword(few.port)));
    for (const client of clients) client.send(message('p', 'slow'));
    await new Promise((resolve) => setTimeout(resolve, 50));
    slow.resolve();
    const answers = await Promise.all(clients.map((client) => client.types('Z').catch(() => client.raw())));
    expect(answers.filter((answer) => answer === 'RRSSKZ').length).toBe(2);
    expect(answers.filter((answer) => answer.includes('C53300')).length).toBe(3);
    for (const client of clients) client.destroy();
    await few.close();
  });

  it.runIf(process.platform === 'linux')(
    'a client that goes while its socket is paused is noticed',
    async () => {
      const client = await signedIn();
      const before = { disposed: disposedCount, cancelled: cancelledCount };
      slow = Promise.withResolvers();
      client.send(message('Q', 'wait'));
      const filler = message('Q', 'x'.repeat(1_000_000));
      for (let i = 0; i < 20; i++) client.send(filler);
      await new Promise((resolve) => setTimeout(resolve, 200));
      client.end();
      await eventually(() => cancelledCount > before.cancelled);
      slow.resolve();
      await eventually(() => disposedCount > before.disposed);
      client.destroy();
    },
  );
});

async function eventually(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 500 && !holds(); i++) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(holds()).toBe(true);
}

async function askedForPassword(port?: number | undefined): Promise<RawClient> {
  const client = new RawClient(port);
  client.send(startup());
  await client.types('R');
  return client;
}

async function idleClient(): Promise<RawClient> {
  const client = await askedForPassword();
  client.send(message('p', 'right'));
  await client.types('Z');
  return client;
}
