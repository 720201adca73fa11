/** A keyword predicate of the filter drives the scan: its index gives the rows, and the other conditions are asked of them. */
import type { Expression } from '../../plan/expression.ts';
import type { Choice } from '../choice.ts';
import type { Scan, ScanWay } from '../physical.ts';

export const keywordRows: Choice = {
  name: 'keyword-rows',
  summary: 'Finds the rows of a keyword predicate by its index.',
  choose: (plan) => {
    if (plan.kind !== 'scan' || plan.lookup !== null) return plan;
    for (const { expression } of plan.conditions) {
      const way = wayOf(plan, expression);
      if (way !== null)
        return { ...plan, ways: [...plan.ways.filter(isList), way, ...plan.ways.filter(isNoList)] };
    }
    return plan;
  },
};

const isList = ({ kind }: ScanWay): boolean => kind === 'key list';
const isNoList = ({ kind }: ScanWay): boolean => kind !== 'key list';

/** Rows that a condition with `should` leaves out are not those that do not match. */
function wayOf({ columns, arms }: Scan, condition: Expression): ScanWay | null {
  if (condition.kind !== 'column') return null;
  const arm = condition.index - columns.length;
  const asked = arms[arm];
  if (asked?.kind !== 'keyword' || asked.output !== 'matched' || asked.operator === 'should') return null;
  return { kind: 'keyword', arm, condition };
}
