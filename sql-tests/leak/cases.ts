/** Statements of somebody who wants to know what they may not see: every surface, words and keys of the hidden and the seen. */
import { SYSTEM_RELATIONS } from '../../src/catalog/system/registry.ts';
import { allAggregates, allFunctions, allSetFunctions } from '../../src/functions/registry.ts';
import { seededRandom } from '../../src/seeded-random.ts';
import { QUERIES, STATEMENTS } from './statements.ts';
import { HIDDEN_WORDS, type Reader, SEEN_WORDS } from './world.ts';

export interface Case {
  /** Who sends it. */
  readonly as: keyof Reader;
  /** Part of the server that it asks. */
  readonly surface: string;
  readonly sql: string;
  /** Its rows come in no order that it asks for. */
  readonly asSet: boolean;
}

const READERS: readonly (keyof Reader)[] = [
  'policies',
  'limits',
  'policies',
  'partition',
  'policies',
  'grants',
];

/** Values by type: names of what is seen, and what is not. */
const SAMPLES: Readonly<Record<string, readonly string[]>> = {
  text: [
    "'notes'",
    "'docs'",
    "'vault'",
    "'shelf$other_a'",
    "'filings'",
    "'memos'",
    "'salary'",
    "'other'",
    "'quern'",
    "'walrus harbour'",
    "'SELECT'",
    "'vault_id_seq'",
  ],
  name: ["'other'", "'quern'", "'filings'", "'notes'"],
  _text: ["ARRAY['filings']", "ARRAY['doc-0', 'zeppelin']"],
  regclass: ["'notes'::regclass", "'vault'::regclass", "'notes_v'::regclass", "'vault_id_seq'::regclass"],
  oid: ["'vault'::regclass::oid", "'notes'::regclass::oid", '10', '16384'],
  int2: ['1', '2', '10'],
  int4: ['1', '3', '7'],
  int8: ['1', '3', '1000'],
  numeric: ['1.5', '1000'],
  float4: ['1.5'],
  float8: ['0.5', '1000'],
  bool: ['true', 'false'],
  uuid: ['(SELECT min(answer_id::text)::uuid FROM quern.answers)', "'00000000-0000-0000-0000-000000000000'"],
  json: [`'{"_id": "doc-1", "tenant": "acme"}'::json`],
  jsonb: [`'[{"_id": "doc-1", "tenant": "acme"}]'::jsonb`, `'["filings"]'::jsonb`],
  bytea: ["'x'::bytea"],
  date: ["'2026-01-05'::date"],
  timestamp: ["'2026-01-05'::timestamp"],
  timestamptz: ["'2026-01-05'::timestamptz"],
  interval: ["'1 day'::interval"],
  vector: ["'[1,2,3,4]'::vector"],
};

/** Columns of `notes` by type. */
const COLUMNS: Readonly<Record<string, string>> = {
  text: 'body',
  int4: 'n',
  int8: 'n::int8',
  numeric: 'price',
  float8: 'n::float8',
  timestamp: 'at',
  date: 'at::date',
  _text: 'tags',
  jsonb: 'data',
  vector: 'v',
  any: 'body',
  anyelement: 'body',
  anyarray: 'tags',
  anycompatible: 'body',
  anynonarray: 'body',
};

/** They say what is nobody's secret and differs from call to call, or end the session. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'pg_sleep',
  'pg_sleep_for',
  'pg_sleep_until',
  'generate_series',
]);

type Random = (below: number) => number;
type Maker = (random: Random) => Pick<Case, 'sql' | 'asSet'>;

const pick = <T>(random: Random, all: readonly T[]): T => all[random(all.length)] as T;

const WORDS = [...SEEN_WORDS, ...HIDDEN_WORDS.a, ...HIDDEN_WORDS.b];

/** One letter changed. */
function typo(random: Random): string {
  const word = pick(random, WORDS);
  const at = 1 + random(word.length - 1);
  return `${word.slice(0, at)}${'aeiorst'[random(7)]}${word.slice(at + random(2))}`;
}

