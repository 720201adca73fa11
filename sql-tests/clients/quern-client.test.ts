/** Quern's TypeScript client: every contract case that both clients share. */
import { afterAll, beforeAll, describe, it } from 'vitest';
import { Client } from '../../src/clients/typescript/src/index.ts';
import type { ServerProcess } from '../../scripts/server-process.ts';
import { CaseRunner, caseFiles } from './contract-cases.ts';
import { connectionEnvironment, startFreshServer } from './program.ts';

let server: ServerProcess;
let client: Client;
let runner: CaseRunner;

beforeAll(async () => {
  server = await startFreshServer();
  const { PGHOST: host, PGPORT: port, PGPASSWORD: apiKey } = connectionEnvironment(server);
  const connect = (options: object): Client => new Client({ apiKey, host, port: Number(port), ...options });
  client = connect({});
  runner = new CaseRunner(client, connect);
});

afterAll(async () => {
  await client?.close();
  await server?.[Symbol.asyncDispose]();
});

describe.each(caseFiles())('$name', (file) => {
  beforeAll(async () => {
    await runner.prepare(file);
  });

  const own = file.cases.filter(({ only = 'typescript' }) => only === 'typescript');

  it.each(own.map((one) => [one.name, one] as const))('%s', async (_, one) => {
    await runner.run(file, one);
  });
});
