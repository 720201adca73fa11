/**
 * The 22 queries of TPC-H beside PostgreSQL 18: best of three runs each, and whether both answer the same. Data
 * of the specification's shape from a fixed seed; statements from the suites beside the checkout. `--scale F`:
 * scale factor, 0.02 unless said; `--only N`: one query; `--explain`: Quern's plan of it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import postgresJs from 'postgres';
import { options } from './options.ts';
import { type Address, startPeers } from './peers.ts';

const QUERIES = 22;
const RUNS = 3;
/** Longer ones are shown as that long, with no answer. */
const TIMEOUT_MS = 20_000;
const SUITE = join(import.meta.dirname, '../../shared/data/sql/risinglight');

const scale = Number(options.scale);

const COUNTS = {
  supplier: Math.ceil(10_000 * scale),
  part: Math.ceil(200_000 * scale),
  customer: Math.ceil(150_000 * scale),
  orders: Math.ceil(1_500_000 * scale),
};

/** Marsaglia's xorshift: the same rows in every run. */
function makeRandom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % limit;
  };
}

const random = makeRandom(88_172_645);
const pick = <T>(items: readonly T[]): T => items[random(items.length)] as T;
const words = (text: string): readonly string[] => text.split(' ');
const COLORS = words(
  'almond azure beige black blue brown burlywood coral cream forest green grey ivory khaki red',
);
const NOUNS = words(
  'foxes ideas theodolites pinto-beans instructions dependencies accounts packages Customer',
);
const VERBS = words(
  'sleep wake are cajole haggle nag use boost special pending requests Complaints furiously',
);
const SEGMENTS = words('AUTOMOBILE BUILDING FURNITURE HOUSEHOLD MACHINERY');
const PRIORITIES = ['1-URGENT', '2-HIGH', '3-MEDIUM', '4-NOT SPECIFIED', '5-LOW'];
const MODES = ['REG AIR', 'AIR', 'RAIL', 'SHIP', 'TRUCK', 'MAIL', 'FOB'];
const INSTRUCTIONS = ['DELIVER IN PERSON', 'COLLECT COD', 'NONE', 'TAKE BACK RETURN'];
const TYPES = [
  words('STANDARD SMALL MEDIUM LARGE ECONOMY PROMO'),
  words('ANODIZED BURNISHED PLATED POLISHED BRUSHED'),
  words('TIN NICKEL BRASS STEEL COPPER'),
] as const;
const CONTAINERS = [words('SM MED LG JUMBO WRAP'), words('CASE BOX BAG JAR PKG PACK CAN DRUM')] as const;
const REGIONS = ['AFRICA', 'AMERICA', 'ASIA', 'EUROPE', 'MIDDLE EAST'];
const NATIONS =
  'ALGERIA.0 ARGENTINA.1 BRAZIL.1 CANADA.1 EGYPT.4 ETHIOPIA.0 FRANCE.3 GERMANY.3 INDIA.2 INDONESIA.2 IRAN.4 ' +
  'IRAQ.4 JAPAN.2 JORDAN.4 KENYA.0 MOROCCO.0 MOZAMBIQUE.0 PERU.1 CHINA.2 ROMANIA.3 SAUDI-ARABIA.4 VIETNAM.2 ' +
  'RUSSIA.3 UNITED-KINGDOM.3 UNITED-STATES.1';

const money = (from: number, to: number): string => (from + random((to - from) * 100) / 100).toFixed(2);
const comment = (count: number): string =>
  Array.from({ length: count }, (_, i) => pick(i % 2 === 0 ? NOUNS : VERBS)).join(' ');
const FIRST_DAY = Date.UTC(1992, 0, 1);
const dayText = (day: number): string => new Date(FIRST_DAY + day * 86_400_000).toISOString().slice(0, 10);
const phone = (nation: number): string =>
  `${10 + nation}-${100 + random(900)}-${100 + random(900)}-${1000 + random(9000)}`;
const supplierOf = (part: number, i: number): number =>
  1 + ((part + i * (Math.floor(COUNTS.supplier / 4) + Math.floor(part / COUNTS.supplier))) % COUNTS.supplier);

type Row = readonly (string | number)[];

function* numbered(count: number, row: (i: number) => Row): Generator<Row> {
  for (let i = 1; i <= count; i++) yield row(i);
}

function* orderRows(): Generator<{ order: Row; items: Row[] }> {
  for (let key = 1; key <= COUNTS.orders; key++) {
    const day = random(2406);
    let total = 0;
    const items = Array.from({ length: 1 + random(7) }, (_, line): Row => {
      const part = 1 + random(COUNTS.part);
      const quantity = 1 + random(50);
      const price = quantity * (900 + (part % 1000));
      const ship = day + 1 + random(121);
      const receipt = ship + 1 + random(30);
      const status = ship > 1263 ? 'O' : 'F';
      const returned = receipt <= 1263 ? pick(['R', 'A']) : 'N';
      total += price;
      const dates = [ship, day + 30 + random(61), receipt].map(dayText);
      const terms = [`0.${String(random(11)).padStart(2, '0')}`, `0.0${random(9)}`];
      const key3 = [key, part, supplierOf(part, random(4)), line + 1];
      return [
        ...key3,
        quantity,
        price,
        ...terms,
        returned,
        status,
        ...dates,
        pick(INSTRUCTIONS),
        pick(MODES),
        comment(3),
      ];
    });
    const customer = 1 + 3 * random(Math.floor(COUNTS.customer / 3)) + random(2);
    const status = day > 1263 ? 'O' : day < 1140 ? 'F' : 'P';
    const clerk = `Clerk#${String(1 + random(1000)).padStart(9, '0')}`;
    yield {
      order: [key, customer, status, total, dayText(day), pick(PRIORITIES), clerk, 0, comment(5)],
      items,
    };
  }
}

