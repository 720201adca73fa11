/**
 * A model for tests: words hashed to signed places of 64 dimensions and summed. Texts that share words are
 * similar; nothing is loaded, and it runs where it is called.
 */
import { hashText } from '../text-hash.ts';
import type { EmbeddedText, EmbeddingModel } from './provider.ts';
import { checkQueryText, emptyQueryText } from './query-text.ts';
import { cutWindows, WINDOWING_VERSION } from './windows.ts';

const DIMENSION = 64;
const WORD = /[\p{L}\p{N}]+/gu;

export const HASH_MODEL: EmbeddingModel = {
  name: 'hash',
  isOutside: false,
  fingerprint: `hash-${DIMENSION}-${WINDOWING_VERSION}`,
  dimension: DIMENSION,
  leastCosine: -1,
  async embedQuery(text, signal) {
    signal.throwIfAborted();
    checkQueryText(text);
    const words = wordsOf(text);
    if (words.length === 0) throw emptyQueryText();
    return embedWords(words.map(({ word }) => word));
  },
  hasQuery: () => false,
  async embedDocuments(texts, signal) {
    signal.throwIfAborted();
    return texts.map(embedText);
  },
  async tokens(text) {
    return wordsOf(text).map(({ word }) => word);
  },
  async passages(text) {
    return embedText(text).spans;
  },
  async warm() {
    // Nothing to load.
  },
};

function wordsOf(text: string): readonly { word: string; start: number; end: number }[] {
  return Array.from(text.matchAll(WORD), ({ 0: word, index }) => ({
    word: word.toLowerCase(),
    start: index,
    end: index + word.length,
  }));
}

function embedText(text: string): EmbeddedText {
  const words = wordsOf(text);
  const cuts = cutWindows(words.map(({ word }) => word));
  const count = cuts.length - 1;
  const vectors = new Float32Array(count * DIMENSION);
  const spans = new Uint32Array(count * 2);
  for (let i = 0; i < count; i++) {
    const passage = words.slice(cuts[i], cuts[i + 1]);
    vectors.set(embedWords(passage.map(({ word }) => word)), i * DIMENSION);
    spans[2 * i] = passage[0]?.start ?? 0;
    spans[2 * i + 1] = passage.at(-1)?.end ?? 0;
  }
  return { count, vectors, spans };
}

/** Three places a word, so that few words fall together; of unit length. */
function embedWords(words: readonly string[]): Float32Array {
  const sums = new Float64Array(DIMENSION);
  for (const word of words) {
    for (let salt = 0; salt < 3; salt++) {
      const hash = hashWord(word, salt);
      const place = hash % DIMENSION;
      sums[place] = (sums[place] as number) + ((hash >>> 16) & 1 ? 1 : -1);
    }
  }
  const norm = Math.hypot(...sums);
  // Words can cancel out; a vector of unit length is promised all the same.
  if (norm === 0) return Float32Array.from(sums, (_, i) => (i === 0 ? 1 : 0));
  return Float32Array.from(sums, (x) => x / norm);
}

/** With a last mixing, 32 bits. */
function hashWord(word: string, salt: number): number {
  let hash = hashText(word, salt);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
