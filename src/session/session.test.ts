/**
 * Sessions end to end: real drivers on a real socket, the embedded engine on the memory store, and the hash
 * model. What a statement answers is tested in `sql-tests/`; here it is what lasts between statements.
 */
import { createSecretKey, randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Engine, Snapshot } from '../engine/engine.ts';
import { openEmbeddedEngine } from '../engine/embedded/open.ts';
import { createInference } from '../inference/registry.ts';
import { CallHelpers } from '../execute/expression/call-helpers.ts';
import { TemporaryFiles } from '../storage/temporary-file.ts';
import { DocumentAsker } from '../ask/asker.ts';
import { ParseService } from '../sql/parse/service.ts';
import { WORLD } from '../../sql-tests/fixtures/world.ts';
import { MemoryStore } from '../storage/memory-store.ts';
import { expectBelow, threadMs } from '../../sql-tests/faults/turn-watch.ts';
import { openTls } from '../wire/tls.ts';
import { connectionLimits } from '../wire/connection-limits.ts';
import { listenSql, type SqlListener } from '../wire/listener.ts';
import type { Environment } from './environment.ts';
import { createSessionFactory } from './factory.ts';
import { Keys } from './sign-in/keys.ts';
import { dropTemporaryOf } from './statements/temporary.ts';

/** pg-cursor comes without types. */
interface RowCursor extends pg.Submittable {
  read(count: number): Promise<unknown[]>;
  close(): Promise<void>;
}
const Cursor = createRequire(import.meta.url)('pg-cursor') as new (text: string) => RowCursor;

/** Snapshots that are open, by counting what the engine gives and gets back. */
let openSnapshots = 0;

