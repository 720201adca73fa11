/**
 * Constraints between rows, checked when a statement has written all its rows or, where they are deferred, at the
 * end of the transaction: deferrable unique keys, and foreign keys, whose new rows must find the row they refer
 * to, while rows that others refer to are kept or take the others with them. As in PostgreSQL, referential
 * actions are statements of their own, which the session runs within the transaction.
 */
import type { CatalogEdit } from '../../catalog/edit/edit.ts';
import {
  type Catalog,
  type Constraint,
  type ForeignKey,
  foreignKeys,
  type ReferentialAction,
} from '../../catalog/model.ts';
import type { Transaction } from '../../engine/engine.ts';
import { SqlError } from '../../errors.ts';
import type { BoundStatement } from '../../plan/statement.ts';
import type { Deferral } from './deferral.ts';
import { actionStatement, orphanQuery } from './foreign-key-actions.ts';
import { notPresent, stillReferenced } from './foreign-key-errors.ts';
import {
  broughtRows,
  type GoneKey,
  goneKeys,
  lockReferenced,
  newKeys,
  type Pause,
  stillGone,
  storedKeys,
} from './foreign-key-rows.ts';
import { type RecordedWrite, recording } from './recorded-writes.ts';
import { runInternal } from '../running/internal-statement.ts';
import type { Statement } from '../running/statement.ts';
import type { SessionState } from '../session-state.ts';

interface Known {
  readonly catalog: Catalog;
  readonly keys: readonly ForeignKey[];
  /** Constraints that can be deferred, by the OID of their unique index. */
  readonly unique: ReadonlyMap<number, Constraint>;
  readonly children: ReadonlySet<number>;
  readonly parents: ReadonlySet<number>;
}

interface Recorded {
  readonly transaction: Transaction;
  /** Null when there is nothing to check after a statement. */
  readonly check: ((statement: Statement) => Promise<void>) | null;
}

export class ConstraintChecks {
  readonly #session: SessionState;
  #known: Known | null = null;

  constructor(session: SessionState) {
    this.#session = session;
  }

