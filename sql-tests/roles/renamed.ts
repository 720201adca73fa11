/** PostgreSQL with the names that Quern's owner and database have. */
import { Client } from 'pg';
import type { Postgres } from '../../scripts/postgres.ts';
import type { Address } from '../runner/target.ts';

export async function renamedPostgres({ host, port }: Postgres): Promise<Address> {
  const run = async (user: string, statements: readonly string[]): Promise<void> => {
    const client = new Client({ host, port, user, database: 'postgres' });
    await client.connect();
    for (const sql of statements) await client.query(sql);
    await client.end();
  };
  await run('postgres', ['CREATE ROLE helper SUPERUSER LOGIN', 'CREATE DATABASE quern']);
  await run('helper', ['ALTER ROLE postgres RENAME TO quern']);
  await run('quern', ['DROP ROLE helper']);
  return { host, port, user: 'quern', database: 'quern' };
}
