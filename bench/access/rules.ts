/** Costs of row rules: the same query of the same role with a policy, without one, and with its condition written out. */
import type pg from 'pg';
import { prepared } from '../peers.ts';
import { median, report } from '../statistics.ts';
import { comparePairs, spent } from './pairs.ts';
import { type Served, TABLES, TENANTS } from './served.ts';

type Table = keyof typeof TABLES;

interface Kind {
  readonly name: string;
  readonly queries: number;
  /** @param where a condition, or nothing. */
  readonly text: (table: Table, where: string) => string;
  readonly values: (n: number, served: Served) => readonly unknown[];
}

const both = (condition: string, where: string): string =>
  where === '' ? condition : `${condition} AND ${where}`;

const question = (n: number, { questions }: Served): readonly unknown[] => [questions[n % questions.length]];

const KINDS: readonly Kind[] = [
  {
    name: 'keyword',
    queries: 40,
    text: (table, where) => `SELECT id FROM ${table} WHERE ${both('matches($1, body)', where)}
      ORDER BY bm25_score() DESC LIMIT 10`,
    values: question,
  },
  {
    name: 'vector',
    queries: 40,
    text: (table, where) => `SELECT id FROM ${table} ${where && `WHERE ${where}`} ORDER BY v <=> $1 LIMIT 10`,
    values: (n, { vectors }) => [vectors[n % vectors.length]],
  },
  {
    name: 'semantic',
    queries: 20,
    text: (table, where) =>
      `SELECT id FROM ${table} ${where && `WHERE ${where}`} ORDER BY semantic_similarity(body, $1) DESC LIMIT 10`,
    values: question,
  },
  {
    name: 'hybrid',
    queries: 10,
    text: (table, where) => `SELECT id FROM hybrid('${table}', $1, k => 10) ${where && `WHERE ${where}`}`,
    values: question,
  },
  {
    name: 'filtered count',
    queries: 20,
    text: (table, where) => `SELECT count(*) FROM ${table} WHERE ${both('id > $1', where)}`,
    values: (n) => [n % 1000],
  },
  {
    name: 'point query',
    queries: 200,
    text: (table, where) => `SELECT body FROM ${table} WHERE ${both('id = $1', where)}`,
    values: (n, { rows }) => [1 + TENANTS * Math.floor(((n * 7919) % rows) / TENANTS)],
  },
];

const way = (served: Served, client: pg.Client, kind: Kind, table: Table, where = '') => ({
  client,
  process: served.processId,
  query: (n: number) => prepared(kind.text(table, where), kind.values(n, served)),
});

export async function rules(served: Served): Promise<void> {
  const { plain, keyed, postgres, postgresProcess } = served;
  for (const kind of KINDS) {
    const { queries } = kind;
    for (const [table, client] of [
      ['by_setting', plain],
      ['by_key', keyed],
    ] as const) {
      const bare = way(served, client, kind, 'open_docs');
      const ruled = way(served, client, kind, table);
      await comparePairs(`${kind.name}, ${table} / no policy`, [bare, ruled], { bar: '<= 1.1', queries });
      const condition = TABLES[table];
      const written = way(served, client, kind, 'open_docs', condition);
      await comparePairs(`${kind.name}, ${table} / WHERE`, [written, ruled], { bar: '<= 1.1', queries });
    }
    const listed = way(served, plain, kind, 'by_list');
    const bare = way(served, plain, kind, 'open_docs');
    await comparePairs(`${kind.name}, list of readers / no policy`, [bare, listed], {
      bar: 'printed',
      queries,
    });
    if (kind.name !== 'point query') continue;
    for (const table of ['by_setting', 'by_list'] as const) {
      const ours = way(served, plain, kind, table);
      const theirs = { ...ours, client: postgres, process: postgresProcess };
      await comparePairs(`${kind.name}, ${table}, Quern / PostgreSQL`, [theirs, ours], {
        bar: 'printed',
        queries,
      });
    }
  }
  for (const kind of KINDS) await cold(served, kind);
  await tenants(served);
}

/** The first query of a session, and the first after a write, beside those that follow. */
async function cold(served: Served, kind: Kind): Promise<void> {
  const { peers, owner, processId } = served;
  for (const table of ['open_docs', 'by_setting', 'by_list'] as const) {
    const times: Record<'session' | 'write' | 'later', number[]> = { session: [], write: [], later: [] };
    for (let round = 0; round < 7; round++) {
      const client = await peers.quern.connect();
      await client.query("SET ROLE plain; SET app.tenant = 't1'");
      const { query } = way(served, client, kind, table);
      const asked = async (into: number[], n: number): Promise<void> => {
        const before = spent(processId);
        await client.query(query(n));
        into.push(spent(processId) - before);
      };
      await asked(times.session, round);
      for (let n = 0; n < 5; n++) await client.query(query(n));
      await asked(times.later, round + 1);
      await owner.query(`UPDATE ${table} SET tenant = tenant WHERE id = ${1 + round}`);
      await asked(times.write, round);
      await client.end();
    }
    report(
      `${kind.name}, ${table}, first of a session / later`,
      median(times.session) / median(times.later),
      {
        bar: 'printed',
        first: `${median(times.session).toFixed(0)} µs`,
        'after a write': `${median(times.write).toFixed(0)} µs`,
        later: `${median(times.later).toFixed(0)} µs`,
      },
    );
  }
}

/** 1,000 tenants, each asking in turn: what is kept of each is found again, or made anew. */
async function tenants(served: Served): Promise<void> {
  const { owner, plain, processId, rows } = served;
  await owner.query("UPDATE by_setting SET tenant = 't' || id % 1000");
  await owner.query('VACUUM FULL by_setting');
  for (const kind of KINDS) {
    const rounds: number[] = [];
    for (let round = 0; round < 3; round++) {
      const before = spent(processId);
      for (let tenant = 0; tenant < 1000; tenant++) {
        await plain.query(`SELECT set_config('app.tenant', 't${tenant}', false)`);
        await plain.query(way(served, plain, kind, 'by_setting').query(tenant));
      }
      rounds.push((spent(processId) - before) / 1000);
    }
    const [first = 0, ...later] = rounds;
    report(`${kind.name}, 1,000 tenants in turn, first round / later`, first / median(later), {
      bar: 'printed',
      rows: String(rows),
      first: `${first.toFixed(0)} µs`,
      later: `${median(later).toFixed(0)} µs`,
    });
  }
  await owner.query(`UPDATE by_setting SET tenant = 't' || id % ${TENANTS}`);
  const { rows: masks } = await owner.query("SELECT bytes, entries FROM quern.cache WHERE kind = 'mask'");
  process.stdout.write(`(masks kept: ${JSON.stringify(masks)})\n`);
}
