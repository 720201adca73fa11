/**
 * PostgreSQL's advanced regular expressions (ARE) as JavaScript regular expressions. What
 * could backtrack for long runs under a time limit (`regexp-guard.ts`). Whether the whole of a match is as long or as
 * short as can be follows from its first quantifier, not from each. Alternatives are taken in order, the longest is not
 * looked for. Source: PostgreSQL 18, section 9.7.
 */
import { QuickCache } from '../../bounded-cache.ts';
import { SqlError } from '../../errors.ts';
import { type Branching, GuardedRegExp } from './regexp-guard.ts';
import type { Forced } from './regexp-preference.ts';

const PATTERN_CHARACTERS_MAX = 10_000;
const PATTERNS_MAX = 1_000;

/** Compiled patterns by text, so that a column of rows compiles one pattern once. */
const PATTERNS = new QuickCache<string, GuardedRegExp>(PATTERNS_MAX);

function invalid(message: string): SqlError {
  return new SqlError('invalid_regular_expression', `invalid regular expression: ${message}`);
}

const escapeLiteral = (character: string): string => character.replace(/[\\^$.*+?()[\]{}|/-]/, '\\$&');

/**
 * @param flags of regexp_replace and its kin: g, i, c, n, m, s, x, q and so on.
 * @throws SqlError 2201B, 22023.
 */
export function regularExpression(pattern: string, flags = ''): GuardedRegExp {
  const key = `${flags} ${pattern}`;
  return PATTERNS.get(key) ?? PATTERNS.set(key, compile(pattern, flags));
}

function compile(pattern: string, flags: string): GuardedRegExp {
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
    if (/[^bceimnpqstwx]/.test(embedded[1] ?? '')) throw invalid('invalid embedded option');
    body = body.slice(embedded[0].length);
    options += embedded[1];
  } else if (body.startsWith('***:')) body = body.slice(4);
  const stops = /[nmp]/.test(options);
  const anchors = /[nmw]/.test(options);
  const ignoreCase = options.lastIndexOf('i') > options.lastIndexOf('c');
  const { source, forced, branching } = options.includes('q')
    ? { source: Array.from(body, escapeLiteral).join(''), forced: null, branching: NO_BRANCHING }
    : new Translation(body, { lines: stops, expanded: options.includes('x') }).result();
  const made = `${ignoreCase ? 'i' : ''}${anchors ? 'm' : ''}${stops ? '' : 's'}u`;
  try {
    return new GuardedRegExp({ source, forced, flags: made }, branching);
  } catch (error) {
    throw invalid(reasonOf(error));
  }
}

/** JavaScript's complaint in PostgreSQL's words. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message.replace(/^.*: /s, '') : '';
  if (/group|Unmatched/i.test(text)) return 'parentheses () not balanced';
  if (/repeat|quantifier/i.test(text)) return 'quantifier operand invalid';
  if (/range/i.test(text)) return 'invalid character range';
  return /escape|reference/i.test(text) ? 'invalid backreference number' : 'cannot be compiled';
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
  b: '\\x08',
  e: '\\x1b',
  B: '\\\\',
};

/** Digits after the letter; as many as there are for `x`. */
const NUMBERED: Readonly<Record<string, RegExp>> = {
  '0': /^[0-7]{0,2}/,
  x: /^[0-9a-fA-F]+/,
  u: /^[0-9a-fA-F]{4}/,
  U: /^[0-9a-fA-F]{8}/,
};

function codePoint(code: number): string {
  if (code > 0x10ffff) throw invalid('invalid escape \\ sequence');
  return `\\u{${code.toString(16)}}`;
}

interface TranslationOptions {
  readonly lines: boolean;
  readonly expanded: boolean;
}

const NO_BRANCHING: Branching = { repeats: 0, choices: 0, nested: false, refers: false };

/** A quantifier in the translation; a lazy one takes as little as it can. */
interface Quantifier {
  readonly text: string;
  lazy: boolean;
}

/** A group while it is read. */
interface Group {
  /** Its first part. */
  readonly start: number;
  readonly looksAround: boolean;
  alternatives: boolean;
  /** How its alternatives begin, folded; null where one has a choice in it, or begins otherwise than by a character. */
  beginnings: Set<string> | null;
  /** The next atom is the first of an alternative. */
  begins: boolean;
  /** The preference of the first atom that has one; true: short matches. */
  lazy: boolean | null;
}

/** The last atom read: whether it prefers short matches, and the parts that it is made of. */
interface Atom {
  readonly start: number;
  lazy: boolean | null;
}

const newGroup = (start: number, looksAround: boolean): Group => ({
  start,
  looksAround,
  alternatives: false,
  beginnings: new Set(),
  begins: true,
  lazy: null,
});

