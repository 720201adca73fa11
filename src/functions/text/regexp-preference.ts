/**
 * Matches as POSIX has them: first how far the whole goes, as long or as short as can be, then what its parts take of
 * that, each as it prefers. Source: section 9.7.3.5 of PostgreSQL 18. JavaScript's backtracking finds both: the first
 * with all quantifiers as the whole prefers them, and with a condition on what is left behind as long as that finds more;
 * the second with the end given.
 */
import { QuickCache } from '../../bounded-cache.ts';

const CONDITIONS_MAX = 100;

/** An expression whose quantifiers prefer other lengths than the whole does. */
export interface Forced {
  /** The same with every quantifier as the whole prefers it. */
  readonly source: string;
  /** The whole is as short as it can be; otherwise as long. */
  readonly lazy: boolean;
}

/** How many characters are left behind a match. */
type Left = 'exactly' | 'more than' | 'fewer than';

const CONDITIONS: Readonly<Record<Left, (count: number) => string>> = {
  exactly: (count) => `(?=[\\s\\S]{${count}})(?![\\s\\S]{${count + 1}})`,
  'more than': (count) => `(?=[\\s\\S]{${count + 1}})`,
  'fewer than': (count) => `(?![\\s\\S]{${count}})`,
};

export class PreferredMatch {
  readonly #source: string;
  readonly #forced: Forced;
  readonly #flags: string;
  readonly #first: RegExp;
  readonly #conditions = new QuickCache<string, RegExp>(CONDITIONS_MAX);

  constructor(source: string, forced: Forced, flags: string) {
    this.#source = source;
    this.#forced = forced;
    this.#flags = flags;
    this.#first = new RegExp(forced.source, `${flags}g`);
  }

  /** The first match that begins at `from` or behind it. */
  from(text: string, from: number): RegExpExecArray | null {
    this.#first.lastIndex = from;
    const first = this.#first.exec(text);
    if (first === null) return null;
    const start = first.index;
    let left = leftBehind(text, first);
    const { source, lazy } = this.#forced;
    for (;;) {
      if (!lazy && left === 0) break;
      const better = this.#exec(source, lazy ? 'more than' : 'fewer than', left);
      better.lastIndex = start;
      const found = better.exec(text);
      if (found === null) break;
      left = leftBehind(text, found);
    }
    const whole = this.#exec(this.#source, 'exactly', left);
    whole.lastIndex = start;
    return whole.exec(text);
  }

  #exec(source: string, condition: Left, count: number): RegExp {
    const key = `${condition} ${count}`;
    const made = (): RegExp => new RegExp(`(?:${source})${CONDITIONS[condition](count)}`, `${this.#flags}dy`);
    return this.#conditions.get(key) ?? this.#conditions.set(key, made());
  }
}

/** In code points, as `{n}` counts them. */
function leftBehind(text: string, match: RegExpExecArray): number {
  let count = 0;
  for (const _ of text.slice(match.index + match[0].length)) count++;
  return count;
}
