/**
 * Scans find their rows by the order of a btree index's first column: those that the filter's conditions on it
 * allow, where they are expected to be few, or the first ones of a sort with a limit, of min() and of max().
 */
import type { Index } from '../../catalog/model.ts';
import { aggregateById } from '../../functions/registry.ts';
import { columnCondition, isOrdered } from '../../plan/column-condition.ts';
import type { Expression } from '../../plan/expression.ts';
import type { Aggregate, OrderAccess, Plan, Scan, Sort } from '../../plan/plan.ts';
import { OID } from '../../types/oids.ts';
import { conjuncts, isMovable } from '../conditions.ts';
import { substitute } from './retrieval-top-k.ts';
import type { OptimizerContext, Rule } from '../rule.ts';
import { Selectivity } from '../selectivity.ts';

export const orderAccess: Rule = {
  name: 'order-access',
  summary: 'Finds rows by the order of an index instead of looking at all.',
  rewrite: (plan, context) => {
    switch (plan.kind) {
      case 'scan':
        return withRange(plan, context);
      case 'sort':
        return withFirst(plan, context);
      case 'aggregate':
        return withExtreme(plan, context);
      default:
        return plan;
    }
  },
};

/** Smaller relations are read through. */
const ROWS_MIN = 1_000;
/** The share of the rows; more are better read one after another. The executor counts exactly. */
const RANGE_SHARE_MAX = 1 / 8;
/** Rows looked at for the first ones of an order, of all rows. */
const FIRST_SHARE_MAX = 1 / 64;
/** Rows that a LIMIT is taken for that is not known yet. */
const COUNT_UNKNOWN = 100;

function withRange(scan: Scan, context: OptimizerContext): Plan {
  if (scan.lookup !== null || scan.access !== undefined || scan.filter === null) return scan;
  const asked = new Map<number, Expression[]>();
  for (const condition of conjuncts(scan.filter)) {
    const column = columnCondition(condition)?.column;
    if (column !== undefined) asked.set(column, [...(asked.get(column) ?? []), condition]);
  }
  const accesses = [...asked].flatMap(([column, conditions]) => {
    const access = accessBy(scan, column, context);
    return access === null ? [] : [{ access, conditions }];
  });
  // Without a choice statistics decide nothing, and are not asked for: the plan holds whatever they become.
  if (accesses.length === 0 || context.statistics(scan.relation).rows < ROWS_MIN) return scan;
  const selectivity = new Selectivity(scan, context);
  let best: { readonly access: OrderAccess; readonly share: number } | null = null;
  for (const { access, conditions } of accesses) {
    const share = conditions.every(isLiteral)
      ? selectivity.of({ kind: 'and', args: conditions, type: { oid: OID.bool, modifier: -1 } })
      : Math.min(RANGE_SHARE_MAX, selectivity.of(conditions[0] as Expression));
    if (share <= RANGE_SHARE_MAX && (best === null || share < best.share)) best = { access, share };
  }
  return best === null ? scan : { ...scan, access: best.access };
}

/** Without a value the share is not known, and the executor counts before it decides. */
function isLiteral(condition: Expression): boolean {
  if (condition.kind === 'call')
    return condition.args.every(({ kind }) => kind === 'literal' || kind === 'column');
  if (condition.kind === 'in') return condition.items.every(({ kind }) => kind === 'literal');
  return condition.kind === 'is';
}

/** The order of a column at a position of the scan's output; null when no index has it. */
function accessBy(scan: Scan, column: number, { catalog }: OptimizerContext): OrderAccess | null {
  const attribute = scan.columns[column];
  const type = scan.output[column]?.type.oid;
  if (attribute === undefined || type === undefined || !isOrdered(type)) return null;
  const index = catalog.relations.get(scan.relation)?.indexes.find((one) => ordersBy(one, attribute));
  return index === undefined ? null : { kind: 'order', index: index.oid, attribute };
}

function ordersBy({ kind, columns, shape }: Index, attribute: number): boolean {
  // The columns of an index on expressions are those between them.
  const leads = shape === undefined || shape.elements[0]?.attribute === attribute;
  return kind === 'btree' && leads && columns[0] === attribute && !shape?.where;
}

function withFirst(sort: Sort, context: OptimizerContext): Plan {
  const [key] = sort.keys;
  if (sort.top === null || key === undefined) return sort;
  const { descending, nullsFirst } = key;
  const first = { descending, nullsFirst, count: sort.top };
  const input = askScan(sort.input, { expression: key.expression, first }, context);
  return input === sort.input ? sort : { ...sort, input };
}

interface Wanted {
  readonly expression: Expression;
  readonly first: NonNullable<OrderAccess['first']>;
}

function askScan(plan: Plan, { expression, first }: Wanted, context: OptimizerContext): Plan {
  if (plan.kind === 'project' && plan.sets.length === 0) {
    const below = substitute(expression, plan.expressions);
    const input = below === null ? plan.input : askScan(plan.input, { expression: below, first }, context);
    return input === plan.input ? plan : { ...plan, input };
  }
  if (plan.kind !== 'scan' || expression.kind !== 'column') return plan;
  if (plan.lookup !== null || plan.topK !== null || isFirst(plan)) return plan;
  if (plan.filter !== null && !isMovable(plan.filter)) return plan;
  const access = accessBy(plan, expression.index, context);
  return access === null || !isWorthIt(plan, access, first.count, context)
    ? plan
    : { ...plan, access: { ...access, first } };
}

const isFirst = ({ access }: Scan): boolean => access?.kind === 'order' && access.first !== undefined;

/** Rows of the order are looked at until enough of them pass the filter. */
function isWorthIt(scan: Scan, access: OrderAccess, count: Expression, context: OptimizerContext): boolean {
  const { rows } = context.statistics(scan.relation);
  if (rows < ROWS_MIN) return false;
  const others = conjuncts(scan.filter).filter((condition) => {
    const column = columnCondition(condition)?.column;
    return column === undefined || scan.columns[column] !== access.attribute;
  });
  const selectivity = new Selectivity(scan, context);
  const share = others.reduce((product, condition) => product * selectivity.of(condition), 1);
  const wanted = count.kind === 'literal' && count.value !== null ? Number(count.value) : COUNT_UNKNOWN;
  return wanted <= share * rows * FIRST_SHARE_MAX;
}

const EXTREMES: Readonly<Record<string, boolean>> = { min: false, max: true };

/** `SELECT max(x)`: the first row of the order. */
function withExtreme(aggregate: Aggregate, context: OptimizerContext): Plan {
  const [call] = aggregate.aggregates;
  const [argument] = call?.args ?? [];
  if (call === undefined || argument === undefined || aggregate.aggregates.length > 1) return aggregate;
  const descending = EXTREMES[aggregateById(call.function).name];
  if (descending === undefined || aggregate.keys.length > 0 || call.filter !== null) return aggregate;
  const count: Expression = { kind: 'literal', value: 1n, type: { oid: OID.int8, modifier: -1 } };
  const first = { descending, nullsFirst: false, count };
  const input = askScan(aggregate.input, { expression: argument, first }, context);
  return input === aggregate.input ? aggregate : { ...aggregate, input };
}
