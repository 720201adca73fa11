/**
 * How alike texts are by their trigrams, as PostgreSQL's pg_trgm has it (contrib/pg_trgm/trgm_op.c): words of letters
 * and digits in lower case, with two blanks before and one behind, cut into three characters each.
 */
import { SqlError } from '../../errors.ts';

const WORDS = /[\p{L}\p{N}]+/gu;
const ONLY_ASCII = /^[\0-\x7f]*$/;
const SURROGATE = /[\ud800-\udfff]/;
/** Trigrams gone through for one call; as many take some tenths of a second. */
const STEPS_MAX = 10_000_000;

type Visit = (trigram: string, begins: boolean, ends: boolean) => void;

/** Calls back with the trigrams in the order of the text, each as often as it is there. */
function forEachTrigram(text: string, visit: Visit): void {
  for (const [word] of text.matchAll(WORDS)) {
    const padded = `  ${lowerCase(word)} `;
    // Characters where they are not code units.
    const characters = SURROGATE.test(padded) ? [...padded] : padded;
    const last = characters.length - 3;
    for (let at = 0; at <= last; at++) {
      const cut = characters.slice(at, at + 3);
      visit(typeof cut === 'string' ? cut : cut.join(''), at === 0, at === last);
    }
  }
}

/** Character by character: a sigma is the same wherever it stands. */
function lowerCase(word: string): string {
  if (ONLY_ASCII.test(word)) return word.toLowerCase();
  return Array.from(word, (character) => character.toLowerCase()).join('');
}

export function trigramSet(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  forEachTrigram(text, (trigram) => found.add(trigram));
  return found;
}

const share = (common: number, first: number, second: number): number =>
  Math.fround(common / (first + second - common));

/** Trigrams in common, among all that either has. */
export function similarity(a: string, b: string): number {
  const first = trigramSet(a);
  const second = trigramSet(b);
  if (first.size === 0 || second.size === 0) return 0;
  return share(first.intersection(second).size, first.size, second.size);
}

/** The largest similarity of `word` and a part of the text, which is of whole words where it is `strict`. */
export function wordSimilarity(word: string, text: string, strict: boolean): number {
  const ids = new Map<string, number>();
  forEachTrigram(word, (trigram) => ids.set(trigram, ids.get(trigram) ?? ids.size));
  const wanted = ids.size;
  const trigrams: number[] = [];
  const bounds: number[] = [];
  forEachTrigram(text, (trigram, begins, ends) => {
    const id = ids.get(trigram) ?? ids.size;
    ids.set(trigram, id);
    trigrams.push(id);
    bounds.push(Number(begins) * BEGINS + Number(ends) * ENDS);
  });
  if (wanted === 0 || trigrams.length === 0) return 0;
  return new Windows({ trigrams, bounds, wanted, count: ids.size }, strict).best();
}

/** Bits: the first trigram of a word, the last of one. */
const BEGINS = 1;
const ENDS = 2;

interface Numbered {
  /** By number. */
  readonly trigrams: readonly number[];
  readonly bounds: readonly number[];
  /** Those below are the word's. */
  readonly wanted: number;
  readonly count: number;
}

/** Parts of a text, from a lower to an upper trigram; `iterate_word_similarity` of trgm_op.c. */
class Windows {
  readonly #text: Numbered;
  readonly #strict: boolean;
  /** By trigram: where it comes last in the window; -1: nowhere. */
  readonly #last: Int32Array;
  #lower: number;
  /** Distinct trigrams of the window, and those of them that are wanted. */
  #distinct = 0;
  #common = 0;
  #steps = 0;

  constructor(text: Numbered, strict: boolean) {
    this.#text = text;
    this.#strict = strict;
    this.#last = new Int32Array(text.count).fill(-1);
    this.#lower = strict ? 0 : -1;
  }

  best(): number {
    const { trigrams, bounds, wanted } = this.#text;
    let best = 0;
    for (const [at, trigram] of trigrams.entries()) {
      const isWanted = trigram < wanted;
      if (this.#lower >= 0 || isWanted) {
        if (this.#last[trigram] === -1) {
          this.#distinct++;
          if (isWanted) this.#common++;
        }
        this.#last[trigram] = at;
      }
      const isUpper = this.#strict ? ((bounds[at] as number) & ENDS) !== 0 : isWanted;
      if (isUpper) best = Math.max(best, this.#upTo(at));
    }
    return best;
  }

  /** The best window that ends at `upper`; the next ones begin where it does. */
  #upTo(upper: number): number {
    if (this.#lower < 0) {
      this.#lower = upper;
      this.#distinct = 1;
    }
    const { trigrams, bounds, wanted } = this.#text;
    const before = this.#lower;
    let best = share(this.#common, wanted, this.#distinct);
    let common = this.#common;
    let distinct = this.#distinct;
    for (let lower = before; lower <= upper; lower++) {
      if (!this.#strict || ((bounds[lower] as number) & BEGINS) !== 0) {
        const own = share(common, wanted, distinct);
        if (own > best) {
          best = own;
          this.#lower = lower;
          this.#common = common;
          this.#distinct = distinct;
        }
      }
      // However short the rest, it has no more in common.
      if (share(common, wanted, common) <= best) break;
      this.#step();
      const trigram = trigrams[lower] as number;
      if (this.#last[trigram] !== lower) continue;
      distinct--;
      if (trigram < wanted) common--;
    }
    for (let lower = before; lower < this.#lower; lower++) {
      const trigram = trigrams[lower] as number;
      if (this.#last[trigram] === lower) this.#last[trigram] = -1;
    }
    return best;
  }

  #step(): void {
    if (++this.#steps <= STEPS_MAX) return;
    throw new SqlError('program_limit_exceeded', 'texts are too long for a word similarity', {
      hint: 'Compare a word or a phrase with a text, or two shorter texts.',
    });
  }
}
