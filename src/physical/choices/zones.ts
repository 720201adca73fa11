/** Runs of rows are passed over in which, by a column's least and greatest values, none meets a comparison of the filter. */
import { columnComparison } from '../../plan/column-comparison.ts';
import type { Choice } from '../choice.ts';
import type { Scan, ZoneTest } from '../physical.ts';

export const zones: Choice = {
  name: 'zones',
  summary: 'Passes over runs of rows in which nothing meets the filter.',
  choose: (plan) => {
    if (plan.kind !== 'scan' || plan.lookup !== null || plan.conditions.length === 0) return plan;
    const tests = testsOf(plan);
    return tests.length === 0 ? plan : { ...plan, zones: tests };
  },
};

function testsOf({ columns, conditions }: Scan): readonly ZoneTest[] {
  return conditions.flatMap(({ expression }) => {
    const found = columnComparison(expression);
    const attribute = found === null ? undefined : columns[found.column];
    if (found === null || attribute === undefined || found.comparison === '<>') return [];
    return [{ attribute, comparison: found.comparison, constant: found.constant }];
  });
}
