/** The kind of thing that a question asks for, what it asks the cause of, and which way something is to have gone. */
import type { AskedKind } from '../../language/questions/asking/question-pack.ts';
import type { Match } from './forms.ts';
import { firstOf, type Phrased, textOf } from './phrased.ts';

export type AnswerKind = AskedKind | 'text';

export function kindOf(core: Phrased): AnswerKind {
  const { tokens, grammar } = core;
  const openers = openersOf(core);
  for (const [kind, forms] of grammar?.kinds ?? []) {
    const isIt =
      kind === 'yes or no'
        ? forms.some((form) => openers.some((place) => isWhole(core, form.at(tokens, place))))
        : firstOf(forms, tokens) !== null;
    if (isIt) return kind;
  }
  return 'text';
}

const ASKING = ['what', 'why', 'when', 'how', 'how much'] as const;

/** Nothing in its subject asks for more than yes or no: `pourquoi la marge a-t-elle …` does. */
function isWhole({ tokens, grammar }: Phrased, found: Match | null): boolean {
  if (found === null || grammar === null) return false;
  const { from, to } = found.slots.A ?? { from: 0, to: 0 };
  const places = tokens.slice(from, to).map((_, i) => from + i);
  return !places.some((place) => ASKING.some((tag) => grammar.at(tag, tokens, place) > 0));
}

/** Places where a question's main clause may begin: its begin, and after commas of what stands before. */
function openersOf({ tokens }: Phrased): readonly number[] {
  const first = Math.max(
    0,
    tokens.findIndex(({ kind }) => kind !== 'mark'),
  );
  const places = [first];
  for (const [i, { kind, word }] of tokens.entries()) {
    if (i < first || kind !== 'mark') continue;
    if (!/^[,，¿]$/.test(word)) break;
    places.push(i + 1);
  }
  return places;
}

/** Asks whether something is one of a kind. */
export const isVerdict = ({ tokens, grammar }: Phrased): boolean =>
  firstOf(grammar?.forms.verdicts ?? [], tokens) !== null;

/** Asks how much of money or of what is measured, not how many. */
export const isOfAmount = ({ tokens, grammar }: Phrased): boolean =>
  grammar?.has('what amount', tokens) ?? false;

/** The thing it asks the cause of, in its words; null where it asks for none. */
export function causeIn(core: Phrased): string | null {
  const { A: of } = firstOf(core.grammar?.forms.causes ?? [], core.tokens)?.slots ?? {};
  return of === undefined ? null : textOf(core, of).replace(/[\s?!.;？！。；]+$/u, '');
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
