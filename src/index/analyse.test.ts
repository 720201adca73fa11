/**
 * Analysis: what becomes a term, what is left out, and where terms stand.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAnalyser, foldAccents, snippetSpans, wordsOf } from './analyse.ts';

const terms = (text: string, language = 'english'): string[] =>
  createAnalyser({ type: 'text', language })
    .analyse(text)
    .map(({ term }) => term);

describe('words', () => {
  it.each([
    ['Running runners RUN', ['run', 'runner', 'run']],
    ['The state of the union', ['state', 'union']],
    ["Dog's dogs’ it's don't", ['dog', 'dog']],
    ["O'Brien L’Oréal", ['obrien', 'loreal']],
    ['café CAFÉ cafe\u0301', ['cafe', 'cafe', 'cafe']],
    ['3.14 1,000 v2.0 covid-19', ['3.14', '1,000', 'v2.0', 'covid', '19']],
    ['example.com a_b', ['exampl', 'com', 'b']],
    ['ＡＢＣ Straße', ['abc', 'strass']],
    ['', []],
    [' ,.!? — \u{1F600}', []],
  ])('of %j are %j', (text, expected) => expect(terms(text)).toEqual(expected));

  it('keep their positions when stop words go', () => {
    const analysed = createAnalyser({ type: 'text', language: 'english' }).analyse('state of the union');
    expect(analysed).toEqual([
      { term: 'state', position: 0, start: 0, end: 5 },
      { term: 'union', position: 3, start: 13, end: 18 },
    ]);
  });

  it('are cut at 255 characters', () => {
    expect(terms('x'.repeat(10_000), 'simple')).toEqual(['x'.repeat(255)]);
  });
});

describe('Chinese, Japanese and Korean', () => {
  it.each([
    ['日本語', ['日本', '本語']],
    ['中', ['中']],
    ['東京タワーに行く tower', ['東京', '京タ', 'タワ', 'ワー', 'ーに', 'に行', '行く', 'tower']],
    ['iPhone手机', ['iphon', '手机']],
    ['한국어', ['한국', '국어']],
  ])('%j is cut into %j', (text, expected) => expect(terms(text)).toEqual(expected));
});

describe('languages', () => {
  it.each([
    ['german', 'Häuser und Häusern', ['haus', 'haus']],
    ['french', "l'homme qu’elle aimait", ['homm', 'aim']],
    ['spanish', 'las educaciones de la educación', ['educ', 'educ']],
    ['italian', "dell'amico amici", ['amic', 'amic']],
    ['portuguese', 'os livros', ['livr']],
    ['dutch', 'de huizen', ['huiz']],
    ['russian', 'книги и книга', ['книг', 'книг']],
    ['simple', 'The Runners', ['the', 'runners']],
  ])('%s', (language, text, expected) => expect(terms(text, language)).toEqual(expected));

  it('that are unknown are refused, naming those there are', () => {
    expect(() => createAnalyser({ type: 'text', language: 'klingon' })).toThrow(
      expect.objectContaining({
        condition: 'invalid_parameter_value',
        message: 'unknown language "klingon"',
        fields: expect.objectContaining({
          hint: expect.stringContaining('dutch, english') as string,
        }) as object,
      }),
    );
  });
});

it('exact values are one case-sensitive term', () => {
  const exact = createAnalyser({ type: 'exact', language: 'english' });
  expect(exact.analyse('ISBN 0-14').map(({ term }) => term)).toEqual(['ISBN 0-14']);
});

it('folding leaves other scripts alone', () => {
  expect(foldAccents('Ångström ñ ế')).toBe('Angstrom n e');
  expect(foldAccents('йод')).toBe('йод');
  expect(foldAccents('œuvre')).toBe('oeuvre');
});

it('snippets mark the terms in the text as written', () => {
  const analyser = createAnalyser({ type: 'text', language: 'english' });
  expect([...snippetSpans(analyser, 'He runs. Running!', new Set(['run']))]).toEqual([3, 7, 9, 16]);
});

it('finds plain words without the pattern as with it', () => {
  const pattern =
    /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:(?:['’](?=\p{L})|(?<=\p{Nd})[.,](?=\p{Nd}))[\p{L}\p{N}\p{M}]+)*/gu;
  const character = fc.constantFrom(...'aZ09é９.,\'’ -"漢\u0301😀ß𝒜');
  fc.assert(
    fc.property(fc.array(character, { maxLength: 12 }), (characters) => {
      const text = characters.join('');
      const expected = Array.from(text.matchAll(pattern), ({ 0: word, index: start }) => ({ word, start }));
      expect(wordsOf(text)).toEqual(expected);
    }),
  );
});
