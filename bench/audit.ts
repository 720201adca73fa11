/**
 * What the audit costs: two servers, one that writes it (and a log outside), one that does not, in turns. Sign-ins by a key,
 * CREATE and DROP TABLE, questions of a dataset; beside them statements that it has nothing to tell of. `--quick`: fewer.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type ServerProcess, startServer } from '../scripts/server-process.ts';
import { comparePairs, type Way } from './access/pairs.ts';
import { options } from './options.ts';

const { quick } = options;
const FILE = join(import.meta.dirname, '../samples/documents/borrowing-for-graduate-school.pdf');
const QUESTIONS = ['How much do graduate students borrow?', 'What is a Grad PLUS loan?'];
const BAR = { bar: '<= 1.03', rounds: quick ? 6 : 20 } as const;

interface Served {
  readonly server: ServerProcess;
  readonly client: pg.Client;
}

const connect = async ({ host, port, key }: ServerProcess): Promise<pg.Client> => {
  const client = new pg.Client({ host, port, user: 'quern', database: 'quern', password: key });
  await client.connect();
  return client;
};

async function serve(folder: string, flags: readonly string[]): Promise<Served> {
  const server = await startServer({ data: folder, flags: ['--no-console', ...flags] });
  const client = await connect(server);
  await client.query('CREATE DATASET files; CREATE TABLE one (a int); INSERT INTO one VALUES (1)');
  const [{ handle }] = (
    await client.query(`SELECT quern.upsert_file('files', 'loans', 'loans.pdf', $1) AS handle`, [readFileSync(FILE)])
  ).rows;
  await client.query('SELECT quern.wait_for_handle($1, 600)', [handle]);
  return { server, client };
}

interface Kind {
  readonly name: string;
  readonly queries: number;
  run(served: Served, n: number): Promise<unknown>;
}

const KINDS: readonly Kind[] = [
  {
    name: 'sign-in',
    queries: quick ? 20 : 50,
    run: async ({ server }) => (await connect(server)).end(),
  },
  {
    name: 'CREATE and DROP TABLE',
    queries: quick ? 10 : 30,
    run: ({ client }, n) => client.query(`CREATE TABLE t${n} (id int PRIMARY KEY, a text); DROP TABLE t${n}`),
  },
  {
    name: 'ask',
    queries: quick ? 5 : 10,
    run: ({ client }, n) =>
      client.query(`SELECT * FROM ask($1, ARRAY['files'])`, [QUESTIONS[n % QUESTIONS.length]]),
  },
  { name: 'select 1', queries: 500, run: ({ client }) => client.query('SELECT 1') },
  {
    name: 'INSERT',
    queries: 200,
    run: ({ client }, n) => client.query(`INSERT INTO one VALUES (${n})`),
  },
];

const way = (served: Served, kind: Kind): Way => ({
  process: served.server.process.pid ?? 0,
  client: { query: (n) => kind.run(served, Number(n)) },
  query: String,
});

const folder = mkdtempSync(join(tmpdir(), 'quern-bench-audit-'));
const off = await serve(join(folder, 'off'), ['--audit', 'off']);
const on = await serve(join(folder, 'on'), ['--audit-log', join(folder, 'audit.log')]);
for (const kind of KINDS) {
  await comparePairs(`${kind.name}, audit / none`, [way(off, kind), way(on, kind)], {
    ...BAR,
    queries: kind.queries,
  });
}
for (const { server, client } of [off, on]) {
  await client.end();
  await server.stop();
}
rmSync(folder, { recursive: true });
