/**
 * The source text of an expression. The grammar says where a clause starts and never where it ends, so the
 * end is found on tokens: a bracket that closes, a comma, a semicolon, or the next clause.
 */
import type { MapContext } from './context.ts';
import type { Token } from '../parse/grammar.ts';

/** Text inside the first parentheses at or after a byte offset: `CHECK (…)`, `GENERATED ALWAYS AS (…)`. */
export function parenthesizedText(context: MapContext, from: number): string {
  const tokens = context.source.tokens();
  let open = context.source.tokenAt(from);
  while (open < tokens.length && tokens[open]?.text !== '(') open++;
  const first = tokens[open + 1];
  return first === undefined
    ? ''
    : textFrom(context, open + 1, { before: Number.POSITIVE_INFINITY, commas: true });
}

/**
 * Text after the first token `keyword` at or after byte offset `from`, up to a comma, a closing bracket or a
 * semicolon at its own level, or byte offset `before`.
 */
export function textAfter(
  context: MapContext,
  keyword: string,
  from: number,
  { before = Number.POSITIVE_INFINITY, commas = false, without }: TextEnds = {},
): string {
  const tokens = context.source.tokens();
  let at = context.source.tokenAt(from);
  while (at < tokens.length && tokens[at]?.text.toUpperCase() !== keyword) at++;
  const text = textFrom(context, at + 1, { before, commas });
  return without === undefined ? text : text.replace(without, '').trimEnd();
}

interface TextEnds {
  readonly before?: number;
  /** The text may hold commas at its own level: a query. */
  readonly commas?: boolean;
  /** Tokens that come after it and are no part of it. */
  readonly without?: RegExp;
}

export function textFrom(
  context: MapContext,
  first: number,
  ends: Required<Pick<TextEnds, 'before' | 'commas'>>,
): string {
  const tokens = context.source.tokens();
  let depth = 0;
  let end = first;
  for (; end < tokens.length; end++) {
    const token = tokens[end] as Token;
    if (token.start >= ends.before) break;
    if (token.text === '(' || token.text === '[') depth++;
    if ((token.text === ')' || token.text === ']') && --depth < 0) break;
    if (depth === 0 && (token.text === ';' || (token.text === ',' && !ends.commas))) break;
  }
  if (end === first) return '';
  return context.source.slice((tokens[first] as Token).start, (tokens[end - 1] as Token).end);
}
