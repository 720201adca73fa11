/**
 * Names looked up in texts: the longest that begins at a word, word by word, so that a text costs what its words cost,
 * however many names there are. Case, accents, hyphens and the plural's s make no difference, but to names that count
 * only as they are written. Where a script has no spaces, each character is a word.
 */

export interface Named<Entry> {
  readonly entry: Entry;
  /** In whatever case. */
  readonly names: Iterable<string>;
  /** As they are written alone. */
  readonly exact: Iterable<string>;
}

export interface Found<Entry> {
  readonly entry: Entry;
  /** As the text has it, from `start` to `end`. */
  readonly said: string;
  readonly start: number;
  readonly end: number;
}

interface Token {
  readonly folded: string;
  readonly start: number;
  readonly end: number;
}

interface Node<Entry> {
  readonly next: Map<string, Node<Entry>>;
  readonly entries: { readonly entry: Entry; readonly written: string | null }[];
}

const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|&|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{N}\p{M}])+(?:[&+][\p{L}\p{N}]+)*/gu;
const POSSESSIVE = /^['’]$/;
const PLURAL_LETTERS_MIN = 4;

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const isOwner = /^s$/i.test(word) && index > 0 && POSSESSIVE.test(text.charAt(index - 1));
    if (!isOwner) tokens.push({ folded: foldedWord(word), start: index, end: index + word.length });
  }
  return tokens;
}

function foldedWord(word: string): string {
  if (word === '&') return 'and';
  const plain = word.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  if (plain.length < PLURAL_LETTERS_MIN || !/^[a-z]+$/.test(plain)) return plain;
  return plain.replace(/ies$/, 'y').replace(/(?<!s)s$/, '');
}

/** A name's words as they are looked up, with blanks between them. */
export const foldedName = (name: string): string =>
  tokensOf(name)
    .map(({ folded }) => folded)
    .join(' ');

/** All runs of words in a text, folded, each once. @param wordsMax of the longest. */
export function foldedRuns(text: string, wordsMax: number): readonly string[] {
  const words = tokensOf(text).map(({ folded }) => folded);
  const runs = new Set<string>();
  for (let from = 0; from < words.length; from++) {
    for (let to = from + 1; to <= Math.min(words.length, from + wordsMax); to++)
      runs.add(words.slice(from, to).join(' '));
  }
  return [...runs];
}

export class Lexicon<Entry> {
  readonly #root: Node<Entry> = { next: new Map(), entries: [] };

  constructor(all: Iterable<Named<Entry>>) {
    for (const { entry, names, exact } of all) {
      for (const name of names) this.#add(name, { entry, written: null });
      for (const name of exact) this.#add(name, { entry, written: name });
    }
  }

  #add(name: string, leaf: Node<Entry>['entries'][number]): void {
    let node = this.#root;
    for (const { folded } of tokensOf(name)) {
      const next = node.next.get(folded) ?? { next: new Map(), entries: [] };
      node.next.set(folded, next);
      node = next;
    }
    if (node !== this.#root) node.entries.push(leaf);
  }

  /** In their order, none within or over another; several entries of one name stand side by side. */
  in(text: string): readonly Found<Entry>[] {
    const tokens = tokensOf(text);
    const found: Found<Entry>[] = [];
    for (let at = 0; at < tokens.length; ) {
      const { entries, count, said, start, end } = this.#longest(text, tokens, at);
      for (const entry of new Set(entries)) found.push({ entry, said, start, end });
      at += Math.max(1, count);
    }
    return found;
  }

  #longest(text: string, tokens: readonly Token[], at: number): Longest<Entry> {
    const start = tokens[at]?.start ?? 0;
    let node: Node<Entry> | undefined = this.#root;
    let longest: Longest<Entry> = { entries: [], count: 0, said: '', start, end: start };
    for (let to = at; to < tokens.length; to++) {
      const { folded, end } = tokens[to] as Token;
      node = node.next.get(folded);
      if (node === undefined) break;
      const said = text.slice(start, end);
      const entries = node.entries.filter(({ written }) => written === null || written === said);
      if (entries.length > 0)
        longest = { entries: entries.map(({ entry }) => entry), count: to - at + 1, said, start, end };
    }
    return longest;
  }
}

interface Longest<Entry> {
  readonly entries: readonly Entry[];
  /** Words of it. */
  readonly count: number;
  readonly said: string;
  readonly start: number;
  readonly end: number;
}
