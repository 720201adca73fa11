/** One statement on two servers: rows as a bag, types of the columns, and the SQLSTATE of an error must agree. */
import pg from 'pg';
import type { Address } from '../runner/target.ts';

const AS_TEXT = { getTypeParser: () => (value: string) => value } as unknown as typeof pg.types;
/** OIDs of users' own types differ from server to server. */
const BUILT_IN_BELOW = 16_384;

export interface Side extends AsyncDisposable {
  run(sql: string): Promise<Answer>;
}

/** Lines that are compared; `error` is null for rows. */
interface Answer {
  readonly error: string | null;
  readonly message: string;
  readonly types: readonly number[];
  readonly rows: readonly string[];
}

export async function connectSide(address: Address): Promise<Side> {
  const client = new pg.Client({ ...address, types: AS_TEXT });
  await client.connect();
  await client.query("SET timezone = 'UTC'");
  await client.query('SET statement_timeout = 20000');
  return {
    run: (sql) => answerOf(client, sql),
    async [Symbol.asyncDispose]() {
      await client.end();
    },
  };
}

async function answerOf(client: pg.Client, text: string): Promise<Answer> {
  try {
    const { fields, rows } = await client.query({ text, rowMode: 'array' });
    const lines = (rows as (string | null)[][]).map((row) => row.map((value) => value ?? '␀').join(' | '));
    const types = fields.map(({ dataTypeID }) => (dataTypeID < BUILT_IN_BELOW ? dataTypeID : 0));
    return { error: null, message: '', types, rows: lines };
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    return { error: error.code ?? '', message: error.message, types: [], rows: [] };
  }
}

/**
 * One of several equal values stands for all. 0 and -0 are equal, and which of them PostgreSQL shows follows from the order
 * of rows, which is its choice of join, hash table and sort. So of a set operation's 1.0 and 1.00: it hashes or
 * sorts, and INTERSECT begins with the side for which it expects fewer groups.
 */
const REPRESENTED = /\b(DISTINCT|UNION|INTERSECT|EXCEPT|GROUP BY|USING|min|max)\b/;
const NEGATIVE_ZERO = /(?<![\w.:-])-0(?![\w.:-])/g;

const SET_OPERATION = /\b(UNION|INTERSECT|EXCEPT)\b/;
const DECIMALS = /(?<=^|\| )(-?\d+)\.(\d*?)0+(?= \||$)/g;

function comparable(answer: Answer, sql: string): Answer {
  if (!REPRESENTED.test(sql)) return answer;
  const shorter = (row: string): string =>
    SET_OPERATION.test(sql)
      ? row.replaceAll(DECIMALS, (_, whole: string, rest: string) => (rest ? `${whole}.${rest}` : whole))
      : row;
  return { ...answer, rows: answer.rows.map((row) => shorter(row).replaceAll(NEGATIVE_ZERO, '0')) };
}

/** Describes the difference in a line; null when there is none. */
export async function difference(wanted: Side, tested: Side, sql: string): Promise<string | null> {
  const [expected, actual] = [comparable(await wanted.run(sql), sql), comparable(await tested.run(sql), sql)];
  if (expected.error !== actual.error) {
    const shown = ({ error, message, rows }: Answer): string =>
      error === null ? `${rows.length} rows` : `${error} ${message}`;
    return `PostgreSQL: ${shown(expected)}; Quern: ${shown(actual)}`;
  }
  if (expected.types.join() !== actual.types.join()) {
    return `types PostgreSQL: ${expected.types}; Quern: ${actual.types}`;
  }
  const [left, right] = [expected.rows.toSorted(), actual.rows.toSorted()];
  if (left.join('\n') === right.join('\n')) return null;
  const missing = left.filter((row) => !right.includes(row)).slice(0, 3);
  const surplus = right.filter((row) => !left.includes(row)).slice(0, 3);
  return `rows ${left.length} and ${right.length}; PostgreSQL only: ${missing.join(' ⏎ ')}; Quern only: ${surplus.join(' ⏎ ')}`;
}

/** Mark of statements whose errors no plan can choose. */
export const PLANLESS = '/* no choice of a plan */';

export interface Difference {
  readonly sql: string;
  readonly what: string;
}

/** True when an error may come or not with the order in which a plan looks at rows: class 22, data exceptions. */
export function dependsOnPlan({ sql, what }: Difference): boolean {
  return !sql.includes(PLANLESS) && /: 22\d/.test(what) && /\d+ rows/.test(what);
}
