/** One connection on which somebody's statements run, one after the other, as PostgreSQL answers them. */
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ClientConfig, Notice } from '../../typescript/src/config.ts';
import { QuernError } from '../../typescript/src/errors.ts';
import { type Address, addressOf } from '../../typescript/src/wire/address.ts';
import { failureOf, unreachedOf } from '../../typescript/src/wire/failure.ts';
import { Link } from '../../typescript/src/wire/link.ts';
import { StatementError } from '../errors.ts';
import { excerptOf } from './excerpt.ts';

export interface ResultColumn {
  readonly name: string;
  /** OID. */
  readonly type: number;
}

/** Result of one statement, values as the server's text. */
export interface StatementResult {
  /** Empty where it gives no rows. */
  readonly columns: readonly ResultColumn[];
  readonly rows: readonly (readonly (string | null)[])[];
  /** `INSERT`, `CREATE TABLE`; '' of an empty statement, and where a COPY has written what there is to show. */
  readonly command: string;
  /** Rows that it was about; null: it has no such number. */
  readonly count: number | null;
}

/** Streams that a COPY reads from and writes to. */
export interface CopyStreams {
  readonly input: () => AsyncIterable<Uint8Array | string>;
  readonly output: (bytes: AsyncIterable<Uint8Array>) => Promise<void>;
}

/** A statement, and where it stands in what the user wrote. */
export interface PlacedStatement {
  readonly text: string;
  readonly start: number;
  readonly script: string;
}

/** SQL that is written by hand follows PostgreSQL. */
const OPTIONS = { isReadOnly: false, unknownColumns: 'error', applicationName: 'quern sql' } as const;

type DriverResult = {
  readonly columns?: readonly ResultColumn[];
  readonly command?: string | null;
  readonly count?: number | null;
};

export class SqlSession {
  readonly #link: Link;
  readonly #address: Address;
  #cancelling: Promise<void> = Promise.resolve();

  /** @throws QuernError where there is no way to the server. */
  static async open(config: ClientConfig, onNotice: (notice: Notice) => void): Promise<SqlSession> {
    const address = addressOf(config, process.env);
    const link = new Link(address, { ...OPTIONS, onNotice }, () => undefined);
    try {
      await link.open();
    } catch (error) {
      link.end().catch(() => undefined);
      throw unreachedOf(error, address);
    }
    return new SqlSession(link, address);
  }

  private constructor(link: Link, address: Address) {
    this.#link = link;
    this.#address = address;
  }

  get isAlive(): boolean {
    return this.#link.isAlive;
  }

  /** @throws StatementError */
  async run(statement: PlacedStatement, copy: CopyStreams): Promise<StatementResult> {
    const rows: (string | null)[][] = [];
    try {
      const pending = this.#link.script(statement.text).raw();
      const given = await pending.forEach((row) => void rows.push(row.map(cellText)));
      if (given instanceof Readable) return await this.#copied(copy.output(given), '');
      if (given instanceof Writable) return await this.#copied(pipeline(copy.input(), given), 'COPY');
      const { columns = [], command, count } = given as DriverResult;
      return { columns: columns ?? [], rows, command: command ?? '', count: count ?? null };
    } catch (error) {
      throw this.#failure(error, statement);
    } finally {
      await this.#cancelling;
    }
  }

  /** A query of the command's own. */
  async ask(text: string): Promise<StatementResult> {
    return await this.run({ text, start: 0, script: text }, NO_COPY);
  }

  /** Its rows by column name. */
  async query(text: string): Promise<Record<string, string | null>[]> {
    const { columns, rows } = await this.ask(text);
    return rows.map((row) => Object.fromEntries(columns.map(({ name }, at) => [name, row[at] ?? null])));
  }

  /** Ends the statement that runs; the session stays. */
  cancel(): void {
    this.#cancelling = this.#link.interrupt();
  }

  async close(): Promise<void> {
    await this.#link.end().catch(() => undefined);
  }

  async #copied(copying: Promise<void>, command: string): Promise<StatementResult> {
    await Promise.race([copying, this.#link.refused, this.#link.lost]);
    return { columns: [], rows: [], command, count: null };
  }

  #failure(error: unknown, { text, start, script }: PlacedStatement): unknown {
    const told = failureOf(error, this.#address);
    if (!(told instanceof QuernError) || told.sqlstate === undefined) return told;
    const { message, position } = error as Error & { readonly position?: string };
    const { sqlstate, detail, hint, kind } = told;
    // The client's own words for some are the contract of its methods, not PostgreSQL's.
    const plain = new QuernError(message, { sqlstate, detail, hint, kind, cause: error });
    return new StatementError(plain, excerptOf(script, text, start, position));
  }
}

const NO_COPY: CopyStreams = { input: async function* () {}, output: async () => undefined };
const TEXT = new TextDecoder();
const cellText = (cell: Uint8Array | null): string | null => (cell === null ? null : TEXT.decode(cell));
