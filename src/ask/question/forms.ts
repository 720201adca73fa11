/**
 * Forms of questions, found among tokens. How a form is written is told in `question-pack.ts`. A form is found in a time
 * that grows with its length and the square of the tokens at most: what has failed at a place is not tried again there.
 */
import type { Token } from './tokens.ts';
import { tokensOf } from './tokens.ts';

/** Words in a row; one that ends in `*` is the begin of a word. */
type Phrase = readonly string[];

type Item =
  | { readonly is: 'phrase'; readonly phrases: Phrases; readonly isOptional: boolean }
  | { readonly is: 'ahead' | 'not ahead'; readonly phrases: Phrases }
  | { readonly is: 'slot'; readonly name: Slot; readonly hasCommas: boolean }
  | { readonly is: 'begin' | 'end' | 'year' | 'number' };

type Slot = 'A' | 'B' | 'OF';

/** First and last token of it, the last excluded. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

export interface Match extends Stretch {
  readonly slots: Readonly<Partial<Record<Slot, Stretch>>>;
}

/** Any of several phrases. */
export class Phrases {
  readonly #byFirst = new Map<string, Phrase[]>();
  readonly #open: Phrase[] = [];

  constructor(phrases: Iterable<string>) {
    const all = [...new Set(phrases)].map(phraseOf).sort((a, b) => b.length - a.length);
    for (const phrase of all) {
      const [first = ''] = phrase;
      if (isOpen(first)) this.#open.push(phrase);
      else this.#byFirst.set(first, [...(this.#byFirst.get(first) ?? []), phrase]);
    }
  }

  /** Number of tokens of the longest phrase that stands there; 0 for none. */
  at(tokens: readonly Token[], place: number): number {
    const word = tokens[place]?.word;
    if (word === undefined) return 0;
    const stands = (phrase: Phrase): boolean =>
      phrase.every((one, i) => isWord(one, tokens[place + i]?.word ?? ''));
    const longest = (among: readonly Phrase[]): number => among.find(stands)?.length ?? 0;
    return Math.max(longest(this.#byFirst.get(word) ?? []), longest(this.#open));
  }

  isIn(tokens: readonly Token[]): boolean {
    return tokens.some((_, i) => this.at(tokens, i) > 0);
  }
}

/** A star alone is a mark. */
const isOpen = (word: string): boolean => word.length > 1 && word.endsWith('*');

const isWord = (wanted: string, word: string): boolean =>
  isOpen(wanted) ? word.startsWith(wanted.slice(0, -1)) : word === wanted;

const phraseOf = (phrase: string): Phrase =>
  phrase.split(' ').flatMap((part) => {
    if (part.endsWith("'")) return [part];
    const words = tokensOf(isOpen(part) ? part.slice(0, -1) : part).map(({ word }) => word);
    return isOpen(part) ? [...words.slice(0, -1), `${words.at(-1)}*`] : words;
  });

/** Words of a tag. */
export type WordsOf = (tag: string) => readonly string[];

const SLOT = /^(?<name>A|B|OF)(?<comma>,?)$/;

export class Form {
  readonly #items: readonly Item[];

  constructor(form: string, words: WordsOf) {
    this.#items = (
      form.replace(/([=!])\s*(?=[([])/g, '$1').match(/[=!]?(?:\([^)]*\)|<[^>]*>|\[[^\]]*\]|\S+)/g) ?? []
    ).map((part) => itemOf(part, words));
  }

  at(tokens: readonly Token[], place: number): Match | null {
    return new Run(this.#items, tokens).from(place);
  }

  /** The leftmost place where it fits, its slots as short as they can be, the last one as long. */
  find(tokens: readonly Token[], from = 0): Match | null {
    const run = new Run(this.#items, tokens);
    const isFirst = this.#items[0]?.is === 'begin' || this.#items[0]?.is === 'slot';
    for (let start = from; start < tokens.length; start++) {
      const found = run.from(start);
      if (found !== null || isFirst) return found;
    }
    return null;
  }
}

function itemOf(part: string, words: WordsOf): Item {
  if (part === '^') return { is: 'begin' };
  if (part === '$') return { is: 'end' };
  if (part === '#year') return { is: 'year' };
  if (part === '#number') return { is: 'number' };
  const slot = SLOT.exec(part)?.groups;
  if (slot !== undefined) return { is: 'slot', name: slot.name as Slot, hasCommas: slot.comma === '' };
  const [mark = ''] = /^[=!]/.exec(part) ?? [];
  const rest = part.slice(mark.length);
  const inner = rest.replace(/^[([]|[)\]]$/g, '');
  const phrases = new Phrases(
    (rest.length > 1 ? inner : rest)
      .split('|')
      .flatMap((one) => (/^<.*>$/.test(one) ? words(one.slice(1, -1)) : [one])),
  );
  if (mark !== '') return { is: mark === '=' ? 'ahead' : 'not ahead', phrases };
  return { is: 'phrase', phrases, isOptional: rest.startsWith('[') && rest.length > 1 };
}

/** One form over one row of tokens. */
class Run {
  readonly #items: readonly Item[];
  readonly #tokens: readonly Token[];
  readonly #failed = new Set<number>();
  readonly #slots: { name: Slot; from: number; to: number }[] = [];

  constructor(items: readonly Item[], tokens: readonly Token[]) {
    this.#items = items;
    this.#tokens = tokens;
  }

  from(start: number): Match | null {
    this.#slots.length = 0;
    const to = this.#rest(0, start);
    if (to === null) return null;
    const slots = Object.fromEntries(
      this.#slots.map((slot) => [slot.name, { from: slot.from, to: slot.to }]),
    );
    return { from: start, to, slots };
  }

  /** The end of a match of the items from one on; null where there is none. */
  #rest(at: number, place: number): number | null {
    const item = this.#items[at];
    if (item === undefined) return place;
    const key = at * (this.#tokens.length + 1) + place;
    if (this.#failed.has(key)) return null;
    const found = this.#item(item, at, place);
    if (found === null) this.#failed.add(key);
    return found;
  }

  #item(item: Item, at: number, place: number): number | null {
    switch (item.is) {
      case 'begin':
        return place === 0 ? this.#rest(at + 1, place) : null;
      case 'end':
        return place === this.#tokens.length ? this.#rest(at + 1, place) : null;
      case 'year':
      case 'number':
        return this.#tokens[place]?.kind === item.is ? this.#rest(at + 1, place + 1) : null;
      case 'ahead':
      case 'not ahead':
        return item.phrases.at(this.#tokens, place) > 0 === (item.is === 'ahead')
          ? this.#rest(at + 1, place)
          : null;
      case 'phrase': {
        const count = item.phrases.at(this.#tokens, place);
        const found = count === 0 ? null : this.#rest(at + 1, place + count);
        return found ?? (item.isOptional ? this.#rest(at + 1, place) : null);
      }
      case 'slot':
        return this.#slot(item, at, place);
    }
  }

  #slot({ name, hasCommas }: Extract<Item, { is: 'slot' }>, at: number, place: number): number | null {
    const count = this.#tokens.length;
    const isLast = at === this.#items.length - 1;
    for (let to = isLast ? count : place + 1; to <= count && to > place; to++) {
      if (!hasCommas && this.#tokens[to - 1]?.word === ',') return null;
      const known = this.#slots.length;
      this.#slots.push({ name, from: place, to });
      const found = this.#rest(at + 1, to);
      if (found !== null) return found;
      this.#slots.length = known;
    }
    return null;
  }
}
