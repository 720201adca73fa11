/**
 * Walking and rewriting plans and expressions: direct children only, so that every user decides its own
 * order. A rewrite that changes nothing returns the same object, which is how a rule knows that it is done.
 */
import { assert, unreachable } from '../assert.ts';
import type { Expression, Subquery } from './expression.ts';
import type {
  Arm,
  Assignment,
  Conflict,
  Delete,
  FrameBound,
  Fusion,
  Insert,
  Merge,
  Plan,
  RowRules,
  Scan,
  SortKey,
  Update,
  WindowCall,
} from './plan.ts';

type Rewrite = (expression: Expression) => Expression;

/** Direct operands. A subquery's plan is not among them, nor is its `compare` (it has other columns). */
export function expressionChildren(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'literal':
    case 'parameter':
    case 'column':
    case 'outer':
    case 'subquery':
      return [];
    case 'call':
    case 'and':
    case 'or':
    case 'coalesce':
      return expression.args;
    case 'cast':
    case 'not':
    case 'is':
      return [expression.input];
    case 'case': {
      const operands = expression.branches.flatMap((branch) => [branch.when, branch.then]);
      return expression.otherwise === null ? operands : [...operands, expression.otherwise];
    }
    case 'in':
      return [expression.input, ...expression.items];
    case 'array':
      return expression.elements;
    case 'row':
      return expression.fields;
    case 'quantified':
      return [expression.left, expression.array];
    default:
      return unreachable(expression);
  }
}

/** The same array when `change` gives back every item. */
export function mapSame<T>(items: readonly T[], change: (item: T) => T): readonly T[] {
  let changed = false;
  const mapped = items.map((item) => {
    const next = change(item);
    if (next !== item) changed = true;
    return next;
  });
  return changed ? mapped : items;
}

/** `object` with `changes`, or `object` itself when every change is what it has already. */
function withChanges<T extends object>(object: T, changes: Partial<T>): T {
  for (const key of Object.keys(changes) as (keyof T)[]) {
    if (object[key] !== changes[key]) return { ...object, ...changes };
  }
  return object;
}

const mapOptional = (expression: Expression | null, change: Rewrite): Expression | null =>
  expression === null ? null : change(expression);

/** Rewrites the direct operands; subqueries are left to `mapSubqueries`. */
function mapExpression(expression: Expression, change: Rewrite): Expression {
  switch (expression.kind) {
    case 'literal':
    case 'parameter':
    case 'column':
    case 'outer':
    case 'subquery':
      return expression;
    case 'call':
    case 'and':
    case 'or':
    case 'coalesce':
      return withChanges(expression, { args: mapSame(expression.args, change) });
    case 'cast':
    case 'not':
    case 'is':
      return withChanges(expression, { input: change(expression.input) });
    case 'case':
      return withChanges(expression, {
        branches: mapSame(expression.branches, (branch) =>
          // biome-ignore lint/suspicious/noThenProperty: CASE WHEN … THEN
          withChanges(branch, { when: change(branch.when), then: change(branch.then) }),
        ),
        otherwise: mapOptional(expression.otherwise, change),
      });
    case 'in':
      return withChanges(expression, {
        input: change(expression.input),
        items: mapSame(expression.items, change),
      });
    case 'array':
      return withChanges(expression, { elements: mapSame(expression.elements, change) });
    case 'row':
      return withChanges(expression, { fields: mapSame(expression.fields, change) });
    case 'quantified':
      return withChanges(expression, { left: change(expression.left), array: change(expression.array) });
    default:
      return unreachable(expression);
  }
}

/** Every expression under `expression`, itself first; subqueries are visited, their plans are not. */
export function visitExpression(expression: Expression, visit: (expression: Expression) => void): void {
  visit(expression);
  for (const child of expressionChildren(expression)) visitExpression(child, visit);
}

/** Rewrites from the leaves up. */
export function rewriteExpression(expression: Expression, change: Rewrite): Expression {
  return change(mapExpression(expression, (child) => rewriteExpression(child, change)));
}

