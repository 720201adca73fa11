/**
 * pg_dump and pg_dumpall of roles, owners and grants: what they write of Quern is what they write of PostgreSQL 18, and
 * what is restored is dumped alike again, in both. Skipped where PostgreSQL could not be installed.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { execFile } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Postgres, postgresPrograms, startPostgres } from '../../scripts/postgres.ts';
import { type InProcessServer, startInProcess } from '../runner/in-process.ts';
import { type Address, programEnvironment } from '../runner/target.ts';

const PROGRAMS = postgresPrograms() ?? '';
const SETUP = join(import.meta.dirname, 'setup.sql');
const QUIET = ['-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1'];

async function run(program: string, address: Address, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(join(PROGRAMS, program), args, {
    env: programEnvironment(address),
  });
  return stdout;
}

/** Statements alone, with one name for the owner of all. */
const statements = (text: string): string =>
  text
    .split('\n')
    .filter((line) => line !== '' && !/^(--|\\(un)?restrict )/.test(line))
    .join('\n')
    .replaceAll('postgres', 'quern');

/** Roles of this test: those that each server has by itself differ. */
const ownRoles = (text: string): string =>
  statements(text)
    .split('\n')
    .filter((line) => /d_ann|d_cy|d B/.test(line))
    .join('\n');

const roles = async (address: Address): Promise<string> =>
  ownRoles(await run('pg_dumpall', address, ['--roles-only', '-l', address.database]));
const schema = async (address: Address): Promise<string> => statements(await run('pg_dump', address, []));

describe.skipIf(PROGRAMS === '')('dumps of roles and grants', () => {
  let postgres: Postgres;
  let quern: InProcessServer;
  let folder: string;

  beforeAll(async () => {
    postgres = await startPostgres({ fsync: 'off' });
    quern = await startInProcess('memory');
    folder = mkdtempSync(join(tmpdir(), 'quern-roles-'));
    for (const address of [postgres, quern.address]) await run('psql', address, [...QUIET, '-f', SETUP]);
  });

  afterAll(async () => {
    await quern?.[Symbol.asyncDispose]();
    await postgres?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it('are those of PostgreSQL', async () => {
    expect(await roles(quern.address)).toBe(await roles(postgres));
    expect(await schema(quern.address)).toBe(await schema(postgres));
  });

  it('are restored in Quern', async () => {
    await using fresh = await startInProcess('memory');
    const file = join(folder, 'dump.sql');
    writeFileSync(file, `${await roles(postgres)}\n${await schema(postgres)}`);
    await run('psql', fresh.address, [...QUIET, '-f', file]);
    expect(await roles(fresh.address)).toBe(await roles(quern.address));
    expect(await schema(fresh.address)).toBe(await schema(quern.address));
  });

  it('are restored in PostgreSQL', async () => {
    await using fresh = await startPostgres({ fsync: 'off' });
    const file = join(folder, 'dump.sql');
    const text = `${await roles(quern.address)}\n${await schema(quern.address)}`;
    writeFileSync(file, text.replaceAll(/\bquern\b/g, 'postgres'));
    await run('psql', fresh, [...QUIET, '-f', file]);
    expect(await roles(fresh)).toBe(await roles(quern.address));
    expect(await schema(fresh)).toBe(await schema(quern.address));
  });
});
