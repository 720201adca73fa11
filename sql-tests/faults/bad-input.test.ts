/**
 * Hostile or broken clients: each gets one clear error, and the server answers the next one.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ServerProcess, startServer } from '../../scripts/server-process.ts';
import { errorFields, RawClient } from './raw-client.ts';
import { otherProcessMs } from './turn-watch.ts';

const ROOT = join(import.meta.dirname, '../..');
let folder: string;
let server: ServerProcess;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quern-bad-input-'));
  server = await startServer({ data: join(folder, 'data') });
  await ask('CREATE TABLE t (body TEXT NOT NULL INDEX keyword_index())');
});

afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

afterEach(async () => {
  expect(server.process.exitCode).toBeNull();
  expect(await ask('SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

async function ask(sql: string, password = server.key): Promise<unknown[]> {
  const { host, port } = server;
  const client = new pg.Client({ host, port, user: 'quern', database: 'quern', password });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

const signIn = () => RawClient.signIn(server.host, server.port, server.key);

/** The connection still answers. */
async function usable(client: RawClient): Promise<void> {
  client.query('SELECT 42');
  const messages = await client.until('Z');
  expect(messages.map((message) => message.type).join('')).toBe('TDCZ');
  client.socket.destroy();
}

describe('sign-in', () => {
  it('says only that it failed, and does it more slowly each time', async () => {
    const began = performance.now();
    for (let i = 0; i < 7; i++) {
      await expect(ask('SELECT 1', 'wrong')).rejects.toMatchObject({
        code: '28P01',
        message: 'password authentication failed for user "quern"',
      });
    }
    // After three free ones 200 ms, and twice as much each time: those who guess cannot hurry it.
    expect(performance.now() - began).toBeGreaterThan(200 + 400 + 800 + 1_600);
    const { host, port } = server;
    const nobody = new pg.Client({ host, port, user: 'nobody', database: 'quern', password: server.key });
    await expect(nobody.connect()).rejects.toMatchObject({ code: '28P01' });
  });
});

describe('statements', () => {
  const TOO_LONG = 20 * 1024 * 1024;
  const cases: readonly (readonly [string, () => string | Buffer, string])[] = [
    ['of 20 MB', () => `SELECT '${'x'.repeat(TOO_LONG)}'`, '54000'],
    ['with a NUL byte', () => Buffer.from("SELECT 'a\0b'"), '08P01|22021|42601'],
    [
      'with invalid UTF-8',
      () => Buffer.concat([Buffer.from("SELECT '"), Buffer.from([0xc3, 0x28]), Buffer.from("'")]),
      '22021',
    ],
    ['nested 10,000 deep', () => `SELECT ${'('.repeat(10_000)}1${')'.repeat(10_000)}`, '54001'],
    ['of 10,000 nested calls', () => `SELECT ${'abs('.repeat(10_000)}1${')'.repeat(10_000)}`, '54001'],
    ['of 10,000 nested subqueries', () => `${'SELECT ('.repeat(10_000)}1${')'.repeat(10_000)}`, '54001'],
  ];
  for (const [name, text, sqlstate] of cases) {
    it(name, async () => {
      const client = await signIn();
      client.query(text());
      const messages = await client.until('Z');
      expect(errorFields(messages).C).toMatch(new RegExp(`^(${sqlstate})$`));
      await usable(client);
    });
  }

  it('of 10,000 terms', async () => {
    for (const chain of [
      `SELECT ${Array(10_000).fill('1').join(' + ')}`,
      `SELECT ${Array(10_000).fill('true').join(' AND ')}`,
      `SELECT 1 IN (${Array(10_000).fill('2').join(', ')})`,
      `SELECT ${Array(10_000).fill("'a'").join(' || ')}`,
    ]) {
      const client = await signIn();
      client.query(chain);
      const messages = await client.until('Z');
      const error = errorFields(messages).C;
      if (error !== undefined) expect(error).toBe('54001');
      await usable(client);
    }
  });

  it('of 100 MB', async () => {
    const client = await signIn();
    client.query(`SELECT '${'x'.repeat(100 * 1024 * 1024)}'`);
    expect(errorFields(await client.until('Z')).C).toMatch(/^(54000|08P01)$/);
    client.socket.destroy();
  });
});

