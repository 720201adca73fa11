/**
 * Scripts for psql, data of COPY included: what psql prints against Quern is what it prints against
 * PostgreSQL 18. `node sql-tests/psql/oracle.ts` rewrites the answers.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerProcess, startServer } from '../../scripts/server-process.ts';
import { runPsql } from './run-psql.ts';

const HAS_PSQL = spawnSync('psql', ['--version']).status === 0;
const scripts = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.sql'));

describe.skipIf(!HAS_PSQL)('psql', () => {
  let folder: string;
  let server: ServerProcess;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quern-psql-'));
    server = await startServer({ data: join(folder, 'data') });
  });

  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(scripts)('%s', (script) => {
    const { host, port, key } = server;
    const printed = runPsql(script, { host, port, user: 'quern', database: 'quern', password: key });
    const expected = readFileSync(join(import.meta.dirname, script.replace('.sql', '.out')), 'utf8');
    // The line of a row that breaks a constraint is not known: rows are written in batches.
    expect(printed).toBe(expected.replaceAll(/(?<=already exists\.\n)CONTEXT:.*\n/g, ''));
  });
});
