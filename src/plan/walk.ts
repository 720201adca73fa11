/**
 * Walking and rewriting plans and expressions: direct children only, so that every user decides its own
 * order. A rewrite that changes nothing returns the same object, which is how a rule knows that it is done.
 */
import { unreachable } from '../assert.ts';
import type { Expression } from './expression.ts';
import { type Expressions, holding, type Plans, withoutExpressions, withoutPlans } from './held-fields.ts';
import type {
  Arm,
  Assignment,
  Conflict,
  Delete,
  FrameBound,
  Fusion,
  Insert,
  Merge,
  MetRows,
  Plan,
  RowRule,
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
      return withoutExpressions(expression) && [];
    case 'subquery':
      return [];
    case 'call':
    case 'and':
    case 'or':
    case 'coalesce':
      return holding(expression, 'args').args;
    case 'cast':
    case 'not':
    case 'is':
      return [holding(expression, 'input').input];
    case 'case': {
      const { branches, otherwise } = holding(expression, 'branches', 'otherwise');
      const operands = branches.flatMap((branch) => {
        const { when, then } = holding(branch, 'when', 'then');
        return [when, then];
      });
      return otherwise === null ? operands : [...operands, otherwise];
    }
    case 'in': {
      const { input, items } = holding(expression, 'input', 'items');
      return [input, ...items];
    }
    case 'array':
      return holding(expression, 'elements').elements;
    case 'row':
      return holding(expression, 'fields').fields;
    case 'quantified': {
      const { left, array } = holding(expression, 'left', 'array');
      return [left, array];
    }
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

/**
 * `object` with `changes`, or `object` itself when every change is what it has already: a field that is absent
 * and is to be undefined stays absent.
 */
export function withChanges<T extends object>(object: T, changes: Partial<T>): T {
  for (const key of Object.keys(changes) as (keyof T)[]) {
    if (object[key] !== changes[key]) return changed(object, changes);
  }
  return object;
}

function changed<T extends object>(object: T, changes: Partial<T>): T {
  const next = { ...object, ...changes };
  for (const key of Object.keys(changes) as (keyof T)[]) if (next[key] === undefined) delete next[key];
  return next;
}

/** `withChanges` of all fields that hold expressions. */
const withExpressions = <T extends object>(object: T, changes: Expressions<T>): T =>
  withChanges(object, changes as Partial<T>);

/** `withChanges` of all fields that hold plans. */
const withPlans = <T extends object>(object: T, changes: Plans<T>): T =>
  withChanges(object, changes as Partial<T>);

const mapOptional = (expression: Expression | null, change: Rewrite): Expression | null =>
  expression === null ? null : change(expression);

/** Rewrites the direct operands; subqueries are left to `mapSubqueries`. */
function mapExpression(expression: Expression, change: Rewrite): Expression {
  switch (expression.kind) {
    case 'literal':
    case 'parameter':
    case 'column':
    case 'outer':
      return withoutExpressions(expression);
    case 'subquery':
      return expression;
    case 'call':
    case 'and':
    case 'or':
    case 'coalesce':
      return withExpressions(expression, { args: mapSame(expression.args, change) });
    case 'cast':
    case 'not':
    case 'is':
      return withExpressions(expression, { input: change(expression.input) });
    case 'case':
      return withExpressions(expression, {
        branches: mapSame(expression.branches, (branch) =>
          // biome-ignore lint/suspicious/noThenProperty: CASE WHEN … THEN
          withExpressions(branch, { when: change(branch.when), then: change(branch.then) }),
        ),
        otherwise: mapOptional(expression.otherwise, change),
      });
    case 'in':
      return withExpressions(expression, {
        input: change(expression.input),
        items: mapSame(expression.items, change),
      });
    case 'array':
      return withExpressions(expression, { elements: mapSame(expression.elements, change) });
    case 'row':
      return withExpressions(expression, { fields: mapSame(expression.fields, change) });
    case 'quantified':
      return withExpressions(expression, { left: change(expression.left), array: change(expression.array) });
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
  const children: Plan[] = [];
  mapPlan(plan, (child) => {
    children.push(child);
    return child;
  });
  return children;
}

/** Plans of the subqueries within a plan's own expressions. */
export function subqueryPlans(plan: Plan): readonly Plan[] {
  const found: Plan[] = [];
  for (const expression of planExpressions(plan)) {
    visitExpression(expression, (part) => {
      if (part.kind === 'subquery') found.push(part.plan);
    });
  }
  return found;
}

/** True when more than `depth` nodes stand one over the other. */
export function isDeeper(plan: Plan, depth: number): boolean {
  let level: readonly Plan[] = [plan];
  for (let i = 0; i < depth && level.length > 0; i++) level = level.flatMap(planChildren);
  return level.length > 0;
}

/** Rewrites the direct inputs. */
export function mapPlan(plan: Plan, change: (plan: Plan) => Plan): Plan {
  switch (plan.kind) {
    case 'values':
    case 'constants':
    case 'system':
    case 'stream':
    case 'function':
    case 'cte':
      return withoutPlans(plan);
    case 'scan':
      return withPlans(plan, { rule: plan.rule && mapRule(plan.rule, change) });
    case 'join':
      return withPlans(plan, { left: change(plan.left), right: change(plan.right) });
    case 'set':
      return withPlans(plan, { inputs: mapSame(plan.inputs, change) });
    case 'with':
      return withPlans(plan, {
        definition: change(plan.definition),
        recursive: plan.recursive && withPlans(plan.recursive, { term: change(plan.recursive.term) }),
        body: change(plan.body),
      });
    case 'merge':
      return withPlans(plan, {
        input: change(plan.input),
        actions: mapSame(plan.actions, (action) => change(action) as typeof action),
      });
    case 'filter':
    case 'project':
    case 'aggregate':
    case 'window':
    case 'fusion':
    case 'sort':
    case 'limit':
    case 'distinct':
    case 'lock rows':
    case 'update':
    case 'delete':
      return withPlans(plan, { input: change(plan.input) });
    case 'insert':
      return withPlans(plan, {
        input: change(plan.input),
        met: plan.met && withPlans(plan.met, { rule: mapRule(plan.met.rule, change) }),
      });
    default:
      return unreachable(plan);
  }
}

const mapRule = (rule: RowRule, change: (plan: Plan) => Plan): RowRule =>
  withPlans(rule, { plan: change(rule.plan) });

const mapKeys = (keys: readonly SortKey[], change: Rewrite): readonly SortKey[] =>
  mapSame(keys, (key) => withExpressions(key, { expression: change(key.expression) }));

const mapAssignments = (set: readonly Assignment[], change: Rewrite): readonly Assignment[] =>
  mapSame(set, (assignment) => withExpressions(assignment, { value: change(assignment.value) }));

function mapArm(arm: Arm, change: Rewrite): Arm {
  if (arm.kind === 'embedding') return withoutExpressions(arm);
  if (arm.kind === 'semantic') return withExpressions(arm, { query: change(arm.query) });
  if (arm.kind === 'vector') {
    return withExpressions(arm, {
      query: change(arm.query),
      candidates: arm.candidates && change(arm.candidates),
    });
  }
  return withExpressions(arm, {
    query: change(arm.query),
    weight: mapOptional(arm.weight, change),
    option: mapOptional(arm.option, change),
    b: mapOptional(arm.b, change),
    k1: mapOptional(arm.k1, change),
    columnWeights: mapOptional(arm.columnWeights, change),
    fuzzy: mapOptional(arm.fuzzy, change),
  });
}

function mapBound(bound: FrameBound, change: Rewrite): FrameBound {
  if (bound.kind !== 'preceding' && bound.kind !== 'following') return bound;
  return withExpressions(bound, { offset: change(bound.offset) });
}

function mapWindowCall(call: WindowCall, change: Rewrite): WindowCall {
  return withExpressions(call, {
    args: mapSame(call.args, change),
    filter: mapOptional(call.filter, change),
    frame: withExpressions(call.frame, {
      start: mapBound(call.frame.start, change),
      end: mapBound(call.frame.end, change),
    }),
  });
}

function mapConflict(conflict: Conflict, change: Rewrite): Conflict {
  if (conflict.action !== 'update') return conflict;
  return withExpressions(conflict, {
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
      return withoutExpressions(plan);
    case 'values':
      return withExpressions(plan, { rows: mapSame(plan.rows, (row) => mapSame(row, change)) });
    case 'scan':
      return mapScan(plan, change);
    case 'function':
      return withExpressions(plan, { args: mapSame(plan.args, change) });
    case 'filter':
      return withExpressions(plan, { condition: change(plan.condition) });
    case 'project':
      return withExpressions(plan, {
        expressions: mapSame(plan.expressions, change),
        sets: mapSame(plan.sets, (set) => withExpressions(set, { args: mapSame(set.args, change) })),
      });
    case 'join':
      return withExpressions(plan, {
        keys: mapSame(plan.keys, (key) =>
          withExpressions(key, { left: change(key.left), right: change(key.right) }),
        ),
        condition: mapOptional(plan.condition, change),
      });
    case 'aggregate':
      return mapAggregate(plan, change);
    case 'window':
      return withExpressions(plan, {
        partition: mapSame(plan.partition, change),
        order: mapKeys(plan.order, change),
        calls: mapSame(plan.calls, (call) => mapWindowCall(call, change)),
      });
    case 'fusion':
      return mapFusion(plan, change);
    case 'sort':
      return withExpressions(plan, { keys: mapKeys(plan.keys, change), top: mapOptional(plan.top, change) });
    case 'limit':
      return withExpressions(plan, {
        count: mapOptional(plan.count, change),
        offset: mapOptional(plan.offset, change),
        ties: plan.ties === null ? null : mapKeys(plan.ties, change),
      });
    case 'distinct':
      return withExpressions(plan, { on: plan.on === null ? null : mapSame(plan.on, change) });
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
  return withExpressions(plan, {
    arms: mapSame(plan.arms, (arm) => withExpressions(arm, { score: change(arm.score) })),
    count: mapOptional(plan.count, change),
    method: mapOptional(plan.method, change),
    weights: mapOptional(plan.weights, change),
    depth: mapOptional(plan.depth, change),
    diversity: mapOptional(plan.diversity, change),
    like:
      plan.like &&
      withExpressions(plan.like, {
        ids: mapOptional(plan.like.ids, change),
        text: mapOptional(plan.like.text, change),
        notIds: mapOptional(plan.like.notIds, change),
        notText: mapOptional(plan.like.notText, change),
      }),
  });
}

function mapWrite(plan: Insert | Update | Delete | Merge, change: Rewrite): Plan {
  const returning = plan.returning === null ? null : mapSame(plan.returning, change);
  switch (plan.kind) {
    case 'insert':
      return withExpressions(plan, {
        defaults: mapAssignments(plan.defaults, change),
        met: plan.met && mapMet(plan.met, change),
        conflict: mapConflict(plan.conflict, change),
        rules: mapRules(plan.rules, change),
        returning,
      });
    case 'update':
      return withExpressions(plan, {
        set: mapAssignments(plan.set, change),
        undeclared: mapSame(plan.undeclared, (entry) =>
          withExpressions(entry, { value: change(entry.value) }),
        ),
        rules: mapRules(plan.rules, change),
        returning,
      });
    case 'delete':
    case 'merge':
      return withExpressions(plan, { returning });
    default:
      return unreachable(plan);
  }
}

const mapPolicies = (policies: RowRules['policies'], change: Rewrite): RowRules['policies'] =>
  mapSame(policies, (check) => withExpressions(check, { condition: change(check.condition) }));

const mapMet = (met: MetRows, change: Rewrite): MetRows =>
  withExpressions(met, { policies: mapPolicies(met.policies, change) });

function mapRules(rules: RowRules | null | undefined, change: Rewrite): RowRules | null | undefined {
  if (!rules) return rules;
  return withExpressions(rules, {
    generated: mapAssignments(rules.generated, change),
    checks: mapSame(rules.checks, (check) => withExpressions(check, { condition: change(check.condition) })),
    policies: mapPolicies(rules.policies, change),
    options: mapSame(rules.options, (check) =>
      withExpressions(check, { condition: change(check.condition) }),
    ),
  });
}

function mapScan(plan: Plan & { kind: 'scan' }, change: Rewrite): Plan {
  const { lookup, topK } = plan;
  return withExpressions(plan, {
    arms: mapSame(plan.arms, (arm) => mapArm(arm, change)),
    filter: mapOptional(plan.filter, change),
    lookup: lookup === null ? null : withExpressions(lookup, { key: mapSame(lookup.key, change) }),
    topK:
      topK === null
        ? null
        : withExpressions(topK, {
            count: change(topK.count),
            offset: mapOptional(topK.offset, change),
            keys: mapKeys(topK.keys, change),
            groups: topK.groups && withExpressions(topK.groups, { by: mapSame(topK.groups.by, change) }),
          }),
    access: plan.access && mapAccess(plan.access, change),
  });
}

function mapAccess(access: NonNullable<Scan['access']>, change: Rewrite): NonNullable<Scan['access']> {
  if (access.kind === 'text' || access.first === undefined) return access;
  return withExpressions(access, {
    first: withExpressions(access.first, { count: change(access.first.count) }),
  });
}

function mapAggregate(plan: Plan & { kind: 'aggregate' }, change: Rewrite): Plan {
  return withExpressions(plan, {
    keys: mapSame(plan.keys, change),
    aggregates: mapSame(plan.aggregates, (call) =>
      withExpressions(call, {
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
