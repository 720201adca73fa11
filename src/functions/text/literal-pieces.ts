/**
 * Pieces of text that whatever matches a pattern must contain, for indexes to look for. Fewer than there are where
 * a pattern is hard to read: no piece is always right.
 */

/** Pieces between the wildcards of a LIKE pattern. */
export function likePieces(pattern: string): string[] {
  const pieces: string[] = [];
  let piece = '';
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at] as string;
    if (character === '%' || character === '_') {
      pieces.push(piece);
      piece = '';
    } else if (character === '\\') piece += pattern[++at] ?? '';
    else piece += character;
  }
  pieces.push(piece);
  return pieces.filter((found) => found !== '');
}

/** Escapes for classes of characters and for places between them. */
const CLASS_ESCAPE = /[dDwWsSmMyYAZ]/;

/** Runs of a regular expression's characters outside of groups that stand for themselves and must come. */
export function regexpPieces(pattern: string): string[] {
  if (pattern.startsWith('***') || pattern.includes('(?')) return [];
  const characters = [...pattern];
  const pieces: string[] = [];
  let run: string[] = [];
  const end = (): void => {
    if (run.length > 0) pieces.push(run.join(''));
    run = [];
  };
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] as string;
    switch (character) {
      case '|':
        return [];
      case '\\': {
        const escaped = characters[++at] ?? '';
        if (!/[a-zA-Z0-9]/.test(escaped)) run.push(escaped);
        else if (CLASS_ESCAPE.test(escaped)) end();
        else return [];
        break;
      }
      case '[':
      case '(':
        end();
        at = closing(characters, at);
        break;
      case '*':
      case '?':
      case '{':
        // An optional repetition need not come.
        run.pop();
        end();
        if (character === '{') at = indexFrom(characters, '}', at);
        break;
      case '+':
      case '.':
      case '^':
      case '$':
      case ')':
        end();
        break;
      default:
        run.push(character);
    }
  }
  end();
  return pieces;
}

/** Where a bracket or a group ends that begins at `start`; the end of the pattern if it does not. */
function closing(characters: readonly string[], start: number): number {
  if (characters[start] === '[') return bracketEnd(characters, start);
  let depth = 0;
  for (let at = start; at < characters.length; at++) {
    const character = characters[at];
    if (character === '\\') at++;
    else if (character === '[') at = bracketEnd(characters, at);
    else if (character === '(') depth++;
    else if (character === ')' && --depth === 0) return at;
  }
  return characters.length;
}

function bracketEnd(characters: readonly string[], start: number): number {
  let at = start + 1;
  if (characters[at] === '^') at++;
  // A bracket that comes first stands for itself.
  if (characters[at] === ']') at++;
  for (; at < characters.length; at++) {
    const character = characters[at];
    if (character === '\\') at++;
    else if (character === '[' && /[:.=]/.test(characters[at + 1] ?? ''))
      at = indexFrom(characters, ']', at + 2);
    else if (character === ']') return at;
  }
  return characters.length;
}

function indexFrom(characters: readonly string[], wanted: string, start: number): number {
  const found = characters.indexOf(wanted, start);
  return found < 0 ? characters.length : found;
}
