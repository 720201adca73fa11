/**
 * Rules of every query text, whichever model embeds it or index looks it up.
 */
import { SqlError } from '../errors.ts';
import { QUERY_TEXT_CHARACTERS_MAX } from '../limits.ts';

/** @throws SqlError 22023 when the text is blank, 54000 when it is too long. */
export function checkQueryText(text: string): void {
  checkQueryLength(text);
  if (text.trim() === '') throw emptyQueryText();
}

/** Checks a rule that holds of keywords too. @throws SqlError 54000 */
export function checkQueryLength(text: string): void {
  if (text.length <= QUERY_TEXT_CHARACTERS_MAX) return;
  throw new SqlError(
    'program_limit_exceeded',
    `query text of ${text.length} characters is longer than the maximum of ${QUERY_TEXT_CHARACTERS_MAX}`,
    { hint: 'Ask with a shorter text.' },
  );
}

export function emptyQueryText(): SqlError {
  return new SqlError('invalid_parameter_value', 'query text is empty', {
    hint: 'Give the words to search for.',
  });
}
