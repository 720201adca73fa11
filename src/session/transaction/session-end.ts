/** How a session's transaction ends: constraints that were put off, cursors, temporary relations, builds, then the block. */
import type { Constraint } from '../../catalog/model.ts';
import { hasSchema } from '../../catalog/temporary.ts';
import { actorOf } from '../audit/actor.ts';
import { catalogChanges } from '../audit/catalog-changes.ts';
import type { AuditEvent } from '../audit/entry.ts';
import { runTask, type Task, wait } from '../../task.ts';
import { rowsOf } from '../running/internal-statement.ts';
import type { TransactionEnd } from '../running/plan-runner.ts';
import type { Statement } from '../running/statement.ts';
import { storeOnce } from '../requests/store-once.ts';
import type { Query } from '../server-session.ts';
import type { SessionState } from '../session-state.ts';
import { applyOnCommit } from '../statements/temporary.ts';
import type { ConstraintChecks } from './constraint-checks.ts';
import { withoutOwnLsns } from './own-lsns.ts';
import type { Outcome } from './transaction-block.ts';

export class SessionEnd implements TransactionEnd {
  readonly #session: SessionState;
  readonly #constraints: ConstraintChecks;

  constructor(session: SessionState, constraints: ConstraintChecks) {
    this.#session = session;
    this.#constraints = constraints;
  }

  settle(statement: Statement, due?: (constraint: Constraint) => boolean): Promise<void> {
    return this.#constraints.settle(statement, due);
  }

  commit(statement: Statement): Outcome | Promise<Outcome> {
    return runTask(this.#commit(statement));
  }

  *#commit(statement: Statement): Task<Outcome> {
    const { block, cursors, temporarySchema: own, indexBuilds, directory } = this.#session;
    if (!block.failed && this.#constraints.pending)
      yield* wait(this.#undoing(this.#constraints.settle(statement)));
    if (!cursors.empty) yield* wait(cursors.endTransaction(!block.failed));
    const { transaction } = block;
    const hasTemporary = !block.failed && transaction !== null && hasSchema(transaction.catalog(), own);
    if (hasTemporary) yield* wait(applyOnCommit(transaction, own));
    const once = !block.failed && transaction?.hasWritten === true ? this.#session.once : null;
    if (once !== null) yield* wait(this.#undoing(storeOnce(once, statement)));
    const changes = this.#catalogChanges();
    if (changes.length > 0) yield* wait(this.#undoing(this.#audited(statement, changes)));
    const outcome = yield* wait(block.commit());
    if (once !== null) once.isStored = true;
    if (once !== null || changes.length > 0) withoutOwnLsns(block, this.#session.catalog());
    if (changes.length > 0) directory.audit.committed();
    indexBuilds.committed();
    return outcome;
  }

  #audited(statement: Statement, changes: readonly AuditEvent[]): Promise<void> {
    const query: Query = (sql, ...parameters) =>
      rowsOf(statement, sql, { parameters, asServer: true, seesAll: true });
    return this.#session.directory.audit.within(query, actorOf(this.#session), changes);
  }

  /** Changes of a client's transaction: nobody else changes the catalog from its first one on to its end. */
  #catalogChanges(): readonly AuditEvent[] {
    const { block, environment, signedInAs, directory } = this.#session;
    const { transaction } = block;
    const isTold = signedInAs !== null && directory.audit.isOn;
    if (block.failed || transaction === null || !isTold) return [];
    const before = environment.engine.catalog();
    const after = transaction.catalog();
    return before === after ? [] : catalogChanges(before, after);
  }

  /** The transaction ends where something does not hold. */
  async #undoing(last: Promise<void>): Promise<void> {
    try {
      await last;
    } catch (error) {
      await this.rollback();
      throw error;
    }
  }

  async rollback(): Promise<void> {
    await this.#session.cursors.endTransaction(false);
    this.#session.block.rollback();
  }
}
