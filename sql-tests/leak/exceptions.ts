/** Differences between two servers that tell nothing of what is hidden, or tell it as PostgreSQL does. */

/** Values of columns that are not compared. */
export const COLUMN_EXCEPTIONS: Readonly<Record<string, string>> = {
  pid: 'numbers of sessions since the start',
  bytes: 'sizes, also of what is one’s own, follow how it was written beside others',
  lsn: 'LSNs count the writes of all',
  attnum: 'numbers of columns are never used again: gaps tell that something was there',
  ordinal_position: 'as attnum',
  dtd_identifier: 'as attnum',
  run: 'numbers of runs of evaluations are shared, as of a sequence',
  p50_ms: 'times',
  exact_p50_ms: 'times',
};

interface Exception {
  readonly sql: RegExp;
  readonly reason: string;
}

/** Statements whose answers are not compared. */
const EXCEPTIONS: readonly Exception[] = [
  { sql: /pg_(total_)?(relation|table|indexes|database|column)_size/, reason: 'sizes, as in PostgreSQL' },
  {
    sql: /pg_get_sequence_data|pg_sequence_last_value|pg_sequences|nextval|currval|lastval|setval/,
    reason: 'sequences are shared: gaps tell of rows of others, as in PostgreSQL',
  },
  { sql: /quern\.lsn|last_lsn|quern\.partitions/, reason: 'LSNs count the writes of all' },
  {
    sql: /pg_backend_pid|pg_stat_get_backend|pg_current_xact|txid|pg_snapshot|random|gen_random|uuid|clock_timestamp|statement_timestamp|timeofday|now\(|pg_postmaster|localtime|current_time/,
    reason: 'chance, clocks, and numbers of transactions',
  },
  {
    sql: /CREATE EVALUATION theirs_/,
    reason: 'a name that somebody else has is 42710, as of a table in PostgreSQL',
  },
  {
    sql: /INSERT INTO (notes|memos|docs)|quern\.upsert/,
    reason: 'a key that a hidden row has is 23505, as in PostgreSQL, and 42501 in a collection',
  },
];

export const isException = (sql: string): boolean => EXCEPTIONS.some((one) => one.sql.test(sql));
