/**
 * The vectors of queries asked lately, by text: a bounded map that forgets what was unused longest.
 */
export class QueryCache {
  readonly #vectors = new Map<string, Float32Array>();
  readonly #entriesMax: number;

  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax;
  }

  get(text: string): Float32Array | undefined {
    const vector = this.#vectors.get(text);
    if (vector === undefined) return undefined;
    this.#vectors.delete(text);
    this.#vectors.set(text, vector);
    return vector;
  }

  set(text: string, vector: Float32Array): void {
    this.#vectors.delete(text);
    this.#vectors.set(text, vector);
    if (this.#vectors.size <= this.#entriesMax) return;
    const [oldest] = this.#vectors.keys();
    if (oldest !== undefined) this.#vectors.delete(oldest);
  }
}
