/**
 * The words by which research takes a question apart, and asks what it does not name: data alone, one file a language,
 * all of them in `planning-packs.ts`; words as in `../language-pack.ts`.
 */

/** A further question about a thing; `#` stands for it. */
interface Aspect {
  readonly kind: 'number' | 'reason' | 'list' | 'text';
  readonly text: string;
}

export interface PlanningPack {
  /** As `detectLanguage` names it. */
  readonly name: string;
  readonly articles: readonly string[];
  /** Before the last of several. */
  readonly and: readonly string[];
  readonly or: readonly string[];
  /** Join things, and not names or years. */
  readonly asWellAs: readonly string[];
  /** Stand between two that are compared. */
  readonly against: readonly string[];
  /** Begin another clause after a comma. */
  readonly begins: readonly string[];
  /** Begin one after `and`, besides those. */
  readonly beginsAfterAnd: readonly string[];
  /** Speak of whom the clause before named. */
  readonly refers: readonly string[];
  readonly reasons: readonly string[];
  /** Lead to what is to be compared or told. */
  readonly leads: readonly string[];
  /** Before years of which one alone is asked; the last one becomes `within`. */
  readonly over: readonly string[];
  /** Before several, and not before one of them. */
  readonly both: readonly string[];
  /** Stand before what a question is about. */
  readonly asked: readonly string[];
  /** Words of a sentence, not of a thing. */
  readonly said: readonly string[];
  /** Say that several are compared. */
  readonly comparing: readonly string[];
  /** Words between two that are compared, which belong to neither. */
  readonly apart: readonly string[];
  /** Words with capitals that name nobody. */
  readonly noNames: readonly string[];
  /** Between the first and the last year of several. */
  readonly until: readonly string[];
  /** Before `last three years`. */
  readonly within: readonly string[];
  readonly last: readonly string[];
  readonly fiscal: readonly string[];
  readonly years: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  /** Things that are always said together. */
  readonly oneThing: readonly string[];
  /** Where what is listed begins or ends. */
  readonly edges: readonly string[];
  /** Words of documents' names that name nobody. */
  readonly ofDocuments: readonly string[];
  /** Words of a column's name that say nothing of it. */
  readonly columns: readonly string[];
  /** Words of a change: not a measure itself but by how much it moved. */
  readonly moves: readonly string[];
  /** Words beside what has changed, and beside the cause; none: sentences are not asked for them. */
  readonly changing: readonly string[];
  readonly aspects: readonly Aspect[];
  /** Asks why a figure is as it is; null: not asked. */
  readonly change: string | null;
  /** Between a measure and whose it is, and its time. */
  readonly of: string;
  readonly at: string;
}