/** Input plans, left to right. */
export function planChildren(plan: Plan): readonly Plan[] {
  switch (plan.kind) {
    case 'values':
    case 'constants':
    case 'scan':
    case 'system':
    case 'stream':
    case 'function':
    case 'cte':
      return [];
    case 'join':
    case 'set':
      return [plan.left, plan.right];
    case 'with':
      return plan.recursive === null
        ? [plan.definition, plan.body]
        : [plan.definition, plan.recursive.term, plan.body];
    case 'merge':
      return [plan.input, ...plan.actions];
    default:
      return [plan.input];
  }
}

/** Rewrites the direct inputs. */
export function mapPlan(plan: Plan, change: (plan: Plan) => Plan): Plan {
  switch (plan.kind) {
    case 'values':
    case 'constants':
    case 'scan':
    case 'system':
    case 'stream':
    case 'function':
    case 'cte':
      return plan;
    case 'join':
      return withChanges(plan, { left: change(plan.left), right: change(plan.right) });
    case 'set':
      return withChanges(plan, { left: change(plan.left), right: change(plan.right) });
    case 'with':
      return withChanges(plan, {
        definition: change(plan.definition),
        recursive:
          plan.recursive === null ? null : withChanges(plan.recursive, { term: change(plan.recursive.term) }),
        body: change(plan.body),
      });
    case 'merge':
      return withChanges(plan, {
        input: change(plan.input),
        actions: mapSame(plan.actions, (action) => change(action) as typeof action),
      });
    default:
      return withChanges(plan as typeof plan & { input: Plan }, { input: change(plan.input) }) as Plan;
  }
}

const mapKeys = (keys: readonly SortKey[], change: Rewrite): readonly SortKey[] =>
  mapSame(keys, (key) => withChanges(key, { expression: change(key.expression) }));

const mapAssignments = (set: readonly Assignment[], change: Rewrite): readonly Assignment[] =>
  mapSame(set, (assignment) => withChanges(assignment, { value: change(assignment.value) }));

function mapArm(arm: Arm, change: Rewrite): Arm {
  if (arm.kind === 'semantic') return withChanges(arm, { query: change(arm.query) });
  if (arm.kind === 'vector') {
    const candidates = arm.candidates && { candidates: change(arm.candidates) };
    return withChanges(arm, { query: change(arm.query), ...candidates });
  }
  return withChanges(arm, {
    query: change(arm.query),
    weight: mapOptional(arm.weight, change),
    option: mapOptional(arm.option, change),
    b: mapOptional(arm.b, change),
    k1: mapOptional(arm.k1, change),
  });
}

function mapBound(bound: FrameBound, change: Rewrite): FrameBound {
  if (bound.kind !== 'preceding' && bound.kind !== 'following') return bound;
  return withChanges(bound, { offset: change(bound.offset) });
}

function mapWindowCall(call: WindowCall, change: Rewrite): WindowCall {
  return withChanges(call, {
    args: mapSame(call.args, change),
    filter: mapOptional(call.filter, change),
    frame: withChanges(call.frame, {
      start: mapBound(call.frame.start, change),
      end: mapBound(call.frame.end, change),
    }),
  });
}

function mapConflict(conflict: Conflict, change: Rewrite): Conflict {
  if (conflict.action !== 'update') return conflict;
  return withChanges(conflict, {
    set: mapAssignments(conflict.set, change),
    where: mapOptional(conflict.where, change),
  });
}

/** Rewrites the expressions of one node; they keep referring to the node's input. */
export function mapPlanExpressions(plan: Plan, change: Rewrite): Plan {
  switch (plan.kind) {
    case 'constants':
    case 'system':
    case 'stream':
    case 'set':
    case 'lock rows':
    case 'with':
    case 'cte':
      return plan;
    case 'values':
      return withChanges(plan, { rows: mapSame(plan.rows, (row) => mapSame(row, change)) });
    case 'scan':
      return mapScan(plan, change);
    case 'function':
      return withChanges(plan, { args: mapSame(plan.args, change) });
    case 'filter':
      return withChanges(plan, { condition: change(plan.condition) });
    case 'project':
      return withChanges(plan, {
        expressions: mapSame(plan.expressions, change),
        sets: mapSame(plan.sets, (set) => withChanges(set, { args: mapSame(set.args, change) })),
      });
    case 'join':
      return withChanges(plan, {
        keys: mapSame(plan.keys, (key) =>
          withChanges(key, { left: change(key.left), right: change(key.right) }),
        ),
        condition: mapOptional(plan.condition, change),
      });
    case 'aggregate':
      return mapAggregate(plan, change);
    case 'window':
      return withChanges(plan, {
        partition: mapSame(plan.partition, change),
        order: mapKeys(plan.order, change),
        calls: mapSame(plan.calls, (call) => mapWindowCall(call, change)),
      });
    case 'fusion':
      return mapFusion(plan, change);
    case 'sort':
      return withChanges(plan, { keys: mapKeys(plan.keys, change), top: mapOptional(plan.top, change) });
    case 'limit':
      return withChanges(plan, {
        count: mapOptional(plan.count, change),
        offset: mapOptional(plan.offset, change),
        ties: plan.ties === null ? null : mapKeys(plan.ties, change),
      });
    case 'distinct':
      return withChanges(plan, { on: plan.on === null ? null : mapSame(plan.on, change) });
    case 'insert':
    case 'update':
    case 'delete':
    case 'merge':
      return mapWrite(plan, change);
    default:
      return unreachable(plan);
  }
}

