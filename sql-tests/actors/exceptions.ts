/** Where Quern's answer differs from PostgreSQL's and shall: all of it, each with its reason. */

interface Exception {
  readonly reason: string;
  readonly holds: (sql: string, wanted: string, tested: string) => boolean;
}

const REFUSED = /^42501 (permission denied for|query would be affected by row-level security policy)/;

/** Refusals of a row that is to be written. */
const ROW_REFUSED = /^(23505|23514|23502|44000|42501 (new|target) row violates)/;

/** Errors of the conditions of generated policies. */
const FAILING_CONDITION = /^(42704 role "nobody" does not exist|22012 division by zero)$/;

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
    reason: 'rights on a name in a schema that one may not use are answered; PostgreSQL refuses the name',
    holds: (sql, wanted) =>
      /^SELECT (has_\w+_privilege|row_security_active)\(/.test(sql) &&
      wanted === '42501 permission denied for schema a_in',
  },
  {
    reason:
      'whether a failing condition is asked at all is the order of a plan: PostgreSQL leaves out what TRUE OR makes needless',
    holds: (_, wanted, tested) => FAILING_CONDITION.test(wanted) !== FAILING_CONDITION.test(tested),
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
