/** The TypeScript client when things go wrong: servers that die, connections that end, calls that are given up. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ServerProcess, startServer } from '../../scripts/server-process.ts';
import * as quern from '../../src/clients/typescript/src/index.ts';
import { field, filter, select } from '../../src/clients/typescript/src/query.ts';
import { float, int, text } from '../../src/clients/typescript/src/schema.ts';

const { Client } = quern;
const KEY = 'test-key-0123456789abcdef';
/** A statement that does not end by itself within a test. */
const FOREVER = 'SELECT pg_sleep(60)';
const PATIENT = {
  maxRetries: 600,
  timeout: 600_000,
  backoff: { base: 1.5, initBackoff: 50, maxBackoff: 500 },
};

let data: string;
let server: ServerProcess;
let client: quern.Client;
let watcher: quern.Client;

const connect = (config: quern.ClientConfig = {}): quern.Client =>
  new Client({ apiKey: KEY, host: '127.0.0.1', port: server.port, ...config });

beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), 'quern-client-faults-'));
  server = await startServer({ data: join(data, 'data'), key: KEY });
  client = connect();
  watcher = connect({ maxConnections: 1 });
  await client.collections().create('books', { title: text(), year: int(), rating: float() });
  await client.collection('books').upsert([{ _id: 'b1', title: 'One', year: 1990 }]);
});

afterAll(async () => {
  await client?.close();
  await watcher?.close();
  await server?.stop();
  rmSync(data, { recursive: true, force: true });
});

/** Kills the server at once, and starts it again at the same port. */
async function restart(pauseMs = 0): Promise<void> {
  const { port } = server;
  await server.stop('SIGKILL');
  await sleep(pauseMs);
  server = await startServer({ data: join(data, 'data'), key: KEY, port });
}

const running = async (part: string): Promise<number[]> => {
  const sql =
    "SELECT pid FROM pg_stat_activity WHERE state = 'active' AND query LIKE $1 AND pid <> pg_backend_pid()";
  return (await watcher.sql(sql, [`%${part}%`])).map(({ pid }) => Number(pid));
};

async function until(what: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    if (await what()) return;
    await sleep(25);
  }
  throw new Error('it did not come to that');
}
const untilRunning = (part: string): Promise<void> => until(async () => (await running(part)).length > 0);
const untilIdle = (part: string): Promise<void> => until(async () => (await running(part)).length === 0);

const caught = async (work: Promise<unknown>): Promise<Error> =>
  await work.then(
    (value) => {
      throw new Error(`it ended well: ${JSON.stringify(value)}`);
    },
    (error: Error) => error,
  );

/** How long until it is settled, one way or the other. */
async function settledWithin<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const late = sleep(milliseconds, null, { ref: false }).then(() => {
    throw new Error(`not settled after ${milliseconds} ms`);
  });
  return await Promise.race([work, late]);
}

it('gives 100 calls over 4 connections each its own answer, also when some are given up', async () => {
  const few = connect({ maxConnections: 4 });
  const calls = Array.from({ length: 100 }, async (_, at) => {
    const signal = at % 10 === 3 ? AbortSignal.timeout(20) : undefined;
    const sql = `SELECT $1::int AS at, pg_sleep($2::float8) IS NULL AS slept`;
    const params = [at, at % 10 === 3 ? 5 : 0.01];
    return (await few.sql(sql, params, signal === undefined ? {} : { signal }))[0]?.at;
  });
  const outcomes = await settledWithin(20_000, Promise.allSettled(calls));
  const odd = outcomes.flatMap((one, at) => {
    if (at % 10 === 3)
      return one.status === 'rejected' && one.reason.name === 'TimeoutError' ? [] : [[at, one]];
    return one.status === 'fulfilled' && one.value === at ? [] : [[at, one]];
  });
  expect(odd).toEqual([]);
  await few.close();
});

it("tells a delete's own LSN while others write", async () => {
  await client.collections().create('other', {});
  const other = client.collection('other');
  const own = client.collection('books');
  const before = Number(await own.delete(['nobody']));
  const lsns: string[] = [];
  const noise = Array.from({ length: 40 }, (_, at) => other.upsert([{ _id: `o${at}` }]));
  for (let at = 0; at < 10; at++) lsns.push(await own.delete(['nobody']));
  await Promise.all(noise);
  expect(lsns.map(Number)).toEqual(Array.from({ length: 10 }, (_, at) => before + at + 1));
});