  get #deferral(): Deferral {
    return this.#session.block.deferral;
  }

  record(transaction: Transaction): Recorded {
    const known = this.#of(transaction.catalog());
    if (known.keys.length === 0 && known.unique.size === 0) return { transaction, check: null };
    const writes: RecordedWrite[] = [];
    return {
      transaction: known.keys.length === 0 ? transaction : recording(transaction, writes, known),
      check: (statement) => this.#check(transaction, writes.splice(0), statement),
    };
  }

  /** Rows that are there when a foreign key is added must keep it. @throws SqlError 23503. */
  async validate(edits: readonly CatalogEdit[], statement: Statement): Promise<void> {
    for (const edit of edits) {
      if (edit.edit !== 'add constraint' || !edit.constraint.references || edit.notValid) continue;
      const key = this.#of(this.#session.catalog()).keys.find(
        ({ child, constraint }) => child.oid === edit.relation && constraint.name === edit.constraint.name,
      );
      if (key === undefined) continue;
      const text = orphanQuery(this.#session.catalog(), key);
      const batches = await runInternal(statement, text, { types: [], parameters: [], isAllowed: true });
      const found = batches.find((batch) => batch.length > 0);
      if (found !== undefined)
        throw notPresent(
          this.#session.catalog(),
          key,
          found.columns.map((column) => column.get(0)),
        );
    }
  }

  /** True when something is left for `settle`. */
  get pending(): boolean {
    const { transaction } = this.#session.block;
    if (transaction === null) return false;
    const { unique } = this.#of(transaction.catalog());
    return !this.#deferral.empty || unique.size > 0;
  }

  /**
   * Checks what has been put off. @param due says which constraints; absent: all.
   * @throws SqlError 23503, 23505, and what waiting for a lock throws.
   */
  async settle(statement: Statement, due: (constraint: Constraint) => boolean = () => true): Promise<void> {
    const { transaction } = this.#session.block;
    if (transaction === null) return;
    const { keys, unique } = this.#of(transaction.catalog());
    const isDue = (index: number): boolean => {
      const constraint = unique.get(index);
      return constraint === undefined || due(constraint);
    };
    await transaction.checkKeys(isDue, statement.signal);
    for (const key of keys) if (due(key.constraint)) await this.#settleKey(key, transaction, statement);
  }

  async #settleKey(key: ForeignKey, transaction: Transaction, statement: Statement): Promise<void> {
    const pause = this.#pause(statement);
    for (const check of this.#deferral.take(key.constraint.oid)) {
      if (check.kind === 'new rows') {
        using snapshot = transaction.snapshot();
        const keys = await storedKeys(key, snapshot, check, pause);
        await lockReferenced(key, keys, { transaction, signal: statement.signal, pause });
      } else {
        using snapshot = transaction.snapshot();
        const gone = await stillGone(key, check.keys, snapshot, pause);
        if (gone.length > 0) await this.#actOn(key, gone, 'no action', statement);
      }
    }
  }

  #pause({ signal }: Statement): Pause {
    const slice = this.#session.timeSlice();
    return () => {
      signal.throwIfAborted();
      return slice.yieldToOthers();
    };
  }

  /** @throws SqlError 55006 for a change of a relation whose rows are still to be checked. */
  refuseChanges(bound: Exclude<BoundStatement, { kind: 'plan' }>): void {
    const { transaction } = this.#session.block;
    if (transaction === null) return;
    for (const oid of changedRelations(bound)) {
      if (!this.#deferral.concerns(oid) && !transaction.hasDoubtfulKeys(oid)) continue;
      const name = transaction.catalog().relations.get(oid)?.name;
      const what = bound.kind === 'catalog' ? bound.tag : 'TRUNCATE';
      const message = `cannot ${what} "${name}" because it has pending trigger events`;
      throw new SqlError('object_in_use', message);
    }
  }

  #of(catalog: Catalog): Known {
    if (this.#known?.catalog === catalog) return this.#known;
    const keys = foreignKeys(catalog);
    const children = new Set(keys.map(({ child }) => child.oid));
    const parents = new Set(keys.map(({ parent }) => parent.oid));
    this.#known = { catalog, keys, unique: deferrableKeys(catalog), children, parents };
    return this.#known;
  }

  async #check(
    transaction: Transaction,
    writes: readonly RecordedWrite[],
    statement: Statement,
  ): Promise<void> {
    const { keys, unique } = this.#of(transaction.catalog());
    const isDue = (index: number): boolean => {
      const constraint = unique.get(index);
      return constraint === undefined || !this.#deferral.isDeferred(constraint);
    };
    try {
      await transaction.checkKeys(isDue, statement.signal);
      if (writes.length === 0) return;
      const pause = this.#pause(statement);
      for (const key of keys)
        await this.#checkNewRows(key, writes, { transaction, signal: statement.signal, pause });
      for (const key of keys) {
        const gone = await goneKeys(key, transaction, writes, pause);
        if (gone.length > 0) await this.#act(key, gone, statement);
      }
    } finally {
      for (const write of writes) if (write.kind === 'delete') write.before[Symbol.dispose]();
    }
  }

  async #checkNewRows(
    key: ForeignKey,
    writes: readonly RecordedWrite[],
    where: { readonly transaction: Transaction; readonly signal: AbortSignal; readonly pause: Pause },
  ): Promise<void> {
    const { oid } = key.constraint;
    if (!this.#deferral.isDeferred(key.constraint)) {
      const keys = await newKeys(key, broughtRows(key, writes, false), where.pause);
      await lockReferenced(key, keys, where);
      return;
    }
    // A new version may stand for a row that waits to be checked, whatever has changed.
    for (const write of broughtRows(key, writes, this.#deferral.has(oid))) {
      const { relation, partition, rowNumbers: numbers } = write;
      this.#deferral.add(oid, { kind: 'new rows', relation, partition, numbers });
    }
  }

  async #act(key: ForeignKey, gone: readonly GoneKey[], statement: Statement): Promise<void> {
    const { onDelete, onUpdate } = key.reference;
    const deleted = gone.filter(({ now }) => now === null);
    const changed = gone.filter(({ now }) => now !== null);
    const isDeferred = this.#deferral.isDeferred(key.constraint);
    const act = async (keys: readonly GoneKey[], action: ReferentialAction): Promise<void> => {
      if (keys.length === 0) return;
      if (action !== 'no action' || !isDeferred) await this.#actOn(key, keys, action, statement);
      // Rows that refer to their default have not changed.
      if (action === 'set default') await this.#actOn(key, keys, 'no action', statement);
      if (action === 'no action' && isDeferred)
        this.#deferral.add(key.constraint.oid, { kind: 'gone keys', relation: key.parent.oid, keys });
    };
    await act(deleted, onDelete);
    await act(changed, onUpdate);
  }

  async #actOn(
    key: ForeignKey,
    gone: readonly GoneKey[],
    action: ReferentialAction,
    statement: Statement,
  ): Promise<void> {
    const sql = actionStatement(this.#of(this.#session.catalog()).catalog, key, gone, action);
    const batches = await runInternal(statement, sql.text, {
      ...sql,
      newest: true,
      seesAll: true,
      isAllowed: true,
    });
    if (action !== 'no action' && action !== 'restrict') return;
    const found = batches.find((batch) => batch.length > 0);
    if (found !== undefined)
      throw stillReferenced(
        this.#session.catalog(),
        key,
        action,
        found.columns.map((column) => column.get(0)),
      );
  }
}

function deferrableKeys({ relations }: Catalog): ReadonlyMap<number, Constraint> {
  const found = new Map<number, Constraint>();
  for (const { constraints } of relations.values()) {
    for (const constraint of constraints) {
      if (constraint.deferrable !== undefined && constraint.index !== 0) {
        found.set(constraint.index, constraint);
      }
    }
  }
  return found;
}

/** Relations whose rows, columns or constraints become others. */
function changedRelations(bound: Exclude<BoundStatement, { kind: 'plan' }>): ReadonlySet<number> {
  if (bound.kind === 'truncate') {
    return new Set([...bound.relations, ...(bound.partitions ?? []).map(({ relation }) => relation)]);
  }
  if (bound.kind === 'drop partition') return new Set([bound.relation]);
  return new Set(
    bound.edits.flatMap((edit) => {
      if (!('relation' in edit) || edit.edit === 'add index' || edit.edit === 'create relation') return [];
      return [typeof edit.relation === 'number' ? edit.relation : edit.relation.oid];
    }),
  );
}
