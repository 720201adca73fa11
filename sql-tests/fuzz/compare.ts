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

/** What differs, in a line; null when nothing does. */
export async function difference(wanted: Side, tested: Side, sql: string): Promise<string | null> {
  const [expected, actual] = [await wanted.run(sql), await tested.run(sql)];
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

/** Whether an error may come or not with the order in which a plan looks at rows: class 22, data exceptions. */
export function dependsOnPlan(found: string): boolean {
  return /: 22\d/.test(found) && /\d+ rows/.test(found);
}
