/** Prepared statements and portals of one session: the names a client gives them, and what they hold. */
import type { MemoryPool } from '../../engine/engine.ts';
import { SqlError } from '../../errors.ts';
import { Account } from '../../execute/account.ts';
import { datumBytes } from '../../types/held-bytes.ts';
import { PREPARED_STATEMENTS_COUNT_MAX } from '../../limits.ts';
import type { OutputColumn } from '../../plan/plan.ts';
import type { BoundStatement } from '../../plan/statement.ts';
import type { ParsedStatement } from '../../sql/parse/parse.ts';
import { treeBytes } from '../../sql/parse/service.ts';
import { type Task, wait } from '../../task.ts';
import type { Datum } from '../../types/datum.ts';
import type { Running } from '../running/running.ts';

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

export interface Portal {
  readonly name: string;
  readonly statement: PreparedStatement;
  readonly parameters: readonly Datum[];
  /** The size of the parameters. */
  readonly bytes: number;
  readonly controller: AbortController;
  /** Null before the first Execute. */
  running: Running | null;
  done: boolean;
}

const STATEMENTS = {
  holder: 'Prepared statements of the session',
  hint: 'Close or DEALLOCATE those that are no longer used, or start the server with more --memory.',
};
const PORTALS = {
  holder: 'Parameters of the session',
  hint: 'Send the data in several statements, or start the server with more --memory.',
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

export class Portals {
  #portals = new Map<string, Portal>();
  /** Counts their parameters. */
  readonly #account: Account;

  constructor(memory: MemoryPool) {
    this.#account = new Account(memory, PORTALS);
  }

  /** @throws SqlError 42P03 for a name in use, 53200 when parameters take more than there is. */
  add(name: string, statement: PreparedStatement, parameters: readonly Datum[]): void {
    if (this.#portals.has(name)) {
      throw new SqlError('duplicate_cursor', `cursor "${name}" already exists`);
    }
    let bytes = 0;
    for (const parameter of parameters) bytes += datumBytes(parameter);
    this.#account.hold(bytes);
    const controller = new AbortController();
    this.#portals.set(name, { name, statement, parameters, bytes, controller, running: null, done: false });
  }

  /** @throws SqlError 34000. */
  get(name: string): Portal {
    const portal = this.#portals.get(name);
    if (portal !== undefined) return portal;
    throw new SqlError('invalid_cursor_name', `portal "${name}" does not exist`);
  }

  find(name: string): Portal | undefined {
    return this.#portals.get(name);
  }

  remove(name: string): Portal | undefined {
    const portal = this.#portals.get(name);
    if (portal === undefined) return undefined;
    this.#portals.delete(name);
    if (this.#portals.size === 0) this.#account[Symbol.dispose]();
    else this.#account.release(portal.bytes);
    return portal;
  }

  /** At the end of a transaction: portals do not outlive it. */
  *clear(): Task<void> {
    if (this.#portals.size === 0) return;
    const portals = [...this.#portals.values()];
    this.#portals.clear();
    this.#account[Symbol.dispose]();
    for (const portal of portals) yield* wait(portal.running?.close());
  }
}

/** The simple protocol has no parameters. @throws SqlError 42P02. */
export function checkParameters(bound: BoundStatement, prepared: PreparedStatement | null): void {
  if (bound.kind !== 'plan' || prepared !== null || bound.parameters.length === 0) return;
  throw new SqlError('undefined_parameter', 'there is no parameter $1');
}

/** @throws SqlError 0A000 when the catalog changed under a prepared statement so that its rows would differ. */
export function checkSameColumns(bound: BoundStatement, prepared: PreparedStatement | null): void {
  if (prepared === null) return;
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
