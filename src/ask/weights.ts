/**
 * Weights and bounds of an answer, in one table: what is tuned stands here, and nowhere else in this folder. One setting
 * for all data. `bench ask --only weights` measures each row: what is answered with it at its `off` value, at which it
 * does nothing, beside what is answered as it stands. A guard makes answers fewer so that fewer are wrong: it is kept
 * whatever the others gain without it.
 */
export interface Weight {
  readonly value: number;
  /** At which it does nothing. */
  readonly off: number;
  readonly isGuard?: true;
}

/** A share that is added, or taken away. */
const added = (value: number): Weight => ({ value, off: 0 });
/** A factor of what seldom answers. */
const factor = (value: number): Weight => ({ value, off: 1 });
/** A bound below which nothing is given. */
const least = (value: number): Weight => ({ value, off: 0, isGuard: true });
/** Keeps what is not meant from being computed with. */
const guard = (weight: Weight): Weight => ({ ...weight, isGuard: true });

/** How well a sentence or a row answers: shares of its score, which add up to 1. */
const EVIDENCE = {
  /** The question's words that it holds, rare ones counting more. */
  coverage: added(0.55),
  /** Its own words that the question has. */
  precision: added(0.15),
  /** The rank of its passage in the search. */
  strength: added(0.1),
  /** It is of the kind that is asked for. */
  kind: added(0.1),
  /** It is of the years that are asked for. */
  years: added(0.1),
} as const;

/** Counts of words. */
const WORDS = {
  /** One that only the surroundings hold. */
  around: added(0.45),
  /** One that only the surroundings of a line hold which has a name and its value: `Prepared by: …`. */
  aroundEntry: added(0.75),
  /** Exponent of the weight of one that nothing holds. */
  nowhere: factor(0.8),
  /** A row's name that is a line item which the question means. */
  itemOfRow: factor(0.9),
  /** A sentence that names such a line item. */
  itemOfSentence: added(0.3),
  /** Share of precision in how much of a line item names a row. */
  itemPrecision: added(0.5),
  /** A year that only the surroundings have. */
  yearAround: added(0.5),
} as const;

/** Factors of the score, for things that seldom answer. */
const SELDOM = {
  /** Rows tell no reasons. */
  rowsForReasons: factor(0.5),
  /** Rows, where the question is whether something is one of a kind. */
  rowsForVerdicts: factor(0.85),
  /** Rows, where a list is asked for. */
  rowsForLists: added(0.5),
  /** A segment, a quarter, the parent alone, or what would have been, where the question is of neither. */
  parts: factor(0.92),
  /** `% of sales` where no share is asked for. */
  shares: factor(0.85),
  /** Names of tables and figures, titles, announcements of what is to come. */
  titles: factor(0.8),
  /** Labels within a picture, and lines of a table of contents. */
  labels: factor(0.85),
  /** Sentences that send the reader elsewhere, and those that auditors write in every report. */
  elsewhere: factor(0.8),
  /** A document that the question does not name, where it names one. */
  otherDocuments: factor(0.85),
  /** A row that is of those who did not, where the question is of those who did. */
  denied: factor(0.6),
  /** A sentence of those who did not. */
  others: factor(0.9),
  /** A sentence with `they` or `this` for something that stands before it. */
  leaning: factor(0.93),
  /** A sentence without a number, where the question is how much. */
  numberless: factor(0.8),
  /** A number without a unit, where the question is how much. */
  unitless: factor(0.3),
  /** A sentence without a cause, where one is asked for. */
  causeless: factor(0.9),
  /** A sentence that may state a cause: `since`. */
  perhapsCause: factor(0.5),
  /** A sentence that states none, where a cause is asked for beside. */
  besideCauses: factor(0.6),
} as const;

