/** A question without what it says of its answer: its form, and what to say where it does not apply. */
import { allOf, firstOf, type Phrased, phrased } from './phrased.ts';

export interface Core {
  readonly text: string;
  /** The clause that says what to say where the question does not apply; null where there is none. */
  readonly unless: string | null;
}

const SENTENCES = /[^.?!:。？！：]+(?:[.:](?=\d)[^.?!:。？！：]+)*[.?!:。？！：]*/gu;
/** A question of nothing else is taken as it is: what is left is none. */
const CORE_CHARACTERS_MIN = 8;

export function coreOf(whole: Phrased): Core {
  const sentences = (whole.text.match(SENTENCES) ?? [whole.text]).map((sentence) => sentence.trim());
  const kept: string[] = [];
  let unless: string | null = null;
  for (const sentence of sentences) {
    const read = phrased(sentence, whole);
    if (isEscape(read)) unless ??= sentence;
    else if (!isOfForm(read)) kept.push(withoutClause(read));
  }
  const text = kept.join(' ').trim();
  return { text: text.length < minimum(text) ? whole.text : text, unless };
}

/** Scripts without spaces say more in fewer characters. */
const minimum = (text: string): number => (/\p{Script=Han}/u.test(text) ? 3 : CORE_CHARACTERS_MIN);

/** Begins with a condition that something is not, and says what to say of it. */
function isEscape({ tokens, grammar }: Phrased): boolean {
  if (grammar === null || grammar.at('if', tokens, 0) === 0) return false;
  const not = tokens.findIndex((_, i) => grammar.at('not', tokens, i) > 0);
  return not >= 0 && grammar.has('say', tokens.slice(not + 1));
}

const isOfForm = ({ tokens, grammar }: Phrased): boolean =>
  grammar?.forms.answerLeads.some((form) => form.find(tokens)?.from === 0) ?? false;

/** To the end of the sentence. */
function withoutClause(sentence: Phrased): string {
  const { text, tokens, grammar } = sentence;
  const first = firstPlace(sentence);
  if (grammar === null || first === null) return text;
  const opening = tokens[first - 1];
  const isOpened = opening !== undefined && /^[,;(]$/.test(opening.word);
  return text.slice(0, isOpened ? opening.start : tokens[first]?.start).trimEnd();
}

function firstPlace({ tokens, grammar }: Phrased): number | null {
  const places = allOf(grammar?.forms.answerClauses ?? [], tokens).map(({ from }) => from);
  return places.length === 0 ? null : Math.min(...places);
}

/** 1-based. */
export function pageIn({ tokens, grammar }: Phrased): number | null {
  const { A: slot } = firstOf(grammar?.forms.pages ?? [], tokens)?.slots ?? {};
  const number = slot === undefined ? undefined : tokens[slot.from];
  return number?.kind === 'number' && /^\d{1,5}$/.test(number.word) ? Number(number.word) : null;
}
