/**
 * The words and forms with which a language asks: data alone, one file a language, all of them in `question-packs.ts`.
 *
 * Words are in lower case; one that ends in `*` may go on with letters. A form is a row of words with a space between:
 * `(a|b c)` one of these, `[a|b]` one of these or nothing, `<tag>` a word of that tag (`[<tag>]` or nothing), `=word` a
 * word that must follow and is none of what was found, `!word` one that must not follow, `#year` and `#number`, `^` the
 * begin and `$` the end of the question. `A`, `B` and `OF` are any words, `A,` words without a comma between. An
 * apostrophe ends a word (`d'` `l'`) or begins one (`'s`); a hyphen between letters is a space.
 */

/** Kinds of words. */
export type Tag =
  /** Asking words by what they ask for. */
  | 'what'
  | 'why'
  | 'when'
  | 'how'
  | 'how much'
  | 'what amount'
  /** Forms of to be, to do, to have, and of can, will, should. */
  | 'be'
  | 'do'
  | 'have'
  | 'may'
  | 'not'
  | 'article'
  /** Prepositions and joining words. */
  | 'in'
  | 'of'
  | 'and'
  | 'to'
  /** Prepositions that stand before a year. */
  | 'at time'
  /** Words that begin a period of several years. */
  | 'over time'
  /** Before two years that end a period. */
  | 'between'
  /** Before the first year of a period that has no last one. */
  | 'since'
  /** Words that say that a period is of several years. */
  | 'span'
  /** Words between the first and the last year of a period. */
  | 'until'
  /** Words of a year that are none of its name. */
  | 'year'
  | 'period'
  | 'percent'
  /** Signs of a formula in words and marks, and what is the mean of two ends. */
  | 'plus'
  | 'minus'
  | 'times'
  | 'divided by'
  | 'mean'
  /** Something becoming more, less, or other. */
  | 'rise'
  | 'fall'
  | 'change'
  /** Verbs of it, and of what it is compared with. */
  | 'changes'
  | 'most'
  | 'least'
  | 'than'
  | 'above'
  | 'below'
  /** Begins of what asks without an asking word: `list`, `compare`. */
  | 'ask for'
  /** A condition, and what is to be said where it holds. */
  | 'if'
  | 'say'
  /** Texts state causes with these, and some also with those. */
  | 'because'
  | 'perhaps because'
  /** Amounts and lines of accounts. */
  | 'amount'
  /** Words for what a sentence before it named. */
  | 'own'
  | 'it'
  | 'this'
  | 'this period'
  /** Words before what goes on with the question before. */
  | 'and what of'
  | 'at last'
  /** Prepositions before what a thing is of, in questions of a few words. */
  | 'before thing'
  /** Words before a name or a year that end it, and words that no subject ends in. */
  | 'no end'
  /** Words of grades of one measure: `total` revenue. */
  | 'grade'
  /** How far two amounts are apart, whichever is more. */
  | 'difference'
  /** Words beside the name of a line that are none of it: `amount`, `recorded`. */
  | 'nameless';

/** Kinds of answer, in the order in which they are tried; what is none of them is of text. */
export const ASKED_KINDS = ['yes or no', 'reason', 'time', 'list', 'number', 'person'] as const;
export type AskedKind = (typeof ASKED_KINDS)[number];

export type OperationKind =
  | 'percentage change'
  | 'change'
  | 'difference'
  | 'ratio'
  | 'percentage'
  | 'average'
  | 'sum';

/** `A` and `B` are operands: over, then under; minuend, then subtrahend. `OF` is what both share. */
export interface OperationForm {
  /**
   * `none`: what fits is for no calculation. `average of year`: the mean of a year's end and that of the year before.
   */
  readonly op: OperationKind | 'none' | 'average of year';
  readonly form: string;
}

/** How what a question left out is put into it: `A` and `B` stand for the words. */
export interface WholeWords {
  readonly whose: string;
  readonly about: string;
  readonly at: string;
  readonly from: string;
  readonly until: string;
  readonly of: string;
  readonly and: string;
}

export interface QuestionPack {
  /** As `detectLanguage` names it. */
  readonly name: string;
  /** Several by `|`. */
  readonly words: Readonly<Record<Tag, string>>;
  readonly kinds: Readonly<Record<AskedKind, readonly string[]>>;
  /** Asking whether something is one of a kind, which sentences tell and numbers do not. */
  readonly verdicts: readonly string[];
  /** Asking for what caused something, which is `A`. */
  readonly causes: readonly string[];
  /** Saying of what `A`, else what stands before, is made up: a formula follows. */
  readonly definitions: readonly string[];
  /** Asking words that carry nothing of what is asked about. */
  readonly asking: readonly string[];
  /** Begins of sentences about how to answer, not about what. */
  readonly answerLeads: readonly string[];
  /** Clauses about how to answer: the rest of their sentence too. */
  readonly answerClauses: readonly string[];
  /** The first that fits; those of two operands before those of one. */
  readonly operations: readonly OperationForm[];
  /** Questions with these are for no calculation. */
  readonly uncomputed: readonly string[];
  /** Comparisons over years. */
  readonly ofYears: readonly string[];
  /** Comparisons over rows of a table. */
  readonly ofRows: readonly string[];
  /** Words of a comparison that are none of its subject. */
  readonly compared: readonly string[];
  readonly whole: WholeWords;
  /** Nouns have capitals there, which tell no names. */
  readonly hasCapitalNouns?: true;
  /** Questions that name a page, `A`. */
  readonly pages: readonly string[];
}
