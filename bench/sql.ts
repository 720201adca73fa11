/**
 * The bars of plain SQL, each beside PostgreSQL 18 in one run: ratios of rates (Quern / PostgreSQL), one
 * client unless it says otherwise, medians over alternating rounds after a warm-up. `--quick`: a tenth of
 * the rows; `--only NAME`: the measurements whose name contains it.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import postgresJs from 'postgres';
import { options } from './options.ts';
import { type Peer, startPeers } from './peers.ts';
import { median, report } from './statistics.ts';

const { quick, only = '' } = options;
const SALES = quick ? 100_000 : 1_000_000;
const CUSTOMERS = quick ? 10_000 : 100_000;
const WIDE_ROWS = quick ? 10_000 : 100_000;
const ROUNDS = 7;
const WARM_QUERIES = 20_000;
const CLIENTS = 16;

/** Seconds one round takes; `units` are what it does. */
interface Measurement {
  readonly name: string;
  readonly bar: string;
  readonly unit: string;
  readonly units: number;
  readonly warmUps: number;
  readonly round: (peer: Peer, round: number) => Promise<void>;
}

const TABLES = [
  'CREATE TABLE customers (id int PRIMARY KEY, name text, country text, credit double precision)',
  `CREATE TABLE sales (id int PRIMARY KEY, customer int, day date, region text, quantity int,
    price double precision, note text)`,
  'CREATE TABLE accounts (id int PRIMARY KEY, balance bigint, owner text)',
];
const ROWS = [
  `INSERT INTO customers SELECT i, 'customer ' || i, 'country ' || i % 50, i % 977
     FROM generate_series(1, ${CUSTOMERS}) i`,
  `INSERT INTO accounts SELECT i, i % 1000, 'owner ' || i FROM generate_series(1, ${WIDE_ROWS}) i`,
];
/** Rows of sales that one statement loads. */
const LOAD_ROWS = 50_000;

const salesRows = (from: number, to: number): string => `INSERT INTO sales
  SELECT i, 1 + (i * 7919::bigint % ${CUSTOMERS})::int, date '2020-01-01' + i % 1000, 'region ' || i % 20, i % 13,
    (i % 10007) / 8.0, 'note about sale ' || i FROM generate_series(${from}, ${to}) i`;

const GROUP_BY = `SELECT region, count(*), sum(quantity), avg(price), min(day), max(price) FROM sales
  WHERE quantity > 3 AND price < 1000 GROUP BY region ORDER BY region`;
const JOIN = `SELECT c.country, count(*), sum(s.quantity * s.price) FROM sales s
  JOIN customers c ON c.id = s.customer WHERE c.credit < 900 GROUP BY c.country ORDER BY 1`;
const WIDE = `SELECT id, customer, day, region, quantity, price, note FROM sales WHERE id <= ${WIDE_ROWS}`;

const MEASUREMENTS: readonly Measurement[] = [
  {
    name: 'select 1',
    bar: '>= 1.2',
    unit: 'queries',
    units: 4_000,
    warmUps: Math.ceil(WARM_QUERIES / 4_000),
    round: async ({ client }) => {
      for (let i = 0; i < 4_000; i++) await client.query('select 1');
    },
  },
  {
    name: 'point query by key',
    bar: '>= 0.8',
    unit: 'queries',
    units: 4_000,
    warmUps: Math.ceil(WARM_QUERIES / 4_000),
    round: async ({ client }, round) => {
      const query = { name: 'point', text: 'SELECT id, balance, owner FROM accounts WHERE id = $1' };
      for (let i = 0; i < 4_000; i++) {
        await client.query({ ...query, values: [1 + ((i * 7919 + round) % WIDE_ROWS)] });
      }
    },
  },
  rows('filter and group by', { bar: '>= 2.0', sql: GROUP_BY, units: SALES, expected: 20 }),
  rows('join', { bar: '>= 0.7', sql: JOIN, units: SALES, expected: 50 }),
  rows('100,000-row result', { bar: '>= 1.0', sql: WIDE, units: WIDE_ROWS, expected: WIDE_ROWS }),
  {
    name: 'COPY in',
    bar: '>= 0.7',
    unit: 'rows',
    units: WIDE_ROWS,
    warmUps: 2,
    round: copyIn,
  },
  {
    name: '16 clients mixed',
    bar: '>= 1.0',
    unit: 'queries',
    units: CLIENTS * 200,
    warmUps: 5,
    round: mixed,
  },
];

