/** Keys that an UPDATE may change: how strongly its rows are locked, and whether their new versions wait. */
import type { RowLockMode } from '../catalog/lock-modes.ts';
import { columnByAttribute, type Relation } from '../catalog/model.ts';
import type { Assignment, Update } from '../plan/plan.ts';

/** Columns that may have other values afterwards. */
type Changes = Pick<Update, 'set' | 'rules'>;

const changesOf = ({ set, rules }: Changes): readonly Assignment[] => [...set, ...(rules?.generated ?? [])];

/** Those who refer to a row by a key need not wait while other columns change. */
export function lockOf(relation: Relation | undefined, changes: Changes): RowLockMode {
  const set = changesOf(changes);
  const referable = set.filter(({ column }) => relation && !columnByAttribute(relation, column)?.hidden);
  return changesKey(relation, referable) ? 'update' : 'no key update';
}

/** Keys may move from one row to another. */
export const movesKeys = (relation: Relation | undefined, changes: Changes): boolean =>
  changesKey(relation, changesOf(changes));

function changesKey(relation: Relation | undefined, set: readonly Assignment[]): boolean {
  const changed = new Set(set.map(({ column }) => column));
  const unique = relation?.indexes.filter((index) => index.unique) ?? [];
  return unique.some((index) => index.columns.some((attribute) => changed.has(attribute)));
}
