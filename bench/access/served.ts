/**
 * Tables that the measurements ask: the texts of npl with the vectors of GloVe, in tables with and without a policy, and in
 * PostgreSQL the same, for point queries.
 */
import type pg from 'pg';
import { type Peer, type Peers, startPeers } from '../peers.ts';
import { realVectors, vectorOf } from '../retrieval/vectors.ts';
import { readSet } from '../retrieval/sets.ts';

const BATCH = 500;
export const TENANTS = 10;

/** Tables with the same rows, and the policy of each. */
export const TABLES = {
  open_docs: null,
  by_setting: "tenant = current_setting('app.tenant')",
  by_key: "tenant = quern.key_attribute('tenant')",
  by_list: 'id IN (SELECT doc FROM acl WHERE reader = current_user)',
} as const;

export interface Served {
  readonly peers: Peers;
  readonly processId: number;
  readonly rows: number;
  readonly questions: readonly string[];
  readonly vectors: readonly string[];
  /** A superuser of Quern. */
  readonly owner: pg.Client;
  /** Acts as role `plain`, which has grants, with `app.tenant` set. */
  readonly plain: pg.Client;
  /** A key's session, whose attribute is the tenant. */
  readonly keyed: pg.Client;
  /** PostgreSQL's, and its process. */
  readonly postgres: pg.Client;
  readonly postgresProcess: number;
}

const tenantOf = (id: number): string => `t${id % TENANTS}`;

export async function serve(count: number): Promise<Served> {
  const peers = await startPeers({ shared_buffers: '512MB' });
  const set = realVectors('glove-twitter-25', 200);
  const { documents, queries } = readSet('npl');
  const rows = Math.min(count, documents.length, set.base.length / set.dimension);
  const vector = (of: Float32Array, n: number): string => `[${[...vectorOf(of, set.dimension, n)].join()}]`;
  const values = Array.from({ length: rows }, (_, i) => ({
    id: i + 1,
    tenant: tenantOf(i + 1),
    body: documents[i]?.text ?? '',
    v: vector(set.base, i),
  }));
  for (const peer of [peers.quern, peers.postgres]) await fill(peer, values);
  const attributes = JSON.stringify({ tenant: 't1' });
  const made = await peers.quern.client.query(
    `CREATE API KEY tenant1 WITH (role = plain, attributes = '${attributes}')`,
  );
  const plain = await peers.quern.connect();
  const postgres = await peers.postgres.connect();
  for (const client of [plain, postgres]) await client.query("SET ROLE plain; SET app.tenant = 't1'");
  const keyed = await signIn(peers, made.rows[0].key);
  const [{ pid = 0 } = {}] = (await postgres.query('SELECT pg_backend_pid() AS pid')).rows;
  return {
    peers,
    rows,
    owner: peers.quern.client,
    plain,
    keyed,
    postgres,
    postgresProcess: pid,
    processId: peers.server.process.pid as number,
    questions: queries.map(({ text }) => text),
    vectors: Array.from({ length: 200 }, (_, n) => vector(set.queries, n)),
  };
}

async function signIn({ quern }: Peers, password: string): Promise<pg.Client> {
  const {
    default: { Client },
  } = await import('pg');
  const client = new Client({ ...quern.address, user: 'tenant1', password });
  await client.connect();
  return client;
}

interface Values {
  readonly id: number;
  readonly tenant: string;
  readonly body: string;
  readonly v: string;
}

async function fill({ name, client }: Peer, values: readonly Values[]): Promise<void> {
  const isQuern = name === 'quern';
  await client.query(`${isQuern ? '' : 'CREATE EXTENSION IF NOT EXISTS vector;'}
    CREATE ROLE plain; CREATE TABLE acl (reader text, doc int, PRIMARY KEY (reader, doc));
    GRANT SELECT ON acl TO plain;
    INSERT INTO acl SELECT 'plain', i FROM generate_series(1, ${values.length}) i WHERE i % ${TENANTS} = 1`);
  for (const [table, using] of Object.entries(TABLES)) {
    if (!isQuern && using?.includes('quern.')) continue;
    await client.query(`CREATE TABLE ${table} (id int PRIMARY KEY, tenant text, body text, v vector(25));
      GRANT SELECT ON ${table} TO plain`);
    if (isQuern) {
      await client.query(`CREATE INDEX ON ${table} USING keyword (body);
        CREATE INDEX ON ${table} USING vector (v);
        CREATE INDEX ON ${table} USING semantic (body) WITH (model = 'hash')`);
    }
    for (let start = 0; start < values.length; start += BATCH) {
      const some = values.slice(start, start + BATCH);
      await client.query(
        `INSERT INTO ${table} SELECT id, tenant, body, v::vector
           FROM unnest($1::int[], $2::text[], $3::text[], $4::text[]) AS given (id, tenant, body, v)`,
        (['id', 'tenant', 'body', 'v'] as const).map((column) => some.map((row) => row[column])),
      );
    }
    if (using === null) continue;
    await client.query(`ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
      CREATE POLICY rule ON ${table} USING (${using})`);
  }
  await client.query(isQuern ? 'VACUUM FULL' : 'VACUUM ANALYZE');
}
