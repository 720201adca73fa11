/** Asks the language model that is configured, within what it may cost, and writes down what it did cost. */
import type { Passage } from './passage.ts';
import type { Evidence } from './evidence.ts';
import type { InferenceLog } from './inference-log.ts';
import type { LanguageModel } from './model/chat-endpoint.ts';
import { type WritingRequest, type WrittenFacts, writtenFacts } from './model/written-facts.ts';

export interface WriterOptions {
  readonly model: LanguageModel;
  readonly log: InferenceLog;
  /** Of 24 hours, question and answer together; null: no ceiling. */
  readonly tokensADay: number | null;
  /** Of what could not be logged. */
  readonly report: (error: unknown) => void;
}

/** What the model is given to read. */
const PASSAGES_MAX = 16;
const CHARACTERS_MAX = 24_000;

export class Writer {
  readonly #options: WriterOptions;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.model.name;
  }

  /** @throws Error that says why there are none; the signal's reason. */
  async facts(request: WritingRequest, signal: AbortSignal): Promise<WrittenFacts> {
    const { model, log, tokensADay } = this.#options;
    if (tokensADay !== null && (await log.tokensOfDay()) >= tokensADay) {
      throw new Error(`its ${tokensADay} tokens of a day are used up`);
    }
    const began = performance.now();
    const made = await writtenFacts(model, request, signal);
    await this.#log(began, made);
    if (made.failure !== null && made.facts.length === 0) throw new Error(made.failure);
    return made;
  }

  async #log(began: number, made: WrittenFacts): Promise<void> {
    const { model, log, report } = this.#options;
    const { promptTokens, completionTokens, written, facts, failure } = made;
    const entry = {
      model: model.name,
      outcome: failure === null ? ('answered' as const) : ('failed' as const),
      reason: failure,
      ms: performance.now() - began,
      counts: { promptTokens, completionTokens, written, placed: facts.length },
    };
    await log.add(entry).catch(report);
  }
}

/** Passages of the best evidence, each once, as many as a model is given. */
export function passagesToRead(evidence: readonly Evidence[]): readonly Passage[] {
  const passages = new Set<Passage>();
  let characters = 0;
  for (const { passage } of evidence) {
    if (passages.has(passage)) continue;
    characters += passage.text.length;
    if (passages.size === PASSAGES_MAX || characters > CHARACTERS_MAX) break;
    passages.add(passage);
  }
  return [...passages];
}
