/** Writes of a statement to relations with foreign keys, noted as they pass on to the transaction. */
import { present } from '../../assert.ts';
import { primaryKey } from '../../catalog/model.ts';
import type { NewRows, Snapshot, Transaction } from '../../engine/engine.ts';
import { SqlError } from '../../errors.ts';

export type RecordedWrite =
  | {
      readonly kind: 'insert';
      readonly relation: number;
      readonly partition: string | null;
      readonly rows: NewRows;
      readonly rowNumbers: Float64Array;
    }
  | {
      readonly kind: 'delete';
      readonly relation: number;
      readonly partition: string | null;
      readonly rowNumbers: Float64Array;
      /** From before, where the rows are still to be seen; the reader of the record releases it. */
      readonly before: Snapshot;
    };

/**
 * The same transaction, whose inserts and deletes are also put into `writes`.
 *
 * @param children relations whose new rows matter. @param parents relations whose old rows matter.
 */
export function recording(
  transaction: Transaction,
  writes: RecordedWrite[],
  { children, parents }: { readonly children: ReadonlySet<number>; readonly parents: ReadonlySet<number> },
): Transaction {
  const insert: Transaction['insert'] = async (relation, partition, rows, conflict, signal) => {
    if (conflict === 'replace' && parents.has(relation)) {
      return upsert({ relation, partition, rows, signal });
    }
    const rowNumbers = await transaction.insert(relation, partition, rows, conflict, signal);
    if (children.has(relation) || parents.has(relation)) {
      writes.push({ kind: 'insert', relation, partition, rows, rowNumbers });
    }
    return rowNumbers;
  };
  /** Until no row comes in between that would be replaced without a note. */
  const upsert = async (request: Upsert): Promise<Float64Array> => {
    const { relation, partition, rows, signal } = request;
    const before = writes.length;
    for (;;) {
      const savepoint = transaction.savepoint();
      const replaces = await lockReplaced(transaction, request);
      const rowNumbers = [...new Set(replaces)].filter((number) => number >= 0);
      if (rowNumbers.length > 0) remove(relation, partition, Float64Array.from(rowNumbers));
      const written = { ...rows, replaces };
      try {
        const rowNumbers = await transaction.insert(relation, partition, written, 'replace', signal);
        writes.push({ kind: 'insert', relation, partition, rows: written, rowNumbers });
        return rowNumbers;
      } catch (error) {
        if (!isPrimaryTaken(error, transaction, relation)) throw error;
        transaction.rollbackTo(savepoint);
        for (const write of writes.splice(before)) {
          if (write.kind === 'delete') write.before[Symbol.dispose]();
        }
      }
    }
  };
  const remove: Transaction['delete'] = (relation, partition, rowNumbers) => {
    if (parents.has(relation)) {
      writes.push({ kind: 'delete', relation, partition, rowNumbers, before: transaction.snapshot() });
    }
    transaction.delete(relation, partition, rowNumbers);
  };
  return new Proxy(transaction, {
    get(target, name) {
      if (name === 'insert') return insert;
      if (name === 'delete') return remove;
      const value = Reflect.get(target, name, target) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** A row came with the key after those that are replaced were looked up. */
function isPrimaryTaken(error: unknown, transaction: Transaction, relation: number): boolean {
  if (!(error instanceof SqlError) || error.condition !== 'unique_violation') return false;
  const described = transaction.catalog().relations.get(relation);
  const index = described === undefined ? undefined : primaryKey(described);
  const constraint = described?.constraints.find((one) => one.index === index?.oid);
  return error.fields.constraint === (constraint?.name ?? index?.name);
}

interface Upsert {
  readonly relation: number;
  readonly partition: string | null;
  readonly rows: NewRows;
  readonly signal: AbortSignal;
}

/** Locks the rows of equal primary key. @returns their numbers by row; -1: none. */
async function lockReplaced(
  transaction: Transaction,
  { relation, partition, rows, signal }: Upsert,
): Promise<Float64Array> {
  const described = present(transaction.catalog().relations.get(relation), `relation ${relation}`);
  const index = present(primaryKey(described), 'primary key of an upsert');
  const columns = index.columns.map((attribute) => rows.columns.get(attribute));
  for (;;) {
    using snapshot = transaction.snapshot();
    const numbers = Float64Array.from({ length: rows.length }, (_, row) => {
      const key = columns.map((column) => column?.get(row) ?? null);
      if (key.includes(null)) return -1;
      return snapshot.lookup(relation, partition, index.oid, key)?.rowNumber ?? -1;
    });
    const found = numbers.filter((number) => number >= 0);
    const request = { mode: 'update', wait: 'block', signal } as const;
    const newest = await transaction.lock(relation, partition, found, request);
    if (found.every((number, i) => newest[i] === number)) return numbers;
  }
}