function mapFusion(plan: Fusion, change: Rewrite): Fusion {
  return withChanges(plan, {
    arms: mapSame(plan.arms, (arm) => withChanges(arm, { score: change(arm.score) })),
    count: mapOptional(plan.count, change),
    method: mapOptional(plan.method, change),
    weights: mapOptional(plan.weights, change),
    depth: mapOptional(plan.depth, change),
  });
}

function mapWrite(plan: Insert | Update | Delete | Merge, change: Rewrite): Plan {
  const returning = plan.returning === null ? null : mapSame(plan.returning, change);
  switch (plan.kind) {
    case 'insert':
      return withChanges(plan, {
        defaults: mapAssignments(plan.defaults, change),
        conflict: mapConflict(plan.conflict, change),
        ...mapRules(plan.rules, change),
        returning,
      });
    case 'update':
      return withChanges(plan, {
        set: mapAssignments(plan.set, change),
        undeclared: mapSame(plan.undeclared, (entry) => withChanges(entry, { value: change(entry.value) })),
        ...mapRules(plan.rules, change),
        returning,
      });
    case 'delete':
    case 'merge':
      return withChanges(plan, { returning });
    default:
      return unreachable(plan);
  }
}

function mapRules(rules: RowRules | null | undefined, change: Rewrite): { rules?: RowRules } {
  if (!rules) return {};
  const changed = withChanges(rules, {
    generated: mapAssignments(rules.generated, change),
    checks: mapSame(rules.checks, (check) => withChanges(check, { condition: change(check.condition) })),
    options: mapSame(rules.options, (check) => withChanges(check, { condition: change(check.condition) })),
  });
  return { rules: changed };
}

function mapScan(plan: Plan & { kind: 'scan' }, change: Rewrite): Plan {
  const { lookup, topK } = plan;
  return withChanges(plan, {
    arms: mapSame(plan.arms, (arm) => mapArm(arm, change)),
    filter: mapOptional(plan.filter, change),
    lookup: lookup === null ? null : withChanges(lookup, { key: mapSame(lookup.key, change) }),
    topK:
      topK === null
        ? null
        : withChanges(topK, {
            count: change(topK.count),
            offset: mapOptional(topK.offset, change),
            keys: mapKeys(topK.keys, change),
            ...(topK.groups && { groups: withChanges(topK.groups, { by: mapSame(topK.groups.by, change) }) }),
          }),
    ...(plan.access && { access: mapAccess(plan.access, change) }),
  });
}

function mapAccess(access: NonNullable<Scan['access']>, change: Rewrite): NonNullable<Scan['access']> {
  if (access.kind === 'text' || access.first === undefined) return access;
  return withChanges(access, { first: withChanges(access.first, { count: change(access.first.count) }) });
}

function mapAggregate(plan: Plan & { kind: 'aggregate' }, change: Rewrite): Plan {
  return withChanges(plan, {
    keys: mapSame(plan.keys, change),
    aggregates: mapSame(plan.aggregates, (call) =>
      withChanges(call, {
        args: mapSame(call.args, change),
        filter: mapOptional(call.filter, change),
        order: mapKeys(call.order, change),
      }),
    ),
  });
}

/** Expressions of one node, in no particular order. */
export function planExpressions(plan: Plan): readonly Expression[] {
  const found: Expression[] = [];
  mapPlanExpressions(plan, (expression) => {
    found.push(expression);
    return expression;
  });
  return found;
}

