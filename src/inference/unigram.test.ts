/** Unigram tokenizers: the best way through, what a text becomes before, and where each token stood in it. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { Normaliser } from './normaliser.ts';
import { type UnigramFile, UnigramTokenizer } from './unigram.ts';

/** As `scripts/models/e5-tokenizer.ts` writes it, with a handful of pieces. */
const FILE: UnigramFile = {
  normalizer: {
    type: 'Sequence',
    normalizers: [
      { type: 'Replace', pattern: { Regex: '[\\x{1}\\x{7f}]' }, content: '' },
      { type: 'Replace', pattern: { Regex: '[\\x{9}\\x{a}\\x{200b}]' }, content: ' ' },
      { type: 'NFKC' },
      { type: 'Replace', pattern: { Regex: ' {2,}' }, content: ' ' },
    ],
  },
  added_tokens: [
    { id: 0, content: '<s>' },
    { id: 1, content: '</s>' },
  ],
  model: {
    type: 'Unigram',
    unk_id: 2,
    vocab: [
      ['<s>', 0],
      ['</s>', 0],
      ['<unk>', 0],
      ['▁', -3],
      ['▁un', -5],
      ['▁unit', -6],
      ['it', -4],
      ['s', -3],
      ['i', -6],
      ['t', -6],
      ['é', -4],
      ['fi', -4],
      ['東', -7],
      ['京', -7],
      ['東京', -9],
      ['<', -8],
      ['>', -8],
    ],
  },
};

const tokenizer = new UnigramTokenizer(FILE);
const tokens = async (text: string): Promise<readonly string[]> => (await tokenizer.tokenize(text)).tokens;

describe('a unigram tokenizer', () => {
  it('takes the pieces whose scores add up to most', async () => {
    expect(await tokens('units')).toEqual(['▁unit', 's']);
    expect(await tokens('unis')).toEqual(['▁un', 'i', 's']);
    expect(await tokens('東京')).toEqual(['▁', '東京']);
  });

  it('normalises characters with the marks that follow them, and says where they stood', async () => {
    expect(await tokenizer.tokenize('e\u0301\t\tﬁs')).toEqual({
      ids: [3, 10, 3, 11, 7],
      tokens: ['▁', 'é', '▁', 'fi', 's'],
      offsets: [
        [0, 0],
        [0, 4],
        [4, 4],
        [4, 5],
        [5, 6],
      ],
    });
  });

  it('counts code points, not units', async () => {
    expect((await tokenizer.tokenize('😀 s')).offsets.at(-1)).toEqual([2, 3]);
  });

  it('makes one unknown of all that no piece fits', async () => {
    expect(await tokenizer.tokenize('xyz s')).toMatchObject({
      ids: [3, 2, 3, 7],
      tokens: ['▁', 'xyz', '▁', 's'],
    });
  });

  it.each([
    ['a word without blanks', 'units'],
    ['combining marks', '\u0301'],
    ['emoji sequences', '👩\u200d👩\u200d👧🏳️\u200d🌈'],
    ['Hangul in parts', '\u1112\u1161\u11ab'],
  ])('takes time in proportion to its text: %s', async (_, unit) => {
    const spent = async (units: number): Promise<number> => {
      const text = unit.repeat(units / unit.length);
      const { user, system } = process.threadCpuUsage();
      const { offsets } = await tokenizer.tokenize(text);
      expect(offsets.at(-1)?.[1]).toBe([...text].length);
      const after = process.threadCpuUsage();
      return (after.user - user + after.system - system) / 1000;
    };
    await spent(1_000);
    expect(await spent(1_000_000)).toBeLessThan(20_000);
  });

  it('remembers no character with more marks than others share', async () => {
    const normaliser = new Normaliser(FILE.normalizer.normalizers);
    const marked = (i: number): string => `${String.fromCodePoint(0x4e00 + i)}${'\u0301'.repeat(60_000)}`;
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const held = (): number => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    const before = held();
    for (let i = 0; i < 100; i++) normaliser.normalise(marked(i));
    expect(held() - before).toBeLessThan(100 * 100_000);
  });

  it('never reads a special token out of a text', async () => {
    expect(await tokens('<s>')).toEqual(['▁', '<', 's', '>']);
    expect(tokenizer.special('<s>')).toBe(0);
    expect(tokenizer.special('[CLS]')).toBeNull();
  });

  it.each(['', '\u0001', '   '])('has no piece for %j', async (text) => {
    expect(await tokens(text)).toEqual([]);
  });

  it('knows which tokens go on with a word', async () => {
    expect(['▁unit', 's'].map((token) => tokenizer.continuesWord(token))).toEqual([false, true]);
  });

  it('refuses steps that it does not know', async () => {
    const normalizer = {
      ...FILE.normalizer,
      normalizers: [{ type: 'Lowercase' } as unknown as { type: 'NFKC' }],
    };
    expect(() => new UnigramTokenizer({ ...FILE, normalizer })).toThrow('Lowercase');
  });
});
