/**
 * Whether a row is there: `r` as a value is NULL where an outer join found no row of it, and `(,)` where a row of
 * NULLs was found. A side of an outer join that may be missing gets a column for each of its entries that is
 * TRUE in every row; where nothing reads one, `settle.ts` leaves it out again.
 */
import type { Plan, Project } from '../../../plan/plan.ts';
import { BOOLEAN, type DraftColumn, draftColumns, reference } from '../draft.ts';
import type { FromResult, Level } from '../level.ts';
import { newId } from '../state.ts';

/** A projection that adds marks to all that its input gives; settling makes its expressions. */
export interface PresenceDraft extends Project {
  readonly marks: readonly DraftColumn[];
}

export const isPresence = (plan: Plan): plan is PresenceDraft => plan.kind === 'project' && 'marks' in plan;

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
  const below = draftColumns(side.plan);
  const plan: PresenceDraft = {
    kind: 'project',
    input: side.plan,
    expressions: [],
    sets: [],
    output: [...below, ...marks],
    marks,
  };
  return { ...side, plan, items };
}
