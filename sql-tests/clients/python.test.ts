/**
 * Python's drivers and what is built on them, each used as its users do by a program in `python/`: psycopg 3
 * (sync, async), asyncpg, SQLAlchemy 2 on both, pandas, pgvector's package and LangChain's PGVector. All
 * their checks also pass on PostgreSQL 18 with pgvector.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServerProcess } from '../../scripts/server-process.ts';
import { MISSING } from './missing.ts';
import { connectionEnvironment, failures, runProgram, startFreshServer } from './program.ts';

const PYTHON = join(import.meta.dirname, '../../.tools/python/bin/python');

/** Program to the number of its checks. */
const PROGRAMS = {
  psycopg_sync: 19,
  psycopg_async: 7,
  documents_suite: 6,
  asyncpg_suite: 12,
  sqlalchemy_suite: 10,
  sqlalchemy_async: 4,
  pandas_suite: 6,
  pgvector_suite: 7,
  langchain_suite: 5,
};

describe.skipIf(!existsSync(PYTHON))('Python', () => {
  let server: ServerProcess;

  beforeAll(async () => {
    server = await startFreshServer();
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
  });

  it.each(Object.entries(PROGRAMS))('%s', async (name, count) => {
    const script = join(import.meta.dirname, 'python', `${name}.py`);
    const outcome = await runProgram([PYTHON, script], connectionEnvironment(server));
    expect(failures(outcome)).toEqual(MISSING[name] ?? {});
    expect(outcome.size).toBe(count);
  });
});
