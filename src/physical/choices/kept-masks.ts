/**
 * Which rows of a part pass a filter on columns alone depends on parameters only, so that a prepared statement that
 * comes again with the same ones looks at no row (`execute/scan/filter-mask.ts`).
 */
import { createHash } from 'node:crypto';
import { functionById } from '../../functions/registry.ts';
import { expressionChildren, visitExpression } from '../../plan/walk.ts';
import type { Choice } from '../choice.ts';
import type { Expression } from '../../plan/expression.ts';
import type { MaskKey, Ranking, Scan } from '../physical.ts';

export const keptMasks: Choice = {
  name: 'kept-masks',
  summary: 'Keeps which rows of a part pass a filter of a ranking.',
  choose: (plan) => {
    if (plan.kind !== 'scan') return plan;
    return plan.request.kind === 'best rows' ? ranked(plan, plan.request) : withRuleKey(plan);
  },
};

/** The rule of a relation's rows is asked by every statement. */
const withRuleKey = (scan: Scan): Scan =>
  scan.rule?.plan.kind === 'scan' ? { ...scan, rule: { ...scan.rule, plan: withKey(scan.rule.plan) } } : scan;

function ranked(plan: Scan, request: Ranking): Scan {
  const scan = withRuleKey(plan);
  const { implied } = request;
  const rest = implied && { ...implied, rest: withRuleKey(withKey(implied.rest)) };
  return { ...withKey(scan), request: { ...request, implied: rest } };
}

function withKey(scan: Scan): Scan {
  const read = factsRead(scan);
  return read === null ? scan : { ...scan, maskKey: { filter: digestOf(scan), ...read } };
}

/** A digest of all that decides which rows pass but the parameters: whoever asks the same shares what is kept. */
function digestOf({ filter, columns }: Scan): string {
  const text = JSON.stringify([columns, filter], (_name, value) => {
    if (typeof value === 'bigint') return `${value}n`;
    if (typeof value === 'number' && !Number.isFinite(value)) return `${value}`;
    return ArrayBuffer.isView(value) ? Array.from(value as Uint8Array) : value;
  });
  return createHash('sha256').update(text).digest('base64');
}

/** Null when the filter reads more than columns, parameters and facts of the session. */
function factsRead({ filter, columns }: Scan): Omit<MaskKey, 'filter'> | null {
  if (filter === null) return null;
  const parameters: number[] = [];
  const facts: Expression[] = [];
  const isKnown = (part: Expression): boolean => {
    if (isFact(part)) {
      facts.push(part);
      return true;
    }
    if (part.kind === 'parameter') parameters.push(part.index);
    return isFixed(part, columns.length) && expressionChildren(part).every(isKnown);
  };
  return isKnown(filter) ? { parameters, facts } : null;
}

/** Functions that tell something of the session, the same all through a statement. */
const SESSION_FACTS: ReadonlySet<string> = new Set([
  'current_setting',
  'current_user',
  'session_user',
  'current_role',
  'user',
  'key_attribute',
]);

/** Such a fact, also converted to another type. */
function isFact(expression: Expression): boolean {
  let has = false;
  let isOnly = true;
  visitExpression(expression, (part) => {
    if (part.kind === 'call' && SESSION_FACTS.has(functionById(part.function).name)) has = true;
    else if (part.kind !== 'literal' && part.kind !== 'cast') isOnly = false;
  });
  return has && isOnly;
}

/** True when it gives the same for the same operands, whoever asks and when. @param count of the scan's columns. */
function isFixed(part: Expression, count: number): boolean {
  if (part.kind === 'subquery' || part.kind === 'outer' || part.kind === 'cast') return false;
  if (part.kind === 'column') return part.index < count;
  return part.kind !== 'call' || isImmutable(part.function);
}

/** True when the function gives the same for the same arguments, whoever asks and when. */
function isImmutable(id: string): boolean {
  const { volatility = 'immutable', ...callable } = functionById(id);
  return volatility === 'immutable' && callable.evaluateIn === undefined;
}
