/** Asks the language model that is configured, within what it may cost, and writes down what it did cost. */
import type { Passage } from './passage.ts';
import type { Evidence } from './evidence/evidence.ts';
import type { Sender } from '../inference/sender.ts';
import type { InferenceLog } from './inference-log.ts';
import { type LanguageModel, type Prompt, tokensOf } from './model/language-model.ts';
import {
  type Allowance,
  type Cost,
  type WritingRequest,
  type WrittenFacts,
  writtenFacts,
} from './model/written-facts.ts';

export interface WriterOptions {
  readonly model: LanguageModel;
  readonly log: InferenceLog;
  /** Ceiling for 24 hours, question and answer together; null: no ceiling. */
  readonly tokensADay: number | null;
  /** Ceiling for one question. */
  readonly allowance: Allowance;
  /** Receives errors of what could not be logged. */
  readonly report: (error: unknown) => void;
}

/** Passages that the model is given to read. */
const PASSAGES_MAX = 16;
/** Estimated tokens of a text that is no answer. */
const TEXT_TOKENS_MAX = 1_000;

export class Writer {
  readonly #options: WriterOptions;
  /** Tokens that questions under way are expected to read. */
  #underWay = 0;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.model.name;
  }

  /** Passages of the best evidence, each once, as many as the model is given. */
  passagesToRead(evidence: readonly Pick<Evidence, 'passage'>[]): readonly Passage[] {
    const passages = new Set<Passage>();
    let bytes = 0;
    for (const { passage } of evidence) {
      if (passages.has(passage)) continue;
      bytes += Buffer.byteLength(passage.text);
      if (passages.size === PASSAGES_MAX || bytes > this.#options.model.readBytesMax) break;
      passages.add(passage);
    }
    return [...passages];
  }

  /** Why it may not read texts that this one would send; null: it may. */
  refusal(sender: Sender): string | null {
    return this.#options.model.isOutside ? (sender.refusal()?.message ?? null) : null;
  }

  /** @throws Error that says why there are none; the signal's reason. */
  async facts(request: WritingRequest, signal: AbortSignal, sender: Sender): Promise<WrittenFacts> {
    if (request.passages.length === 0) throw new Error('the passages are longer than it can read');
    const expected = request.passages.reduce((sum, { text }) => sum + tokensOf(text), 0);
    return this.#withinCeiling(expected, async () => {
      const made = await this.#asked(request, signal, sender);
      if (made.failure !== null && made.facts.length === 0) throw new Error(made.failure);
      return made;
    });
  }

  /** A text of which nothing is believed. @throws Error that says why there is none; the signal's reason. */
  text(prompt: Omit<Prompt, 'tokensMax'>, signal: AbortSignal, sender: Sender): Promise<string> {
    const { model, allowance } = this.#options;
    const expected = tokensOf(prompt.system) + tokensOf(prompt.user);
    return this.#withinCeiling(expected, async () => {
      const began = performance.now();
      const either = AbortSignal.any([signal, AbortSignal.timeout(allowance.seconds * 1000)]);
      const cost: Cost = { prompt: expected, completion: 0 };
      let failure: string | null = 'nobody waits for it any more';
      try {
        const tokensMax = Math.min(TEXT_TOKENS_MAX, model.tokensMax);
        const written = await model.write({ ...prompt, tokensMax }, either, sender);
        cost.prompt = written.promptTokens ?? expected;
        cost.completion = written.completionTokens ?? tokensOf(written.text);
        failure = null;
        return written.text;
      } catch (error) {
        signal.throwIfAborted();
        failure = error instanceof Error ? error.message : String(error);
        throw error;
      } finally {
        await this.#log(performance.now() - began, cost, { facts: [], written: 0, failure });
      }
    });
  }

  /** Those who ask at the same time count for each other. */
  async #withinCeiling<Result>(expected: number, work: () => Promise<Result>): Promise<Result> {
    const { log, tokensADay } = this.#options;
    this.#underWay += expected;
    try {
      if (tokensADay !== null && (await log.tokensOfDay()) + this.#underWay - expected >= tokensADay) {
        throw new Error(`its ${tokensADay} tokens of a day are used up`);
      }
      return await work();
    } finally {
      this.#underWay -= expected;
    }
  }

  /** Writes down what it cost, also where the asker has gone meanwhile. */
  async #asked(request: WritingRequest, signal: AbortSignal, sender: Sender): Promise<WrittenFacts> {
    const { model, allowance } = this.#options;
    const began = performance.now();
    const cost: Cost = { prompt: 0, completion: 0 };
    let made: WrittenFacts = { facts: [], written: 0, failure: 'nobody waits for it any more' };
    try {
      made = await writtenFacts(model, request, { allowance, cost, sender }, signal);
      return made;
    } finally {
      await this.#log(performance.now() - began, cost, made);
    }
  }

  async #log(ms: number, cost: Cost, { written, facts, failure }: WrittenFacts): Promise<void> {
    const { model, log, report } = this.#options;
    const counts = {
      promptTokens: cost.prompt,
      completionTokens: cost.completion,
      written,
      placed: facts.length,
    };
    const outcome = failure === null ? 'answered' : 'failed';
    await log.add({ model: model.name, outcome, reason: failure, ms, counts }).catch(report);
  }
}
