/** The keyword structures of a column's parts, as far as a snapshot sees them. */
import type { Analyser } from '../../../language/analyse.ts';
import { assert } from '../../../assert.ts';
import { createAnalyser } from '../../../language/analyse.ts';
import { queryAnalyser } from '../languages.ts';
import type { InvertedIndex } from '../postings.ts';
import type { SeenStructure, TypedColumn } from '../../typed-text.ts';
import { writtenKey } from './written-key.ts';

/** The part of `KeywordsStructure` that completing and correcting need. */
interface CountedWords {
  readonly index: InvertedIndex;
  readonly analyser: Analyser;
  countOf(key: string, visible: Uint32Array | null, limit: number): number;
}

export interface SeenWords extends Omit<SeenStructure, 'structure'> {
  readonly structure: CountedWords;
}

export function seenWords({ parts }: TypedColumn): readonly SeenWords[] {
  assert(
    parts.every(({ structure }) => structure.kind === 'keywords'),
    'words are in keyword structures',
  );
  return parts as unknown as readonly SeenWords[];
}

export function analyserOf({ options }: TypedColumn, parts: readonly SeenWords[]): Analyser {
  const indexes = parts.map(({ structure }) => structure.index);
  return queryAnalyser(parts[0]?.structure.analyser ?? createAnalyser(options.options), indexes);
}

/** Visible rows with the word as written. */
export function rowsWithWord(parts: readonly SeenWords[], word: string): number {
  let count = 0;
  for (const { structure, visible, limit } of parts) {
    count += structure.countOf(writtenKey(word), visible, limit);
  }
  return count;
}
