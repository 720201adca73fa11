/** Decimals as text, as they are written and stored, and exact sums of them. */

const PLAIN = /^(-?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;
const PLACES_MAX = 400;

/** A number as a program wrote it, without an exponent; null for what is none, or longer than any figure. */
export function plainDecimal(text: string): string | null {
  const match = PLAIN.exec(text);
  if (match === null || !/\d/.test(text)) return null;
  const [, sign = '', whole = '', part = '', power = '0'] = match;
  const shift = Number(power);
  if (Math.abs(shift) > PLACES_MAX || whole.length + part.length > PLACES_MAX) return null;
  const digits = whole + part;
  const point = whole.length + shift;
  const integer = point <= 0 ? '0' : digits.slice(0, point).padEnd(point, '0');
  const rest = point <= 0 ? '0'.repeat(-point) + digits : digits.slice(point);
  const plain = integer.replace(/^0+(?=\d)/, '');
  return `${sign}${plain}${rest === '' ? '' : `.${rest}`}`;
}

const placesOf = (decimal: string): number => {
  const point = decimal.indexOf('.');
  return point < 0 ? 0 : decimal.length - point - 1;
};

/** In units of ten to the power of minus `places`. */
function unitsOf(decimal: string, places: number): bigint {
  return BigInt(decimal.replace('.', '') + '0'.repeat(places - placesOf(decimal)));
}

/** True when parts add up to a total, but for what rounding each of them may have lost. */
export function addsUp(parts: readonly string[], total: string): boolean {
  const places = Math.max(...[...parts, total].map(placesOf));
  const sum = parts.reduce((all, part) => all + unitsOf(part, places), 0n);
  const difference = sum - unitsOf(total, places);
  const allowed = BigInt(Math.floor(parts.length / 2)) * 10n ** BigInt(places - placesOf(total));
  return (difference < 0n ? -difference : difference) <= allowed;
}
