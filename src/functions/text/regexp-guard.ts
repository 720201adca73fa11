/**
 * JavaScript's regular expressions with a bound on their time: an expression that branches much over a long
 * text runs under a watchdog (`node:vm`) and ends in 54001; all others run as they are.
 */
import { createContext, Script } from 'node:vm';
import { SqlError } from '../../errors.ts';
import { type Forced, PreferredMatch } from './regexp-preference.ts';

/** Steps that need no watchdog, which itself costs about 100 µs. */
const STEPS_UNGUARDED_MAX = 5_000_000;
/** On the command line of a process in which nobody waits. */
export const PATIENCE = '--patience';

const MATCH_TIMEOUT_MS = process.argv.includes(PATIENCE) ? 5_000 : 50;

/** The call took longer than a thread with other clients may compute; a helper process can make it. */
export class TakesLong extends SqlError {}

/** Branches that make an expression backtrack. */
export interface Branching {
  /** Repeats without bound: each multiplies the steps by the text's length. */
  readonly repeats: number;
  /** Optional parts and alternatives: each may double the steps. */
  readonly choices: number;
  /** A repeated group holds another repeat or alternatives. */
  readonly nested: boolean;
  /** There is a back reference. */
  readonly refers: boolean;
}

/** Runs tasks that a watchdog may end. */
class Watchdog {
  readonly #place: { task: () => unknown } = { task: () => undefined };
  readonly #context = createContext(this.#place);
  readonly #script = new Script('task()');

  run<T>(task: () => T): T {
    this.#place.task = task;
    try {
      return this.#script.runInContext(this.#context, { timeout: MATCH_TIMEOUT_MS }) as T;
    } catch (error) {
      // An Error of the other context is no instance of ours.
      if ((error as { code?: string } | null)?.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      throw new TakesLong('statement_too_complex', 'regular expression is too complex for the text', {
        hint: 'Avoid repeats inside repeated groups, or alternatives that match the same text.',
      });
    }
  }
}

const WATCHDOG = new Watchdog();

interface Sources {
  readonly source: string;
  /** Null: what JavaScript finds first is what is meant. */
  readonly forced: Forced | null;
  readonly flags: string;
}

export class GuardedRegExp {
  readonly #one: RegExp;
  readonly #all: RegExp;
  readonly #branching: Branching;
  readonly #preferred: PreferredMatch | null;

  /** @throws SyntaxError of JavaScript. */
  constructor({ source, forced, flags }: Sources, branching: Branching) {
    this.#one = new RegExp(source, flags);
    this.#all = new RegExp(source, `${flags}dg`);
    this.#preferred = forced === null ? null : new PreferredMatch(source, forced, flags);
    this.#branching = branching;
  }

  /** True when it has back references. */
  get refers(): boolean {
    return this.#branching.refers;
  }

  test(text: string): boolean {
    return this.#guard(text, () => this.#one.test(text));
  }

  exec(text: string): RegExpExecArray | null {
    return this.#guard(text, () => (this.#preferred ? this.#preferred.from(text, 0) : this.#one.exec(text)));
  }

  /** Every match from the UTF-16 position `start` on, with its groups' positions. */
  all(text: string, start = 0): RegExpExecArray[] {
    return this.#guard(text, () => {
      const matches: RegExpExecArray[] = [];
      for (let from = start; from <= text.length; ) {
        const match = this.#next(text, from);
        if (match === null) break;
        matches.push(match);
        from = match.index + match[0].length;
        if (match[0] === '') from += (text.codePointAt(from) ?? 0) > 0xffff ? 2 : 1;
      }
      return matches;
    });
  }

  #next(text: string, from: number): RegExpExecArray | null {
    if (this.#preferred) return this.#preferred.from(text, from);
    this.#all.lastIndex = from;
    return this.#all.exec(text);
  }

  /** True when it has to be watched on a text of so many characters. */
  mayTakeLong(characters: number): boolean {
    const { repeats, choices, nested, refers } = this.#branching;
    const steps = (characters + 1) ** (repeats + 1) * 2 ** choices;
    return nested || refers || steps > STEPS_UNGUARDED_MAX;
  }

  #guard<T>(text: string, task: () => T): T {
    return this.mayTakeLong(text.length) ? WATCHDOG.run(task) : task();
  }
}
