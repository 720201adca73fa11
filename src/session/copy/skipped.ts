/** COPY FROM … ON_ERROR ignore: rows that hold a value its type refuses are left out and counted. */
import { type Notice, SqlError } from '../../errors.ts';
import type { RevocableColumn } from './columns.ts';
import type { CopyFormat } from './options.ts';

type Options = NonNullable<CopyFormat['skipped']>;

/** Where a value stands that was refused. */
interface Place {
  readonly line: number;
  readonly column: string;
  /** As errors show it; null for NULL. */
  readonly text: string | null;
  /** CONTEXT of an error about it. */
  readonly where: string;
}

export class SkippedRows {
  #options: Options;
  #columns: readonly RevocableColumn[];
  #notice: (notice: Notice) => void;
  #count = 0;
  #where = '';
  /** True when the row that is being read is left out: the rest of its values are not looked at. */
  isSkipping = false;

  constructor(options: Options, columns: readonly RevocableColumn[], notice: (notice: Notice) => void) {
    this.#options = options;
    this.#columns = columns;
    this.#notice = notice;
  }

  /** Leaves the row out, if `error` is about the value. @throws the error otherwise. */
  skip(error: SqlError, { line, column, text, where }: Place): void {
    if (!error.sqlstate.startsWith('22')) throw error;
    this.isSkipping = true;
    this.#count++;
    this.#where = where;
    if (this.#options.verbosity !== 'verbose') return;
    const value = text === null ? 'null input' : `"${text}"`;
    this.#tell(
      `skipping row due to data type incompatibility at line ${line} for column "${column}": ${value}`,
    );
  }

  /**
   * Ends the row that was being read; `rows` came before it in the batch.
   * @returns whether it was left out. @throws SqlError 22P02 beyond REJECT_LIMIT.
   */
  endRow(rows: number): boolean {
    if (!this.isSkipping) return false;
    this.isSkipping = false;
    for (const column of this.#columns) column.cut(rows);
    const { limit } = this.#options;
    if (this.#count <= limit) return true;
    const message = `skipped more than REJECT_LIMIT (${limit}) rows due to data type incompatibility`;
    throw new SqlError('invalid_text_representation', message, { where: this.#where });
  }

  /** Tells the client how many rows were left out. */
  report(): void {
    if (this.#count === 0 || this.#options.verbosity === 'silent') return;
    const rows = this.#count === 1 ? '1 row was' : `${this.#count} rows were`;
    this.#tell(`${rows} skipped due to data type incompatibility`);
  }

  #tell(message: string): void {
    this.#notice({ severity: 'NOTICE', condition: 'successful_completion', message });
  }
}
