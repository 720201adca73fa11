/** A query read for what it is asked with: meaning, words, and names of documents. */
import { detectLanguage } from '../../../language/detect-language.ts';
import { SPACED_LETTER, UNSPACED_LETTER } from '../../../language/scripts.ts';
import type { Vocabulary } from '../../../language/domains/vocabulary.ts';
import { STOP_WORDS } from '../../../language/stop-words.ts';
import { QUERY_TEXT_CHARACTERS_MAX } from '../../../limits.ts';
import { namesOf } from './naming.ts';
import { otherForms } from './numbers.ts';

export interface Question {
  /** As it was asked. */
  readonly meaning: string;
  /** Its terms in the words of reports; '' for nothing. */
  readonly implied: string;
  /** Its words but for those that only ask, with other forms of its numbers and what is implied. */
  readonly words: string;
  readonly names: readonly string[];
}

/** Words that ask, and that say how to answer, in English. Documents have them too, and they tell nothing apart. */
const ASKING: ReadonlySet<string> = new Set(
  `what which how much many do does did is are was were has have had any there who whom whose when
  where why give state answer respond response question address please explain define calculate
  compute round assume return write list useful relevant based using use shown details detail
  primarily utilize utilizing rely relying clearly perspective asked company then than that this
  these those tell me show find can could would should will`.split(/\s+/),
);
const WORD = new RegExp(`${UNSPACED_LETTER}+|${SPACED_LETTER}(?:${SPACED_LETTER}|[\\p{M}'’&.,-])*`, 'gu');

const NONE: ReadonlySet<string> = new Set();
const STOPS = new Map<string, ReadonlySet<string>>();

/** Words of another language than English that tell nothing: documents that are not in it may have them as others. */
function stopWordsIn(language: string): ReadonlySet<string> {
  const words = language === 'english' ? undefined : STOP_WORDS[language];
  if (words === undefined) return NONE;
  const known = STOPS.get(language) ?? new Set(words);
  STOPS.set(language, known);
  return known;
}

/** @returns null for a query without a word, which finds nothing. @param vocabulary of its dataset. */
export function readQuestion(query: string, vocabulary: Vocabulary): Question | null {
  const written = query.match(WORD) ?? [];
  if (written.length === 0) return null;
  const language = detectLanguage(query);
  const stops = stopWordsIn(language);
  const telling = written.filter((word) => {
    const plain = word.toLowerCase().replace(/[.,'’-]+$/, '');
    return !ASKING.has(plain) && !stops.has(plain);
  });
  const implied = vocabulary.impliedBy(query, () => language);
  const words = [implied, ...(telling.length === 0 ? written : telling), ...otherForms(query)]
    .join(' ')
    .trim();
  return {
    meaning: query,
    implied,
    // A query at its largest leaves no room for additions.
    words: words.slice(0, QUERY_TEXT_CHARACTERS_MAX),
    names: namesOf(query),
  };
}
