/** Settings that are reported to a client, as it was told them last. */
import type { ResultSink } from '../protocol.ts';
import type { SessionSettings } from './settings.ts';

export class ToldSettings {
  readonly #settings: SessionSettings;
  #told: Map<string, string>;
  /** The generation that they were read at. */
  #generation: number;

  constructor(settings: SessionSettings) {
    this.#settings = settings;
    this.#told = settings.reported();
    this.#generation = settings.generation;
  }

  get all(): ReadonlyMap<string, string> {
    return this.#told;
  }

  /** Tells those that have changed. */
  tell(sink: ResultSink): void {
    const settings = this.#settings;
    if (settings.generation === this.#generation) return;
    this.#generation = settings.generation;
    const now = settings.reported();
    for (const [name, value] of now) {
      if (this.#told.get(name) !== value) sink.parameterStatus(name, value);
    }
    this.#told = now;
  }
}
