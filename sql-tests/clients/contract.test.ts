/** Every row of the clients' contract (`contract.json`), through node pg and through psycopg with its own parameters. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type InProcessServer, startInProcess } from '../runner/in-process.ts';
import { CONTRACT_PATH, type ContractRow, readContract, writeContract } from './contract.ts';
import { failures, runProgram } from './program.ts';

const PYTHON = join(import.meta.dirname, '../../.tools/python/bin/python');
const AS_TEXT = { getTypeParser: () => (value: string) => value };

const contract = readContract();
const runnable = contract.sections.flatMap(({ rows }) => rows).filter(({ pending }) => pending === undefined);

let server: InProcessServer;

beforeAll(async () => {
  server = await startInProcess('memory');
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
});

const asked = ({ rows: _rows, error: _error, ...row }: ContractRow): ContractRow => row;

type Answer = Pick<ContractRow, 'rows' | 'error'>;

async function answer(client: pg.Client, { sql, parameters = [] }: ContractRow): Promise<Answer> {
  try {
    const { rows } = await client.query({ text: sql, values: [...parameters], rowMode: 'array' });
    return { rows: rows as (string | null)[][] };
  } catch (error) {
    if (error instanceof pg.DatabaseError) return { error: [error.code ?? '', error.routine ?? ''] };
    throw error;
  }
}

async function connected(): Promise<pg.Client> {
  const client = new pg.Client({ ...server.address, types: AS_TEXT as unknown as typeof pg.types });
  await client.connect();
  return client;
}

async function answers(): Promise<ReadonlyMap<ContractRow, Answer>> {
  const client = await connected();
  try {
    for (const sql of contract.setup) await client.query(sql);
    const found = new Map<ContractRow, Answer>();
    for (const row of runnable) found.set(row, await answer(client, row));
    return found;
  } finally {
    await client.end();
    // The session that has been asked may only read by now.
    const other = await connected();
    await other.query('DROP TABLE IF EXISTS books');
    await other.end();
  }
}

it('node pg gets what the contract says', async () => {
  const found = await answers();
  if (process.env.UPDATE_GOLDEN === '1') {
    const sections = contract.sections.map(({ rows, ...head }) => ({
      ...head,
      rows: rows.map((row) => ({ ...asked(row), ...found.get(row) })),
    }));
    writeContract({ ...contract, sections });
    return;
  }
  for (const [{ call, sql, rows, error }, got] of found) {
    expect({ call, sql, ...got }).toEqual({ call, sql, ...(error ? { error } : { rows }) });
  }
});

it.skipIf(!existsSync(PYTHON))('psycopg gets what the contract says', async () => {
  const { host, port, user, database, password = '' } = server.address;
  const outcome = await runProgram([PYTHON, join(import.meta.dirname, 'python/contract_suite.py')], {
    CONTRACT: CONTRACT_PATH,
    PGHOST: host,
    PGPORT: String(port),
    PGUSER: user,
    PGDATABASE: database,
    PGPASSWORD: password,
  });
  expect(failures(outcome)).toEqual({});
});
