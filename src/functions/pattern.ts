/**
 * Patterns as JavaScript regular expressions: LIKE, SIMILAR TO, and PostgreSQL's advanced regular
 * expressions (ARE). JavaScript backtracks, so patterns that nest unbounded repeats are refused (2201B), and
 * so are long ones. Source: PostgreSQL 18, section 9.7.
 */
import { SqlError } from '../errors.ts';

const PATTERN_CHARACTERS_MAX = 10_000;
const CACHE_PATTERNS_MAX = 1_000;

/** Compiled patterns by text, so that a column of rows compiles one pattern once. */
class PatternCache {
  readonly #patterns = new Map<string, RegExp>();

  get(key: string, compile: () => RegExp): RegExp {
    const known = this.#patterns.get(key);
    if (known !== undefined) {
      known.lastIndex = 0;
      return known;
    }
    const pattern = compile();
    if (this.#patterns.size >= CACHE_PATTERNS_MAX) this.#patterns.clear();
    this.#patterns.set(key, pattern);
    return pattern;
  }
}

const CACHE = new PatternCache();

function invalid(message: string): SqlError {
  return new SqlError('invalid_regular_expression', `invalid regular expression: ${message}`);
}

const escapeLiteral = (character: string): string => character.replace(/[\\^$.*+?()[\]{}|/-]/, '\\$&');

/** The whole text must match; `\` escapes. @throws SqlError 22025 */
export function likePattern(pattern: string, ignoreCase: boolean): RegExp {
  return CACHE.get(`${ignoreCase ? 'ilike' : 'like'} ${pattern}`, () => {
    const source = translateLike(pattern);
    return new RegExp(`^${source}$`, ignoreCase ? 'isu' : 'su');
  });
}

function translateLike(pattern: string): string {
  let source = '';
  const all = Array.from(pattern);
  for (let i = 0; i < all.length; i++) {
    const character = all[i] as string;
    if (character === '\\') {
      const next = all[++i];
      if (next === undefined) {
        throw new SqlError('invalid_escape_sequence', 'LIKE pattern must not end with escape character');
      }
      source += escapeLiteral(next);
    } else if (character === '%') {
      if (!source.endsWith('.*')) source += '.*';
    } else source += character === '_' ? '.' : escapeLiteral(character);
  }
  return source;
}

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
    else if (character === '_') source += '.';
    else source += /[\\^$.]/.test(character) ? `\\${character}` : character;
  }
  return `^(?:${source})$`;
}

/**
 * @param flags of regexp_replace and its kin: g, i, c, n, m, s, x, q and so on.
 * @returns a pattern with flag g where asked for; `lastIndex` is 0.
 * @throws SqlError 2201B, 22023.
 */
export function regularExpression(pattern: string, flags = ''): RegExp {
  return CACHE.get(`${flags} ${pattern}`, () => compile(pattern, flags));
}

function compile(pattern: string, flags: string): RegExp {
  if (pattern.length > PATTERN_CHARACTERS_MAX) throw invalid('regular expression is too complex');
  const unknown = /[^gicnmspwxqetb]/.exec(flags);
  if (unknown) {
    throw new SqlError('invalid_parameter_value', `invalid regular expression option: "${unknown[0]}"`);
  }
  let body = pattern;
  let options = flags;
  const embedded = /^(?:\*\*\*:)?\(\?([a-z]+)\)/.exec(body);
  if (body.startsWith('***=')) {
    body = body.slice(4);
    options += 'q';
  } else if (embedded) {
    body = body.slice(embedded[0].length);
    options += embedded[1];
  } else if (body.startsWith('***:')) body = body.slice(4);
  const lines = /[nmpw]/.test(options);
  const ignoreCase = options.lastIndexOf('i') > options.lastIndexOf('c');
  const source = options.includes('q')
    ? Array.from(body, escapeLiteral).join('')
    : new Translation(body, { lines, expanded: options.includes('x') }).source();
  const made = `${flags.includes('g') ? 'g' : ''}${ignoreCase ? 'i' : ''}${lines ? 'm' : 's'}`;
  try {
    return new RegExp(source, `${made}u`);
  } catch (error) {
    throw invalid(error instanceof Error ? error.message.replace(/^.*\/: /, '') : 'cannot be compiled');
  }
}

const CLASSES: Readonly<Record<string, string>> = {
  alpha: '\\p{L}',
  digit: '\\p{Nd}',
  alnum: '\\p{L}\\p{Nd}',
  upper: '\\p{Lu}',
  lower: '\\p{Ll}',
  space: '\\s',
  blank: ' \\t',
  punct: '\\p{P}\\p{S}',
  cntrl: '\\p{Cc}',
  xdigit: '0-9A-Fa-f',
  print: '\\P{C}',
  graph: '\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}',
  word: '\\p{L}\\p{Nd}_',
};

const WORD = '[\\p{L}\\p{Nd}_]';
const ESCAPES: Readonly<Record<string, string>> = {
  m: `(?<!${WORD})(?=${WORD})`,
  M: `(?<=${WORD})(?!${WORD})`,
  y: `(?:(?<!${WORD})(?=${WORD})|(?<=${WORD})(?!${WORD}))`,
  Y: `(?:(?<!${WORD})(?!${WORD})|(?<=${WORD})(?=${WORD}))`,
  A: '(?<![\\s\\S])',
  Z: '(?![\\s\\S])',
  w: WORD,
  W: '[^\\p{L}\\p{Nd}_]',
  a: '\\x07',
  e: '\\x1b',
  B: '\\\\',
};