function rows(
  name: string,
  { bar, sql, units, expected }: { bar: string; sql: string; units: number; expected: number },
): Measurement {
  const round = async ({ name: peer, client }: Peer): Promise<void> => {
    const { rows: found } = await client.query({ text: sql, rowMode: 'array' });
    if (found.length !== expected) throw new Error(`${peer} answers ${found.length} rows for ${name}`);
  };
  return { name, bar, unit: 'rows', units, warmUps: 3, round };
}

const COPY_LINES = Array.from({ length: WIDE_ROWS }, (_, i) => {
  return `${i}\t${i % 1000}\t2024-01-${String(1 + (i % 28)).padStart(2, '0')}\ttext of row ${i}\t${i / 8}\n`;
});

/** A table without a key, emptied before every round. */
async function copyIn({ address, client }: Peer): Promise<void> {
  await client.query('CREATE TABLE IF NOT EXISTS copied (id int, n int, day date, note text, price float8)');
  await client.query('TRUNCATE copied');
  const sql = postgresJs({ ...address, max: 1, onnotice: () => undefined });
  const target = await sql`COPY copied FROM STDIN`.writable();
  const chunks = Array.from({ length: Math.ceil(WIDE_ROWS / 500) }, (_, i) => {
    return COPY_LINES.slice(500 * i, 500 * (i + 1)).join('');
  });
  await pipeline(Readable.from(chunks), target);
  await sql.end();
}

const pools = new Map<string, pg.Client[]>();

/** Runs ten statements: seven read a row, two write one, and one adds up a thousand. */
async function mixed(peer: Peer, round: number): Promise<void> {
  let pool = pools.get(peer.name);
  if (pool === undefined) {
    pool = await Promise.all(Array.from({ length: CLIENTS }, peer.connect));
    pools.set(peer.name, pool);
  }
  await Promise.all(
    pool.map(async (client, number) => {
      for (let i = 0; i < 200; i++) {
        const id = 1 + ((i * 7919 + number * 104_729 + round) % WIDE_ROWS);
        if (i % 10 < 7) {
          const text = 'SELECT id, balance, owner FROM accounts WHERE id = $1';
          await client.query({ name: 'read', text, values: [id] });
        } else if (i % 10 < 9) {
          const text = 'UPDATE accounts SET balance = balance + 1 WHERE id = $1';
          await client.query({ name: 'write', text, values: [id] });
        } else {
          const text = 'SELECT count(*), sum(credit) FROM customers WHERE id BETWEEN $1 AND $1 + 1000';
          await client.query({ name: 'sum', text, values: [id % (CUSTOMERS - 1_000)] });
        }
      }
    }),
  );
}

async function load({ name, client }: Peer): Promise<void> {
  const began = performance.now();
  for (const sql of [...TABLES, ...ROWS]) await client.query(sql);
  for (let from = 1; from <= SALES; from += LOAD_ROWS)
    await client.query(salesRows(from, Math.min(SALES, from + LOAD_ROWS - 1)));
  await client.query('ANALYZE');
  process.stdout.write(`(${name} loaded in ${((performance.now() - began) / 1000).toFixed(1)} s)\n`);
}

async function measure(measurement: Measurement, both: readonly Peer[]): Promise<void> {
  const { name, bar, unit, units, warmUps, round } = measurement;
  for (let i = 0; i < warmUps; i++) for (const peer of both) await round(peer, i);
  const seconds = new Map(both.map((peer) => [peer.name, [] as number[]]));
  for (let i = 0; i < ROUNDS; i++) {
    for (const peer of i % 2 === 0 ? both : both.toReversed()) {
      const began = performance.now();
      await round(peer, warmUps + i);
      seconds.get(peer.name)?.push((performance.now() - began) / 1000);
    }
  }
  const rates = both.map((peer) => units / median(seconds.get(peer.name) ?? []));
  const [quern = 0, postgres = 0] = rates;
  const shown = (rate: number): string => `${Math.round(rate).toLocaleString('en')} ${unit}/s`;
  report(name, quern / postgres, { bar, quern: shown(quern), postgres: shown(postgres) });
}

await using peers = await startPeers({ shared_buffers: '1GB', max_connections: '100' });
const both = [peers.quern, peers.postgres];
try {
  for (const peer of both) await load(peer);
  for (const measurement of MEASUREMENTS)
    if (measurement.name.includes(only)) await measure(measurement, both);
} finally {
  await Promise.allSettled([...pools.values()].flat().map((client) => client.end()));
}
