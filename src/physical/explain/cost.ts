/**
 * Costs for EXPLAIN, worked out from the rows expected of each node and the unit costs, for people and tools that read
 * plans. The optimizer decides by rows alone. Source of the shape: PostgreSQL's costsize.c.
 */
import { findTypeByOid } from '../../types/registry.ts';
import type { TypeRef } from '../../types/type.ts';
import type { Join, Plan } from '../../plan/plan.ts';
import type { PhysicalPlan, Scan } from '../physical.ts';
import { UNIT_COSTS } from '../unit-costs.ts';
import { inputsOf } from '../walk.ts';

const { rowRead, indexProbe, comparison } = UNIT_COSTS;
/** Elements of an array that is a parameter, as PostgreSQL guesses them. */
const KEYS_OF_A_PARAMETER = 10;
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
export function costOf(plan: PhysicalPlan, rows: (plan: Plan) => number): Cost {
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

function spent(plan: PhysicalPlan, rows: (plan: Plan) => number): Spent {
  const inputs = inputsOf(plan).map((child) => spent(child, rows));
  const [first = { startup: 0, total: 0 }] = inputs;
  switch (plan.kind) {
    case 'scan':
      return scanCost(plan, rows);
    case 'sort': {
      const count = rows(plan.input);
      const startup = first.total + 2 * comparison * count * Math.log2(count + 1);
      return { startup, total: startup + comparison * rows(plan) };
    }
    case 'aggregate': {
      const calls = plan.keys.length + plan.aggregates.length;
      const startup = first.total + comparison * calls * rows(plan.input);
      return { startup, total: startup + rowRead * rows(plan) };
    }
    case 'limit': {
      const share = Math.min(1, rows(plan) / rows(plan.input));
      return { startup: first.startup, total: first.startup + share * (first.total - first.startup) };
    }
    case 'join':
      return joinCost(plan, inputs, rows);
    default: {
      const total = inputs.reduce((sum, input) => sum + input.total, 0);
      return { startup: first.startup, total: total + rowRead * rows(plan) };
    }
  }
}

function scanCost(plan: Scan, rows: (plan: Plan) => number): Spent {
  const given = rowRead * rows(plan);
  const probes = probesOf(plan);
  if (probes > 0) return { startup: indexProbe, total: indexProbe * probes + given };
  const all = rows({ ...plan, filter: null, lookup: null });
  return { startup: 0, total: (rowRead + comparison * plan.conditions.length) * all };
}

/** Look-ups of indexes; 0 where every row is looked at. */
function probesOf({ request, ways, arms }: Scan): number {
  if (request.kind === 'best rows') return Math.max(arms.length, 1);
  const [way] = ways;
  if (way === undefined) return request.kind === 'rows' || request.kind === 'rows by key' ? 0 : 1;
  if (way.kind !== 'key list') return 1;
  return Array.isArray(way.keys) ? way.keys.length : KEYS_OF_A_PARAMETER;
}

/** By a table of the right side's keys, or every row with every row. */
function joinCost(plan: Join, inputs: readonly Spent[], rows: (plan: Plan) => number): Spent {
  const [left = { startup: 0, total: 0 }, right = { startup: 0, total: 0 }] = inputs;
  const [many, few] = [rows(plan.left), rows(plan.right)];
  const given = rowRead * rows(plan);
  if (plan.lateral) {
    return { startup: left.startup + right.startup, total: left.total + many * right.total + given };
  }
  if (plan.keys.length > 0) {
    const startup = left.startup + right.total + comparison * few;
    return { startup, total: startup + left.total + comparison * many + given };
  }
  const pairs = comparison * many * few;
  return { startup: left.startup + right.total, total: left.total + right.total + pairs + given };
}
