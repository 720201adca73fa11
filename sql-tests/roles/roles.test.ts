/** Rounds of generated statements of roles and grants: PostgreSQL 18 answers the same, and holds the same afterwards. */
import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { type Postgres, postgresPrograms, startPostgres } from '../../scripts/postgres.ts';
import { seeded } from '../faults/mutations.ts';
import { startInProcess } from '../runner/in-process.ts';
import type { Address } from '../runner/target.ts';
import { connectRoleSide, roleRound } from './round.ts';

const ROUNDS = Number(process.env.ROLE_ROUNDS ?? 6);
const SEEDS = Array.from({ length: ROUNDS }, (_, i) => 20_261_128 + i);

/** With the names that Quern's owner and database have. */
async function renamed(postgres: Postgres): Promise<Address> {
  const run = async (user: string, statements: readonly string[]): Promise<void> => {
    const client = new Client({ host: postgres.host, port: postgres.port, user, database: 'postgres' });
    await client.connect();
    for (const sql of statements) await client.query(sql);
    await client.end();
  };
  await run('postgres', ['CREATE ROLE helper SUPERUSER LOGIN', 'CREATE DATABASE quern']);
  await run('helper', ['ALTER ROLE postgres RENAME TO quern']);
  await run('quern', ['DROP ROLE helper']);
  return { host: postgres.host, port: postgres.port, user: 'quern', database: 'quern' };
}

describe.skipIf(postgresPrograms() === undefined)('roles and grants', () => {
  it('are what they are in PostgreSQL', async () => {
    await using postgres = await startPostgres({ fsync: 'off' });
    await using quern = await startInProcess('memory');
    await using wanted = await connectRoleSide(await renamed(postgres));
    await using tested = await connectRoleSide(quern.address);
    const found = [];
    for (const seed of SEEDS) {
      const difference = await roleRound(seeded(seed), { wanted, tested });
      if (difference !== null) found.push({ seed, ...difference });
    }
    expect(found).toEqual([]);
  });
});
