/**
 * Statements that each want more memory than a small server has: one for every place where a statement holds much.
 */
const rows = (count: number): string => `generate_series(1, ${count}) i`;

export const HUNGRY_STATEMENTS: Readonly<Record<string, string>> = {
  sort: `SELECT count(*) FROM (SELECT repeat(i::text, 40) m FROM ${rows(4_000_000)} ORDER BY 1 OFFSET 0) t`,
  'GROUP BY': `SELECT count(*) FROM (SELECT repeat(i::text, 40), max(i) FROM ${rows(4_000_000)} GROUP BY 1) t`,
  DISTINCT: `SELECT count(*) FROM (SELECT DISTINCT i, repeat(i::text, 20) FROM ${rows(4_000_000)}) t`,
  join: `SELECT count(*) FROM ${rows(1000)} JOIN
    (SELECT repeat(j::text, 40) m FROM generate_series(1, 4000000) j) t ON i::text = m`,
  window: `SELECT count(s) FROM (SELECT lag(repeat(i::text, 40)) OVER (ORDER BY i) s
    FROM ${rows(4_000_000)}) t`,
  array_agg: `SELECT array_length(array_agg(repeat(i::text, 40)), 1) FROM ${rows(8_000_000)}`,
  string_agg: `SELECT length(string_agg(repeat(i::text, 200), ',')) FROM ${rows(2_000_000)}`,
  json_agg: `SELECT length(json_agg(repeat(i::text, 40))::text) FROM ${rows(8_000_000)}`,
  WITH: `WITH t AS MATERIALIZED (SELECT repeat(i::text, 40) m FROM ${rows(4_000_000)})
    SELECT count(*) FROM t a, t b WHERE a.m < ''`,
  'large values': `SELECT array_length(array_agg(repeat('y', 1000000 + i)), 1) FROM ${rows(2_000)}`,
  'values of one batch': `SELECT sum(length(upper(lpad(i::text, 60000)) || lower(rpad(i::text, 60000))))
    FROM ${rows(3_000)}`,
  'elements of a text': `SELECT array_length(string_to_array(repeat('a,', 5000000), ','), 1)`,
};
