/** Prepared statements of one session: the names a client gives them, and what they hold. */
import type { MemoryPool } from '../../engine/engine.ts';
import { SqlError } from '../../errors.ts';
import { Account } from '../../execute/account.ts';
import { PREPARED_STATEMENTS_COUNT_MAX } from '../../limits.ts';
import type { OutputColumn } from '../../plan/plan.ts';
import type { BoundStatement } from '../../plan/statement.ts';
import type { ParsedStatement } from '../../sql/parse/parse.ts';
import { treeBytes } from '../../sql/parse/service.ts';

export interface PreparedStatement {
  readonly name: string;
  /** Null for an empty query string. */
  readonly parsed: ParsedStatement | null;
  /** As the client gave them. */
  readonly types: readonly number[];
  /** OIDs of all parameters, inferred ones included. */
  readonly parameters: readonly number[];
  /** Columns as told to the client: later plans must return the same. Null: no rows. */
  readonly columns: readonly OutputColumn[] | null;
  /** Made by PREPARE rather than by a Parse message. */
  readonly fromSql: boolean;
  readonly preparedMicros: bigint;
}

const STATEMENTS = {
  holder: 'Prepared statements of the session',
  hint: 'Close or DEALLOCATE those that are no longer used, or start the server with more --memory.',
};
const bytesOf = ({ parsed }: PreparedStatement): number => treeBytes(parsed?.text ?? '');

export class PreparedStatements {
  #statements = new Map<string, PreparedStatement>();
  /** Counts their texts and trees. */
  readonly #account: Account;

  constructor(memory: MemoryPool) {
    this.#account = new Account(memory, STATEMENTS);
  }

  /** @throws SqlError 42P05 when a named one is there already, 54000, 53200 when there are too many. */
  add(statement: PreparedStatement): void {
    if (statement.name !== '' && this.#statements.has(statement.name)) {
      throw new SqlError(
        'duplicate_prepared_statement',
        `prepared statement "${statement.name}" already exists`,
      );
    }
    if (this.#statements.size >= PREPARED_STATEMENTS_COUNT_MAX) {
      throw new SqlError('program_limit_exceeded', 'too many prepared statements', {
        hint: 'Close or DEALLOCATE those that are no longer used.',
      });
    }
    this.#account.hold(bytesOf(statement));
    this.#statements.set(statement.name, statement);
  }

  /** @throws SqlError 26000. */
  get(name: string): PreparedStatement {
    const statement = this.#statements.get(name);
    if (statement !== undefined) return statement;
    const what =
      name === ''
        ? 'unnamed prepared statement does not exist'
        : `prepared statement "${name}" does not exist`;
    throw new SqlError('invalid_sql_statement_name', what, { routine: 'FetchPreparedStatement' });
  }

  has(name: string): boolean {
    return this.#statements.has(name);
  }

  remove(name: string): void {
    const statement = this.#statements.get(name);
    if (statement === undefined) return;
    this.#statements.delete(name);
    if (this.#statements.size === 0) this.#account[Symbol.dispose]();
    else this.#account.release(bytesOf(statement));
  }

  clear(): void {
    this.#statements.clear();
    this.#account[Symbol.dispose]();
  }

  all(): Iterable<PreparedStatement> {
    return this.#statements.values();
  }
}

/** The simple protocol has no parameters. @throws SqlError 42P02. */
export function checkParameters(bound: BoundStatement): void {
  if (bound.kind !== 'plan' || bound.parameters.length === 0) return;
  throw new SqlError('undefined_parameter', 'there is no parameter $1');
}

/** @throws SqlError 0A000 when the catalog changed under a prepared statement so that its rows would differ. */
export function checkSameColumns(bound: BoundStatement, prepared: PreparedStatement): void {
  const now = bound.kind === 'plan' ? bound.output : null;
  const { columns } = prepared;
  const same =
    now === columns ||
    (now !== null &&
      columns !== null &&
      now.length === columns.length &&
      now.every((column, i) => column.type.oid === columns[i]?.type.oid));
  if (!same) {
    throw new SqlError('feature_not_supported', 'cached plan must not change result type', {
      routine: 'RevalidateCachedQuery',
    });
  }
}
