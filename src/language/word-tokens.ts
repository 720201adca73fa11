/**
 * PostgreSQL's default text search parser (wparser_def.c): a text as words, numbers, hosts, paths and parts of
 * compound words. What its configurations leave out (blanks, tags, entities, protocols) is not given.
 */

/** plain: letters of ASCII only; word: other letters too; other: numbers, hosts, files, words with digits. */
export type TokenKind = 'plain' | 'word' | 'other';

export interface WordToken {
  readonly kind: TokenKind;
  readonly text: string;
}

/** Longest part of a name before its point or `@`: without a bound `a+a+a+…` is looked through from every letter. */
const PART = '{0,254}';
const HOST = `(?:[\\p{L}\\p{N}_](?:[\\p{L}\\p{N}_-]${PART}[\\p{L}\\p{N}_])?\\.)+[a-zA-Z]{2,}(?::\\d+)?`;
const PATH = '/[\\p{L}\\p{N}_\\-.~%&?=+#;@!/$,*]*[\\p{L}\\p{N}_\\-~%&=#/]|/';

/** Patterns by rank; the first that matches is taken. */
const PATTERNS: readonly { readonly name: string; readonly pattern: RegExp }[] = [
  { name: 'tag', pattern: /<\/?[a-zA-Z][^<>]*>|<!--[\s\S]*?-->|<\?[^>]*>|<![A-Za-z][^>]*>/y },
  { name: 'entity', pattern: /&(?:[a-zA-Z][a-zA-Z0-9]*|#\d+|#[xX][0-9a-fA-F]+);/y },
  { name: 'protocol', pattern: /[a-zA-Z]+:\/\//y },
  {
    name: 'email',
    pattern: new RegExp(`[\\p{L}\\p{N}_](?:[\\p{L}\\p{N}_.+-]${PART}[\\p{L}\\p{N}_+-])?@${HOST}`, 'uy'),
  },
  { name: 'url', pattern: new RegExp(`(${HOST})(${PATH})`, 'uy') },
  { name: 'host', pattern: new RegExp(`${HOST}(?![\\p{L}\\p{N}_])`, 'uy') },
  { name: 'file', pattern: /[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}\p{N}_]+)+/uy },
  { name: 'version', pattern: /\d+\.\d+(?:\.\d+)+/y },
  { name: 'number', pattern: /[-+]?\d+(?:\.\d+)?[eE][-+]?\d+(?![\p{L}\p{N}_])/uy },
  {
    name: 'file',
    pattern: /(?:~?\/|[\p{L}\p{N}_.]+\/)[\p{L}\p{N}_.-]*[\p{L}\p{N}_](?:\/[\p{L}\p{N}_.-]*[\p{L}\p{N}_])*/uy,
  },
  { name: 'number', pattern: /[-+]?\d+(?:\.\d+)?(?![\p{L}\p{N}])/uy },
  {
    name: 'compound',
    pattern: /[\p{L}\p{M}][\p{L}\p{N}\p{M}]*(?:-[\p{L}\p{M}][\p{L}\p{N}\p{M}]*)+/uy,
  },
  { name: 'word', pattern: /[\p{L}\p{N}\p{M}]+/uy },
];
const STARTS = /[\p{L}\p{N}\p{M}<&/~+-]/u;

/** Tokens in text order. */
export function wordTokens(text: string): readonly WordToken[] {
  const tokens: WordToken[] = [];
  for (let at = 0; at < text.length; ) {
    const step = STARTS.test(text[at] ?? '') || text.charCodeAt(at) >= 0xd800 ? tokenAt(text, at, tokens) : 0;
    at += step === 0 ? 1 : step;
  }
  return tokens;
}

/** @returns the token's length; 0: none begins here. */
function tokenAt(text: string, at: number, tokens: WordToken[]): number {
  for (const { name, pattern } of PATTERNS) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) continue;
    const [found] = match;
    addToken(name, match, tokens);
    return found.length;
  }
  return 0;
}

function addToken(name: string, match: RegExpExecArray, tokens: WordToken[]): void {
  const [found, host, path] = match;
  if (name === 'tag' || name === 'entity' || name === 'protocol') return;
  if (name === 'url') {
    tokens.push({ kind: 'other', text: found });
    for (const part of [host, path]) if (part) tokens.push({ kind: 'other', text: part });
  } else if (name === 'word') {
    tokens.push({ kind: kindOf(found), text: found });
  } else if (name === 'compound') {
    tokens.push({ kind: kindOf(found.replaceAll('-', '')), text: found });
    for (const part of found.split('-')) tokens.push({ kind: kindOf(part), text: part });
  } else {
    tokens.push({ kind: 'other', text: found });
  }
}

function kindOf(word: string): TokenKind {
  if (/^[a-zA-Z]+$/.test(word)) return 'plain';
  return /\p{N}/u.test(word) ? 'other' : 'word';
}
