/**
 * Which rows of a part pass a filter on columns alone depends on parameters only, so that a prepared statement that
 * comes again with the same ones looks at no row (`execute/scan/filter-mask.ts`).
 */
import { createHash } from 'node:crypto';
import { expressionChildren } from '../../plan/walk.ts';
import type { Choice } from '../choice.ts';
import type { Expression } from '../../plan/expression.ts';
import type { MaskKey, Ranking, Scan } from '../physical.ts';
import { ruleKey } from './rule-key.ts';
import { isFact, isImmutable } from './session-facts.ts';

export const keptMasks: Choice = {
  name: 'kept-masks',
  summary: 'Keeps which rows of a part pass a filter of a ranking.',
  choose: (plan) => {
    if (plan.kind !== 'scan') return plan;
    return plan.request.kind === 'best rows' ? ranked(plan, plan.request) : withRuleKey(plan);
  },
};

/** The rule of a relation's rows is asked by every statement. */
function withRuleKey(scan: Scan): Scan {
  if (scan.rule === null) return scan;
  const { rule } = scan;
  const plan = rule.plan.kind === 'scan' ? withKey(rule.plan) : rule.plan;
  const isKept = plan.kind === 'scan' && plan.maskKey !== null;
  return { ...scan, rule: { ...rule, plan, kept: isKept ? null : ruleKey(rule) } };
}

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

/** True when it gives the same for the same operands, whoever asks and when. @param count of the scan's columns. */
function isFixed(part: Expression, count: number): boolean {
  if (part.kind === 'subquery' || part.kind === 'outer' || part.kind === 'cast') return false;
  if (part.kind === 'column') return part.index < count;
  return part.kind !== 'call' || isImmutable(part.function);
}
