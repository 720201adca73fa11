/**
 * Quern within other projects' frameworks, by the classes that its clients have for them: under the frameworks' own
 * standard tests where they ship some, and what those do not ask; every example of `docs/clients-ecosystem.md`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServerProcess } from '../../scripts/server-process.ts';
import { connectionEnvironment, failures, runProgram, startFreshServer } from './program.ts';

const ROOT = join(import.meta.dirname, '../..');
const PYTHON = join(ROOT, '.tools/python/bin/python');
const DOCS = join(ROOT, 'docs/clients-ecosystem.md');

/** The frameworks' own tests are many, and each makes a collection. */
const SLOW_MS = 600_000;

/** Program to the number of its checks. */
const PROGRAMS = {
  quern_langchain_standard: 85,
  quern_langchain_suite: 11,
  quern_llama_index_suite: 13,
  quern_haystack_suite: 150,
};

describe.skipIf(!existsSync(PYTHON))('Quern in Python frameworks', () => {
  let server: ServerProcess;
  let environment: Record<string, string>;

  beforeAll(async () => {
    server = await startFreshServer();
    environment = {
      ...connectionEnvironment(server),
      QUERN_API_KEY: server.key,
      QUERN_HOST: server.host,
      QUERN_PORT: String(server.port),
      PYTHONPATH: join(ROOT, 'src/clients/python'),
      PYTHONDONTWRITEBYTECODE: '1',
      HAYSTACK_TELEMETRY_ENABLED: 'False',
    };
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
  });

  it.each(Object.entries(PROGRAMS))(
    '%s',
    async (name, count) => {
      const script = join(import.meta.dirname, 'python', `${name}.py`);
      const outcome = await runProgram([PYTHON, script], environment);
      expect(failures(outcome)).toEqual({});
      expect(outcome.size).toBe(count);
    },
    SLOW_MS,
  );

  const examples = [...readFileSync(DOCS, 'utf8').matchAll(/```python\n(.*?)```/gs)];
  it.each(examples.map(([, code], at) => [at + 1, code as string]))(
    'example %i of the docs',
    async (_, code) => {
      const outcome = await runProgram([PYTHON, '-c', `${code}\nprint('ok example')`], environment);
      expect(failures(outcome)).toEqual({});
    },
  );
});
