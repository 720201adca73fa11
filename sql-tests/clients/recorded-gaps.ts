/**
 * Gaps of the recordings. MISSING shrinks as features come: statements that end in an error of
 * ours, answers that differ from PostgreSQL's. DEVIATIONS stay, each for the reason given. Numbers are those of
 * messages in ../shared/clients/*.sql; `schema` is schema.sql by line.
 */
export interface Gap {
  readonly feature: string;
  readonly statements?: Readonly<Record<string, readonly number[]>>;
  readonly answers?: Readonly<Record<string, readonly number[]>>;
}

/** Numbers of a client's messages in a list. */
export function listed(gaps: readonly Gap[], client: string, what: 'statements' | 'answers'): Set<number> {
  return new Set(gaps.flatMap((gap) => gap[what]?.[client] ?? []));
}

export const MISSING: readonly Gap[] = [];

export const DEVIATIONS: readonly Gap[] = [
  {
    feature: "PostgreSQL 16 and later leave the table's name out of a view of one table",
    answers: {
      drizzle: [20],
      pg_dump: [73],
      psql: [36, 91],
      sqlalchemy_psycopg2: [38],
    },
  },
  {
    feature: "OIDs of pgvector's access methods and operator classes are the system's",
    answers: {
      pandas: [21],
      sqlalchemy_psycopg2: [23, 48, 57],
    },
  },
  {
    feature: 'a row of a table used as a value is a record, tables have no row types',
    statements: {
      go_pgx: [14],
    },
    answers: {
      asyncpg: [7],
      rust_sqlx: [5],
      rust_tokio_postgres: [5],
    },
  },
  {
    feature: 'a different set of keywords, settings, functions',
    answers: {
      bi_dbeaver: [5],
      pgjdbc: [2],
      psql_tab: [21, 22],
    },
  },
  {
    feature: "Quern's own roles, databases and tablespaces: one role, one database",
    answers: {
      bi_dbeaver: [9],
      bi_superset: [10],
      drizzle: [5],
      pg_dump: [14, 17],
      pgcli: [9],
      pgjdbc: [7],
      psql: [61, 62, 63, 64, 72],
      psql_tab: [14],
    },
  },
  {
    feature: "the server's version, process id, costs and sizes are its own",
    answers: {
      bi_grafana: [1],
      bi_superset: [9, 11],
      psql: [47, 51, 115],
    },
  },
  {
    feature: 'Quern has a schema of its own, and no pg_toast',
    answers: {
      bi_grafana: [3, 4],
      bi_metabase: [10],
      bi_powerbi: [1],
      drizzle: [2],
      kysely: [2],
      pgcli: [4],
      pgjdbc: [5],
      psql: [56, 57],
      psql_tab: [13, 18],
      sqlalchemy_psycopg2: [8],
    },
  },
  {
    feature: "the test's clock stands at 2024-09-18",
    answers: {
      node_pg: [2],
      pgjdbc: [56],
    },
  },
  {
    feature: 'no domains of information_schema',
    answers: {
      pandas: [15],
      sqlalchemy_psycopg2: [17],
    },
  },
  {
    feature: 'Quern has more vector types and its own access methods',
    answers: {
      pandas: [22],
      pg_dump: [27],
      pgcli: [8],
      psql: [65, 66],
      sqlalchemy_asyncpg: [25],
      sqlalchemy_psycopg2: [24],
      sqlalchemy_psycopg3: [25],
    },
  },
  {
    feature: 'no text search configurations, no languages, no extension plpgsql',
    answers: {
      pg_dump: [15, 24, 31, 32, 33],
      psql: [67, 80, 81],
    },
  },
  {
    feature:
      'the types and operators of pgvector are built in: they belong to no extension and no schema of users',
    answers: {
      pg_dump: [25],
      psql: [82],
    },
  },
  {
    feature: "PostgreSQL 17 and 18 have this field's type",
    answers: {
      pg_dump: [44, 48, 49, 57, 81, 82],
      psql: [9, 15, 24, 30],
    },
  },
  {
    feature: 'no large objects',
    answers: {
      pg_dump: [61],
    },
  },
  {
    feature: 'other settings differ from their defaults',
    answers: {
      psql: [87],
    },
  },
  {
    feature: 'type money',
    answers: {
      psql_tab: [20],
    },
  },
];

/** Sent each once, in order, these are refused by PostgreSQL too: a BEGIN before them was sent long ago. */
export const REFUSED: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  asyncpg: { 24: '25006' },
  psql: { 110: '25P01', 111: '25P01', 113: '25P01' },
  sqlalchemy_asyncpg: { 62: '25P01', 64: '25P01' },
  sqlalchemy_psycopg2: { 74: '25P01', 76: '25P01' },
  sqlalchemy_psycopg3: { 63: '25P01', 65: '25P01' },
};
