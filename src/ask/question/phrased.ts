/** A text with its tokens and the grammar it is read by, and pieces of it. */
import { knownLanguage } from '../../language/detect-language.ts';
import { type Grammar, grammarFor, grammarNamed } from './grammar.ts';
import type { Form, Match, Stretch } from './forms.ts';
import { type Token, tokensOf } from './tokens.ts';

export interface Phrased {
  readonly text: string;
  readonly tokens: readonly Token[];
  /** Null where no pack is for its language: it is read for years, names, numbers alone. */
  readonly grammar: Grammar | null;
}

/** @param like a text of the same language, whose grammar it is read by. */
export function phrased(text: string, like?: Phrased): Phrased {
  const tokens = tokensOf(text);
  return {
    text,
    tokens,
    grammar: like === undefined ? grammarFor(tokens, knownLanguage(text)) : like.grammar,
  };
}

/** @param pack by its name; null: none. */
export const phrasedAs = (text: string, pack: string | null): Phrased => ({
  text,
  tokens: tokensOf(text),
  grammar: pack === null ? null : grammarNamed(pack),
});

export const textOf = ({ text, tokens }: Phrased, { from, to }: Stretch): string =>
  to > from ? text.slice(tokens[from]?.start, tokens[to - 1]?.end) : '';

/** The rest of it, a space in the place of each stretch. */
export function withoutStretches(of: Phrased, stretches: readonly Stretch[]): string {
  let rest = '';
  let at = 0;
  for (const { from, to } of [...stretches].sort((a, b) => a.from - b.from)) {
    const [start, end] = [of.tokens[from]?.start ?? 0, of.tokens[to - 1]?.end ?? 0];
    if (start < at || to <= from) continue;
    rest += `${of.text.slice(at, start)} `;
    at = end;
  }
  return rest + of.text.slice(at);
}

/** The first form of a list that fits. */
export function firstOf(forms: readonly Form[], tokens: readonly Token[]): Match | null {
  for (const form of forms) {
    const found = form.find(tokens);
    if (found !== null) return found;
  }
  return null;
}

/** All places of all forms, one after the other; of those that overlap the first form's. */
export function allOf(forms: readonly Form[], tokens: readonly Token[]): readonly Match[] {
  const found: Match[] = [];
  const isFree = new Array<boolean>(tokens.length).fill(true);
  for (const form of forms) {
    for (let from = 0; from < tokens.length; ) {
      const match = form.find(tokens, from);
      if (match === null) break;
      from = Math.max(match.to, from + 1);
      if (!isFree.slice(match.from, match.to).every((free) => free)) continue;
      isFree.fill(false, match.from, match.to);
      found.push(match);
    }
  }
  return found;
}