/** One pass over an ARE. `#choosing` holds, per open group, whether it contains a repeat or alternatives. */
class Translation {
  readonly #pattern: string[];
  readonly #options: TranslationOptions;
  readonly #choosing: boolean[] = [false];
  #repeats = 0;
  #choices = 0;
  #nested = false;
  #refers = false;
  #captures = 0;
  #at = 0;
  readonly #parts: (string | Quantifier)[] = [];
  readonly #groups: Group[] = [newGroup(0, false)];
  #atom: Atom | null = null;

  constructor(pattern: string, options: TranslationOptions) {
    this.#pattern = Array.from(pattern);
    this.#options = options;
  }

  /** `forced` has every quantifier as the whole prefers it; null where each of them prefers that by itself. */
  result(): { readonly source: string; readonly forced: Forced | null; readonly branching: Branching } {
    while (this.#at < this.#pattern.length) this.#next();
    const lazy = this.#settled();
    const branching = {
      repeats: this.#repeats,
      choices: this.#choices,
      nested: this.#nested,
      refers: this.#refers,
    };
    const quantifiers = this.#parts.filter((part) => typeof part !== 'string');
    const isMixed = lazy !== null && quantifiers.some((one) => one.lazy !== lazy);
    const forced = isMixed ? { source: this.#text(lazy), lazy } : null;
    return { source: this.#text(null), forced, branching };
  }

  #text(lazy: boolean | null): string {
    const shown = (part: string | Quantifier): string =>
      typeof part === 'string' ? part : `${part.text}${(lazy ?? part.lazy) ? '?' : ''}`;
    return this.#parts.map(shown).join('');
  }

  /** The innermost group's preference, its last atom counted. Of alternatives the longest is preferred. */
  #settled(): boolean | null {
    const group = this.#groups.at(-1);
    if (group === undefined) return null;
    group.lazy ??= this.#atom?.lazy ?? null;
    this.#atom = null;
    return group.alternatives ? false : group.lazy;
  }

  #add(text: string): void {
    this.#settled();
    this.#begin(text);
    this.#atom = { start: this.#parts.length, lazy: null };
    this.#parts.push(text);
  }

