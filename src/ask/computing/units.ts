/**
 * Units and scales of operands, as their cells say them: no calculation mixes currencies, percentages, counts; what is
 * in thousands beside millions is brought to one scale.
 */
import { plainDecimal } from '../../language/numbers/decimal.ts';
import { wordsPattern } from '../../language/questions/words.ts';
import type { Amount, Cell, Row } from '../cells/row.ts';

interface InTable {
  readonly row: Row;
  readonly cell: Cell;
}

const MONEY = /^(?:[A-Z]{3}|\p{Sc})$/u;
/** Currencies that are all written `$`. */
const DOLLARS: ReadonlySet<string> = new Set(['$', 'USD', 'CAD', 'AUD', 'NZD', 'HKD', 'SGD', 'TWD', 'MXN']);
const YENS: ReadonlySet<string> = new Set(['¥', 'JPY', 'CNY']);

const ASKS_SHARE = /%|\b(?:percent(?:age)?s?|share|rate|ratio|proportion|margin|growth|change)\b/i;
const ASKS_AMOUNT = /\p{Sc}|\bamounts?\b|\bdollars?\b/iu;

/** False for a percentage where an amount is asked for, and for an amount where a percentage is. */
export function isOfKind(subject: string, { cell: { amount } }: InTable): boolean {
  if (amount === null) return true;
  if (amount.isPercent) return !ASKS_AMOUNT.test(subject) || ASKS_SHARE.test(subject);
  return !MONEY.test(amount.unit ?? '') || !/^(?:the )?percent(?:age)?\b/i.test(subject.trim());
}

const SHARES = wordsPattern(({ percent, ratios }) => [...percent, ...ratios]);
const CURRENCIES = wordsPattern(({ currencies }) => Object.keys(currencies));

export const saysShare = (text: string): boolean => text.includes('%') || SHARES.test(text);
export const saysMoney = (text: string): boolean => /\p{Sc}/u.test(text) || CURRENCIES.test(text);
export const isMoney = (amount: Amount | null): boolean => MONEY.test(amount?.unit ?? '');

const isOneUnit = (a: string | null, b: string | null): boolean =>
  a === b ||
  [DOLLARS, YENS].some((kind) => kind.has(a ?? '') && kind.has(b ?? '') && (isSign(a) || isSign(b)));

const isSign = (unit: string | null): boolean => unit === '$' || unit === '¥';

/** Null where they can be computed with each other; else why not. */
export function whyApart(cells: readonly InTable[]): string | null {
  const [first, ...others] = cells;
  for (const other of others) {
    const why = first === undefined ? null : apart(first, other);
    if (why !== null) return why;
  }
  return null;
}

function apart(one: InTable, other: InTable): string | null {
  const [a, b] = [one.cell.amount, other.cell.amount];
  if (a === null || b === null) return null;
  if (a.isPercent !== b.isPercent) return 'one is a percentage and the other is not';
  if (a.unit !== null && b.unit !== null && !isOneUnit(a.unit, b.unit))
    return `${nameOf(one)} is in ${a.unit}, ${nameOf(other)} in ${b.unit}`;
  if ((a.power === null) !== (b.power === null))
    return `nothing says what ${nameOf(a.power === null ? one : other)} is in`;
  return null;
}

const nameOf = ({ row, cell }: InTable): string => (row.label === '' ? cell.column : row.label);

/** The same amount in units of ten to `power`. */
export function atPower(amount: Amount, power: number | null): Amount {
  const shift = (amount.power ?? 0) - (power ?? amount.power ?? 0);
  const decimal = shift === 0 ? amount.decimal : plainDecimal(`${amount.decimal}e${shift}`);
  if (shift === 0 || decimal === null) return amount;
  return {
    ...amount,
    decimal,
    value: Number(decimal),
    decimals: Math.max(0, amount.decimals - shift),
    power,
  };
}

export const negated = (amount: Amount): Amount => ({
  ...amount,
  value: -amount.value,
  decimal: amount.decimal.startsWith('-') ? amount.decimal.slice(1) : `-${amount.decimal}`,
});

/** True when both say the same amount, but for what rounding may have taken. */
export function agree(a: Amount, b: Amount): boolean {
  if ((a.power === null) !== (b.power === null) || a.isPercent !== b.isPercent) return a.value === b.value;
  const [one, other] = [a, b].map(({ value, power }) => value * 10 ** (power ?? 0)) as [number, number];
  const [s, t] = [a, b].map(({ decimals, power }) => 10 ** ((power ?? 0) - decimals)) as [number, number];
  const rounding = s === t ? 0 : Math.max(s, t) / 2;
  return Math.abs(one - other) <= rounding * 1.000_001 + 1e-9 * Math.abs(one);
}
