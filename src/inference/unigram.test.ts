/** Unigram tokenizers: the best way through, what a text becomes before, and where each token stood in it. */
import { describe, expect, it } from 'vitest';
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