  /** Alternatives that begin with other characters and are of one length each: at most one matches at a place. */
  #begin(text: string): void {
    const group = this.#groups.at(-1);
    if (group === undefined || !group.begins) return;
    group.begins = false;
    const known = group.beginnings?.size ?? 0;
    const isCharacter = Array.from(text).length === 1 && /[\p{L}\p{N} ]/u.test(text);
    group.beginnings?.add(text.toUpperCase().toLowerCase());
    if (!isCharacter || group.beginnings?.size === known) group.beginnings = null;
  }

  /** A quantifier behind the last atom, with the `?` that makes it a lazy one. */
  #quantify(text: string, isFixed = false): void {
    const lazy = this.#pattern[this.#at] === '?';
    if (lazy) this.#at++;
    const atom = this.#atom;
    if (atom !== null && !isFixed) {
      const inner = this.#parts.slice(atom.start).filter((part) => typeof part !== 'string');
      // The atom is as long as its quantifier has it, whatever those within prefer; where they differ they stay.
      if (new Set(inner.map((one) => one.lazy)).size === 1) for (const one of inner) one.lazy = lazy;
      atom.lazy = lazy;
    }
    this.#parts.push(isFixed ? text : { text, lazy });
  }

  #choose(unbounded: boolean): void {
    this.#choosing[this.#choosing.length - 1] = true;
    if (unbounded) this.#repeats++;
    else this.#choices++;
  }

  /** A part that may come or not, or more than once. */
  #vary(unbounded: boolean): void {
    this.#choose(unbounded);
    const group = this.#groups.at(-1);
    if (group !== undefined) group.beginnings = null;
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
        this.#vary(true);
        this.#quantify(character);
        return;
      case '?':
        this.#vary(false);
        this.#quantify(character);
        return;
      case '|':
        this.#choose(false);
        this.#settled();
        this.#nextAlternative();
        this.#parts.push(character);
        return;
      case '{':
        this.#bound();
        return;
      case '}':
      case ']':
        this.#add(`\\${character}`);
        return;
      default:
        this.#plain(character);
    }
  }

  #nextAlternative(): void {
    const group = this.#groups.at(-1) as Group;
    group.alternatives = true;
    // An empty alternative takes nothing, however often.
    if (group.begins) group.beginnings = null;
    group.begins = true;
  }

  #plain(character: string): void {
    if (this.#options.expanded && /\s/.test(character)) return;
    if (this.#options.expanded && character === '#') {
      while (this.#at < this.#pattern.length && this.#pattern[this.#at] !== '\n') this.#at++;
      return;
    }
    this.#add(character === '/' ? '\\/' : character);
  }

  #escape(): void {
    const character = this.#pattern[this.#at++];
    if (character === undefined) throw invalid('invalid escape \\ sequence');
    const known = ESCAPES[character];
    if (known !== undefined) this.#add(known);
    else if (/[dDsSnrtfv]/.test(character)) this.#add(`\\${character}`);
    else if (/[1-9]/.test(character)) this.#add(this.#reference());
    else if (/[0xuUc]/.test(character)) this.#add(this.#numbered(character));
    else if (/[a-zA-Z]/.test(character)) throw invalid('invalid escape \\ sequence');
    else this.#add(escapeLiteral(character));
  }

  /** `\1` is a group's text, and so is `\12` when there are so many groups, else a character in octal. */
  #reference(): string {
    const digits = /^[0-9]{1,3}/.exec(this.#pattern.slice(this.#at - 1, this.#at + 2).join(''))?.[0] ?? '';
    if (digits.length > 1 && Number(digits) > this.#captures) {
      const octal = /^[0-7]{2,3}/.exec(digits)?.[0];
      if (octal === undefined) throw invalid('invalid backreference number');
      this.#at += octal.length - 1;
      return codePoint(Number.parseInt(octal, 8));
    }
    this.#at += digits.length - 1;
    this.#refers = true;
    return `(?:\\${digits})`;
  }

  /** A character by its number: `\0`, `\xhh…`, `\uhhhh`, `\Uhhhhhhhh`; `\cX` is the control character. */
  #numbered(kind: string): string {
    const rest = this.#pattern.slice(this.#at, this.#at + 255).join('');
    if (kind === 'c') {
      this.#at++;
      return codePoint((rest.codePointAt(0) ?? 0) & 0x1f);
    }
    const digits = NUMBERED[kind]?.exec(rest)?.[0];
    if (digits === undefined) throw invalid('invalid escape \\ sequence');
    this.#at += digits.length;
    return codePoint(Number.parseInt(digits === '' ? '0' : digits, kind === '0' ? 8 : 16));
  }

  #open(): void {
    this.#choosing.push(false);
    this.#settled();
    (this.#groups.at(-1) as Group).beginnings = null;
    const start = this.#parts.length;
    this.#parts.push('(');
    if (this.#pattern[this.#at] !== '?') {
      this.#captures++;
      this.#groups.push(newGroup(start, false));
      return;
    }
    const rest = this.#pattern.slice(this.#at, this.#at + 3).join('');
    const found = /^\?(?::|=|!|<=|<!)/.exec(rest);
    if (!found) throw invalid('quantifier operand invalid');
    this.#parts.push(found[0]);
    this.#groups.push(newGroup(start, found[0] !== '?:'));
    this.#at += found[0].length;
  }

  /**
   * A repeated group that holds a repeat or alternatives can take exponential time, but not where at most one of its
   * alternatives can match at a place, in one way.
   */
  #close(): void {
    const inner = this.#choosing.length > 1 && this.#choosing.pop() === true;
    const lazy = this.#settled();
    const group = this.#groups.length > 1 ? this.#groups.pop() : undefined;
    this.#parts.push(')');
    if (group) this.#atom = { start: group.start, lazy: group.looksAround ? null : lazy };
    if (!inner) return;
    this.#choosing[this.#choosing.length - 1] = true;
    const isSure = group?.alternatives === true && !group.begins && group.beginnings !== null;
    if (/[*+{]/.test(this.#pattern[this.#at] ?? '') && !isSure) this.#nested = true;
  }

  #bound(): void {
    const rest = this.#pattern.slice(this.#at - 1, this.#at + 12).join('');
    const found = /^\{(\d{1,3})(,(\d{0,3}))?\}/.exec(rest);
    if (!found) {
      if (/^\{\d/.test(rest)) throw invalid('invalid repetition count(s)');
      this.#add('\\{');
      return;
    }
    if (found[2] !== undefined) this.#vary(found[2] === ',' || Number(found[3]) > 8);
    if (Number(found[1]) > 255 || Number(found[3] ?? 0) > 255) throw invalid('invalid repetition count(s)');
    this.#at += found[0].length - 1;
    this.#quantify(found[0], found[2] === undefined);
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
    this.#add(`[${inside}]`);
  }

  #bracketCharacter(character: string): string {
    if (character === '\\') {
      const next = this.#pattern[this.#at++] ?? '\\';
      if (next === 'w') return '\\p{L}\\p{Nd}_';
      if (/[0xuUc]/.test(next)) return this.#numbered(next);
      if (/[abe]/.test(next)) return ESCAPES[next] ?? '';
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
