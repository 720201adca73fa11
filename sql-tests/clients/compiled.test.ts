/**
 * Drivers of compiled languages: pgjdbc (Java), pgx (Go), tokio-postgres (Rust), each used by a program in
 * the folder beside this file that `scripts/tools` builds into .tools/. Where go, cargo, or mvn and a
 * JDK are absent that driver's suite is skipped; under CI=true test-tools.sh refuses to go on without them.
 * All checks also pass on PostgreSQL 18.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServerProcess } from '../../scripts/server-process.ts';
import { MISSING } from './missing.ts';
import { connectionEnvironment, failures, runProgram, startFreshServer } from './program.ts';

const TOOLS = join(import.meta.dirname, '../../.tools/clients');
const CLASSES = join(TOOLS, 'java');

const PROGRAMS = [
  {
    name: 'pgjdbc',
    checks: 10,
    built: join(CLASSES, 'PgjdbcSuite.class'),
    command: ['java', '-cp', `${join(TOOLS, 'lib/*')}:${CLASSES}`, 'PgjdbcSuite'],
  },
  { name: 'pgx', checks: 9, built: join(TOOLS, 'pgx'), command: [join(TOOLS, 'pgx')] },
  {
    name: 'tokio-postgres',
    checks: 7,
    built: join(TOOLS, 'tokio-postgres'),
    command: [join(TOOLS, 'tokio-postgres')],
  },
];

describe('drivers of compiled languages', () => {
  let server: ServerProcess;

  beforeAll(async () => {
    server = await startFreshServer();
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
  });

  for (const { name, checks, built, command } of PROGRAMS) {
    it.skipIf(!existsSync(built))(name, async () => {
      const outcome = await runProgram(command, connectionEnvironment(server));
      expect(failures(outcome)).toEqual(MISSING[name] ?? {});
      expect(outcome.size).toBe(checks);
    });
  }
});
