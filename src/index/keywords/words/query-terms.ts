/**
 * Terms that a query looks for in one column: those of its words; where all of them are stop words, these as they are
 * written, so that *Them!* and *The Who* are found; or words as written that a beginning or a misspelling stands for.
 */
import type { Analyser, Term } from '../../../language/analyse.ts';
import type { ArmRequest } from '../../request.ts';
import { expandFuzzy, expandPrefix } from '../fuzzy.ts';
import type { InvertedIndex } from '../postings.ts';
import { writtenKey } from './written-key.ts';

type KeywordRequest = Extract<ArmRequest, { kind: 'keyword' }>;

export interface QueryTerm {
  /** Key of an index. */
  readonly term: string;
  /** As the query writes it. */
  readonly word: string;
  readonly offset: number;
  /** 1, or less for a word that fuzzy() found. */
  readonly share: number;
}

/** @param indexes of all parts. */
export function queryTerms(
  analyser: Analyser,
  request: KeywordRequest,
  indexes: readonly InvertedIndex[],
): readonly QueryTerm[] {
  const words = queryWords(analyser, request);
  const written = distinctWords(words);

  switch (request.operator) {
    case 'prefix':
      return written.flatMap((word) =>
        expandPrefix(indexes, word.written).map((found) => queryTerm(word, writtenKey(found), 1)),
      );
    case 'fuzzy':
      return written.flatMap((word) =>
        expandFuzzy(indexes, word.written, request.option).map((near) =>
          queryTerm(word, writtenKey(near.word), near.share),
        ),
      );
    default: {
      const terms = words.filter(({ term }) => term !== '');
      const isTold = terms.some(({ dispensable }) => !dispensable);
      if (isTold) return terms.map((word) => queryTerm(word, word.term, word.share));
      return written.map((word) => queryTerm(word, writtenKey(word.written), 1));
    }
  }
}

interface QueryWord extends Pick<Term, 'term' | 'written' | 'position'> {
  readonly word: string;
  readonly share: number;
  /** A stop word in one of the languages that the query is read in. */
  readonly dispensable: boolean;
}

/** Several languages may have made terms of one word. */
function distinctWords(words: readonly QueryWord[]): readonly QueryWord[] {
  const seen = new Set<string>();
  return words.filter(({ written, position }) => {
    const key = `${position} ${written}`;
    const isNew = written !== '' && !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

const queryTerm = ({ word, position }: QueryWord, term: string, share: number): QueryTerm => ({
  term,
  word,
  offset: position,
  share,
});

/** The words of all texts, stop words too, one text after the other. */
function queryWords(analyser: Analyser, { query }: KeywordRequest): readonly QueryWord[] {
  const words: QueryWord[] = [];
  let from = 0;
  for (const text of typeof query === 'string' ? [query] : query) {
    const own = analyser.read(text, from);
    for (const { term, written, position, start, end, share = 1, dispensable = false } of own) {
      words.push({ term, written, position, word: text.slice(start, end), share, dispensable });
    }
    from = (own.at(-1)?.position ?? from - 1) + 1;
  }
  return words;
}
