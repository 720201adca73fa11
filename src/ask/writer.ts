/** Asks the language model that is configured, within what it may cost, and writes down what it did cost. */
import type { Passage } from './passage.ts';
import type { Evidence } from './evidence.ts';
import type { InferenceLog } from './inference-log.ts';
import { type LanguageModel, tokensOf } from './model/language-model.ts';
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
  /** Of 24 hours, question and answer together; null: no ceiling. */
  readonly tokensADay: number | null;
  /** Of one question. */
  readonly allowance: Allowance;
  /** Of what could not be logged. */
  readonly report: (error: unknown) => void;
}

/** What the model is given to read. */
const PASSAGES_MAX = 16;

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
  passagesToRead(evidence: readonly Evidence[]): readonly Passage[] {
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

  /** @throws Error that says why there are none; the signal's reason. */
  async facts(request: WritingRequest, signal: AbortSignal): Promise<WrittenFacts> {
    const { log, tokensADay } = this.#options;
    if (request.passages.length === 0) throw new Error('the passages are longer than it can read');
    const expected = request.passages.reduce((sum, { text }) => sum + tokensOf(text), 0);
    // Those who ask at the same time count for each other.
    this.#underWay += expected;
    try {
      if (tokensADay !== null && (await log.tokensOfDay()) + this.#underWay - expected >= tokensADay) {
        throw new Error(`its ${tokensADay} tokens of a day are used up`);
      }
      const made = await this.#asked(request, signal);
      if (made.failure !== null && made.facts.length === 0) throw new Error(made.failure);
      return made;
    } finally {
      this.#underWay -= expected;
    }
  }

  /** Writes down what it cost, also where the asker has gone meanwhile. */
  async #asked(request: WritingRequest, signal: AbortSignal): Promise<WrittenFacts> {
    const { model, allowance } = this.#options;
    const began = performance.now();
    const cost: Cost = { prompt: 0, completion: 0 };
    let made: WrittenFacts = { facts: [], written: 0, failure: 'nobody waits for it any more' };
    try {
      made = await writtenFacts(model, request, { allowance, cost }, signal);
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
