/** Where a statement of a script ends: at its semicolon, as psql's scanner finds it (psqlscan.l). */

/** Passes one token that begins at `at`. @returns the place behind it, or null where it does not end. */
type Skip = (text: string, at: number) => number | null;

/** To behind the next of what ends it. */
const behind = (text: string, end: string, from: number): number | null => {
  const at = text.indexOf(end, from);
  return at < 0 ? null : at + end.length;
};

/** `'it''s'`, `"a ""b"""`: a quote within is doubled. */
const quoted =
  (quote: string): Skip =>
  (text, at) => {
    for (let from = at + 1; ; ) {
      const end = text.indexOf(quote, from);
      if (end < 0) return null;
      if (text[end + 1] !== quote) return end + 1;
      from = end + 2;
    }
  };

/** `E'a\'b'`, from its quote. */
const escapeString: Skip = (text, at) => {
  for (let from = at + 1; from < text.length; from++) {
    if (text[from] === '\\') from++;
    else if (text[from] === "'") {
      if (text[from + 1] !== "'") return from + 1;
      from++;
    }
  }
  return null;
};

const lineComment: Skip = (text, at) => behind(text, '\n', at) ?? text.length;

/** Nested, as the standard has it. */
const blockComment: Skip = (text, at) => {
  const edge = /\/\*|\*\//g;
  let depth = 0;
  edge.lastIndex = at;
  for (let found = edge.exec(text); found !== null; found = edge.exec(text)) {
    depth += found[0] === '/*' ? 1 : -1;
    if (depth === 0) return edge.lastIndex;
  }
  return null;
};

const DOLLAR_QUOTE = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;

const dollar: Skip = (text, at) => {
  DOLLAR_QUOTE.lastIndex = at;
  const [tag] = DOLLAR_QUOTE.exec(text) ?? [];
  return tag === undefined ? at + 1 : behind(text, tag, at + tag.length);
};

const WORD = /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y;
/** Text in which no token begins that could hide a semicolon. */
const OTHER = /[^\s'"$;()/\-A-Za-z_\u0080-\uffff]+|\s+|[/-]/y;

const matched = (pattern: RegExp, text: string, at: number): string => {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
};

/** Parentheses, and bodies of routines in SQL (`BEGIN ATOMIC … END`), within which semicolons end nothing. */
class Depth {
  #parentheses = 0;
  #blocks = 0;
  #makesRoutine = false;
  readonly #first: string[] = [];

  get isTop(): boolean {
    return this.#parentheses === 0 && this.#blocks === 0;
  }

  parenthesis(one: string): void {
    this.#parentheses = Math.max(0, this.#parentheses + (one === '(' ? 1 : -1));
  }

  word(given: string): void {
    const word = given.toLowerCase();
    if (this.#first.length < ROUTINE_WORDS) {
      this.#first.push(word);
      this.#makesRoutine = ROUTINE.test(this.#first.join(' '));
    }
    if (this.#parentheses > 0 || !this.#makesRoutine) return;
    if (word === 'begin' || (word === 'case' && this.#blocks > 0)) this.#blocks++;
    else if (word === 'end') this.#blocks = Math.max(0, this.#blocks - 1);
  }
}

const ROUTINE = /^create (?:or replace )?(?:function|procedure)\b/;
/** Words by which a routine's definition is known. */
const ROUTINE_WORDS = 4;

/** Comment or quote by how it begins; null: none. */
function skipOf(text: string, at: number): Skip | null {
  const one = text[at];
  if (one === "'" || one === '"') return quoted(one);
  if (one === '$') return dollar;
  if (text.startsWith('--', at)) return lineComment;
  return text.startsWith('/*', at) ? blockComment : null;
}

/** How far a statement goes. */
interface Scan {
  /** Behind the semicolon that ends it; null: it goes on. */
  readonly end: number | null;
  /** True when the text ends within a quote or a comment. */
  readonly isWithinQuote: boolean;
}

export function scanStatement(text: string, from: number): Scan {
  const depth = new Depth();
  for (let at = from; at < text.length; ) {
    if (text[at] === ';' && depth.isTop) return { end: at + 1, isWithinQuote: false };
    const next = tokenEnd(text, at, depth);
    if (next === null) return { end: null, isWithinQuote: true };
    at = next;
  }
  return { end: null, isWithinQuote: false };
}

/** @returns the place behind the token, or null where it does not end. */
function tokenEnd(text: string, at: number, depth: Depth): number | null {
  const skip = skipOf(text, at);
  if (skip !== null) return skip(text, at);
  const word = matched(WORD, text, at);
  if (word !== '') {
    depth.word(word);
    const end = at + word.length;
    return /^e$/i.test(word) && text[end] === "'" ? escapeString(text, end) : end;
  }
  const one = text[at];
  if (one === '(' || one === ')') depth.parenthesis(one);
  return at + (matched(OTHER, text, at).length || 1);
}

/** @returns the place of the first thing that is neither blank nor a comment. */
export function statementStart(text: string, from: number): number {
  for (let at = from; ; ) {
    const blank = matched(/\s+/y, text, at).length;
    const skip = skipOf(text, at + blank);
    if (skip !== lineComment && skip !== blockComment) return at + blank;
    at = skip(text, at + blank) ?? text.length;
  }
}

/** A statement without its semicolon, or a line that begins with a backslash. */
export interface ScriptPart {
  readonly kind: 'statement' | 'command';
  readonly text: string;
  /** Its place in the script. */
  readonly start: number;
}

/** A script, part by part. */
export class Script {
  readonly text: string;
  #at = 0;

  constructor(text: string) {
    this.text = text.replace(/^\ufeff/, '');
  }

  /** The next part, or null after the last. */
  next(): ScriptPart | null {
    for (;;) {
      const start = statementStart(this.text, this.#at);
      if (start >= this.text.length) return null;
      const isCommand = this.text[start] === '\\';
      const end = isCommand ? lineComment(this.text, start) : scanStatement(this.text, start).end;
      this.#at = end ?? this.text.length;
      const text = this.text.slice(start, this.#at).trim();
      const bare = isCommand ? text : text.replace(/;$/, '').trimEnd();
      if (bare !== '') return { kind: isCommand ? 'command' : 'statement', text: bare, start };
    }
  }

  /** Lines behind a COPY … FROM STDIN, up to the one that is `\.`. */
  copyData(): string {
    const from = behind(this.text, '\n', this.#at) ?? this.text.length;
    const mark = /^\\\.\r?$/m;
    const rest = this.text.slice(from);
    const end = mark.exec(rest)?.index ?? rest.length;
    this.#at = behind(this.text, '\n', from + end) ?? this.text.length;
    return rest.slice(0, end);
  }
}

/** Statements that make or end transactions themselves. */
const CONTROLS =
  /^(?:begin|start\s+transaction|commit|end|rollback|abort|savepoint|release|prepare\s+transaction)\b/i;

export const controlsTransaction = (statement: string): boolean => CONTROLS.test(statement);