const SLOTS: readonly (readonly [RegExp, (random: Random) => string])[] = [
  [/\bQUERY\b/g, (random) => pick(random, QUERIES)],
  [/\bWORD2?\b/g, (random) => pick(random, WORDS)],
  [/\bTYPO\b/g, typo],
  [/\bPREFIX\b/g, (random) => pick(random, WORDS).slice(0, 2 + random(4))],
  [/\bKEY\b/g, (random) => String(pick(random, [random(60), 10_000 + random(200)]))],
  [/\bLIMITED\b/g, (random) => String(1 + random(12))],
  [/\bN\b/g, (random) => String(pick(random, [random(50), 1_000 + random(100_000)]))],
  [/\bVECTOR\b/g, (random) => `[${[0, 1, 2, 3].map(() => random(200) - 100).join(',')}]`],
  [/\bTHE_SET\b/g, (random) => pick(random, ['filings', 'filings', 'papers'])],
  [
    /\bDOC\b/g,
    (random) =>
      pick(random, ['acme-2023', 'acme-table', 'acme-2024', 'quasar', 'acme-2021', 'walrus', 'ferret']),
  ],
  [
    /\bQUESTION\b/g,
    (random) =>
      pick(random, [
        'What was the revenue of Acme in 2023?',
        'What was the revenue of Acme in 2024?',
        'What was the revenue of Acme in 2021?',
        'What drove the margin?',
        'What do ferrets do?',
        'Which items cost most?',
        'What were the harbinger fees?',
        'How much did margarine cost?',
        'Who guides ferries?',
      ]),
  ],
];

const filled = (random: Random, text: string): string =>
  SLOTS.reduce((all, [slot, value]) => all.replace(slot, () => value(random)), text);

const isOrdered = (sql: string): boolean =>
  /ORDER BY|DECLARE|suggest\(|hybrid\(|more_like\(|facets\(|search\(|ask\(/.test(sql);

const filledIn =
  (template: string): Maker =>
  (random) => {
    const sql = filled(random, template);
    return { sql, asSet: !isOrdered(sql) };
  };

interface Row {
  readonly name: string;
  readonly args: readonly string[];
}

const sample = (random: Random, type: string): string => {
  const plain = type.replace(/^\.\.\./, '');
  const samples = SAMPLES[plain];
  if (samples !== undefined) return `${pick(random, samples)}::${plain}`;
  return plain.startsWith('any') ? pick(random, ["'notes'::text", '7', "ARRAY['a']"]) : 'NULL';
};

/** A call with values, or over the columns of a relation of which not all rows are seen. */
function call(random: Random, { name, args }: Row, overColumns: boolean): string {
  const value = (type: string): string =>
    (overColumns ? COLUMNS[type.replace(/^\.\.\./, '')] : undefined) ?? sample(random, type);
  return `${name}(${args.map(value).join(', ')})`;
}

const scalarCall =
  (row: Row): Maker =>
  (random) => {
    const over = random(3) === 0;
    const sql = over
      ? `SELECT id, ${call(random, row, true)} FROM notes ORDER BY id`
      : `SELECT ${call(random, row, false)}`;
    return { sql, asSet: false };
  };

const setCall =
  (row: Row): Maker =>
  (random) => ({ sql: `SELECT * FROM ${call(random, row, false)}`, asSet: true });

const aggregateCall =
  (row: Row): Maker =>
  (random) => ({
    sql: `SELECT ${call(random, row, true).replace(/\)$/, ' ORDER BY id)')} FROM notes`,
    asSet: false,
  });

const systemRelation =
  (name: string): Maker =>
  () => ({ sql: `SELECT * FROM ${name}`, asSet: true });

const callable = (rows: readonly Row[]): Row[] =>
  rows.filter(({ name }) => !LEFT_OUT.has(name) && /^[\w.]+$/.test(name));

/** Surfaces, with all that there is of each; every round of the generator takes one of one surface. */
const SURFACES: Readonly<Record<string, readonly Maker[]>> = {
  query: QUERIES.map(filledIn),
  statement: Object.values(STATEMENTS).flat().map(filledIn),
  function: callable(allFunctions()).map(scalarCall),
  'set function': callable(allSetFunctions()).map(setCall),
  aggregate: callable(allAggregates()).map(aggregateCall),
  'system relation': SYSTEM_RELATIONS.map(({ schema, name }) => systemRelation(`${schema}.${name}`)),
};

/** Cases of each surface in turns: all that a surface has, from an offset by the seed on, then again with other values. */
export function cases(seed: number, count: number): Case[] {
  const next = seededRandom(seed);
  const random: Random = (below) => Math.floor(next() * below);
  const surfaces = Object.entries(SURFACES).map(([surface, makers]) => ({
    surface,
    makers,
    from: random(makers.length),
  }));
  return Array.from({ length: count }, (_, i) => {
    const { surface, makers, from } = surfaces[i % surfaces.length] as (typeof surfaces)[number];
    const turn = Math.floor(i / surfaces.length);
    const make = makers[(from + Math.floor(turn / READERS.length)) % makers.length] as Maker;
    return { as: READERS[turn % READERS.length] as keyof Reader, surface, ...make(random) };
  });
}
