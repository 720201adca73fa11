/**
 * Presence of a row: `r` as a value is NULL where an outer join found no row of it, and `(,)` where a row of
 * NULLs was found. A side of an outer join that may be missing gets a column for each of its entries that is
 * TRUE in every row; where nothing reads one, `settle.ts` leaves it out again.
 */
import { BOOLEAN, type DraftColumn, type PresenceDraft, reference } from '../draft.ts';
import type { FromResult, Level } from '../level.ts';
import { newId } from '../state.ts';

export function withPresence(level: Level, side: FromResult): FromResult {
  const marks: DraftColumn[] = [];
  const items = side.items.map((item) => {
    if (item.presence) return item;
    const { state } = level;
    const mark: DraftColumn = { id: newId(state), name: '*', type: BOOLEAN, relation: 0, attribute: 0 };
    const info = { level, table: item.alias, name: '*', undeclared: false, relation: 0, attribute: 0 };
    state.columns.set(mark.id, { ...info, scan: null });
    marks.push(mark);
    return { ...item, presence: reference(mark.id, BOOLEAN) };
  });
  const below = side.plan.output;
  const plan: PresenceDraft = {
    kind: 'presence',
    input: side.plan,
    output: [...below, ...marks],
    marks,
  };
  return { ...side, plan, items };
}
