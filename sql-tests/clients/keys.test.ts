/** Real clients sign in with keys over SCRAM, bound to the server's certificate or not; a folder of before asks in clear once. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ServerProcess, startServer } from '../../scripts/server-process.ts';
import { RawClient } from '../faults/raw-client.ts';
import { saslInitial, ScramClient } from '../faults/scram-client.ts';

const run = promisify(execFile);
const PYTHON = join(import.meta.dirname, '../../.tools/python/bin/python');
const CLASSES = join(import.meta.dirname, '../../.tools/clients/lib/postgresql-42.7.7.jar');

let folder: string;
let server: ServerProcess;
/** The key of role reader, named `bi`. */
let key: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quern-keys-'));
  server = await startServer({ data: join(folder, 'data') });
  const [made] = await asOwner('CREATE API KEY bi WITH (role = reader)');
  key = String(made?.key);
});

afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

const config = (password: string, user = 'quern') => {
  const { host, port } = server;
  return { host, port, user, database: 'quern', password };
};

async function asOwner(text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client(config(server.key));
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

const psql = (password: string, options: string, user = 'quern') =>
  run(
    'psql',
    ['-XAtc', 'SELECT 1', `host=${server.host} port=${server.port} user=${user} dbname=quern ${options}`],
    {
      env: { ...process.env, PGPASSWORD: password },
    },
  ).then(
    ({ stdout }) => stdout.trim(),
    ({ stderr }) => String(stderr).trim(),
  );

const python = (program: string) =>
  run(PYTHON, ['-c', program, server.host, String(server.port), key, server.key]).then(({ stdout }) =>
    stdout.trim(),
  );

it('lets psql in, with its proof bound to the certificate', async () => {
  expect(await psql(key, 'sslmode=require channel_binding=require')).toBe('1');
  expect(await psql(key, 'sslmode=require channel_binding=disable', 'bi')).toBe('1');
  expect(await psql(key, 'sslmode=disable', key.slice(0, 12))).toBe('1');
  for (const user of ['quern', 'bi', 'nobody']) {
    expect(await psql('wrong', 'sslmode=require', user)).toContain(
      `password authentication failed for user "${user}"`,
    );
  }
});

it('lets psycopg and asyncpg in, which would take no other way', async () => {
  const psycopg = `
import sys, psycopg
host, port, key, owner = sys.argv[1:]
for more in ['require_auth=scram-sha-256 channel_binding=require sslmode=require', 'require_auth=scram-sha-256 sslmode=disable']:
    for password in [key, owner]:
        with psycopg.connect(f'host={host} port={port} user=quern dbname=quern {more}', password=password) as c:
            print(c.execute('select 1').fetchone()[0], end='')
`;
  expect(await python(psycopg)).toBe('1111');
  const asyncpg = `
import sys, asyncio, asyncpg
host, port, key, owner = sys.argv[1:]
async def main():
    for ssl in ['require', False]:
        c = await asyncpg.connect(host=host, port=int(port), user='reader', database='quern', password=key, ssl=ssl)
        print(await c.fetchval('select 1'), end='')
        await c.close()
asyncio.run(main())
`;
  expect(await python(asyncpg)).toBe('11');
});

it('lets pgjdbc in', async () => {
  const source = join(folder, 'Keys.java');
  const { writeFile } = await import('node:fs/promises');
  await writeFile(
    source,
    `import java.sql.*;
public class Keys {
  public static void main(String[] a) throws Exception {
    String url = "jdbc:postgresql://" + a[0] + ":" + a[1] + "/quern?user=bi&password=" + a[2];
    for (String more : new String[] {"&sslmode=require&channelBinding=require", "&sslmode=disable"})
      try (Connection c = DriverManager.getConnection(url + more);
          ResultSet r = c.createStatement().executeQuery("select 1")) {
        r.next();
        System.out.print(r.getInt(1));
      }
  }
}`,
  );
  const { stdout } = await run('java', ['-cp', CLASSES, source, server.host, String(server.port), key]);
  expect(stdout).toBe('11');
});

it('lets node-postgres in over TLS', async () => {
  const client = new pg.Client({
    ...config(key, 'reader'),
    ssl: { rejectUnauthorized: false },
    enableChannelBinding: true,
  });
  await client.connect();
  expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  await client.end();
});

/** The server's answer to messages of a client that was asked for a proof. */
async function answers(...messages: (string | Buffer)[]): Promise<string> {
  const client = await RawClient.open(server.host, server.port);
  client.startup({ user: 'quern', database: 'quern' });
  await client.until('R');
  let last = '';
  for (const message of messages) {
    client.send('p', message);
    const answer = (await client.until('R', 'E')).at(-1);
    last = answer?.type === 'E' ? answer.body.toString() : (answer?.body.subarray(4).toString() ?? '');
  }
  client.socket.destroy();
  return last;
}

it('refuses what was sent before, and what is no proof', async () => {
  const scram = new ScramClient(key);
  const first = saslInitial(scram.first);
  const challenge = await answers(first);
  const recorded = scram.final(challenge);
  expect(await answers(first, recorded)).toContain('malformed SCRAM message');
  expect(await answers(first)).not.toBe(challenge);
  expect(await answers(`${key}\0`)).toContain('invalid SASL authentication mechanism');
  expect(await answers(saslInitial(scram.first, 'SCRAM-SHA-256-PLUS'))).toContain('invalid SASL');
  expect(await answers(saslInitial('nonsense'))).toContain('malformed');
  expect(await answers(first, 'nonsense')).toContain('malformed');
  expect(await answers(Buffer.from('SCRAM-SHA-256\0\0\0\0\xff', 'latin1'))).toMatch(/C08P01/);
  expect(server.log()).not.toContain(key);
});

it('slows guesses, and lets a made key in meanwhile', async () => {
  const guess = () => new pg.Client(config('guess')).connect().catch(({ code }) => code as string);
  const guesses = Promise.all(Array.from({ length: 12 }, guess));
  const client = new pg.Client(config(key));
  await client.connect();
  await client.end();
  expect(await Promise.race([guesses.then(() => 'guesses'), 'client'])).toBe('client');
  expect(new Set(await guesses)).toEqual(new Set(['28P01', '57P03']));
});

it('keeps keys over a restart, and resets those of owners only', async () => {
  const data = join(folder, 'data');
  await server.stop();
  const quern = join(import.meta.dirname, '../../bin/quern');
  const { stdout } = await run(quern, ['key', 'reset-owner', '--data', data]);
  const made = /quern_[\w-]{43}/.exec(stdout)?.[0] as string;
  const old = server.key;
  server = await startServer({ data });
  const signIn = async (password: string) => {
    const client = new pg.Client(config(password));
    await client.connect();
    const { rows } = await client.query(
      "SELECT string_agg(name, ',' ORDER BY name) AS names FROM quern.api_keys",
    );
    await client.end();
    return rows[0].names as string;
  };
  expect(await signIn(made)).toBe('bi,owner');
  expect(await signIn(key)).toContain('bi');
  await expect(signIn(old)).rejects.toMatchObject({ code: '28P01' });
});
