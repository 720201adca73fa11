/** Values of flags, checked before anything is done. */
import { UsageError } from './errors.ts';

/** @returns a reader of whole numbers within bounds. */
export const wholeNumber =
  (flag: string, least: number, most: number) =>
  (text: string): number => {
    if (/^\d+$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
    throw new UsageError(`${flag} is a number from ${least} to ${most}, not "${text}"`);
  };

/** @returns a reader of one of these words. */
export const oneOf =
  <Word extends string>(flag: string, words: readonly Word[]) =>
  (text: string): Word => {
    const word = words.find((one) => one === text);
    if (word !== undefined) return word;
    throw new UsageError(`${flag} is one of ${words.join(', ')}, not "${text}"`);
  };

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** Without a time one waits for ever, so to speak. */
const WITHOUT_END_MS = 365 * 86_400_000;

/** `30s`, `5m`, `2h`, seconds without a unit; '' is without end. @returns milliseconds */
export function durationOf(text: string): number {
  if (text === '') return WITHOUT_END_MS;
  const [, count, unit = 's'] = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(text) ?? [];
  const milliseconds = Number(count) * (UNITS[unit || 's'] ?? Number.NaN);
  if (milliseconds > 0 && milliseconds <= WITHOUT_END_MS) return milliseconds;
  throw new UsageError(`--wait is a time as 30s, 5m or 2h, not "${text}"`);
}

/**
 * An option whose value may be left out would take the word behind it; `--wait` takes only what is joined to it.
 * @returns the arguments with an empty value joined to bare ones.
 */
export function withJoinedValue(args: readonly string[], flag: string): string[] {
  const end = args.indexOf('--');
  return args.map((one, at) => (one === flag && (end < 0 || at < end) ? `${flag}=` : one));
}

/** The format that errors of the call itself are told in. */
export function formatAsked(args: readonly string[]): 'text' | 'json' {
  const joined = args.join('\0');
  return /(?:^|\0)(?:-o[=\0]?|--output[=\0])json(?:\0|$)/.test(joined) ? 'json' : 'text';
}
