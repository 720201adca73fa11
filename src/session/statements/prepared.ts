/** Prepared statements and portals of one session: the names a client gives them, and what they hold. */
import { SqlError } from '../../errors.ts';
import { PREPARED_STATEMENTS_COUNT_MAX } from '../../limits.ts';
import type { OutputColumn } from '../../plan/plan.ts';
import type { BoundStatement } from '../../plan/statement.ts';
import type { ParsedStatement } from '../../sql/parse/parse.ts';
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
  /** What it returns, as told to the client: later plans must return the same. Null: no rows. */
  readonly columns: readonly OutputColumn[] | null;
  /** Made by PREPARE rather than by a Parse message. */
  readonly fromSql: boolean;
  readonly preparedMicros: bigint;
}

export interface Portal {
  readonly name: string;
  readonly statement: PreparedStatement;
  readonly parameters: readonly Datum[];
  readonly controller: AbortController;
  /** Null before the first Execute. */
  running: Running | null;
  done: boolean;
}

export class PreparedStatements {
  #statements = new Map<string, PreparedStatement>();

  /** @throws SqlError 42P05 when a named one is there already, 54000 when there are too many. */
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
    throw new SqlError('invalid_sql_statement_name', what);
  }

  has(name: string): boolean {
    return this.#statements.has(name);
  }

  remove(name: string): void {
    this.#statements.delete(name);
  }

  clear(): void {
    this.#statements.clear();
  }

  all(): Iterable<PreparedStatement> {
    return this.#statements.values();
  }
}

export class Portals {
  #portals = new Map<string, Portal>();

  /** @returns the unnamed portal that it replaces. @throws SqlError 42P03 for a name in use. */
  add(portal: Portal): Portal | undefined {
    if (portal.name !== '' && this.#portals.has(portal.name)) {
      throw new SqlError('duplicate_cursor', `cursor "${portal.name}" already exists`);
    }
    const old = this.#portals.get(portal.name);
    this.#portals.set(portal.name, portal);
    return old;
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
    this.#portals.delete(name);
    return portal;
  }

  /** At the end of a transaction: portals do not outlive it. */
  *clear(): Task<void> {
    if (this.#portals.size === 0) return;
    const portals = [...this.#portals.values()];
    this.#portals.clear();
    for (const portal of portals) yield* wait(portal.running?.close());
  }
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
  if (!same) throw new SqlError('feature_not_supported', 'cached plan must not change result type');
}
