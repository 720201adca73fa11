/** Reading tokens of statements that are ours, or have clauses of ours. */
import { SqlError } from '../../errors.ts';
import { NAME_BYTES_MAX } from '../../limits.ts';
import type { Token } from './grammar.ts';
import type { Source } from './source.ts';

/** One statement's tokens. */
export interface ClauseTokens {
  readonly source: Source;
  readonly tokens: readonly Token[];
}

/** The token in upper case; '' for quoted identifiers and where there is none. */
export const word = (token: Token | undefined): string =>
  token === undefined || token.text.startsWith('"') ? '' : token.text.toUpperCase();

/** PostgreSQL's message for a token that does not fit; undefined is the end. */
export function unexpected({ source }: ClauseTokens, token: Token | undefined): SqlError {
  if (token === undefined) {
    const position = source.position(Buffer.byteLength(source.text));
    return new SqlError('syntax_error', 'syntax error at end of input', { position });
  }
  const near = source.slice(token.start, token.end);
  const position = source.position(token.start);
  return new SqlError('syntax_error', `syntax error at or near "${near}"`, { position });
}

export function nameOf(context: ClauseTokens, token: Token | undefined): string {
  if (token === undefined || !/^[\p{L}_"]/u.test(token.text)) throw unexpected(context, token);
  const written = context.source.slice(token.start, token.end);
  const name = written.startsWith('"') ? written.slice(1, -1).replaceAll('""', '"') : written.toLowerCase();
  checkNameLength(context, token, name);
  return name;
}

/** @throws SqlError 42622. */
export function checkNameLength(
  { source }: Pick<ClauseTokens, 'source'>,
  { start }: Token,
  name: string,
): void {
  if (Buffer.byteLength(name) <= NAME_BYTES_MAX) return;
  const message = `name "${name.slice(0, 32)}…" is longer than ${NAME_BYTES_MAX} bytes`;
  throw new SqlError('name_too_long', message, { position: source.position(start) });
}

/** A name that may be written as a string, since datasets have dots and hyphens. */
export function labelOf(context: ClauseTokens, token: Token | undefined): string {
  if (token?.tokenName !== 'SCONST') return nameOf(context, token);
  const name = stringOf(context, token);
  checkNameLength(context, token, name);
  return name;
}

export function stringOf(context: ClauseTokens, token: Token | undefined): string {
  if (token?.tokenName !== 'SCONST') throw unexpected(context, token);
  const written = context.source.slice(token.start, token.end);
  const dollar = /^(\$[^$]*\$)(.*)\1$/s.exec(written);
  if (dollar !== null) return dollar[2] ?? '';
  if (/^e'/i.test(written)) return unescaped(written.slice(2, -1));
  if (!written.startsWith("'")) throw unexpected(context, token);
  return written.slice(1, -1).replaceAll("''", "'");
}

const CONTROLS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** Text in `E'…'`. Bytes by their number are refused: clients write characters so. */
function unescaped(body: string): string {
  const escapes = /''|\\(?:u([\dA-Fa-f]{4})|U([\dA-Fa-f]{8})|([^uUx0-7])|.)/gsu;
  return body.replace(escapes, (whole, short?: string, long?: string, one?: string) => {
    if (whole === "''") return "'";
    if (one !== undefined) return CONTROLS[one] ?? one;
    const code = Number.parseInt(short ?? long ?? '', 16);
    if (code > 0 && code <= 0x10ffff) return String.fromCodePoint(code);
    throw new SqlError('feature_not_supported', `the escape ${whole} is not supported here`);
  });
}

/** An option's value as text: `'exact'`, `384`, `-1`, `cosine`, `true`. */
export function optionValue(context: ClauseTokens, at: number): { value: string; next: number } {
  const token = context.tokens[at];
  if (token?.tokenName === 'SCONST') return { value: stringOf(context, token), next: at + 1 };
  if (token?.text === '-' || token?.text === '+') {
    const sign = token.text === '-' ? '-' : '';
    return { value: sign + numberOf(context, context.tokens[at + 1]), next: at + 2 };
  }
  if (token !== undefined && /^[0-9.]/.test(token.text)) {
    return { value: numberOf(context, token), next: at + 1 };
  }
  return { value: nameOf(context, token), next: at + 1 };
}

function numberOf(context: ClauseTokens, token: Token | undefined): string {
  if (token === undefined || !/^[0-9.]/.test(token.text)) throw unexpected(context, token);
  return token.text;
}

/** The words at `first` match; a string stands for itself, null for any one token. */
export function matches(
  tokens: readonly Token[],
  first: number,
  pattern: readonly (string | null)[],
): boolean {
  return pattern.every((wanted, i) => wanted === null || word(tokens[first + i]) === wanted);
}
