/**
 * `language => 'auto'`: each text is analysed in the language that it is in, a query in all those that the texts are
 * in. A word of a query is what every language makes of it, at one place.
 */
import type { Analyser, Languages, Term } from './analyse.ts';
import { detectLanguage } from './detect-language.ts';

export class AutoAnalyser implements Analyser, Languages {
  readonly #make: (language: string) => Analyser;
  readonly #made = new Map<string, Analyser>();

  constructor(make: (language: string) => Analyser) {
    this.#make = make;
  }

  get languages(): Languages {
    return this;
  }

  of(text: string): string {
    return detectLanguage(text);
  }

  in(language: string): Analyser {
    const made = this.#made.get(language) ?? this.#make(language);
    this.#made.set(language, made);
    return made;
  }

  analyse(text: string, from = 0): readonly Term[] {
    return this.in(this.of(text)).analyse(text, from);
  }

  read(text: string, from = 0): readonly Term[] {
    return this.in(this.of(text)).read(text, from);
  }
}

/** A shorter query may be in any language. */
const OWN_WORDS_MIN = 3;
/**
 * Weight of terms that other languages than the query's make of its words: at 1 texts of other languages with the same
 * names came first (`./scripts/bench relevance --only languages`: .945 instead of .948), at 0 a wrong guess finds nothing.
 */
const OTHERS_SHARE = 0.5;

/** A query read in several languages at once; what is no word in its own language is none in the others. */
export class QueryAnalyser implements Analyser {
  readonly #languages: Languages;
  readonly #held: readonly string[];

  /** @param held at least one. */
  constructor(languages: Languages, held: readonly string[]) {
    this.#languages = languages;
    this.#held = held;
  }

  analyse(text: string, from = 0): readonly Term[] {
    const read = this.#held.map((language) => this.#languages.in(language).analyse(text, from));
    const words = new Map<number, Word>();
    for (const terms of read) addTerms(words, terms);
    const own = words.size < OWN_WORDS_MIN ? undefined : read[this.#held.indexOf(this.#languages.of(text))];
    const ofOwn = own && termsByPosition(own);
    return [...words]
      .filter(([position]) => ofOwn === undefined || ofOwn.has(position))
      .sort(([a], [b]) => a - b)
      .flatMap(([position, { terms, languages }]) =>
        [...terms.values()].map((term) => ({
          ...term,
          ...(ofOwn?.get(position)?.has(term.term) === false && { share: OTHERS_SHARE }),
          ...(languages < read.length && { dispensable: true }),
        })),
      );
  }

  /** Words that no language has a term for are written as the query's own language has them. */
  read(text: string, from = 0): readonly Term[] {
    const terms = this.analyse(text, from);
    const found = termsByPosition(terms);
    const own = this.#languages.of(text);
    const written = this.#languages.in(this.#held.includes(own) ? own : (this.#held[0] ?? own));
    const others = written.read(text, from).filter(({ position }) => !found.has(position));
    const left = others.map((word) => ({ ...word, term: '' }));
    return [...terms, ...left].sort((a, b) => a.position - b.position);
  }
}

/** Terms that languages make of one word. */
interface Word {
  readonly terms: Map<string, Term>;
  /** How many have it. */
  languages: number;
}

function addTerms(words: Map<number, Word>, terms: readonly Term[]): void {
  for (const position of termsByPosition(terms).keys()) {
    const word = words.get(position) ?? { terms: new Map<string, Term>(), languages: 0 };
    words.set(position, word);
    word.languages++;
  }
  for (const term of terms) {
    const known = words.get(term.position)?.terms;
    if (known?.has(term.term) === false) known.set(term.term, term);
  }
}

function termsByPosition(terms: readonly Term[]): ReadonlyMap<number, ReadonlySet<string>> {
  const found = new Map<number, Set<string>>();
  for (const { term, position } of terms) {
    const known = found.get(position);
    if (known === undefined) found.set(position, new Set([term]));
    else known.add(term);
  }
  return found;
}
