/** What a statement writes to relations with foreign keys, noted as it passes on to the transaction. */
import type { NewRows, Snapshot, Transaction } from '../engine/engine.ts';

export type RecordedWrite =
  | { readonly kind: 'insert'; readonly relation: number; readonly rows: NewRows }
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
  const insert: Transaction['insert'] = (relation, partition, rows, conflict, signal) => {
    if (children.has(relation) || parents.has(relation)) writes.push({ kind: 'insert', relation, rows });
    return transaction.insert(relation, partition, rows, conflict, signal);
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