/**
 * Calls `found` for every reference that leaves `plan`: depth 1 is the row of the directly enclosing query.
 */
export function visitFreeReferences(
  plan: Plan,
  found: (depth: number, index: number) => void,
  level = 1,
): void {
  for (const expression of planExpressions(plan)) visitFreeInExpression(expression, found, level);
  if (plan.kind === 'join' && plan.lateral) {
    visitFreeReferences(plan.left, found, level);
    visitFreeReferences(plan.right, found, level + 1);
    return;
  }
  for (const child of planChildren(plan)) visitFreeReferences(child, found, level);
}

/** Where a reference that leaves a plan points after a rewrite; depth 0 is a column of the plan's own row. */
export type FreeChange = (depth: number, index: number) => { readonly depth: number; readonly index: number };

/** Rewrites every reference that leaves `plan`. */
export function mapFreeReferences(plan: Plan, change: FreeChange, level = 1): Plan {
  const mapped = mapPlanExpressions(plan, (expression) => mapFreeInExpression(expression, change, level));
  if (mapped.kind === 'join' && mapped.lateral) {
    return withChanges(mapped, {
      left: mapFreeReferences(mapped.left, change, level),
      right: mapFreeReferences(mapped.right, change, level + 1),
    });
  }
  return mapPlan(mapped, (child) => mapFreeReferences(child, change, level));
}

/** As `mapFreeReferences`, for an expression; `level` 1 when its own outer references count from 1. */
export function mapFreeInExpression(expression: Expression, change: FreeChange, level = 1): Expression {
  return rewriteExpression(expression, (part) => {
    if (part.kind === 'subquery') return mapFreeInSubquery(part, change, level);
    if (part.kind !== 'outer' || part.depth < level) return part;
    const { depth, index } = change(part.depth - level + 1, part.index);
    const { type } = part;
    if (depth === 0) return { kind: 'column', index, type };
    return withChanges(part, { depth: depth + level - 1, index });
  });
}

function mapFreeInSubquery(subquery: Subquery, change: FreeChange, level: number): Subquery {
  const { compare } = subquery;
  return withChanges(subquery, {
    plan: mapFreeReferences(subquery.plan, change, level + 1),
    compare: compare === null ? null : mapFreeInExpression(compare, change, level + 1),
  });
}

/**
 * The expression over other columns: `change` says what stands for column `index`. Subqueries in it see the
 * same row from inside, so they may only be renumbered: a change to anything but a column is refused.
 */
export function substituteColumns(expression: Expression, change: (index: number) => Expression): Expression {
  return rewriteExpression(expression, (part) => {
    if (part.kind === 'column') {
      const next = change(part.index);
      return next.kind === 'column' && next.index === part.index ? part : next;
    }
    if (part.kind !== 'subquery') return part;
    return mapFreeInSubquery(
      part,
      (depth, index) => (depth === 1 ? renumber(index, change) : { depth, index }),
      0,
    );
  });
}

/** The expression with its columns counted from `by` on, in subqueries too. */
export function shiftColumns(expression: Expression, by: number): Expression {
  return rewriteExpression(expression, (part) => {
    if (part.kind === 'column') return { ...part, index: part.index + by };
    if (part.kind !== 'subquery') return part;
    const shift: FreeChange = (depth, index) => ({ depth, index: depth === 1 ? index + by : index });
    return mapFreeInSubquery(part, shift, 0);
  });
}

function renumber(index: number, change: (index: number) => Expression): { depth: number; index: number } {
  const next = change(index);
  assert(next.kind === 'column', 'a subquery sees columns only');
  return { depth: 1, index: next.index };
}

/** As `visitFreeReferences`, for an expression; `level` 1 when its own outer references count from 1. */
export function visitFreeInExpression(
  expression: Expression,
  found: (depth: number, index: number) => void,
  level = 1,
): void {
  visitExpression(expression, (part) => {
    if (part.kind === 'outer' && part.depth >= level) found(part.depth - level + 1, part.index);
    if (part.kind !== 'subquery') return;
    visitFreeReferences(part.plan, found, level + 1);
    if (part.compare !== null) visitFreeInExpression(part.compare, found, level + 1);
  });
}