describe('messages', () => {
  it('of an unknown type', async () => {
    const client = await signIn();
    client.send('!', 'what');
    expect(errorFields(await client.until('Z'))).toMatchObject({ C: '08P01' });
  });

  for (const length of [-1, 0, 3, 0x7fffffff]) {
    it(`with a length of ${length}`, async () => {
      const client = await signIn();
      client.send('Q', 'SELECT 1\0', length);
      expect(errorFields(await client.until('Z')).C).toMatch(/^(08P01|54000)$/);
      client.socket.destroy();
    });
  }

  it('with lying inner lengths', async () => {
    const bodies: readonly (readonly [string, Buffer])[] = [
      ['B', Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 0x7f, 0xff, 0xff, 0xff, 0, 0])],
      ['B', Buffer.from([0, 0, 0xff, 0xff])],
      ['P', Buffer.from('no terminator')],
      ['D', Buffer.from('X\0')],
      ['E', Buffer.from([0])],
    ];
    for (const [type, body] of bodies) {
      const client = await signIn();
      client.send(type, body);
      client.send('S', '');
      expect(errorFields(await client.until('Z')).C).toMatch(/^(08P01|26000|34000)$/);
      client.socket.destroy();
    }
  });

  it('that stop in the middle', async () => {
    for (let i = 0; i < 20; i++) {
      const client = await signIn();
      client.send('Q', "INSERT INTO t (_id, body) VALUES ('half', 'half", 4_000);
      client.socket.destroy();
      const greedy = await signIn();
      greedy.query('SELECT g, repeat($$x$$, 1000) FROM generate_series(1, 100000) g');
      await greedy.until('D');
      greedy.socket.destroy();
    }
    expect(await ask("SELECT _id FROM t WHERE _id = 'half'")).toEqual([]);
  });

  it('that are no start-up', async () => {
    for (const bytes of [
      Buffer.from('GET / HTTP/1.1\r\n\r\n'),
      Buffer.alloc(64),
      Buffer.from([0, 0, 0, 8, 0, 0, 0, 0]),
      Buffer.from([0x7f, 0xff, 0xff, 0xff]),
    ]) {
      const client = await RawClient.open(server.host, server.port);
      client.socket.end(bytes);
      await client.until('never');
      expect(client.closed).toBe(true);
    }
  });
});

describe('connections', () => {
  it('1,000 idle ones are no burden', async () => {
    const idle: RawClient[] = [];
    for (let at = 0; at < 1_000; at += 50)
      idle.push(...(await Promise.all(Array.from({ length: 50 }, signIn))));
    expect(await ask('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    for (const client of idle) client.socket.destroy();
  });

  it('2,500 that never sign in keep nobody out', async () => {
    const idle: RawClient[] = [];
    for (let at = 0; at < 2_500; at += 250) {
      const opened = Array.from({ length: 250 }, () => RawClient.open(server.host, server.port));
      idle.push(...(await Promise.all(opened)));
    }
    expect(await ask('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    for (const client of idle) client.socket.destroy();
  });

  it('1,000 guesses at once are slowed and told so, and a right key comes in beside them', async () => {
    const codes: string[] = [];
    const guess = (i: number): Promise<unknown> =>
      ask('SELECT 1', `wrong ${i}`).catch((error: { code: string }) => codes.push(error.code));
    const guesses = Array.from({ length: 1_000 }, (_, i) => guess(i));
    expect(await ask('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    const refused = (): number => codes.filter((code) => code === '57P03').length;
    await expect.poll(refused).toBeGreaterThanOrEqual(980);
    expect(await ask('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await Promise.all(guesses);
    expect(new Set(codes)).toEqual(new Set(['28P01', '57P03']));
  });
});

describe('start', () => {
  it.runIf(process.platform === 'linux')('goes on quietly when nobody reads its log any more', async () => {
    await using deaf = await startServer({ data: join(folder, 'deaf') });
    deaf.process.stdout?.destroy();
    deaf.process.stderr?.destroy();
    const { host, port, key } = deaf;
    for (let i = 0; i < 3; i++) {
      const client = await RawClient.signIn(host, port, key);
      await usable(client);
    }
    // It loads its model at first; a loop of logging would never end.
    const spentMs = async (): Promise<number> => {
      const before = otherProcessMs(deaf.process.pid as number) ?? 0;
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      return (otherProcessMs(deaf.process.pid as number) ?? 0) - before;
    };
    await expect.poll(spentMs).toBeLessThan(400);
  });

  it('on a port in use says so', async () => {
    const other = startServer({ data: join(folder, 'other'), port: server.port });
    await expect(other).rejects.toThrow(/in use/);
  });

  it('with too few files to open says so', async () => {
    const serve = `exec bin/quern serve --data ${join(folder, 'few')} --port 0 --http-port 0`;
    const run = spawnSync('sh', ['-c', `ulimit -n 64; ${serve}`], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect(run.stderr).toMatch(
      /^quern: the system lets this process have 64 files open[^\n]*\nHINT: .*ulimit -n 8192/,
    );
    expect(run.status).toBe(1);
  });

  it('on a folder in use says so', async () => {
    await expect(startServer({ data: join(folder, 'data') })).rejects.toThrow(/another|in use|locked/);
  });

  it('with a wrong encryption key says so and changes nothing', async () => {
    const data = join(folder, 'keyed');
    const right = { QUERN_ENCRYPTION_KEY: '11'.repeat(32) };
    const first = await startServer({ data, key: 'k', environment: right });
    await first.stop();
    const wrong = startServer({ data, key: 'k', environment: { QUERN_ENCRYPTION_KEY: '22'.repeat(32) } });
    await expect(wrong).rejects.toThrow(/encryption key/);
    const again = await startServer({ data, key: 'k', environment: right });
    expect(await again.stop()).toBe(0);
  });
});
