/**
 * The shortest decimal that reads back as a float, with PostgreSQL's rules where several are as short: it
 * must lie strictly between the midpoints to the neighbours, and a tie goes to the even digit.
 * Source: Ulf Adams, "Ryu: Fast Float-to-String Conversion" (PLDI 2018), as PostgreSQL uses it
 * (acceptBounds off). JavaScript's own conversion finds the digits; only its edge cases are corrected.
 */

const INTEGERS_EXACT_BELOW = 2 ** 53;
const FLOAT32_NORMAL_MIN = 2 ** -126;
const TIE_DIGITS = 12;

/** Reinterprets bits; scratch memory that never leaves a call. */
const SCRATCH = new DataView(new ArrayBuffer(8));

/** As `String(value)`, but never the midpoint to a neighbour. @param value finite. */
export function shortestFloat64(value: number): string {
  const text = String(value);
  if (Math.abs(value) < INTEGERS_EXACT_BELOW) return text;
  if (!isMidpoint64(value, text)) return text;
  const sixteen = value.toExponential(15);
  const fits = Number(sixteen) === value && !isMidpoint64(value, sixteen);
  return fits ? sixteen : value.toExponential(16);
}

/** Only whole numbers beyond 2^53 have midpoints with so few digits. */
function isMidpoint64(value: number, text: string): boolean {
  const [mantissa = '', exponent = '0'] = text.split('e');
  const digits = mantissa.replace(/[-.]/g, '');
  const scale = Number(exponent) - (mantissa.split('.')[1]?.length ?? 0);
  if (scale < 0 || scale > 40) return false;
  const shown = BigInt(digits) * 10n ** BigInt(scale);
  const size = Math.abs(value);
  if (shown === BigInt(size)) return false;
  SCRATCH.setFloat64(0, size);
  SCRATCH.setBigInt64(0, SCRATCH.getBigInt64(0) + (shown > BigInt(size) ? 1n : -1n));
  const neighbour = SCRATCH.getFloat64(0);
  return Number.isFinite(neighbour) && shown * 2n === BigInt(size) + BigInt(neighbour);
}

interface Bounds {
  readonly low: number;
  readonly high: number;
  readonly isPowerOfTwo: boolean;
}

/** Midpoints to the neighbouring float32 values, exact as doubles. @param size positive float32. */
function boundsOf(size: number): Bounds {
  SCRATCH.setFloat32(0, size);
  const bits = SCRATCH.getUint32(0);
  SCRATCH.setUint32(0, bits - 1);
  const below = SCRATCH.getFloat32(0);
  SCRATCH.setUint32(0, bits + 1);
  const above = SCRATCH.getFloat32(0);
  const high = Number.isFinite(above) ? (size + above) / 2 : Infinity;
  return { low: (size + below) / 2, high, isPowerOfTwo: (bits & 0x7f_ffff) === 0 };
}

/**
 * In JavaScript's notation. Six digits always read back through float32, so that fewer come out of six by
 * dropping zeros, but for denormals. Most values need eight: tried first.
 * @param value finite float32.
 */
export function shortestFloat32(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return String(value);
  const size = Math.abs(value);
  const bounds = boundsOf(size);
  const least = size < FLOAT32_NORMAL_MIN ? 1 : 6;
  let best = Number(size.toPrecision(9));
  let count = 9;
  for (let digits = 8; digits >= least; digits--) {
    const candidate = candidateOf(size, digits, bounds);
    if (candidate === null) break;
    best = candidate;
    count = digits;
  }
  // A tie has at most ten digits, so at most 14 binary places (5^14 has ten digits).
  const shown = Number.isInteger(size * 2 ** 15) ? evenAtTie(size, count, best, bounds) : best;
  return String(value < 0 ? -shown : shown);
}

function candidateOf(size: number, digits: number, { low, high, isPowerOfTwo }: Bounds): number | null {
  const nearest = Number(size.toPrecision(digits));
  if (nearest > low && nearest < high) return nearest;
  if (!isPowerOfTwo) return null;
  // The gap above a power of two is twice the one below: the next decimal up may be inside.
  const next = stepped(size, digits, 1);
  return next > low && next < high ? next : null;
}

/** The decimal of `digits` digits nearest to `size`, moved by `step` units of its last digit. */
function stepped(size: number, digits: number, step: number): number {
  const [mantissa = '', exponent = '0'] = size.toExponential(digits - 1).split('e');
  return Number(`${Number(mantissa.replace('.', '')) + step}e${Number(exponent) - digits + 1}`);
}

/** toPrecision takes the larger of two equally near decimals; the even one is wanted. */
function evenAtTie(size: number, digits: number, best: number, { low }: Bounds): number {
  const longer = size.toExponential(digits - 1 + TIE_DIGITS);
  const mantissa = longer.slice(0, longer.indexOf('e'));
  if (!/[02468]\.?50+$/.test(mantissa) || mantissa.length < digits + TIE_DIGITS) return best;
  if (!mantissa.endsWith(`5${'0'.repeat(TIE_DIGITS - 1)}`)) return best;
  const below = stepped(size, digits, -1);
  return below > low ? below : best;
}
