/**
 * Costs for EXPLAIN, in PostgreSQL's unit and with its constants: worked out from the rows expected of each
 * node, for people and tools that read plans. The optimizer decides by rows alone. Source: costsize.c.
 */
import { findTypeByOid } from '../../types/registry.ts';
import type { TypeRef } from '../../types/type.ts';
import type { Join, Plan } from '../../plan/plan.ts';
import { planChildren } from '../../plan/walk.ts';

const TUPLE_COST = 0.01;
const INDEX_TUPLE_COST = 0.005;
const OPERATOR_COST = 0.0025;
/** Bytes of a value whose type has no fixed length, as PostgreSQL guesses them. */
const WIDTH_UNKNOWN = 32;

export interface Cost {
  /** Before the first row, and of all rows. */
  readonly startup: number;
  readonly total: number;
  /** Bytes of a row. */
  readonly width: number;
}

/** @param rows expected of a node, at least 1. */
export function costOf(plan: Plan, rows: (plan: Plan) => number): Cost {
  return { ...spent(plan, rows), width: widthOf(plan) };
}

export const widthOf = (plan: Plan): number =>
  plan.output.reduce((sum, { type }) => sum + typeWidth(type), 0);

function typeWidth({ oid, modifier }: TypeRef): number {
  const type = findTypeByOid(oid);
  if (type !== undefined && type.typlen > 0) return type.typlen;
  if (modifier > 0 && (type?.name === 'varchar' || type?.name === 'bpchar')) return modifier;
  return WIDTH_UNKNOWN;
}

type Spent = Omit<Cost, 'width'>;

function spent(plan: Plan, rows: (plan: Plan) => number): Spent {
  const inputs = planChildren(plan).map((child) => spent(child, rows));
  const [first = { startup: 0, total: 0 }] = inputs;
  switch (plan.kind) {
    case 'scan':
      return scanCost(plan, rows);
    case 'sort': {
      const count = rows(plan.input);
      const startup = first.total + 2 * OPERATOR_COST * count * Math.log2(count + 1);
      return { startup, total: startup + OPERATOR_COST * rows(plan) };
    }
    case 'aggregate': {
      const calls = plan.keys.length + plan.aggregates.length;
      const startup = first.total + OPERATOR_COST * calls * rows(plan.input);
      return { startup, total: startup + TUPLE_COST * rows(plan) };
    }
    case 'limit': {
      const share = Math.min(1, rows(plan) / rows(plan.input));
      return { startup: first.startup, total: first.startup + share * (first.total - first.startup) };
    }
    case 'join':
      return joinCost(plan, inputs, rows);
    default: {
      const total = inputs.reduce((sum, input) => sum + input.total, 0);
      return { startup: first.startup, total: total + TUPLE_COST * rows(plan) };
    }
  }
}

function scanCost(plan: Plan & { kind: 'scan' }, rows: (plan: Plan) => number): Spent {
  const all = rows({ ...plan, filter: null, lookup: null });
  const way = INDEX_TUPLE_COST * Math.log2(all + 1);
  if (plan.lookup !== null || plan.access !== undefined || plan.topK !== null) {
    return { startup: way, total: way + (INDEX_TUPLE_COST + TUPLE_COST) * rows(plan) };
  }
  const filter = plan.filter === null ? 0 : OPERATOR_COST;
  return { startup: 0, total: (TUPLE_COST + filter) * all };
}

/** By a table of the right side's keys, or every row with every row. */
function joinCost(plan: Join, inputs: readonly Spent[], rows: (plan: Plan) => number): Spent {
  const [left = { startup: 0, total: 0 }, right = { startup: 0, total: 0 }] = inputs;
  const [many, few] = [rows(plan.left), rows(plan.right)];
  const given = TUPLE_COST * rows(plan);
  if (plan.lateral) {
    return { startup: left.startup + right.startup, total: left.total + many * right.total + given };
  }
  if (plan.keys.length > 0) {
    const startup = left.startup + right.total + OPERATOR_COST * few;
    return { startup, total: startup + left.total + OPERATOR_COST * many + given };
  }
  const pairs = OPERATOR_COST * many * few;
  return { startup: left.startup + right.total, total: left.total + right.total + pairs + given };
}
