/**
 * Facts that a language model writes. Nothing of them is believed: each quote is looked for in the passage it names,
 * every number of a fact must stand in its quotes, and so must most of its words. What fails is asked for once more,
 * then dropped; a reference is only ever the number of a passage that was given.
 */
import type { Sender } from '../../inference/sender.ts';
import { saysTheSame } from '../facts.ts';
import type { Draft, Fact, Passage } from '../passage.ts';
import type { Question, Reader } from '../question.ts';
import { type Contents, supported } from '../support.ts';
import { Turns } from '../turns.ts';
import { type Borne, whyNotBorne } from './borne-out.ts';
import { type LanguageModel, type Prompt, tokensOf } from './language-model.ts';
import { type Former, promptFor, type Refused } from './prompt.ts';

export interface WritingRequest {
  readonly question: Question;
  /** The best first; what the model sees, and no more. */
  readonly passages: readonly Passage[];
  readonly factsMax: number;
  /** Earlier questions and answers of its thread, the newest last. */
  readonly former?: readonly Former[];
  readonly reader: Reader;
  readonly contents: Contents;
  /** How well the evidence answers, which its facts are given as their score. */
  readonly score: number;
}

/** Ceiling for one question, repairs included. */
export interface Allowance {
  readonly seconds: number;
  /** Null: as many as the model may read and write. */
  readonly tokens: number | null;
}

/** Tokens taken so far, as the model counts them, or as estimated. */
export interface Cost {
  prompt: number;
  completion: number;
}

export interface WrittenFacts {
  readonly facts: readonly Fact[];
  /** Facts that it wrote at first. */
  readonly written: number;
  /** Why the last answer is not there, or cannot be read; null where it could. */
  readonly failure: string | null;
}

/** Attempts; the second asks again for what was refused. */
const ATTEMPTS_MAX = 2;
const FACT_CHARACTERS_MAX = 600;
const QUOTE_CHARACTERS_MAX = 1_000;
const QUOTES_MAX = 8;
/** Facts of one answer that are looked at. */
const FACTS_LOOKED_AT_MAX = 20;
/** The greatest share of a question's remaining tokens that is kept for what is written. */
const WRITTEN_SHARE_MAX = 0.25;

/** @param cost is added to. @throws the signal's reason. */
export async function writtenFacts(
  model: LanguageModel,
  request: WritingRequest,
  {
    allowance,
    cost,
    sender,
  }: { readonly allowance: Allowance; readonly cost: Cost; readonly sender: Sender },
  signal: AbortSignal,
): Promise<WrittenFacts> {
  const facts: Fact[] = [];
  const made = { facts, written: 0, failure: null as string | null };
  const turns = new Turns(signal);
  const deadline = AbortSignal.timeout(allowance.seconds * 1000);
  let refused: Refused[] | null = [];
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const left = (allowance.tokens ?? Number.POSITIVE_INFINITY) - cost.prompt - cost.completion;
    const prompt = fittingPrompt(model, { ...request, refused }, left);
    if (prompt === null && attempt > 1) break;
    if (prompt === null)
      return { ...made, failure: `the ${allowance.tokens} tokens of a question are too few` };
    const asking = { deadline, seconds: allowance.seconds, cost, signal, sender };
    const answer = await answered(model, prompt, asking);
    made.failure = answer.failure;
    if (!answer.isReadable) break;
    if (answer.proposed === null) {
      refused = null;
      continue;
    }
    made.written = Math.max(made.written, answer.proposed.length);
    refused = [];
    for (const one of answer.proposed) {
      const checked = await check(one, request, turns);
      if (typeof checked === 'string') refused.push({ fact: one.fact, reason: checked });
      else if (!facts.some((other) => saysTheSame(other, checked))) facts.push(checked);
    }
    if (refused.length === 0) break;
  }
  return { ...made, facts: facts.slice(0, request.factsMax) };
}

type Asked = WritingRequest & { readonly refused: readonly Refused[] | null };

/** With as many passages, the best first, as there are tokens for; null where there are none for any. */
function fittingPrompt(model: LanguageModel, asked: Asked, tokens: number): Prompt | null {
  const tokensMax = Math.min(model.tokensMax, Math.floor(tokens * WRITTEN_SHARE_MAX));
  for (let count = asked.passages.length; count > 0; count--) {
    const prompt = promptFor({ ...asked, passages: asked.passages.slice(0, count), tokensMax });
    if (tokensOf(prompt.system) + tokensOf(prompt.user) + tokensMax <= tokens) return prompt;
  }
  return null;
}

interface Answered {
  /** Null where it is not of the form that was asked for, or not there. */
  readonly proposed: readonly Proposed[] | null;
  readonly failure: string | null;
  /** The model answers: it may do better. */
  readonly isReadable: boolean;
}

interface Asking {
  readonly deadline: AbortSignal;
  readonly seconds: number;
  readonly cost: Cost;
  readonly signal: AbortSignal;
  readonly sender: Sender;
}

async function answered(model: LanguageModel, prompt: Prompt, asking: Asking): Promise<Answered> {
  const { deadline, seconds, cost, signal, sender } = asking;
  const estimate = tokensOf(prompt.system) + tokensOf(prompt.user);
  try {
    const { text, promptTokens, completionTokens } = await model.write(
      prompt,
      AbortSignal.any([signal, deadline]),
      sender,
    );
    cost.prompt += promptTokens ?? estimate;
    cost.completion += completionTokens ?? tokensOf(text);
    const proposed = proposedIn(text);
    const failure = proposed === null ? 'its answer is not of the form that was asked for' : null;
    return { proposed, failure, isReadable: true };
  } catch (error) {
    // It reads what it was sent, whoever waits for it.
    if (signal.aborted || deadline.aborted) cost.prompt += estimate;
    signal.throwIfAborted();
    const said = error instanceof Error ? error.message : String(error);
    const failure = deadline.aborted ? `no answer within ${seconds} s` : said;
    return { proposed: null, failure, isReadable: false };
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
async function check(
  { fact, quotes }: Proposed,
  request: WritingRequest,
  turns: Turns,
): Promise<Fact | string> {
  const { passages, contents, question, reader, score } = request;
  if (fact.length > FACT_CHARACTERS_MAX) return `it is longer than ${FACT_CHARACTERS_MAX} characters`;
  if (quotes.length === 0 || quotes.length > QUOTES_MAX) return `it needs 1 to ${QUOTES_MAX} quotes`;
  const supports: Draft['supports'][number][] = [];
  const borne: Borne[] = [];
  for (const { n, words } of quotes) {
    const pause = turns.next();
    if (pause !== null) await pause;
    const passage = passages[n - 1];
    if (passage === undefined) return `there is no passage ${n}`;
    if (words.length > QUOTE_CHARACTERS_MAX) {
      return `a quote of it is longer than ${QUOTE_CHARACTERS_MAX} characters`;
    }
    const place = contents.of(passage).place(words);
    if (place === null) return `"${words}" does not stand in passage ${n}`;
    supports.push({ passage, texts: [words], from: 0 });
    borne.push({ passage, words, place });
  }
  const reason = whyNotBorne({ fact, quotes: borne, question, reader });
  if (reason !== null) return reason;
  const draft = { text: fact, supports, score, isComputed: false, sameAs: null };
  return supported(draft, contents) ?? 'its quotes do not stand';
}
