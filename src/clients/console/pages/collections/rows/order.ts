/**
 * The order in which rows are gone through, and conditions for what comes after or before a row in it: pages
 * are found by keys, so the millionth costs what the first does. NULLs come last.
 */
import { quoteName } from '../../../server/names.ts';
import type { Json, Row } from '../../../server/messages.ts';
import { bareType } from '../types.ts';
import type { Values } from './where.ts';

export interface Term {
  readonly column: string;
  /** Where it stands in a row. */
  readonly at: number;
  readonly type: string;
  readonly isDescending: boolean;
  readonly isNullable: boolean;
}

export type Order = readonly Term[];

export function orderBy(order: Order, isBackwards: boolean): string {
  if (order.length === 0) return '';
  const terms = order.map(({ column, isDescending, isNullable }) => {
    const direction = isDescending !== isBackwards ? ' DESC' : '';
    const nulls = isNullable || direction !== '' ? ` NULLS ${isBackwards ? 'FIRST' : 'LAST'}` : '';
    return `${quoteName(column)}${direction}${nulls}`;
  });
  return ` ORDER BY ${terms.join(', ')}`;
}

const textOf = (value: Json): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));

/** Rows beyond one by a single term; null: there are none. */
function beyond(
  term: Term,
  value: Json,
  side: { readonly isBackwards: boolean; readonly values: Values },
): string | null {
  const name = quoteName(term.column);
  const { isBackwards, values } = side;
  if (value === null) return isBackwards ? `${name} IS NOT NULL` : null;
  const sign = term.isDescending === isBackwards ? '>' : '<';
  const compared = `${name} ${sign} ${values.add(textOf(value), bareType(term.type))}`;
  return term.isNullable && !isBackwards ? `(${compared} OR ${name} IS NULL)` : compared;
}

/** Rows after a row, or before it. */
export function pastRow(
  order: Order,
  row: Row,
  side: { readonly isBackwards: boolean; readonly values: Values },
): string {
  const plain = order.every(({ isDescending, isNullable }) => !isDescending && !isNullable);
  if (plain && order.length > 1) {
    const names = order.map(({ column }) => quoteName(column)).join(', ');
    const given = order
      .map((term) => side.values.add(textOf(row[term.at] ?? null), bareType(term.type)))
      .join(', ');
    return `(${names}) ${side.isBackwards ? '<' : '>'} (${given})`;
  }
  const choices = order.flatMap((term, i) => {
    const past = beyond(term, row[term.at] ?? null, side);
    if (past === null) return [];
    const equal = order.slice(0, i).map((before) => sameAs(before, row[before.at] ?? null, side.values));
    return [[...equal, past].join(' AND ')];
  });
  return choices.length === 1 ? (choices[0] as string) : `(${choices.map((one) => `(${one})`).join(' OR ')})`;
}

function sameAs({ column, type }: Term, value: Json, values: Values): string {
  if (value === null) return `${quoteName(column)} IS NULL`;
  return `${quoteName(column)} = ${values.add(textOf(value), bareType(type))}`;
}
