/**
 * The words by which texts of a language show what a line is, not what it is about: captions, notes, references to
 * elsewhere. Data alone, one file a language, all of them in `packs.ts`; words as in `../questions/language-pack.ts`.
 */

export interface TextPack {
  /** As `detectLanguage` names it. */
  readonly name: string;
  /** Before the number of a table or figure: `Table 3`. */
  readonly captions: readonly string[];
  /** Before a colon, below a table. */
  readonly sources: readonly string[];
  /** A list or table follows. */
  readonly announcements: readonly string[];
  /** Sends the reader to another place. */
  readonly references: readonly string[];
  /** Before a place, for words that refer only together with one: `see` note 3. */
  readonly referring: readonly string[];
  readonly places: readonly string[];
  /** In auditors' reports, whoever they are about. */
  readonly audits: readonly string[];
  /** First words of a sentence that speaks of the one before it. */
  readonly leaning: readonly string[];
  /** May stand before those. */
  readonly linking: readonly string[];
  /** Speak of those before, anywhere in a sentence. */
  readonly pointing: readonly string[];
  /** Words of a sentence about those who did not do it. */
  readonly didNot: readonly string[];
  /** Before the last of several. */
  readonly joining: readonly string[];
  /** Names of a part of the whole: a segment, a quarter, a subsidiary. */
  readonly parts: readonly string[];
  /** Words that ask for a part of a hundred. */
  readonly shares: readonly string[];
}