interface TranslationOptions {
  readonly lines: boolean;
  readonly expanded: boolean;
}

/** One pass over an ARE. `#repeats` holds, per open group, whether it contains an unbounded repeat. */
class Translation {
  readonly #pattern: string[];
  readonly #options: TranslationOptions;
  readonly #repeats: boolean[] = [false];
  #at = 0;
  #source = '';

  constructor(pattern: string, options: TranslationOptions) {
    this.#pattern = Array.from(pattern);
    this.#options = options;
  }

  source(): string {
    while (this.#at < this.#pattern.length) this.#next();
    return this.#source;
  }

  #next(): void {
    const character = this.#pattern[this.#at++] as string;
    switch (character) {
      case '\\':
        this.#escape();
        return;
      case '[':
        this.#brackets();
        return;
      case '(':
        this.#open();
        return;
      case ')':
        this.#close();
        return;
      case '*':
      case '+':
        this.#repeats[this.#repeats.length - 1] = true;
        this.#source += character;
        return;
      case '{':
        this.#bound();
        return;
      case '}':
      case ']':
        this.#source += `\\${character}`;
        return;
      default:
        this.#plain(character);
    }
  }

  #plain(character: string): void {
    if (this.#options.expanded && /\s/.test(character)) return;
    if (this.#options.expanded && character === '#') {
      while (this.#at < this.#pattern.length && this.#pattern[this.#at] !== '\n') this.#at++;
      return;
    }
    this.#source += character === '/' ? '\\/' : character;
  }

  #escape(): void {
    const character = this.#pattern[this.#at++];
    if (character === undefined) throw invalid('invalid escape \\ sequence');
    const known = ESCAPES[character];
    if (known !== undefined) this.#source += known;
    else if (/[dDsSnrtfv0-9]/.test(character)) this.#source += `\\${character}`;
    else if (/[xucU]/.test(character)) this.#source += `\\${character}`;
    else if (/[a-zA-Z]/.test(character)) throw invalid('invalid escape \\ sequence');
    else this.#source += escapeLiteral(character);
  }

  #open(): void {
    this.#repeats.push(false);
    this.#source += '(';
    if (this.#pattern[this.#at] !== '?') return;
    const rest = this.#pattern.slice(this.#at, this.#at + 3).join('');
    const found = /^\?(?::|=|!|<=|<!)/.exec(rest);
    if (!found) throw invalid('quantifier operand invalid');
    this.#source += found[0];
    this.#at += found[0].length;
  }

  /** A group that repeats without bound and holds another such repeat is exponential when it fails. */
  #close(): void {
    const inner = this.#repeats.length > 1 && this.#repeats.pop() === true;
    this.#source += ')';
    const rest = this.#pattern.slice(this.#at, this.#at + 12).join('');
    if (inner && /^(?:[*+]|\{\d*,\})/.test(rest)) {
      throw invalid('regular expression is too complex');
    }
    if (inner) this.#repeats[this.#repeats.length - 1] = true;
  }

  #bound(): void {
    const rest = this.#pattern.slice(this.#at - 1, this.#at + 12).join('');
    const found = /^\{(\d{1,3})(,(\d{0,3}))?\}/.exec(rest);
    if (!found) {
      if (/^\{\d/.test(rest)) throw invalid('invalid repetition count(s)');
      this.#source += '\\{';
      return;
    }
    if (found[2] === ',') this.#repeats[this.#repeats.length - 1] = true;
    if (Number(found[1]) > 255 || Number(found[3] ?? 0) > 255) throw invalid('invalid repetition count(s)');
    this.#source += found[0];
    this.#at += found[0].length - 1;
  }

  #brackets(): void {
    const pattern = this.#pattern;
    let inside = '';
    if (pattern[this.#at] === '^') {
      inside = '^';
      this.#at++;
      if (this.#options.lines) inside += '\\n';
    }
    for (let first = true; ; first = false) {
      const character = pattern[this.#at++];
      if (character === undefined) throw invalid('brackets [] not balanced');
      if (character === ']' && !first) break;
      inside += character === '[' ? this.#bracketItem() : this.#bracketCharacter(character);
    }
    this.#source += `[${inside}]`;
  }

  #bracketCharacter(character: string): string {
    if (character === '\\') {
      const next = this.#pattern[this.#at++] ?? '\\';
      if (next === 'w') return '\\p{L}\\p{Nd}_';
      return /[dsnrtfv]/.test(next) ? `\\${next}` : escapeLiteral(next);
    }
    const next = this.#pattern[this.#at];
    const range = character === '-' && next !== ']' && next !== undefined;
    return range ? character : escapeLiteral(character);
  }

  /** `[:alpha:]`, `[.x.]`, `[=x=]`. */
  #bracketItem(): string {
    const rest = this.#pattern.slice(this.#at, this.#at + 20).join('');
    const named = /^:([a-z]+):\]/.exec(rest);
    if (named) {
      const members = CLASSES[named[1] as string];
      if (members === undefined) throw invalid('invalid character class');
      this.#at += named[0].length;
      return members;
    }
    const single = /^([.=])(.)\1\]/su.exec(rest);
    if (!single) return '\\[';
    this.#at += Array.from(single[0]).length;
    return escapeLiteral(single[2] as string);
  }
}
