/**
 * Facts that a language model writes. Nothing of them is believed: each quote is looked for in the passage it names,
 * every number of a fact must stand in its quotes, and so must most of its words. What fails is asked for once more,
 * then dropped; a reference is only ever the number of a passage that was given.
 */
import type { Draft, Fact, Passage } from '../passage.ts';
import { Content } from '../place.ts';
import type { Question, Reader } from '../question.ts';
import { type Contents, supported } from '../support.ts';
import type { LanguageModel, Prompt, Written } from './chat-endpoint.ts';
import { promptFor, type Refused } from './prompt.ts';

export interface WritingRequest {
  readonly question: Question;
  /** The best first; what the model sees, and no more. */
  readonly passages: readonly Passage[];
  readonly factsMax: number;
  readonly reader: Reader;
  readonly contents: Contents;
  /** How well the evidence answers, which its facts are given as their score. */
  readonly score: number;
}

export interface WrittenFacts {
  readonly facts: readonly Fact[];
  /** Facts that it wrote at first. */
  readonly written: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Why the last answer is not there, or cannot be read; null where it could. */
  readonly failure: string | null;
}

/** Of which the second asks again for what was refused. */
const ATTEMPTS_MAX = 2;
const FACT_CHARACTERS_MAX = 600;
const QUOTES_MAX = 8;
/** Facts of one answer that are looked at. */
const FACTS_LOOKED_AT_MAX = 20;
/** Of a fact's words besides those of the question, this share must be in its quotes. */
const WORDS_SHARE_MIN = 0.5;

/** @throws the signal's reason. */
export async function writtenFacts(
  model: LanguageModel,
  request: WritingRequest,
  signal: AbortSignal,
): Promise<WrittenFacts> {
  const facts: Fact[] = [];
  const made = { facts, written: 0, promptTokens: 0, completionTokens: 0, failure: null as string | null };
  let refused: Refused[] = [];
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const answer = await answered(model, promptFor({ ...request, refused }), signal);
    made.failure = answer.failure;
    made.promptTokens += answer.promptTokens;
    made.completionTokens += answer.completionTokens;
    if (answer.proposed === null) {
      if (!answer.isReadable) break;
      continue;
    }
    made.written = Math.max(made.written, answer.proposed.length);
    refused = [];
    for (const one of answer.proposed) {
      const checked = check(one, request);
      if (typeof checked === 'string') refused.push({ fact: one.fact, reason: checked });
      else if (!facts.some(({ text }) => text === checked.text)) facts.push(checked);
    }
    if (refused.length === 0) break;
  }
  return { ...made, facts: facts.slice(0, request.factsMax) };
}

interface Answered extends Omit<Written, 'text'> {
  /** Null where it is not of the form that was asked for, or not there. */
  readonly proposed: readonly Proposed[] | null;
  readonly failure: string | null;
  /** The model answers: it may do better. */
  readonly isReadable: boolean;
}

async function answered(model: LanguageModel, prompt: Prompt, signal: AbortSignal): Promise<Answered> {
  try {
    const { text, ...tokens } = await model.write(prompt, signal);
    const proposed = proposedIn(text);
    const failure = proposed === null ? 'its answer is not of the form that was asked for' : null;
    return { ...tokens, proposed, failure, isReadable: true };
  } catch (error) {
    signal.throwIfAborted();
    const failure = error instanceof Error ? error.message : String(error);
    return { promptTokens: 0, completionTokens: 0, proposed: null, failure, isReadable: false };
  }
}

interface Proposed {
  readonly fact: string;
  readonly quotes: readonly { readonly n: number; readonly words: string }[];
}

/** Null where it is not of the form. */
function proposedIn(text: string): readonly Proposed[] | null {
  const plain = text.replace(/^\s*```(?:json)?\s*|\s*```\s*$/g, '');
  let parsed: unknown;
  try {
    parsed = JSON.parse(plain);
  } catch {
    return null;
  }
  const { facts } = (parsed ?? {}) as { readonly facts?: unknown };
  if (!Array.isArray(facts)) return null;
  return facts.slice(0, FACTS_LOOKED_AT_MAX).flatMap((item: unknown) => {
    const { fact, quotes } = (item ?? {}) as { readonly fact?: unknown; readonly quotes?: unknown };
    if (typeof fact !== 'string' || fact.trim() === '') return [];
    return [
      {
        fact: fact.trim().replace(/\s+/g, ' '),
        quotes: Array.isArray(quotes) ? quotes.flatMap(quoteOf) : [],
      },
    ];
  });
}

function quoteOf(item: unknown): Proposed['quotes'] {
  const { n, words } = (item ?? {}) as { readonly n?: unknown; readonly words?: unknown };
  return typeof n === 'number' && typeof words === 'string' ? [{ n, words }] : [];
}

/** @returns the fact, or why it is none. */
function check({ fact, quotes }: Proposed, request: WritingRequest): Fact | string {
  const { passages, contents, question, reader, score } = request;
  if (fact.length > FACT_CHARACTERS_MAX) return `it is longer than ${FACT_CHARACTERS_MAX} characters`;
  if (quotes.length === 0 || quotes.length > QUOTES_MAX) return `it needs 1 to ${QUOTES_MAX} quotes`;
  const supports: Draft['supports'][number][] = [];
  for (const { n, words } of quotes) {
    const passage = passages[n - 1];
    if (passage === undefined) return `there is no passage ${n}`;
    if (contents.of(passage).place(words) === null) return `"${words}" does not stand in passage ${n}`;
    supports.push({ passage, texts: [words], from: 0 });
  }
  const quoted = new Content(quotes.map(({ words }) => words).join('\n'));
  const known = new Set([...quoted.numbers(), ...new Content(question.text).numbers()]);
  const number = new Content(fact).numbers().find((form) => !known.has(form));
  if (number !== undefined) return `${number} is in none of its quotes`;
  const terms = (text: string): readonly string[] => reader.terms(text, question.language);
  const given = new Set([...terms(quoted.text), ...question.terms]);
  const own = terms(fact).filter((term) => !question.terms.includes(term));
  if (own.filter((term) => given.has(term)).length < WORDS_SHARE_MIN * own.length)
    return 'its quotes say other things';
  return supported({ text: fact, supports, score, isComputed: false }, contents) ?? 'its quotes do not stand';
}
