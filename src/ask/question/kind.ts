/** The kind of thing that a question asks for, what it asks the cause of, and which way something is to have gone. */
import type { AskedKind } from '../../language/questions/asking/question-pack.ts';
import { firstOf, type Phrased, textOf } from './phrased.ts';

export type AnswerKind = AskedKind | 'text';

export function kindOf(core: Phrased): AnswerKind {
  const { tokens, grammar } = core;
  const openers = openersOf(core);
  for (const [kind, forms] of grammar?.kinds ?? []) {
    const isIt =
      kind === 'yes or no'
        ? forms.some((form) => openers.some((place) => form.isAt(tokens, place)))
        : firstOf(forms, tokens) !== null;
    if (isIt) return kind;
  }
  return 'text';
}

/** Places where a question's main clause may begin: its begin, and after commas of what stands before. */
function openersOf({ tokens }: Phrased): readonly number[] {
  const first = tokens.findIndex(({ kind }) => kind !== 'mark');
  const places = [Math.max(0, first)];
  for (let i = Math.max(0, first); i < tokens.length; i++) {
    const { kind, word } = tokens[i] as (typeof tokens)[number];
    if (kind === 'mark' && !/^[,，]$/.test(word)) break;
    if (kind === 'mark') places.push(i + 1);
  }
  return places;
}

/** The thing it asks the cause of, in its words; null where it asks for none. */
export function causeIn(core: Phrased): string | null {
  const { A: of } = firstOf(core.grammar?.forms.causes ?? [], core.tokens)?.slots ?? {};
  return of === undefined ? null : textOf(core, of).replace(/[\s?!.;]+$/, '');
}

export type Direction = 'up' | 'down' | 'change';

/** The first word that says it. */
export function directionIn({ tokens, grammar }: Phrased): Direction | null {
  if (grammar === null) return null;
  for (let i = 0; i < tokens.length; i++) {
    if (grammar.at('rise', tokens, i) > 0) return 'up';
    if (grammar.at('fall', tokens, i) > 0) return 'down';
    if (grammar.at('change', tokens, i) > 0) return 'change';
  }
  return null;
}