it.each(['before', 'during'] as const)('gives a call up by its signal, %s', async (when) => {
  const started = when === 'before' ? AbortSignal.abort() : null;
  const abort = new AbortController();
  const signal = started ?? abort.signal;
  const forever = field('year').gt(0);
  const books = client.collection('books');
  const calls: readonly (() => Promise<unknown>)[] = [
    () => books.query(filter(forever), { signal }),
    () => books.upsert([{ _id: 'given-up' }], { signal }),
    () => books.get(['b1'], { signal }),
    () => books.count({ signal, lsn: '900000' }),
    () => client.sql(FOREVER, [], { signal }),
    () => client.readOnly(FOREVER, [], { signal }),
    () => client.search('x', ['nothing'], 3, { signal }).next(),
    () => client.ask('x', ['nothing'], { signal }).next(),
    () => client.dataset('nothing').list({ signal }).next(),
  ];
  if (when === 'during') setTimeout(() => abort.abort(), 1);
  for (const call of when === 'before' ? calls : [calls[3], calls[4], calls[5]]) {
    expect((await settledWithin(5000, caught((call as () => Promise<unknown>)()))).name).toBe('AbortError');
  }
  await untilIdle('pg_sleep(60)');
  expect(await books.count()).toBeGreaterThan(0);
});

it('leaves no listener on a signal that outlives its calls', async () => {
  const { signal } = new AbortController();
  let listeners = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners++;
    add(...args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners--;
    remove(...args);
  };
  for (let at = 0; at < 5; at++) await client.collection('books').query(select('title'), { signal });
  expect(listeners).toBe(0);
});

