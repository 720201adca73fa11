/** Where a column of a plan comes from: the relation, and what is known of its values. */
import type { ColumnStatistics } from '../catalog/column-statistics.ts';
import type { Expression } from '../plan/expression.ts';
import type { Plan } from '../plan/plan.ts';
import type { OptimizerContext } from './rule.ts';

export interface ColumnOrigin {
  readonly relation: number;
  readonly attribute: number;
  /** Rows of the relation. */
  readonly rows: number;
  /** Distinct values. */
  readonly distinct: number;
  readonly statistics: ColumnStatistics | null;
}

/** Distinct values of columns without statistics, as in PostgreSQL. */
const DISTINCT_UNKNOWN = 200;

/** Null for what is computed. */
export function originOf(
  expression: Expression,
  input: Plan,
  context: OptimizerContext,
): ColumnOrigin | null {
  if (expression.kind === 'cast' && expression.method !== 'text')
    return originOf(expression.input, input, context);
  return expression.kind === 'column' ? columnOrigin(input, expression.index, context) : null;
}

function columnOrigin(plan: Plan, index: number, context: OptimizerContext): ColumnOrigin | null {
  switch (plan.kind) {
    case 'scan': {
      const attribute = plan.columns[index];
      return attribute === undefined ? null : stored(plan.relation, attribute, context);
    }
    case 'filter':
    case 'sort':
    case 'limit':
    case 'distinct':
    case 'lock rows':
    case 'window':
      return columnOrigin(plan.input, index, context);
    case 'project': {
      const expression = plan.expressions[index];
      return expression === undefined ? null : originOf(expression, plan.input, context);
    }
    case 'aggregate': {
      const key = plan.keys[index];
      return key === undefined ? null : originOf(key, plan.input, context);
    }
    case 'join': {
      const width = plan.left.output.length;
      if (index < width) return columnOrigin(plan.left, index, context);
      return columnOrigin(plan.right, index - width, context);
    }
    default:
      return null;
  }
}

function stored(relation: number, attribute: number, context: OptimizerContext): ColumnOrigin {
  const { rows, columns } = context.statistics(relation);
  const statistics = columns?.get(attribute) ?? null;
  const unique = context.catalog.relations
    .get(relation)
    ?.indexes.some(
      (index) =>
        (index.unique || index.primary) && index.columns.length === 1 && index.columns[0] === attribute,
    );
  return { relation, attribute, rows, distinct: distinctOf(statistics, rows, unique === true), statistics };
}

function distinctOf(statistics: ColumnStatistics | null, rows: number, unique: boolean): number {
  if (unique) return Math.max(1, rows);
  if (statistics === null) return Math.max(1, Math.min(rows, DISTINCT_UNKNOWN));
  const { distinct } = statistics;
  return Math.max(1, distinct < 0 ? -distinct * rows : Math.min(distinct, rows));
}
