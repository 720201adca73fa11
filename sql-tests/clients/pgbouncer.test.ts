/**
 * pgbouncer (Debian's package, installed by scripts/test-tools.sh; skipped where it is absent) in transaction
 * mode between clients and Quern: many clients on two server connections, transactions, resets, errors.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../scripts/postgres.ts';
import type { ServerProcess } from '../../scripts/server-process.ts';
import { startFreshServer } from './program.ts';

const HAS_PGBOUNCER = spawnSync('pgbouncer', ['--version']).status === 0;
/** Debian's `nobody`: pgbouncer refuses to run as root. */
const NOBODY = 65_534;
const SERVER_CONNECTIONS = 2;

let server: ServerProcess;
let bouncer: ChildProcess;
let folder: string;
let port: number;
let log = '';

const client = (database = 'quern') =>
  new pg.Client({ host: '127.0.0.1', port, user: 'quern', database, password: server.key });

async function startBouncer(): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), 'quern-pgbouncer-'));
  port = await freePort();
  const settings = `[databases]
quern = host=${server.host} port=${server.port} dbname=quern
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${folder}/users.txt
pool_mode = transaction
default_pool_size = ${SERVER_CONNECTIONS}
max_client_conn = 100
server_tls_sslmode = prefer
admin_users = quern
ignore_startup_parameters = extra_float_digits
`;
  writeFileSync(join(folder, 'pgbouncer.ini'), settings);
  writeFileSync(join(folder, 'users.txt'), `"quern" "${server.key}"\n`);
  const isRoot = process.getuid?.() === 0;
  chmodSync(folder, 0o700);
  if (isRoot) {
    for (const name of ['', 'pgbouncer.ini', 'users.txt']) chownSync(join(folder, name), NOBODY, NOBODY);
  }
  const who = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  bouncer = spawn('pgbouncer', [join(folder, 'pgbouncer.ini')], {
    ...who,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  bouncer.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
}

async function untilReady(): Promise<void> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const probe = client();
    try {
      await probe.connect();
      await probe.end();
      return;
    } catch {
      await sleep(100);
    }
  }
  throw new Error(`pgbouncer does not serve\n${log}`);
}

describe.skipIf(!HAS_PGBOUNCER)('pgbouncer in transaction mode', () => {
  beforeAll(async () => {
    server = await startFreshServer();
    await startBouncer();
    await untilReady();
  });

  afterAll(async () => {
    bouncer?.kill('SIGTERM');
    await server?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it('serves many clients with few connections', async () => {
    const clients = Array.from({ length: 20 }, () => client());
    await Promise.all(clients.map((each) => each.connect()));
    const pids = new Set<number>();
    const rounds = await Promise.all(
      clients.map(async (each, n) => {
        const { rows } = await each.query('SELECT $1::int AS n, pg_backend_pid() AS pid', [n]);
        pids.add(rows[0].pid);
        return rows[0].n;
      }),
    );
    expect(rounds).toEqual(clients.map((_, n) => n));
    expect(pids.size).toBeLessThanOrEqual(SERVER_CONNECTIONS);
    await Promise.all(clients.map((each) => each.end()));
  });

  it('keeps a transaction on its connection', async () => {
    const [one, two] = [client(), client()];
    await Promise.all([one.connect(), two.connect()]);
    await one.query('CREATE TABLE pb_item (id int PRIMARY KEY, name text)');
    await one.query('BEGIN');
    await one.query("INSERT INTO pb_item VALUES (1, 'one')");
    expect((await two.query('SELECT count(*)::int AS n FROM pb_item')).rows).toEqual([{ n: 0 }]);
    const first = (await one.query('SELECT pg_backend_pid() AS pid')).rows;
    expect((await one.query('SELECT pg_backend_pid() AS pid')).rows).toEqual(first);
    await one.query('SET LOCAL statement_timeout = 1234');
    await one.query('COMMIT');
    expect((await two.query('SELECT name FROM pb_item WHERE id = $1', [1])).rows).toEqual([{ name: 'one' }]);
    await one.query('BEGIN');
    await expect(one.query("INSERT INTO pb_item VALUES (1, 'again')")).rejects.toMatchObject({
      code: '23505',
    });
    await expect(one.query('SELECT 1')).rejects.toMatchObject({ code: '25P02' });
    await one.query('ROLLBACK');
    expect((await one.query('SHOW statement_timeout')).rows).toEqual([{ statement_timeout: '0' }]);
    await Promise.all([one.end(), two.end()]);
  });

  it('carries application names and errors', async () => {
    const each = new pg.Client({
      host: '127.0.0.1',
      port,
      user: 'quern',
      database: 'quern',
      password: server.key,
      application_name: 'behind',
    });
    await each.connect();
    expect((await each.query('SHOW application_name')).rows).toEqual([{ application_name: 'behind' }]);
    await expect(each.query('SELECT * FROM nowhere')).rejects.toMatchObject({
      code: '42P01',
      position: '15',
    });
    await each.end();
  });

  it('answers its console', async () => {
    const console = client('pgbouncer');
    await console.connect();
    const { rows } = await console.query('SHOW POOLS');
    expect(rows.find((row) => row.database === 'quern')).toMatchObject({ pool_mode: 'transaction' });
    await console.end();
  });
});