/** Choice of passages that are read. */
const SEARCHING = {
  /** Ranks of a search for line items that the question means. */
  itemSearch: added(0.8),
  /** Ranks of a search in all documents, where the question names some. */
  everywhere: added(0.5),
  /** Documents whose names have less than this share of what the best has are not named. */
  namedBesideBest: added(0.75),
  /** A number of a document's name that is no year asked for. */
  otherNumber: added(0.5),
} as const;

/** Choice of evidence that is given. */
const CHOICE = {
  /** Evidence that is weaker than this share of the best is not given beside it. */
  besideBest: added(0.7),
} as const;

/** Fit of a cell as an operand: its names' share of the subject's words, with what tells it from others. */
const OPERANDS = {
  /** Names that fit less well may be those of something else. */
  operandFit: least(0.5),
  /** Fits that differ by less tell nothing apart. */
  operandsAlike: least(0.005),
  /** A word of its column's name, where one of its row's counts 1. */
  operandColumn: factor(0.9),
  /** A word of what stands around it. */
  operandAround: added(0.6),
  /** Share of how much of its row's name is wanted. */
  operandPrecision: added(0.4),
  /** Precision of a row without a name. */
  nameless: guard(factor(0.6)),
  /** A row with a word that makes another line of it: `other`. */
  otherLine: guard(factor(0.4)),
  /** Names of line items that the subject is another name of. */
  otherName: added(0.1),
  /** A section that says nothing else than what is wanted. */
  operandSection: added(0.03),
  /** The rank of its passage in the search. */
  operandStrength: guard(added(0.03)),
  /** It stands in the passage, the row, the column of the other operand, or is not of its unit. */
  nearPassage: guard(added(0.05)),
  nearRow: guard(added(0.05)),
  nearColumn: guard(added(0.03)),
  otherUnit: guard(added(0.3)),
  /** Words of a comparison that its table must hold. */
  tableFit: least(0.7),
  /** Such words that its column holds. */
  tableColumn: added(0.1),
  /** The rank of the table's passage. */
  tableStrength: added(0.03),
} as const;

/** Fit of a line as a part of a measure. */
const MEASURES = {
  /** A line that is less like the name may be something else. */
  lineFit: least(0.8),
  /** Fits that differ by less are alike. */
  linesAlike: least(0.04),
  /** It stands in a table with other parts: for each. */
  together: added(0.15),
  /** It is of a part of the company. */
  ofPart: added(0.2),
  /** For each name of a part that stands before. */
  laterName: added(0.01),
  /** A name that goes on, and for each word by which it does. */
  longerName: factor(0.95),
  longerByWord: added(0.03),
  /** `Total` before the name. */
  totalName: factor(0.9),
  /** The rank of its passage in the search. */
  lineStrength: added(0.05),
} as const;

/** Bounds of answers. */
const GIVING = {
  /** How far the best evidence is ahead of the tenth best, beside the question's words that it holds. */
  lead: added(0.3),
  /** The least sum of both: below it nothing supports an answer. */
  supportMin: least(0.48),
  /** The least score for a language model to read what was found. */
  readScoreMin: least(0.3),
} as const;

/** By the step that they are of. */
export const ASK_WEIGHTS = {
  searching: SEARCHING,
  reading: { ...EVIDENCE, ...WORDS, ...SELDOM, ...CHOICE },
  computing: { ...OPERANDS, ...MEASURES },
  giving: GIVING,
} as const;

const ROWS = {
  ...ASK_WEIGHTS.searching,
  ...ASK_WEIGHTS.reading,
  ...ASK_WEIGHTS.computing,
  ...ASK_WEIGHTS.giving,
} as const;

export const WEIGHTS = valuesWithout([]);

/** @param off names of rows that do nothing. */
export function valuesWithout(off: readonly string[]): Readonly<Record<keyof typeof ROWS, number>> {
  const values = Object.entries(ROWS).map(([name, weight]) => [
    name,
    off.includes(name) ? weight.off : weight.value,
  ]);
  return Object.fromEntries(values) as Record<keyof typeof ROWS, number>;
}
