/**
 * All that decides which rows a rule with subqueries shows: the rule itself, facts of the session, and the rows of the
 * relations that it asks. Rows that were found by it are kept for as long as none of these is another.
 */
import { createHash } from 'node:crypto';
import type { Expression } from '../../plan/expression.ts';
import type { Plan } from '../../plan/plan.ts';
import { expressionChildren, planChildren, planExpressions } from '../../plan/walk.ts';
import { OID } from '../../types/oids.ts';
import type { KeptRule, RuleKey } from '../physical.ts';
import { isFact, isImmutable } from './session-facts.ts';

/** Nodes whose rows follow from those below, however often they are made. */
const NODES: ReadonlySet<Plan['kind']> = new Set<Plan['kind']>([
  'values',
  'constants',
  'scan',
  'filter',
  'project',
  'join',
  'aggregate',
  'sort',
  'limit',
  'distinct',
  'set',
]);

/** Aggregates that read no setting, whatever their arguments are. */
const AGGREGATES: ReadonlySet<string> = new Set([
  'count',
  'min',
  'max',
  'sum',
  'bool_and',
  'bool_or',
  'every',
]);

/** Between these a cast reads no setting, as DateStyle or TimeZone. */
const CAST_TYPES: ReadonlySet<number> = new Set([
  OID.bool,
  OID.int2,
  OID.int4,
  OID.int8,
  OID.numeric,
  OID.text,
  OID.varchar,
  OID.bpchar,
  OID.name,
  OID.uuid,
  OID.oid,
]);

/** Null when more decides than can be told: nothing is kept then. */
export function ruleKey({ plan, mark }: Omit<KeptRule, 'kept'>): RuleKey | null {
  const found: Found = { mark, facts: [], relations: [] };
  if (!isKnownPlan(plan as Plan, found)) return null;
  const rule = digestOf(plan);
  return rule === null ? null : { rule, facts: found.facts, relations: found.relations };
}

interface Found {
  /** Mark of the scan that gives the rows to be judged; these are told by their part. */
  readonly mark: number;
  readonly facts: Expression[];
  readonly relations: RuleKey['relations'][number][];
}

function isKnownPlan(plan: Plan, found: Found): boolean {
  if (!NODES.has(plan.kind)) return false;
  if (plan.kind === 'scan') {
    if (plan.arms.length > 0) return false;
    if (plan.mark !== found.mark)
      found.relations.push({ relation: plan.relation, partition: plan.partition });
  }
  if (plan.kind === 'project' && plan.sets.length > 0) return false;
  if (plan.kind === 'aggregate' && !plan.aggregates.every((call) => AGGREGATES.has(nameOf(call.function)))) {
    return false;
  }
  const isKnown = (part: Expression): boolean => isKnownExpression(part, found);
  return (
    planExpressions(plan).every(isKnown) && planChildren(plan).every((child) => isKnownPlan(child, found))
  );
}

function isKnownExpression(part: Expression, found: Found): boolean {
  if (isFact(part)) {
    found.facts.push(part);
    return true;
  }
  if (part.kind === 'parameter') return false;
  if (part.kind === 'call' && !isImmutable(part.function)) return false;
  if (part.kind === 'cast' && !(CAST_TYPES.has(part.type.oid) && CAST_TYPES.has(part.input.type.oid)))
    return false;
  if (part.kind === 'subquery') {
    const { plan, compare } = part;
    if (!isKnownPlan(plan, found)) return false;
    if (compare !== null && !isKnownExpression(compare, found)) return false;
  }
  return expressionChildren(part).every((child) => isKnownExpression(child, found));
}

const nameOf = (id: string): string => id.slice(0, id.indexOf('('));

/** The same for the same rule in any statement: marks are told by the order in which they come. Null: not plain data. */
function digestOf(plan: KeptRule['plan']): string | null {
  const marks = new Map<unknown, number>();
  let isPlain = true;
  const text = JSON.stringify(plan, (name, value) => {
    if (name === 'mark') {
      if (!marks.has(value)) marks.set(value, marks.size);
      return marks.get(value);
    }
    if (typeof value === 'bigint') return `${value}n`;
    if (typeof value === 'number' && !Number.isFinite(value)) return `${value}`;
    if (ArrayBuffer.isView(value)) return Array.from(value as Uint8Array);
    if (value instanceof Map || value instanceof Set) isPlain = false;
    return value;
  });
  return isPlain ? createHash('sha256').update(text).digest('base64') : null;
}
