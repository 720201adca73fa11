/** A server that test scripts run against: values come back as the server's own text. */
import pg from 'pg';

export interface Target extends AsyncDisposable {
  /** Rows of the last statement as text. @throws ServerError. */
  run(sql: string): Promise<readonly (readonly (string | null)[])[]>;
}

/** A server's error, one line a field; the first is `SQLSTATE message`. */
export class ServerError extends Error {
  override readonly name = 'ServerError';
  readonly lines: readonly string[];

  constructor(error: pg.DatabaseError) {
    super(`${error.code} ${error.message}`);
    this.lines = [
      `${error.code} ${error.message}`,
      ...(error.position === undefined ? [] : [`position: ${error.position}`]),
      ...(error.internalPosition === undefined
        ? []
        : [`position: ${error.internalPosition} of ${error.internalQuery}`]),
      ...(error.detail === undefined ? [] : [`detail: ${error.detail}`]),
      ...(error.hint === undefined ? [] : [`hint: ${error.hint}`]),
    ].flatMap((line) => line.split('\n'));
  }
}

/** From which PostgreSQL's programs read where to connect. */
export const programEnvironment = ({ host, port, user, database, password = '' }: Address) => ({
  PATH: process.env.PATH,
  PGHOST: host,
  PGPORT: String(port),
  PGUSER: user,
  PGDATABASE: database,
  PGPASSWORD: password,
});

export interface Address {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly password?: string;
}

const AS_TEXT = { getTypeParser: () => (value: string) => value };

/** @param settings run first, each a statement. */
export async function connectTarget(address: Address, settings: readonly string[] = []): Promise<Target> {
  const client = new pg.Client({ ...address, types: AS_TEXT as unknown as typeof pg.types });
  // A connection that ends between two statements is told by the next one.
  client.on('error', () => undefined);
  await client.connect();
  for (const setting of settings) await client.query(setting);
  return {
    async run(sql) {
      try {
        const result = await client.query({ text: sql, rowMode: 'array' });
        const last = Array.isArray(result) ? result.at(-1) : result;
        return last.rows as (string | null)[][];
      } catch (error) {
        if (error instanceof pg.DatabaseError) throw new ServerError(error);
        throw error;
      }
    },
    async [Symbol.asyncDispose]() {
      await client.end();
    },
  };
}