/** Rows by table, the same for both servers. */
function makeRows(): ReadonlyMap<string, readonly Row[]> {
  const orders = [...orderRows()];
  const nations = NATIONS.split(' ').map((text) => text.split('.'));
  return new Map<string, readonly Row[]>([
    ['region', REGIONS.map((name, i) => [i, name, comment(3)])],
    ['nation', nations.map(([name = '', region = ''], i) => [i, name.replace('-', ' '), region, comment(3)])],
    ['part', [...numbered(COUNTS.part, partRow)]],
    ['supplier', [...numbered(COUNTS.supplier, (i) => personRow('Supplier', i))]],
    ['partsupp', [...numbered(4 * COUNTS.part, supplyRow)]],
    ['customer', [...numbered(COUNTS.customer, (i) => personRow('Customer', i))]],
    ['orders', orders.map(({ order }) => order)],
    ['lineitem', orders.flatMap(({ items }) => items)],
  ]);
}

function partRow(i: number): Row {
  const name = Array.from({ length: 5 }, () => pick(COLORS)).join(' ');
  const [maker, brand] = [1 + random(5), 1 + random(5)];
  const type = TYPES.map((list) => pick(list)).join(' ');
  const container = CONTAINERS.map((list) => pick(list)).join(' ');
  const price = (900 + (i % 1000)).toFixed(2);
  return [
    i,
    name,
    `Manufacturer#${maker}`,
    `Brand#${maker}${brand}`,
    type,
    1 + random(50),
    container,
    price,
    comment(2),
  ];
}

function supplyRow(i: number): Row {
  const part = 1 + Math.floor((i - 1) / 4);
  return [part, supplierOf(part, (i - 1) % 4), 1 + random(9999), money(1, 1000), comment(8)];
}

function personRow(kind: 'Supplier' | 'Customer', i: number): Row {
  const nation = random(25);
  const front = [
    i,
    `${kind}#${String(i).padStart(9, '0')}`,
    comment(2),
    nation,
    phone(nation),
    money(-999, 9999),
  ];
  return kind === 'Supplier' ? [...front, comment(7)] : [...front, pick(SEGMENTS), comment(8)];
}

const read = (path: string): string => readFileSync(join(SUITE, path), 'utf8');

/** The statements of a file of the suite. */
const statementsOf = (text: string): readonly string[] =>
  [
    ...text.matchAll(
      /^(?:query \w+(?: \w+)?|statement ok)\n([\s\S]*?)(?=^----|^statement|^query|(?![\s\S]))/gm,
    ),
  ].map(([, sql = '']) => sql.replace(/--.*$/gm, '').trim());

type Client = ReturnType<typeof postgresJs>;

async function load(client: Client, rows: ReadonlyMap<string, readonly Row[]>): Promise<void> {
  for (const sql of statementsOf(read('tpch/_create.slt'))) await client.unsafe(sql);
  for (const [table, list] of rows) {
    const target = await client.unsafe(`COPY ${table} FROM STDIN`).writable();
    await pipeline(Readable.from(list.map((row) => `${row.join('\t')}\n`)), target);
  }
  await client.unsafe('ANALYZE');
}

interface Timed {
  readonly ms: number;
  /** Null when it took too long. */
  readonly answer: string | null;
}

function cancelled(error: { readonly code?: string }): null {
  if (error.code !== '57014') throw error;
  return null;
}

async function time(client: Client, statements: readonly string[]): Promise<Timed> {
  let ms = Number.POSITIVE_INFINITY;
  let answer = '';
  for (let run = 0; run < RUNS; run++) {
    const began = performance.now();
    for (const sql of statements) {
      const rows = await client.unsafe(sql).values().catch(cancelled);
      if (rows === null) return { ms: TIMEOUT_MS, answer: null };
      if (/^(select|with)/i.test(sql)) answer = JSON.stringify(rows);
    }
    ms = Math.min(ms, performance.now() - began);
  }
  return { ms, answer };
}

const clientOf = (address: Address): Client =>
  postgresJs({
    ...address,
    max: 1,
    onnotice: () => undefined,
    connection: { statement_timeout: TIMEOUT_MS },
  });

await using peers = await startPeers({ shared_buffers: '1GB' });
const quern = clientOf(peers.quern.address);
const peer = clientOf(peers.postgres.address);
try {
  const rows = makeRows();
  await load(quern, rows);
  await load(peer, rows);
  for (let number = 1; number <= QUERIES; number++) {
    if (options.only !== undefined && Number(options.only) !== number) continue;
    const statements = statementsOf(read(`tpch-full/_q${number}.slt`));
    if (options.explain) {
      const lines = await quern
        .unsafe(`EXPLAIN ANALYZE ${statements.find((sql) => /^(select|with)/i.test(sql))}`)
        .values();
      process.stdout.write(`${lines.join('\n')}\n`);
    }
    const own = await time(quern, statements);
    const theirs = await time(peer, statements);
    const same = own.answer === theirs.answer || theirs.answer === null ? '' : '  ANSWERS DIFFER';
    const shown = [own.ms, theirs.ms].map((ms) => ms.toFixed(1).padStart(9)).join('');
    process.stdout.write(
      `q${String(number).padStart(2)}${shown} ms  ${(own.ms / theirs.ms).toFixed(2)}${same}\n`,
    );
  }
} finally {
  await Promise.allSettled([quern.end(), peer.end()]);
}
