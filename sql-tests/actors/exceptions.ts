/** Where Quern's answer differs from PostgreSQL's and shall: all of it, each with its reason. */

interface Exception {
  readonly reason: string;
  readonly holds: (sql: string, wanted: string, tested: string) => boolean;
}

export const EXCEPTIONS: readonly Exception[] = [];

/** The reason for which two answers may differ; null for none. */
export const exceptionFor = (sql: string, wanted: string, tested: string): string | null =>
  EXCEPTIONS.find(({ holds }) => holds(sql, wanted, tested))?.reason ?? null;
