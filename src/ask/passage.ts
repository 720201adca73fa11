/** Types that steps hand to each other: passages that search found, facts with what supports them, rows of an answer. */

/** A chunk, as `search()` gives it. */
export interface Passage {
  readonly dataset: string;
  readonly docId: string;
  readonly docName: string;
  readonly docType: string | null;
  readonly contentId: string;
  /** Version of the document. */
  readonly version: number;
  readonly kind: string;
  readonly heading: string | null;
  readonly text: string;
  /** 1-based. */
  readonly pages: readonly number[];
  /** 1 for the best of its search, less for others. */
  readonly strength: number;
}

/** Tells chunks apart. */
export const chunkKey = ({ dataset, contentId }: Pick<Passage, 'dataset' | 'contentId'>): string =>
  `${dataset}\n${contentId}`;

/** Tells documents apart. */
export const documentKey = ({ dataset, docId }: Pick<Passage, 'dataset' | 'docId'>): string =>
  `${dataset}\n${docId}`;

/** Words of a passage that a fact rests on. Offsets into the passage's text. */
export interface Quote {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Texts that a fact rests on: each must stand, word for word, from `from` on. */
export interface Support {
  readonly passage: Passage;
  readonly texts: readonly string[];
  readonly from: number;
}

/** Before its support has been placed. */
export interface Draft {
  readonly text: string;
  readonly supports: readonly Support[];
  /** How well it answers: 0..1, computed by `evidence.ts`. */
  readonly score: number;
  readonly isComputed: boolean;
  /** Statements of the same key say the same, however they are written; null where only the text tells. */
  readonly sameAs: string | null;
}

/** A passage with the quotes of a fact. */
export interface Citation {
  readonly passage: Passage;
  readonly quotes: readonly Quote[];
}

export interface Fact {
  readonly text: string;
  readonly citations: readonly Citation[];
  readonly score: number;
  readonly isComputed: boolean;
  readonly sameAs: string | null;
}
