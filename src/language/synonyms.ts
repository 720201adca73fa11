/**
 * Synonyms of a keyword index: `car, automobile; tv => television`. Words in a list are one term; the word
 * before an arrow becomes the words behind it. They are applied when texts are indexed and when queries are
 * read, so that phrases, counts and snippets know them; a change of them needs a new index.
 */
import { SqlError } from '../errors.ts';

const SYNONYMS_CHARACTERS_MAX = 65_536;

/** Terms, ready analysed, to those that stand for them. */
export type Synonyms = ReadonlyMap<string, readonly string[]>;

/**
 * @param terms analyses the words of one side of a rule.
 * @throws SqlError 22023 naming the rule that is wrong.
 */
export function parseSynonyms(text: string, terms: (words: string) => readonly string[]): Synonyms {
  if (text.length > SYNONYMS_CHARACTERS_MAX) {
    throw new SqlError('invalid_parameter_value', `synonyms are longer than ${SYNONYMS_CHARACTERS_MAX}`);
  }
  const synonyms = new Map<string, readonly string[]>();
  for (const rule of text.split(/[;\n]/).map((part) => part.trim())) {
    if (rule === '') continue;
    const [left = '', right, ...more] = rule.split('=>');
    const words = left.split(',').map((word) => oneTerm(terms(word), rule));
    const target = right === undefined ? words.slice(0, 1) : terms(right);
    if (more.length > 0 || target.length === 0 || (right === undefined && words.length < 2)) {
      throw invalid(rule);
    }
    for (const word of words) if (target.length > 1 || target[0] !== word) synonyms.set(word, target);
  }
  return synonyms;
}

function oneTerm(found: readonly string[], rule: string): string {
  const [term] = found;
  if (term === undefined || found.length > 1) throw invalid(rule);
  return term;
}

function invalid(rule: string): SqlError {
  return new SqlError('invalid_parameter_value', `invalid synonyms "${rule}"`, {
    hint:
      'Write rules like "car, automobile; tv => television". What stands before => or in a list is a single ' +
      'word that is no stop word.',
  });
}
