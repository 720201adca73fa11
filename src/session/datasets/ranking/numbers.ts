/**
 * Other ways to write the numbers of a query: "$1.5 billion" stands in a table in millions as `1,500`, and 1577 as
 * `1,577`. Numbers without a unit are only written with and without commas; four digits alone are mostly years.
 */

const UNITS: Readonly<Record<string, number>> = {
  k: 1e3,
  thousand: 1e3,
  m: 1e6,
  mn: 1e6,
  mm: 1e6,
  million: 1e6,
  b: 1e9,
  bn: 1e9,
  billion: 1e9,
  tn: 1e12,
  trillion: 1e12,
};
/** Scales that tables count in. */
const SCALES = [1, 1e3, 1e6, 1e9];
/** One letter is a unit behind a sum of money alone: 3M and 10-K are names. */
const UNIT = `(?:[\\s-]?(${Object.keys(UNITS).join('|')})s?)?`;
const NUMBER = new RegExp(
  `(?<![\\p{L}\\p{N}.,])([$€£¥]\\s?)?(\\d{1,3}(?:,\\d{3})+|\\d{1,15})(\\.\\d{1,6})?${UNIT}(?![\\p{L}\\p{N}])`,
  'giu',
);
const DECIMALS_COUNT_MAX = 3;
const FORMS_COUNT_MAX = 30;

/** @returns those that the query does not have itself, each once. */
export function otherForms(query: string): readonly string[] {
  const forms = new Set<string>();
  for (const [, currency, whole = '', fraction = '', unit] of query.matchAll(NUMBER)) {
    const value = Number(whole.replaceAll(',', '') + fraction);
    const isUnit = unit !== undefined && (unit.length > 1 || currency !== undefined);
    const size = isUnit ? UNITS[unit.toLowerCase()] : undefined;
    const isYear =
      size === undefined && /^\d{4}$/.test(whole) && fraction === '' && value >= 1900 && value < 2100;
    if (isYear) continue;
    for (const scale of size === undefined ? [1] : SCALES) {
      for (const form of formsOf((value * (size ?? 1)) / scale)) forms.add(form);
    }
    forms.delete(whole + fraction);
  }
  return [...forms].slice(0, FORMS_COUNT_MAX);
}

/** With commas and without; none for what nobody would write. */
function formsOf(value: number): readonly string[] {
  const rounded = Number(value.toFixed(DECIMALS_COUNT_MAX));
  if (!Number.isFinite(value) || value < 1 || value > 1e15 || Math.abs(rounded - value) > 1e-6 * value)
    return [];
  const [whole = '', fraction] = String(rounded).split('.');
  const ending = fraction === undefined ? '' : `.${fraction}`;
  return [whole.replace(/\B(?=(?:\d{3})+$)/g, ',') + ending, whole + ending];
}
