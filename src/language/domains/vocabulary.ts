/**
 * The terms that texts of a dataset are read with: rows of the domain packs that are active there, and terms of its
 * users, which count before these. What a question names is found in it, with what documents call the same.
 */
import { ANY_LANGUAGE, type ByLanguage, type DomainPack, type DomainRow } from './pack.ts';
import { DOMAINS } from './domains.ts';
import { foldedName, Lexicon } from './lexicon.ts';

const ENGLISH = 'english';

/** A term that a text names. */
export interface Concept {
  readonly id: string;
  /** As the text has it, from `start` to `end`. */
  readonly said: string;
  readonly start: number;
  readonly end: number;
  /** Line items that it is made of, or that are other names of it, as documents print them. */
  readonly items: readonly string[];
  /** The items are other names of the same, not its parts: they may be computed with in its place. */
  readonly isAlias: boolean;
  /** Title of the statement or section where these stand. */
  readonly place: string | null;
}

/** A row that a text names. */
export interface NamedRow {
  readonly row: DomainRow;
  readonly said: string;
  readonly start: number;
  readonly end: number;
}

const PART_LABELS_COUNT = 2;
const IMPLIED_ITEMS_COUNT = 6;
const LOOKED_AT_CHARACTERS_MAX = 8_192;

export class Vocabulary {
  readonly #rows: readonly ReadonlyMap<string, DomainRow>[];
  readonly #lexiconsOf: () => readonly Lexicon<DomainRow>[];
  #made: readonly Lexicon<DomainRow>[] | null = null;
  readonly #written: readonly string[];

  /** @param terms of users. @param written languages of the documents; none: they are not known. */
  constructor(
    packs: readonly DomainPack[],
    terms: readonly DomainRow[] = [],
    written: readonly string[] = [],
  ) {
    this.#written = written;
    const own = new Map(terms.map((row) => [row.id, row]));
    this.#rows = [...(own.size > 0 ? [own] : []), ...packs.map(({ rows }) => rows)];
    this.#lexiconsOf = () => [...(own.size > 0 ? [lexiconOf(own)] : []), ...packs.map(packLexicon)];
  }

  /** Made when it is first read with: a server starts without. */
  get #lexicons(): readonly Lexicon<DomainRow>[] {
    this.#made ??= this.#lexiconsOf();
    return this.#made;
  }

  /** Null for an id that no row has. */
  row(id: string): DomainRow | null {
    for (const rows of this.#rows) {
      const row = rows.get(id);
      if (row !== undefined) return row;
    }
    return null;
  }

  /** In their order, those of users first. */
  rowsIn(text: string): readonly NamedRow[] {
    const read = text.slice(0, LOOKED_AT_CHARACTERS_MAX);
    return this.#lexicons.flatMap((lexicon) =>
      lexicon.in(read).map(({ entry, ...place }) => ({ row: entry, ...place })),
    );
  }

  /** @param language of the text, as `detectLanguage` names it. */
  conceptsIn(text: string, language = ENGLISH): readonly Concept[] {
    return this.rowsIn(text).map(({ row, ...place }) => ({
      id: row.id,
      ...place,
      items: this.#itemsOf(row, language),
      isAlias: row.isAlias,
      place: this.#placeOf(row, language),
    }));
  }

  /** How documents print what an id stands for; the id as words where there is no such row. */
  labelsOf(id: string, language: string): readonly string[] {
    const row = this.row(id);
    return row === null ? [id.replaceAll('_', ' ')] : this.#textsIn(row.labels, language);
  }

  #itemsOf(row: DomainRow, language: string): readonly string[] {
    if (!isEmpty(row.items)) return this.#textsIn(row.items, language);
    if (row.kind === 'line') return this.#textsIn(row.labels, language);
    const labels = row.parts.map((part) => this.labelsOf(part, language));
    const ranks = Array.from({ length: PART_LABELS_COUNT }, (_, rank) => rank);
    return ranks.flatMap((rank) => labels.flatMap((own) => own.slice(rank, rank + 1)));
  }

  #placeOf(row: DomainRow, language: string): string | null {
    const own = this.#textsIn(row.place, language)[0];
    if (own !== undefined) return own;
    const ids = [
      ...(row.kind === 'statement' ? [row.id] : []),
      ...(row.statement === null ? [] : [row.statement]),
      ...row.parts.flatMap((part) => this.row(part)?.statement ?? []),
    ];
    const titles = [...new Set(ids)].flatMap((id) => this.labelsOf(id, language).slice(0, 1));
    return titles.length === 0 ? null : titles.join(' ');
  }

  /**
   * Those of the documents' languages; where these are not known, or have none, those of the text and of English:
   * documents may be in another language than questions, and short questions are seldom told for sure.
   */
  #textsIn(texts: ByLanguage, language: string): readonly string[] {
    const known = inTurns(texts, this.#written);
    return known.length > 0 ? known : inTurns(texts, [language, ENGLISH]);
  }

  /** Words of documents for what a query means beside what it says; '' for nothing. @param languageOf the query. */
  impliedBy(query: string, languageOf: () => string): string {
    const named = this.rowsIn(query);
    if (named.length === 0) return '';
    const language = languageOf();
    const items = named.flatMap(({ row, said }) => this.#impliedBy(row, said, language));
    return [...new Set(items)].join(', ');
  }

  #impliedBy(row: DomainRow, said: string, language: string): readonly string[] {
    if (row.kind === 'statement') return this.#textsIn(row.labels, language).slice(0, 1);
    if (row.kind === 'topic' && !isEmpty(row.place)) return [];
    const isPrinted = this.#textsIn(row.labels, language).some(
      (label) => foldedName(label) === foldedName(said),
    );
    if (row.kind === 'line' && isEmpty(row.items) && isPrinted) return [];
    const others = this.#itemsOf(row, language).filter((item) => foldedName(item) !== foldedName(said));
    return others.slice(0, IMPLIED_ITEMS_COUNT);
  }
}

const isEmpty = (texts: ByLanguage): boolean => Object.keys(texts).length === 0;

/** Those of several languages in turns, after those of no one language. */
function inTurns(texts: ByLanguage, languages: readonly string[]): readonly string[] {
  const lists = [...new Set(languages)].map((language) => texts[language] ?? []);
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  const turns = Array.from({ length: longest }, (_, rank) =>
    lists.flatMap((own) => own.slice(rank, rank + 1)),
  );
  return [...new Set([...(texts[ANY_LANGUAGE] ?? []), ...turns.flat()])];
}

const lexiconOf = (rows: ReadonlyMap<string, DomainRow>): Lexicon<DomainRow> =>
  new Lexicon(
    [...rows.values()].map((row) => ({
      entry: row,
      names: Object.values(row.names).flat(),
      exact: row.exact,
    })),
  );

const made = new WeakMap<DomainPack, Lexicon<DomainRow>>();

function packLexicon(pack: DomainPack): Lexicon<DomainRow> {
  const known = made.get(pack) ?? lexiconOf(pack.rows);
  made.set(pack, known);
  return known;
}

/** All packs that come with Quern, for texts of no dataset. */
export const ALL_DOMAINS = new Vocabulary([...DOMAINS.packs.values()]);

/** Without a term: of a dataset that speaks of none of the domains. */
export const NO_DOMAIN = new Vocabulary([]);
