/**
 * `within(latitude, longitude, …)` of columns is also a range of each: by an ordered index on one of them few rows are
 * looked at. The exact condition stays.
 */
import { SqlError } from '../../errors.ts';
import { functionById } from '../../functions/registry.ts';
import { resolveFunction, resolveOperator } from '../../functions/resolve.ts';
import type { Expression } from '../../plan/expression.ts';
import { sameTree } from '../../plan/same-tree.ts';
import { OID } from '../../types/oids.ts';
import { allOf, BOOLEAN, conjuncts, isFixed } from '../conditions.ts';
import type { Rule } from '../rule.ts';

export const geoRanges: Rule = {
  name: 'geo-ranges',
  summary: 'Adds ranges of latitude and longitude to conditions on places.',
  rewrite: (plan) => {
    if (plan.kind !== 'filter') return plan;
    const asked = conjuncts(plan.condition);
    const isMissing = (range: Expression): boolean => !asked.some((known) => sameTree(known, range));
    const missing = asked.flatMap(rangesOf).filter(isMissing);
    if (missing.length === 0) return plan;
    return { ...plan, condition: allOf([...asked, ...missing]) as Expression };
  },
};

const CIRCLE = 3;

function rangesOf(condition: Expression): readonly Expression[] {
  if (condition.kind !== 'call' || functionById(condition.function).name !== 'within') return [];
  const [latitude, longitude, ...area] = condition.args;
  if (latitude === undefined || longitude === undefined || !area.every(isFixed)) return [];
  // Longitudes of a box may go round.
  const [south = null, , north = null] = area;
  if (area.length !== CIRCLE) return [...compared(latitude, '>=', south), ...compared(latitude, '<=', north)];
  return [
    ...compared(latitude, '>=', sideOf('south', area)),
    ...compared(latitude, '<=', sideOf('north', area)),
    ...compared(longitude, '>=', sideOf('west', area)),
    ...compared(longitude, '<=', sideOf('east', area)),
  ];
}

const FLOAT = { oid: OID.float8, modifier: -1 } as const;
const TEXT = { oid: OID.text, modifier: -1 } as const;

/** As folding constants makes it, so that it is added once; null where that fails: the condition itself will tell. */
function sideOf(side: string, circle: readonly Expression[]): Expression | null {
  const given = [TEXT.oid, ...circle.map(() => FLOAT.oid)].map((type) => ({ type, name: null }));
  const { id } = resolveFunction('geo_bound', given);
  const numbers = circle.map((part) => (part.kind === 'literal' ? part.value : null));
  if (numbers.some((value) => typeof value !== 'number')) {
    const args: Expression[] = [{ kind: 'literal', value: side, type: TEXT }, ...circle];
    return { kind: 'call', function: id, args, type: FLOAT };
  }
  try {
    const value = functionById(id).evaluate?.(side as never, ...(numbers as never[])) as number;
    return { kind: 'literal', value, type: FLOAT };
  } catch (error) {
    if (error instanceof SqlError) return null;
    throw error;
  }
}

/** Types of columns that are compared with a float8 as they are. */
const FLOATS: ReadonlySet<number> = new Set([OID.float4, OID.float8]);

/** None where the coordinate is no column of floating point numbers. */
function compared(coordinate: Expression, operator: string, bound: Expression | null): readonly Expression[] {
  const column = coordinate.kind === 'cast' ? coordinate.input : coordinate;
  if (bound === null || column.kind !== 'column' || !FLOATS.has(column.type.oid)) return [];
  const { id } = resolveOperator(operator, column.type.oid, FLOAT.oid);
  return [{ kind: 'call', function: id, args: [column, bound], type: BOOLEAN }];
}
