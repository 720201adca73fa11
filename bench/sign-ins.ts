/**
 * Sign-ins by SCRAM-SHA-256 a second, one after the other and eight at a time, with 1, 100 and 1,000 keys or roles: Quern and
 * PostgreSQL in turns, over loopback; Quern over TLS beside itself, as the peer's build has none. The client hashes its
 * password once, so that it costs little. `--quick`: fewer.
 */
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { connect as connectTls } from 'node:tls';
import pg from 'pg';
import { RawClient } from '../sql-tests/faults/raw-client.ts';
import { ScramClient } from '../sql-tests/faults/scram-client.ts';
import { startPostgres } from '../scripts/postgres.ts';
import { startServer } from '../scripts/server-process.ts';
import { options } from './options.ts';
import { median, report } from './statistics.ts';

const ROUNDS = options.quick ? 3 : 8;
const ROUND_MS = options.quick ? 400 : 700;
const KEYS = options.quick ? [1, 100] : [1, 100, 1000];
const AT_ONCE = [1, 8];

interface Door {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly password: string;
  readonly processId: number;
  readonly isTls?: boolean;
}

const hashed = new Map<string, Buffer>();

async function open({ host, port, isTls = false }: Door): Promise<RawClient> {
  if (!isTls) return RawClient.open(host, port);
  const socket = connectTls({ host, port, ALPNProtocols: ['postgresql'], rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  return new RawClient(socket);
}

async function signIn(door: Door): Promise<void> {
  const { user, database, password } = door;
  const client = await open(door);
  client.startup({ user, database });
  await client.prove(new ScramClient(password, { hashed, nonce: Math.random().toString(36).slice(2) }));
  const last = (await client.until('Z', 'E')).at(-1);
  if (last?.type !== 'Z') throw new Error(`${door.name}: ${last?.body.toString()}`);
  client.send('X', '');
  client.socket.destroySoon();
}

/** Processor time of a process, and of its children that have ended, in seconds. */
function processorSeconds(processId: number): number {
  const fields = readFileSync(`/proc/${processId}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0) / 100;
}

interface Round {
  readonly aSecond: number;
  readonly processorMs: number;
}

async function round(door: Door, atOnce: number): Promise<Round> {
  const [began, before] = [performance.now(), processorSeconds(door.processId)];
  const endMs = began + ROUND_MS;
  let count = 0;
  const one = async (): Promise<void> => {
    for (; performance.now() < endMs; count++) await signIn(door);
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  const seconds = (performance.now() - began) / 1000;
  return {
    aSecond: count / seconds,
    processorMs: (1000 * (processorSeconds(door.processId) - before)) / count,
  };
}

/** In turns, so that what else the machine does meets all of them. */
async function measure(what: string, doors: readonly Door[], atOnce: number): Promise<void> {
  const rounds = new Map<Door, Round[]>(doors.map((door) => [door, []]));
  for (const door of doors) await round(door, atOnce);
  for (let n = 0; n < ROUNDS; n++)
    for (const door of doors) rounds.get(door)?.push(await round(door, atOnce));
  const of = (door: Door, field: keyof Round): number =>
    median((rounds.get(door) ?? []).map((found) => found[field]));
  const [first, second] = doors as [Door, Door];
  report(`${what}, ${atOnce} at a time`, of(first, 'aSecond') / of(second, 'aSecond'), {
    ...Object.fromEntries(
      doors.map((door) => [
        door.name,
        `${of(door, 'aSecond').toFixed(0)} a second, ${of(door, 'processorMs').toFixed(2)} ms of processor time each`,
      ]),
    ),
  });
}

async function client(config: pg.ClientConfig): Promise<pg.Client> {
  const made = new pg.Client(config);
  await made.connect();
  return made;
}

const folder = await mkdtemp(join(tmpdir(), 'quern-sign-ins-'));
// PostgreSQL reads it as another user.
await chmod(folder, 0o755);
const rules = join(folder, 'pg_hba.conf');
writeFileSync(rules, 'host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n', {
  mode: 0o644,
});
await using server = await startServer({ data: join(folder, 'data') });
await using postgres = await startPostgres({ hba_file: rules, max_connections: '200' });
const { host, port } = server;
const owner = await client({ host, port, user: 'quern', database: 'quern', password: server.key });
const { database } = postgres;
const admin = await client({ host: postgres.host, port: postgres.port, user: 'postgres', database });

let made = 0;
for (const count of KEYS) {
  let key = server.key;
  for (; made < count - 1; made++) {
    key = (await owner.query(`CREATE API KEY k${made} WITH (role = reader)`)).rows[0].key;
  }
  await admin.query(`DO $$ BEGIN FOR n IN 1..${count} LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'r' || n) THEN
      EXECUTE format('CREATE ROLE %I LOGIN PASSWORD %L', 'r' || n, 'the password of r' || n); END IF;
    END LOOP; END $$`);
  const quern = { host, port, database: 'quern', password: key, processId: server.process.pid ?? 0 };
  const [plain, secured, named] = [
    { ...quern, name: 'quern', user: 'quern' },
    { ...quern, name: 'over TLS', user: 'quern', isTls: true },
    { ...quern, name: 'by name', user: count === 1 ? 'quern' : `k${count - 2}` },
  ];
  const peer = {
    ...{
      name: 'postgres',
      host: postgres.host,
      port: postgres.port,
      database,
      processId: postgres.processId,
    },
    ...{ user: `r${count}`, password: `the password of r${count}` },
  };
  for (const atOnce of AT_ONCE) {
    await measure(`${count} keys beside PostgreSQL's roles`, [plain, peer], atOnce);
    await measure(`${count} keys over TLS beside loopback`, [secured, plain], atOnce);
    if (count > 1) await measure(`${count} keys, as quern beside by name`, [plain, named], atOnce);
  }
}
await owner.end();
await admin.end();
await rm(folder, { recursive: true });
