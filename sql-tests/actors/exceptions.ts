/** Where Quern's answer differs from PostgreSQL's and shall: all of it, each with its reason. */

interface Exception {
  readonly reason: string;
  readonly holds: (sql: string, wanted: string, tested: string) => boolean;
}

const REFUSED = /^42501 (permission denied for|query would be affected by row-level security policy)/;

/** Refusals of a row that is to be written. */
const ROW_REFUSED = /^(23505|23514|23502|44000|42501 (new|target) row violates)/;

/** An error without its detail. */
const message = (answer: string): string => answer.split('\n')[0] ?? '';

const EXCEPTIONS: readonly Exception[] = [
  {
    reason: 'which of several missing rights is told first is the order of a plan',
    holds: (_, wanted, tested) => REFUSED.test(wanted) && REFUSED.test(tested),
  },
  {
    reason: 'of several rows that are refused, PostgreSQL tells the first, Quern the first of each check',
    holds: (sql, wanted, tested) =>
      !/^INSERT INTO \S+ (\(.*\) )?VALUES \([^(]*\)( ON| RETURNING|$)/.test(sql) &&
      ROW_REFUSED.test(wanted) &&
      ROW_REFUSED.test(tested),
  },
  {
    reason:
      'WHERE of ON CONFLICT DO UPDATE is not asked of a row that may not be updated: its answer would tell of the row',
    holds: (sql, wanted, tested) =>
      / DO UPDATE SET .* WHERE /.test(sql) &&
      /^INSERT \d+/.test(wanted) &&
      tested.startsWith('42501 new row violates row-level security policy (USING expression)'),
  },
  {
    reason: 'COPY FROM holds policies; PostgreSQL refuses it',
    holds: (sql, wanted) =>
      /^COPY .* FROM STDIN/.test(sql) && wanted.startsWith('0A000 COPY FROM not supported'),
  },
  {
    reason:
      'a failing row is not shown where one may not read all of it; PostgreSQL shows the columns that one may read or wrote',
    holds: (_, wanted, tested) =>
      tested === message(wanted) && /\nFailing row contains \(.*\) = /.test(wanted),
  },
];

/** The reason for which two answers may differ; null for none. */
export const exceptionFor = (sql: string, wanted: string, tested: string): string | null =>
  EXCEPTIONS.find(({ holds }) => holds(sql, wanted, tested))?.reason ?? null;
