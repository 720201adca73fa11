/** Numbers, sizes and times for people. */

export const count = (value: number): string => value.toLocaleString();

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** `1.4 MB`. */
export function bytes(value: number): string {
  let unit = 0;
  let shown = value;
  for (; shown >= 1000 && unit < UNITS.length - 1; unit++) shown /= 1000;
  const digits = unit === 0 || shown >= 100 ? 0 : 1;
  return `${shown.toLocaleString(undefined, { maximumFractionDigits: digits })} ${UNITS[unit]}`;
}

/** `820 ms`, `3.2 s`, `2 min`. */
export function duration(ms: number): string {
  const number = (value: number, digits: number): string =>
    value.toLocaleString(undefined, { maximumFractionDigits: digits });
  if (ms < 1) return `${number(ms, 2)} ms`;
  if (ms < 1000) return `${number(ms, ms < 10 ? 1 : 0)} ms`;
  if (ms < 60_000) return `${number(ms / 1000, 1)} s`;
  return `${number(ms / 60_000, 0)} min`;
}

const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_557_600_000],
  ['month', 2_629_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
];

const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** `3 hours ago`. @param nowMs of the server where it is known: clocks of browsers are wrong. */
export function relative(ms: number, nowMs: number): string {
  const away = ms - nowMs;
  const [unit, size] = STEPS.find(([, length]) => Math.abs(away) >= length) ?? (['second', 1000] as const);
  return RELATIVE.format(Math.round(away / size), unit);
}
