/**
 * Which rows of a part pass a filter on columns alone depends on parameters only, so that a prepared statement that
 * comes again with the same ones looks at no row (`execute/scan/filter-mask.ts`).
 */
import { createHash } from 'node:crypto';
import { functionById } from '../../functions/registry.ts';
import { visitExpression } from '../../plan/walk.ts';
import type { Choice } from '../choice.ts';
import type { Scan } from '../physical.ts';

export const keptMasks: Choice = {
  name: 'kept-masks',
  summary: 'Keeps which rows of a part pass a filter of a ranking.',
  choose: (plan) => {
    if (plan.kind !== 'scan' || plan.request.kind !== 'best rows') return plan;
    const { request } = plan;
    const { implied } = request;
    const rest = implied && { ...implied, rest: withKey(implied.rest) };
    return { ...withKey(plan), request: { ...request, implied: rest } };
  },
};

function withKey(scan: Scan): Scan {
  const parameters = parametersRead(scan);
  return parameters === null ? scan : { ...scan, maskKey: { filter: digestOf(scan), parameters } };
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

/** Null when the filter reads more than parameters and columns. */
function parametersRead({ filter, columns }: Scan): readonly number[] | null {
  if (filter === null) return null;
  const numbers: number[] = [];
  let fixed = true;
  visitExpression(filter, (part) => {
    if (part.kind === 'subquery' || part.kind === 'outer' || part.kind === 'cast') fixed = false;
    else if (part.kind === 'column') fixed &&= part.index < columns.length;
    else if (part.kind === 'call') fixed &&= isFixed(part.function);
    else if (part.kind === 'parameter') numbers.push(part.index);
  });
  return fixed ? numbers : null;
}

/** True when the function gives the same for the same arguments, whoever asks and when. */
function isFixed(id: string): boolean {
  const { volatility = 'immutable', ...callable } = functionById(id);
  return volatility === 'immutable' && callable.evaluateIn === undefined;
}