it('says that a connection was ended under a statement, and opens another one', async () => {
  const sleeping = caught(client.sql(`${FOREVER} AS ended`));
  await untilRunning('AS ended');
  for (const pid of await running('AS ended')) await watcher.sql('SELECT pg_terminate_backend($1)', [pid]);
  expect(await settledWithin(5000, sleeping)).toBeInstanceOf(quern.ConnectionLostError);
  expect(await client.sql('SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

it('asks a read again whose connection was ended', async () => {
  const reading = client.readOnly('SELECT pg_sleep(1) IS NULL AS again');
  await untilRunning('AS again');
  for (const pid of await running('AS again')) await watcher.sql('SELECT pg_terminate_backend($1)', [pid]);
  expect(await settledWithin(20_000, reading)).toHaveLength(1);
});

it('finds connections that were ended between calls before it uses them', async () => {
  const own = connect({ maxConnections: 2 });
  const pids = await Promise.all([1, 2].map(() => own.sql('SELECT pg_backend_pid() AS pid, pg_sleep(0.05)')));
  for (const [row] of pids) await watcher.sql('SELECT pg_terminate_backend($1)', [row?.pid]);
  await sleep(200);
  expect(await own.collection('books').update([{ _id: 'b1', rating: 1 }])).not.toBe('');
  expect(await own.collection('books').update([{ _id: 'b1', rating: 2 }])).not.toBe('');
  await own.close();
});

it('closes while statements run: they end with a typed error, and later calls too', async () => {
  const own = connect();
  const sleeping = caught(own.sql(FOREVER));
  await untilRunning('pg_sleep(60)');
  await settledWithin(9000, own.close());
  expect(await settledWithin(1000, sleeping)).toBeInstanceOf(quern.ConnectionLostError);
  const after = await caught(own.sql('SELECT 1'));
  expect(after).toBeInstanceOf(quern.InvalidArgumentError);
  expect(after.message).toBe('the client is closed');
  await own.close();
});

it('lets the program end that never closes it', () => {
  const program = `
    import { Client } from ${JSON.stringify(join(import.meta.dirname, '../../src/clients/typescript/src/index.ts'))};
    const client = new Client({ apiKey: '${KEY}', host: '127.0.0.1', port: ${server.port} });
    console.log((await client.sql('SELECT 1 AS one'))[0].one);
  `;
  const options = { encoding: 'utf8', timeout: 600_000 } as const;
  const done = spawnSync(process.execPath, ['--input-type=module', '-e', program], options);
  expect([done.status, done.stdout]).toEqual([0, '1\n']);
});

/** A server of plain TCP that does as it is told with each connection. */
async function plainServer(serve: (socket: Socket) => void): Promise<{
  readonly port: number;
  readonly count: () => number;
  readonly server: Server;
}> {
  let count = 0;
  const listening = createServer((socket) => {
    count++;
    socket.on('error', () => undefined);
    serve(socket);
  });
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const { port } = listening.address() as import('node:net').AddressInfo;
  return { port, count: () => count, server: listening };
}

/** One message of the protocol. */
const refusal = (sqlstate: string, message: string): Buffer => {
  const body = Buffer.from(`SFATAL\0VFATAL\0C${sqlstate}\0M${message}\0Rslow_down\0\0`);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from('E'), length, body]);
};

it('waits for room where there are too many connections, and says so when there is none', async () => {
  let room = false;
  const crowded = await plainServer((socket) => {
    if (room) socket.pipe(createConnection(server.port, server.host)).pipe(socket);
    else socket.once('data', () => socket.end(refusal('53300', 'sorry, too many clients already')));
  });
  const config = { host: '127.0.0.1', port: crowded.port, https: false };
  const hasty = connect({ ...config, retryConfig: { maxRetries: 2, backoff: { initBackoff: 1 } } });
  const error = (await caught(hasty.sql('SELECT 1'))) as quern.QuernError;
  expect([error.name, error.sqlstate, crowded.count()]).toEqual(['SlowDownError', '53300', 3]);
  const patient = connect({ ...config, retryConfig: PATIENT });
  const waiting = patient.collection('books').update([{ _id: 'b1', rating: 3 }]);
  await until(async () => crowded.count() >= 5);
  room = true;
  expect(await settledWithin(20_000, waiting)).not.toBe('');
  await Promise.all([patient.close(), hasty.close()]);
  crowded.server.close();
});

it('waits for an LSN no longer than the retries may, and for a statement no longer than it may', async () => {
  const own = connect({ retryConfig: { timeout: 200 } });
  const late = await caught(own.collection('books').query(select('title'), { lsn: '900000' }));
  expect(late).toBeInstanceOf(quern.QueryLsnTimeoutError);
  await own.close();
  const limited = connect({ maxConnections: 1 });
  await limited.sql("SET statement_timeout = '50ms'");
  const error = (await caught(limited.sql(FOREVER))) as quern.QuernError;
  expect([error.name, error.sqlstate]).toEqual(['CancelledError', '57014']);
  await limited.close();
});

it('sees columns that came and went between calls of the same query', async () => {
  await client.collections().create('changing', { one: int() });
  const changing = client.collection('changing');
  await changing.upsert([{ _id: 'a', one: 1 }]);
  const all = (): Promise<unknown> => changing.query(filter(field('one').gte(0)));
  await Promise.all(Array.from({ length: 20 }, all));
  await watcher.sql('ALTER TABLE changing ADD COLUMN two int');
  await watcher.sql('UPDATE changing SET two = 2');
  for (let at = 0; at < 12; at++) expect(await all()).toEqual([{ _id: 'a', one: 1, two: 2 }]);
  await watcher.sql('ALTER TABLE changing DROP COLUMN two');
  for (let at = 0; at < 12; at++) expect(await all()).toEqual([{ _id: 'a', one: 1 }]);
});

const wrong = {
  apiKey: KEY,
  retryConfig: { maxRetries: 1, backoff: { initBackoff: 1 } },
};

it.each([
  ['closes at once', (socket: Socket) => socket.end()],
  ['closes when asked for TLS', (socket: Socket) => socket.once('data', () => socket.end())],
  ['has no TLS', (socket: Socket) => socket.once('data', () => socket.end('N'))],
  ['speaks HTTP', (socket: Socket) => socket.once('data', () => socket.end('HTTP/1.1 400\r\n\r\n'))],
])('says where TLS was refused: a server that %s', async (_, serve) => {
  const { port, count, server: plain } = await plainServer(serve);
  const refused = new Client({ host: '127.0.0.1', port, ...wrong });
  const error = (await settledWithin(8000, caught(refused.sql('SELECT 1')))) as quern.QuernError;
  expect(error).toBeInstanceOf(quern.ConnectionFailedError);
  expect(error.message).toContain(`127.0.0.1:${port}`);
  expect(error.hint).toContain('https');
  expect(count()).toBeLessThan(4);
  await refused.close();
  plain.close();
});

it('names the host and the setting that led there', async () => {
  const { port, server: plain } = await plainServer(() => undefined);
  plain.close();
  await new Promise((resolve) => plain.once('close', resolve));
  const nobody = new Client({ host: '127.0.0.1', port, ...wrong });
  const error = (await caught(nobody.sql('SELECT 1'))) as quern.QuernError;
  expect(error).toBeInstanceOf(quern.ConnectionFailedError);
  expect(error.message).toContain(`127.0.0.1:${port}`);
  expect(error.hint).toContain('host');
  const unknown = new Client({
    host: 'nowhere.invalid',
    region: 'eu',
    ...wrong,
  });
  const lost = (await caught(unknown.sql('SELECT 1'))) as quern.QuernError;
  expect(lost).toBeInstanceOf(quern.ConnectionFailedError);
  expect(lost.message).toContain('eu.sql.nowhere.invalid');
  expect(lost.hint).toContain('region');
  await Promise.all([nobody.close(), unknown.close()]);
});

it('tells of a file that cannot be read as such, not as of the way to the server', async () => {
  await client.datasets().create('faulty');
  // biome-ignore lint/correctness/useYield: it fails before.
  const stream = (async function* (): AsyncGenerator<Uint8Array> {
    throw Object.assign(new Error('it is gone'), { code: 'EIO' });
  })();
  const error = await caught(client.dataset('faulty').upsertFile('a', { stream, fileName: 'a.md' }));
  expect([error.message, error instanceof quern.QuernError]).toEqual(['it is gone', false]);
  expect(await client.sql('SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

it('says that the key is wrong, at once', async () => {
  const stranger = connect({ apiKey: 'wrong-key-0123456789abcdef' });
  const error = (await caught(stranger.sql('SELECT 1'))) as quern.QuernError;
  expect(error).toBeInstanceOf(quern.PermissionDeniedError);
  expect(error.hint).toMatch(/apiKey|QUERN_API_KEY/);
  await stranger.close();
});

it('writes once over the end of the server', async () => {
  const patient = connect({ retryConfig: PATIENT });
  await patient.collections().create('many', {});
  const many = patient.collection('many');
  const documents = Array.from({ length: 1500 }, (_, at) => ({
    _id: `d${at}`,
    at,
    words: 'word '.repeat(30),
  }));
  await many.upsert(documents.slice(0, 10));
  const writing = many.upsert(documents);
  await sleep(30);
  await restart(300);
  expect(Number(await settledWithin(60_000, writing))).toBeGreaterThan(1);
  expect(await many.count()).toBe(documents.length);
  await patient.close();
});

it('reads again after the end of the server, and does not ask again what may have been done', async () => {
  const patient = connect({ retryConfig: PATIENT });
  const doomed = caught(patient.sql(`${FOREVER} AS doomed`));
  const reading = patient.readOnly('SELECT 1 AS one, pg_sleep(1) IS NULL AS read');
  await untilRunning('AS doomed');
  await untilRunning('AS read');
  await restart();
  expect(await settledWithin(5000, doomed)).toBeInstanceOf(quern.ConnectionLostError);
  expect((await settledWithin(60_000, reading))[0]?.one).toBe(1);
  await patient.close();
});

it('ends an answer under way with a typed error, and cancels one that is left early', async () => {
  await client.datasets().create('asked');
  const dataset = client.dataset('asked');
  const bytes = new TextEncoder().encode('# Ships\n\nShip 2 moves 2 containers.');
  const handle = await dataset.upsertFile('d', {
    data: bytes,
    fileName: 'd.md',
    mimeType: 'text/markdown',
  });
  await dataset.waitForHandle(handle, { frequencySecs: 1, timeoutSecs: 600 });
  for await (const step of client.ask('How many containers does ship 2 move?', ['asked'])) {
    expect(step.type).toBe('progress');
    break;
  }
  await untilIdle('FROM ask(');
  const steps = client.ask('How many containers does ship 2 move?', ['asked']);
  await steps.next();
  await restart();
  const rest = await Array.fromAsync(steps).catch((error: Error) => error);
  // The answer may have come already.
  if (rest instanceof Error) expect(rest).toBeInstanceOf(quern.ConnectionLostError);
  const again = await Array.fromAsync(client.ask('How many containers does ship 2 move?', ['asked']));
  expect(again.at(-1)?.type).toBe('answer');
});
