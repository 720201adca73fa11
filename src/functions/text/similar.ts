/** SIMILAR TO, and the escapes of LIKE, as patterns that others take. Source: PostgreSQL 18, section 9.7.2. */
import { SqlError } from '../../errors.ts';

/** The pattern with `\` as escape character, as LIKE takes it. @throws SqlError 22025 */
export function likeEscape(pattern: string, mark: string): string {
  if (mark === '\\') return pattern;
  if (Array.from(mark).length > 1) throw invalidEscape();
  const all = Array.from(pattern);
  let result = '';
  for (let i = 0; i < all.length; i++) {
    const character = all[i] as string;
    if (character === '\\') result += '\\\\';
    else if (character !== mark) result += character;
    else result += `\\${all[++i] ?? ''}`;
  }
  return result;
}

function invalidEscape(): SqlError {
  return new SqlError('invalid_escape_sequence', 'invalid escape string', {
    hint: 'Escape string must be empty or one character.',
  });
}

/** SIMILAR TO as an ARE. @throws SqlError 22025 */
export function similarPattern(pattern: string, mark = '\\'): string {
  if (Array.from(mark).length > 1) throw invalidEscape();
  return `^(?:${similarSource(pattern, mark)})$`;
}

/**
 * The pattern of SUBSTRING … SIMILAR: what stands between two `mark"`, or behind one, is the only group. Before it as
 * little as possible is matched.
 */
export function similarSubstring(pattern: string, mark: string): string {
  const parts = mark === '' ? [pattern] : pattern.split(`${mark}"`);
  if (parts.length === 1) return similarPattern(pattern, mark);
  if (Array.from(mark).length > 1) throw invalidEscape();
  if (parts.length > 3) {
    throw new SqlError(
      'invalid_use_of_escape_character',
      'SQL regular expression may not contain more than two escape-double-quote separators',
    );
  }
  const [before = '', inside = '', after = ''] = parts.map((part) => similarSource(part, mark));
  return `^(?:${reluctant(before)})(${inside})(?:${after})$`;
}

/** Every repetition as short as it can be. */
function reluctant(source: string): string {
  return source.replace(/\\.|\(\?:|\[[^\]]*\]|[*+?]|\{[^}]*\}/gs, (part) => {
    return /^[*+?{]/.test(part) ? `${part}?` : part;
  });
}

function similarSource(pattern: string, mark: string): string {
  const all = Array.from(pattern);
  let source = '';
  let inBrackets = false;
  for (let i = 0; i < all.length; i++) {
    const character = all[i] as string;
    if (character === mark) source += `\\${all[++i] ?? ''}`;
    else if (inBrackets) {
      source += character;
      if (character === ']') inBrackets = false;
    } else if (character === '[') {
      source += character;
      inBrackets = true;
    } else if (character === '%') source += '.*';
    else if (character === '(') source += '(?:';
    else if (character === '_') source += '.';
    else source += /[\\^$.]/.test(character) ? `\\${character}` : character;
  }
  return source;
}