/** The object itself, with some of its methods in other words. */
function override<T extends object>(target: T, methods: Partial<T>): T {
  return new Proxy(target, {
    get(_, key) {
      const value = (methods[key as keyof T] ?? Reflect.get(target, key)) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function counting(engine: Engine): Engine {
  return override(engine, {
    begin: (options) => {
      const transaction = engine.begin(options);
      return override(transaction, { snapshot: () => counted(transaction.snapshot()) });
    },
  });
}

function counted(snapshot: Snapshot): Snapshot {
  openSnapshots++;
  let open = true;
  return override(snapshot, {
    [Symbol.dispose]: () => {
      if (open) openSnapshots--;
      open = false;
      snapshot[Symbol.dispose]();
    },
  });
}

let listener: SqlListener;
let environment: Environment;
const failures: unknown[] = [];

beforeAll(async () => {
  const engine = await openEmbeddedEngine({ masterKey: randomBytes(32), store: new MemoryStore() });
  environment = {
    engine: counting(engine),
    inference: await createInference({ modelsFolder: '/nowhere', threads: 1 }),
    parser: new ParseService(),
    asker: new DocumentAsker(),
    helpers: new CallHelpers(),
    temporaryFiles: new TemporaryFiles(tmpdir()),
    ...WORLD,
    log: (event, fields) => {
      if (!event.startsWith('sign-in')) failures.push([event, fields]);
    },
  };
  let kept: string | null = null;
  const record = {
    read: async () => kept,
    write: async (text: string) => {
      kept = text;
    },
  };
  const keys = new Keys(record, randomBytes, createSecretKey(randomBytes(32)));
  await keys.open('secret');
  const folder = mkdtempSync(join(tmpdir(), 'quern-session-'));
  const tls = await openTls({ certificate: null, key: null, folder });
  const factory = createSessionFactory(environment, keys);
  const limits = connectionLimits(Number.POSITIVE_INFINITY);
  const { log } = environment;
  listener = await listenSql({ host: '127.0.0.1', port: 0, factory, tls, limits, log });
  await withClient((client) => client.query('CREATE TABLE t (id int PRIMARY KEY, name text)'));
});

afterAll(async () => {
  await listener.close();
  await environment.engine.close();
  expect(failures).toEqual([]);
});

afterEach(() => {
  expect(openSnapshots).toBe(0);
});

beforeEach(async () => {
  await withClient(async (client) => {
    await client.query("DELETE FROM t; INSERT INTO t VALUES (1, 'one'), (2, 'two'), (3, 'three')");
  });
});

async function withClient<T>(
  run: (client: pg.Client) => Promise<T>,
  extra: pg.ClientConfig = {},
): Promise<T> {
  const { port } = listener;
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user: 'quern',
    database: 'quern',
    password: 'secret',
    ...extra,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await run(client);
  } finally {
    await client.end();
  }
}

const ids = async (client: pg.Client): Promise<number[]> =>
  (await client.query('SELECT id FROM t ORDER BY id')).rows.map((row: { id: number }) => row.id);

const code = (sqlstate: string): unknown => expect.objectContaining({ code: sqlstate });

describe('sign-in', () => {
  it('a wrong user is told no more than a wrong password', async () => {
    const message = 'password authentication failed for user "nobody"';
    const wrong = withClient(async () => undefined, { user: 'nobody' });
    await expect(wrong).rejects.toMatchObject({ code: '28P01', message });
  });

  it('another database is 3D000, a wrong start-up setting 22023', async () => {
    const other = withClient(async () => undefined, { database: 'other' });
    await expect(other).rejects.toMatchObject({ code: '3D000' });
    const wrong = withClient(async () => undefined, { options: '-c statement_timeout=x' });
    await expect(wrong).rejects.toMatchObject({ code: '22023' });
  });

  it('start-up settings hold', async () => {
    const rows = await withClient(async (client) => (await client.query('SHOW search_path')).rows, {
      options: '-c search_path=a,public',
    });
    expect(rows).toEqual([{ search_path: 'a,public' }]);
  });
});

describe('transactions', () => {
  it('commit keeps, rollback and errors undo', async () => {
    await withClient(async (client) => {
      await client.query('BEGIN');
      await client.query("INSERT INTO t VALUES (4, 'four')");
      await client.query('ROLLBACK');
      expect(await ids(client)).toEqual([1, 2, 3]);
      await client.query('BEGIN');
      await client.query('DELETE FROM t WHERE id = 1');
      await expect(client.query('SELECT nope FROM t')).rejects.toEqual(code('42703'));
      await expect(client.query('SELECT 1')).rejects.toEqual(code('25P02'));
      expect((await client.query('COMMIT')).command).toBe('ROLLBACK');
      expect(await ids(client)).toEqual([1, 2, 3]);
    });
  });

  it('several statements of one message are one transaction', async () => {
    await withClient(async (client) => {
      const text = "INSERT INTO t VALUES (4, 'four'); INSERT INTO t VALUES (1, 'again')";
      await expect(client.query(text)).rejects.toEqual(code('23505'));
      expect(await ids(client)).toEqual([1, 2, 3]);
    });
  });

  it('savepoints undo a part and end the failed state', async () => {
    await withClient(async (client) => {
      await client.query("BEGIN; INSERT INTO t VALUES (4, 'four'); SAVEPOINT a; DELETE FROM t");
      await expect(client.query('SELECT nope')).rejects.toEqual(code('42703'));
      await client.query('ROLLBACK TO a');
      await client.query('COMMIT');
      expect(await ids(client)).toEqual([1, 2, 3, 4]);
      await expect(client.query('SAVEPOINT b')).rejects.toEqual(code('25P01'));
    });
  });

  it('read only transactions refuse writes, also of the catalog', async () => {
    await withClient(async (client) => {
      await client.query('BEGIN READ ONLY');
      await expect(client.query('DELETE FROM t')).rejects.toEqual(code('25006'));
      await client.query('ROLLBACK; BEGIN READ ONLY');
      await expect(client.query('CREATE TABLE u (a int)')).rejects.toEqual(code('25006'));
      await client.query('ROLLBACK');
    });
  });

  it('repeatable read keeps its snapshot', async () => {
    await withClient(async (reader) => {
      await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
      expect(await ids(reader)).toEqual([1, 2, 3]);
      await withClient((writer) => writer.query('DELETE FROM t WHERE id = 3'));
      expect(await ids(reader)).toEqual([1, 2, 3]);
      await reader.query('COMMIT');
      expect(await ids(reader)).toEqual([1, 2]);
    });
  });

  it('isolation is set before the first statement only', async () => {
    await withClient(async (client) => {
      await client.query('BEGIN; SELECT 1 FROM t');
      const late = client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
      await expect(late).rejects.toEqual(code('25001'));
      await client.query('ROLLBACK AND CHAIN');
      const shown = await client.query('SHOW transaction_isolation');
      expect(shown.rows).toEqual([{ transaction_isolation: 'read committed' }]);
      await client.query('ROLLBACK');
    });
  });
});

describe('settings', () => {
  it('are rolled back with their transaction; SET LOCAL ends with it', async () => {
    await withClient(async (client) => {
      const show = async (): Promise<string> =>
        (await client.query('SHOW application_name')).rows[0].application_name;
      await client.query("SET application_name = 'a'");
      await client.query("BEGIN; SET application_name = 'b'; ROLLBACK");
      expect(await show()).toBe('a');
      await client.query("BEGIN; SET LOCAL application_name = 'c'");
      expect(await show()).toBe('c');
      await client.query('COMMIT');
      expect(await show()).toBe('a');
      await client.query('RESET ALL');
      expect(await show()).toBe('');
    });
  });

  it('changes of reported settings are told', async () => {
    const sql = postgres({ host: '127.0.0.1', port: listener.port, user: 'quern', pass: 'secret', max: 1 });
    await sql`SET TIME ZONE 'Europe/Berlin'`;
    expect(sql.parameters.TimeZone).toBe('Europe/Berlin');
    await sql.end();
  });
});

describe('prepared statements and portals', () => {
  it('named statements are planned again when the catalog has changed', async () => {
    await withClient(async (client) => {
      const query = { name: 'q', text: 'SELECT name FROM t WHERE id = $1', values: [2] };
      expect((await client.query(query)).rows).toEqual([{ name: 'two' }]);
      await client.query('CREATE TABLE other (a int)');
      expect((await client.query(query)).rows).toEqual([{ name: 'two' }]);
      await client.query('DROP TABLE other');
    });
  });

  it('PREPARE, EXECUTE and DEALLOCATE share names with the protocol', async () => {
    await withClient(async (client) => {
      await client.query('PREPARE p (int) AS SELECT name FROM t WHERE id = $1');
      await expect(client.query('PREPARE p AS SELECT 1')).rejects.toEqual(code('42P05'));
      expect((await client.query('EXECUTE p(1 + 1)')).rows).toEqual([{ name: 'two' }]);
      await expect(client.query('EXECUTE p')).rejects.toEqual(code('42601'));
      await client.query('DEALLOCATE p');
      await expect(client.query('EXECUTE p(1)')).rejects.toEqual(code('26000'));
    });
  });

  it('a portal gives its rows in pieces', async () => {
    await withClient(async (client) => {
      const cursor = client.query(new Cursor('SELECT id FROM t ORDER BY id'));
      expect(await cursor.read(2)).toEqual([{ id: 1 }, { id: 2 }]);
      expect(await cursor.read(2)).toEqual([{ id: 3 }]);
      expect(await cursor.read(2)).toEqual([]);
      await cursor.close();
      const early = client.query(new Cursor('SELECT id FROM t ORDER BY id'));
      expect(await early.read(1)).toEqual([{ id: 1 }]);
      await early.close();
      expect(await ids(client)).toEqual([1, 2, 3]);
    });
  });

  it('cursors go forward, and back when they may', async () => {
    await withClient(async (client) => {
      const fetched = async (text: string): Promise<number[]> =>
        (await client.query(text)).rows.map((row: { id: number }) => row.id);
      await expect(client.query('DECLARE c CURSOR FOR SELECT 1')).rejects.toEqual(code('25P01'));
      await client.query('BEGIN; DECLARE c SCROLL CURSOR FOR SELECT id FROM t ORDER BY id');
      expect(await fetched('FETCH 2 FROM c')).toEqual([1, 2]);
      expect(await fetched('FETCH BACKWARD 1 FROM c')).toEqual([1]);
      expect(await fetched('FETCH LAST FROM c')).toEqual([3]);
      expect(await fetched('FETCH ABSOLUTE 2 FROM c')).toEqual([2]);
      expect((await client.query('MOVE 5 FROM c')).rowCount).toBe(1);
      await client.query('COMMIT');
      await expect(client.query('FETCH 1 FROM c')).rejects.toEqual(code('34000'));
      await client.query('DECLARE h CURSOR WITH HOLD FOR SELECT id FROM t ORDER BY id');
      expect(await fetched('FETCH ALL FROM h')).toEqual([1, 2, 3]);
      await client.query('CLOSE h');
    });
  });

  it('errors in a pipeline skip to its end and undo all of it', async () => {
    const sql = postgres({ host: '127.0.0.1', port: listener.port, user: 'quern', pass: 'secret', max: 1 });
    const results = await Promise.allSettled([
      sql`SELECT id FROM t WHERE id = ${1}`,
      sql`SELECT 1 / ${0}::int AS x`,
      sql`SELECT id FROM t WHERE id = ${2}`,
    ]);
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    await sql.end();
  });

  it('wrong parameters are told with their condition', async () => {
    await withClient(async (client) => {
      await expect(client.query('SELECT $1::int', ['x'])).rejects.toEqual(code('22P02'));
      await expect(client.query('SELECT $1::int, $2::int', [1])).rejects.toEqual(code('08P01'));
      await expect(client.query('SELECT $1')).rejects.toEqual(code('42P02'));
    });
  });
});

describe('limits of time', () => {
  const LONG =
    'SELECT count(*) FROM t a, t b, t c, t d, t e, t f, t g, t h, t i, t j, t k, t l, t m, t n, t o, t p';

  it('statement_timeout ends a statement', async () => {
    await withClient(async (client) => {
      const message = 'canceling statement due to statement timeout';
      // In one message the setting goes with the statement that fails, so that the next one has its time.
      const timed = client.query(`SET statement_timeout = '100ms'; ${LONG}`);
      await expect(timed).rejects.toMatchObject({ code: '57014', message });
      expect(await ids(client)).toEqual([1, 2, 3]);
    });
  });

  it('a cancel request ends a statement, a wrong key does not', async () => {
    await withClient(async (client) => {
      const { processID, secretKey } = client as unknown as { processID: number; secretKey: number };
      const cancel = (key: number): void => {
        const packet = Buffer.alloc(16);
        for (const [i, word] of [16, 80877102, processID, key].entries()) packet.writeInt32BE(word, 4 * i);
        connect(listener.port, '127.0.0.1').end(packet);
      };
      const running = client.query(LONG);
      cancel(secretKey ^ 1);
      setTimeout(() => cancel(secretKey), 100);
      const message = 'canceling statement due to user request';
      await expect(running).rejects.toMatchObject({ code: '57014', message });
      expect(await ids(client)).toEqual([1, 2, 3]);
    });
  });

  it('others are answered meanwhile', async () => {
    await withClient(async (busy) => {
      await busy.query("SET statement_timeout = '1s'");
      await expectBelow(100, async () => {
        const running = busy.query(LONG).catch((error: unknown) => error);
        const times: number[] = [];
        await withClient(async (client) => {
          for (let i = 0; i < 50; i++) {
            const began = threadMs();
            await client.query('SELECT 1');
            times.push(threadMs() - began);
          }
        });
        await running;
        times.sort((a, b) => a - b);
        return times[45] as number;
      });
    });
  });

  it('an idle transaction is ended', async () => {
    await withClient(async (client) => {
      await client.query("SET idle_in_transaction_session_timeout = '50ms'; BEGIN");
      const ended = new Promise((resolve) => client.once('error', resolve));
      expect(await ended).toMatchObject({ code: '25P03' });
    });
  });

  it('another session can be ended by SQL', async () => {
    await withClient(async (victim) => {
      const { processID } = victim as unknown as { processID: number };
      const ended = new Promise((resolve) => victim.once('error', resolve));
      await withClient((client) => client.query('SELECT pg_terminate_backend($1)', [processID]));
      expect(await ended).toMatchObject({ code: '57P01' });
    });
  });
});

describe('temporary tables', () => {
  const schemas = () => environment.engine.catalog().namespaces.filter(({ name }) => /^pg_temp_/.test(name));

  it("are their session's own and go with it", async () => {
    await withClient(async (client) => {
      await client.query('CREATE TEMP TABLE t AS SELECT 42 AS mine');
      expect((await client.query('SELECT * FROM t')).rows).toEqual([{ mine: 42 }]);
      await withClient(async (other) => {
        expect((await other.query('SELECT count(*)::int AS n FROM t')).rows).toEqual([{ n: 3 }]);
      });
      expect(schemas()).toHaveLength(1);
    });
    await expect.poll(schemas).toEqual([]);
  });

  it('that a crash left behind are dropped at the next start', async () => {
    await withClient(async (client) => {
      await client.query('CREATE TEMP TABLE left_behind (a int)');
      await dropTemporaryOf(environment.engine, () => true);
      expect(schemas()).toEqual([]);
      await expect(client.query('SELECT * FROM left_behind')).rejects.toThrow('does not exist');
    });
  });
});

describe('notifications', () => {
  const heardBy = (client: pg.Client): string[] => {
    const heard: string[] = [];
    client.on('notification', ({ channel, payload }) => heard.push(`${channel}: ${payload}`));
    return heard;
  };

  it('reach idle listeners once the sender commits, equal ones once', async () => {
    await withClient(async (listening) => {
      const heard = heardBy(listening);
      await listening.query('LISTEN news');
      await withClient(async (client) => {
        await client.query('BEGIN');
        await client.query("NOTIFY news, 'a'");
        await client.query('SAVEPOINT s');
        await client.query("NOTIFY news, 'lost'");
        await client.query('ROLLBACK TO s');
        await client.query("SELECT pg_notify('news', 'a'), pg_notify('news', 'b'), pg_notify('other', 'c')");
        expect(heard).toEqual([]);
        await client.query('COMMIT');
        await expect.poll(() => heard).toEqual(['news: a', 'news: b']);
        await client.query("BEGIN; NOTIFY news, 'undone'; ROLLBACK");
      });
      expect((await listening.query('SELECT * FROM pg_listening_channels()')).rows).toEqual([
        { pg_listening_channels: 'news' },
      ]);
      await listening.query("NOTIFY news, 'own'");
      await expect.poll(() => heard).toEqual(['news: a', 'news: b', 'news: own']);
      await listening.query('UNLISTEN *');
      await listening.query("NOTIFY news, 'unheard'");
      expect(heard).toHaveLength(3);
    });
  });

  it('wait while their listener is in a transaction', async () => {
    await withClient(async (listening) => {
      const heard = heardBy(listening);
      await listening.query('LISTEN news');
      await listening.query('BEGIN');
      await withClient((client) => client.query('NOTIFY news'));
      await listening.query('SELECT 1');
      expect(heard).toEqual([]);
      await listening.query('COMMIT');
      await expect.poll(() => heard).toEqual(['news: ']);
    });
  });
});
