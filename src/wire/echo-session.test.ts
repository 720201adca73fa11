/**
 * The wire on a real socket, answered by a session without SQL. Clients are node-postgres, postgres.js and raw
 * sockets.
 */
import pg from 'pg';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  echo,
  int32,
  listenEcho,
  message,
  RawClient,
  signedIn,
  startup,
} from '../../sql-tests/fixtures/echo-server.ts';
import type { SqlListener } from './listener.ts';

let listener: SqlListener;

beforeAll(async () => {
  listener = await listenEcho({ signedIn: 100, waiting: 50, http: 0 });
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
    echo.turns.length = 0;
    await Promise.all([sql`select ${'long'}`, sql`select ${'b'}`]);
    expect(echo.turns).toEqual(['answered', 'turn', 'answered']);
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
    expect(echo.log.length).toBe(1);
  });

  it('a wrong password is 28P01', async () => {
    const wanted = { code: '28P01', message: 'password authentication failed for user "quern"' };
    await expect(withClient(async () => undefined, options('wrong'))).rejects.toMatchObject(wanted);
  });
});

describe('start-up', () => {
  it('asks for a password, then tells settings, key and readiness', async () => {
    const client = new RawClient(listener.port);
    client.send(startup());
    expect(await client.types('R')).toBe('R');
    client.send(message('p', 'right'));
    expect(await client.types('Z')).toBe('RRSSKZ');
    client.destroy();
  });

  it('negotiates later minors and unknown options', async () => {
    const client = new RawClient(listener.port);
    client.send(startup(0x30063, ['_pq_.new_thing', '1']));
    expect(await client.types('R')).toBe('vR');
    expect(client.raw()).toContain('_pq_.new_thing');
    client.destroy();
  });

  it('speaks 3.2 without negotiation', async () => {
    const client = new RawClient(listener.port);
    client.send(startup(0x30002));
    expect(await client.types('R')).toBe('R');
    client.destroy();
  });

  it('answers N to GSS and S to SSL requests', async () => {
    const client = new RawClient(listener.port);
    client.send(message('', int32(80877104)));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(client.raw()).toBe('N');
    client.send(message('', int32(80877103)));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(client.raw()).toBe('NS');
    client.destroy();
  });

  it('hands cancel requests on and closes', async () => {
    const client = new RawClient(listener.port);
    client.send(message('', int32(80877102), int32(4711), int32(42)));
    await client.closed;
    expect(echo.cancelled).toContainEqual([4711, 42]);
  });

  it('refuses protocol 2 and impossible lengths', async () => {
    for (const bytes of [startup(0x20000), Buffer.from('GET / HTTP/1.1\r\n\r\n')]) {
      const client = new RawClient(listener.port);
      client.send(bytes);
      expect(await client.types('E')).toBe('E');
      await client.closed;
    }
  });
});

describe('messages', () => {
  it('an error skips to Sync', async () => {
    const client = await signedIn(listener.port);
    const parts = [message('P', '', 'fail', 0), message('E', '', int32(0)), message('H')];
    client.send(Buffer.concat([...parts, message('S'), message('Q', 'x')]));
    expect(await client.types('Z')).toBe('EZTDCZ');
    client.destroy();
  });

  it('Flush sends without Sync, and bytes may come one by one', async () => {
    const client = await signedIn(listener.port);
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
    const client = await signedIn(listener.port);
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
    const client = await signedIn(listener.port);
    client.send(bytes);
    expect(await client.types('E')).toBe('E');
    expect(client.raw()).toContain('C08P01');
    await client.closed;
  });

  it('a message above the limit is read past, and the connection goes on', async () => {
    const client = await signedIn(listener.port);
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
