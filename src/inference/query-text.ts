/**
 * What holds of every query text, whichever model embeds it.
 */
import { SqlError } from '../errors.ts';
import { QUERY_TEXT_CHARACTERS_MAX } from '../limits.ts';

/** @throws SqlError 22023 when the text is blank, 54000 when it is too long. */
export function checkQueryText(text: string): void {
  if (text.length > QUERY_TEXT_CHARACTERS_MAX) {
    throw new SqlError(
      'program_limit_exceeded',
      `query text exceeds ${QUERY_TEXT_CHARACTERS_MAX} characters`,
    );
  }
  if (text.trim() === '') throw emptyQueryText();
}

export function emptyQueryText(): SqlError {
  return new SqlError('invalid_parameter_value', 'query text is empty', {
    hint: 'Give the words to search for.',
  });
}
