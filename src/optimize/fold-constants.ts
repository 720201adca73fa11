/**
 * Immutable calls and casts of literals are computed once, and AND, OR, NOT, CASE simplified.
 * A call that would raise an error is left alone: it may never be reached.
 */
import { castById, functionById } from '../functions/registry.ts';
import type { Expression, Literal } from '../plan/expression.ts';
import type { Plan } from '../plan/plan.ts';
import { mapPlanExpressions, rewriteExpression } from '../plan/walk.ts';
import type { Datum } from '../types/datum.ts';
import { typeByOid } from '../types/registry.ts';
import { vectorOf } from '../types/column/vector.ts';
import { weightOf } from '../types/weight.ts';
import { allOf, BOOLEAN } from './conditions.ts';
import type { Rule } from './rule.ts';

export const foldConstants: Rule = {
  name: 'fold-constants',
  summary: 'Computes immutable calls of constants once, before the query runs.',
  rewrite: foldPlan,
};

function foldPlan(plan: Plan): Plan {
  return mapPlanExpressions(plan, (expression) => rewriteExpression(expression, fold));
}

function fold(expression: Expression): Expression {
  switch (expression.kind) {
    case 'call':
      return foldCall(expression);
    case 'cast':
      return foldCast(expression);
    case 'and':
    case 'or':
      return foldLogical(expression);
    case 'not':
      return foldNot(expression);
    case 'case':
      return foldCase(expression);
    default:
      return expression;
  }
}

const literal = (value: Datum, expression: Expression): Literal => ({
  kind: 'literal',
  value,
  type: expression.type,
});

/** Plans are kept; a larger value is computed by each statement, with turns for others. */
const FOLDED_BYTES_MAX = 64 * 1024;

/** Expressions that were tried in vain: rules run several times. */
const LEFT_ALONE = new WeakSet<Expression>();

/** The value, or undefined when computing it fails, or takes or gives much. */
function attempt(expression: Expression, args: readonly Datum[], compute: () => Datum): Datum | undefined {
  if (LEFT_ALONE.has(expression) || args.some((arg) => weightOf(arg) > FOLDED_BYTES_MAX)) return undefined;
  try {
    const value = compute();
    if (weightOf(value) <= FOLDED_BYTES_MAX) return value;
  } catch {
    // It is raised when the statement gets there.
  }
  LEFT_ALONE.add(expression);
  return undefined;
}

function foldCall(expression: Expression & { kind: 'call' }): Expression {
  const callable = functionById(expression.function);
  if ((callable.volatility ?? 'immutable') !== 'immutable' || callable.evaluateIn !== undefined) {
    return expression;
  }
  if ((callable.effort ?? 1) > 1) return expression;
  const args = expression.args.filter((arg) => arg.kind === 'literal');
  if (args.length < expression.args.length) return expression;
  const values = args.map((arg) => arg.value);
  if (callable.strict !== false && values.includes(null)) return literal(null, expression);
  const { evaluate, kernel } = callable;
  const value = attempt(expression, values, () => {
    if (evaluate !== undefined) return evaluate(...values);
    const vectors = args.map((arg) => vectorOf(typeByOid(arg.type.oid).vector, [arg.value]));
    return kernel === undefined ? null : kernel(vectors, 1).get(0);
  });
  const computable = evaluate !== undefined || kernel !== undefined;
  return value === undefined || !computable ? expression : literal(value, expression);
}

/** Casts through text depend on settings (dates) and are left to the executor. */
function foldCast(expression: Expression & { kind: 'cast' }): Expression {
  const { input, method, explicit } = expression;
  if (input.kind !== 'literal' || method === 'text') return expression;
  if (input.value === null) return literal(null, expression);
  if (method === 'none') {
    const sameLayout = typeByOid(input.type.oid).vector === typeByOid(expression.type.oid).vector;
    return sameLayout ? literal(input.value, expression) : expression;
  }
  const { value: given } = input;
  const value = attempt(expression, [given], () => {
    if (method === 'modifier') {
      const { coerce } = typeByOid(expression.type.oid);
      return coerce === undefined ? given : coerce(given, expression.type.modifier, explicit);
    }
    const { evaluate } = castById(method);
    if (evaluate === undefined) throw new TypeError('the cast needs a session');
    return evaluate(given as never);
  });
  return value === undefined ? expression : literal(value, expression);
}

/** Drops operands that decide nothing; a deciding one ends the list. */
function foldLogical(expression: Expression & { kind: 'and' | 'or' }): Expression {
  const deciding = expression.kind === 'or';
  const kept = [];
  for (const arg of expression.args) {
    if (arg.kind === 'literal' && arg.value === !deciding) continue;
    kept.push(arg);
    if (arg.kind === 'literal' && arg.value === deciding) break;
  }
  const [first] = kept;
  if (first === undefined) return literal(!deciding, expression);
  if (kept.length === 1) return first;
  if (kept.length === expression.args.length) return expression;
  return expression.kind === 'and' ? (allOf(kept) as Expression) : { kind: 'or', args: kept, type: BOOLEAN };
}

function foldNot(expression: Expression & { kind: 'not' }): Expression {
  const { input } = expression;
  if (input.kind === 'literal') return literal(input.value === null ? null : !input.value, expression);
  return input.kind === 'not' ? input.input : expression;
}

/** Branches that can never be taken go; one that always is ends the CASE. */
function foldCase(expression: Expression & { kind: 'case' }): Expression {
  const [first] = expression.branches;
  if (first === undefined) return expression.otherwise ?? literal(null, expression);
  if (first.when.kind !== 'literal') return expression;
  if (first.when.value === true) return first.then;
  return foldCase({ ...expression, branches: expression.branches.slice(1) });
}
