/**
 * Vectors of texts that a model has embedded lately: a file that is uploaded again, in one of whose pages something
 * has changed, or texts that repeat themselves, are embedded once. Kept in memory, by digests of the texts, up to a
 * bound; forgotten as a whole when a dataset is dropped.
 */
import { createHash } from 'node:crypto';
import { BoundedCache } from '../bounded-cache.ts';
import type { EmbeddedText } from './provider.ts';

/** About what an entry takes beside its numbers. */
const ENTRY_BYTES = 400;

type Embed = (texts: readonly string[]) => Promise<readonly EmbeddedText[]>;

export class PassageCache {
  readonly #texts: BoundedCache<string, EmbeddedText>;

  constructor(bytesMax: number) {
    const sizeOf = ({ vectors, spans }: EmbeddedText): number =>
      vectors.byteLength + spans.byteLength + ENTRY_BYTES;
    this.#texts = new BoundedCache({ sizeMax: bytesMax, sizeOf });
  }

  /** Gives results in the order of the texts; `embed` is asked for those that are not known, each once. */
  async embed(texts: readonly string[], embed: Embed): Promise<readonly EmbeddedText[]> {
    const keys = texts.map((text) => createHash('sha256').update(text).digest('base64'));
    const found = new Map<string, EmbeddedText>();
    const missing = new Map<string, string>();
    for (const [i, key] of keys.entries()) {
      const known = found.get(key) ?? this.#texts.get(key);
      if (known === undefined) missing.set(key, texts[i] as string);
      else found.set(key, known);
    }
    const made = missing.size === 0 ? [] : await embed([...missing.values()]);
    for (const [i, key] of [...missing.keys()].entries()) {
      const text = made[i] as EmbeddedText;
      found.set(key, text);
      this.#texts.set(key, copyOf(text));
    }
    // Each caller has arrays of its own.
    return keys.map((key) => copyOf(found.get(key) as EmbeddedText));
  }

  clear(): void {
    this.#texts.clear();
  }
}

const copyOf = ({ count, vectors, spans }: EmbeddedText): EmbeddedText => ({
  count,
  vectors: vectors.slice(),
  spans: spans.slice(),
});
