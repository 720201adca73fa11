/** Passages are embedded once, come back as they were, and are forgotten. */
import { expect, it } from 'vitest';
import { PassageCache } from './passage-cache.ts';
import type { EmbeddedText } from './provider.ts';

class Counting {
  readonly asked: string[] = [];

  readonly embed = async (texts: readonly string[]): Promise<readonly EmbeddedText[]> => {
    this.asked.push(...texts);
    return texts.map((text) => ({
      count: 1,
      vectors: Float32Array.of(text.length, text.charCodeAt(0)),
      spans: Uint32Array.of(0, text.length),
    }));
  };
}

const vectorsOf = (texts: readonly EmbeddedText[]) => texts.map(({ vectors }) => [...vectors]);

it('asks for each text once, in one call and over several', async () => {
  const cache = new PassageCache(1e6);
  const model = new Counting();
  const first = await cache.embed(['whale', 'song', 'whale'], model.embed);
  expect(vectorsOf(first)).toEqual([
    [5, 119],
    [4, 115],
    [5, 119],
  ]);
  const again = await cache.embed(['sea', 'whale'], model.embed);
  expect(vectorsOf(again)).toEqual([
    [3, 115],
    [5, 119],
  ]);
  expect(model.asked).toEqual(['whale', 'song', 'sea']);
});

it('gives each caller arrays of its own', async () => {
  const cache = new PassageCache(1e6);
  const model = new Counting();
  const [one] = await cache.embed(['whale'], model.embed);
  one?.vectors.fill(0);
  expect(vectorsOf(await cache.embed(['whale'], model.embed))).toEqual([[5, 119]]);
});

it('keeps nothing of a call that failed', async () => {
  const cache = new PassageCache(1e6);
  const model = new Counting();
  await expect(cache.embed(['whale'], () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await cache.embed(['whale'], model.embed);
  expect(model.asked).toEqual(['whale']);
});

it('is bounded, and forgets when it is told to', async () => {
  const cache = new PassageCache(1_000);
  const model = new Counting();
  for (const text of ['a', 'b', 'c', 'a']) await cache.embed([text], model.embed);
  expect(model.asked).toEqual(['a', 'b', 'c', 'a']);
  await cache.embed(['a'], model.embed);
  expect(model.asked.length).toBe(4);
  cache.clear();
  await cache.embed(['a'], model.embed);
  expect(model.asked.length).toBe(5);
});
