/**
 * Analysis: what becomes a term, what is left out, and where terms stand.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAnalyser, foldAccents, wordsOf } from './analyse.ts';
import { bestPassage, markMatches } from './passages.ts';

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
      { term: 'state', written: 'state', position: 0, start: 0, end: 5 },
      { term: 'union', written: 'union', position: 3, start: 13, end: 18 },
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

describe('synonyms', () => {
  const analyser = (synonyms: string) => createAnalyser({ type: 'text', language: 'english', synonyms });
  const termsOf = (synonyms: string, text: string) =>
    analyser(synonyms)
      .analyse(text)
      .map(({ term, position }) => `${term}:${position}`);

  it('are one term, or stand for several words', () => {
    const rules = 'cars, automobile; tv => television set';
    expect(termsOf(rules, 'my automobiles: a tv inside')).toEqual(['car:1', 'televis:3', 'set:4', 'insid:5']);
    expect(termsOf(rules, 'A car')).toEqual(['car:1']);
  });

  it.each(['car', 'new york, nyc', 'the => a', 'a => b => c', 'x =>'])('%j is no rule', (rule) => {
    expect(() => analyser(rule)).toThrow(`invalid synonyms "${rule}"`);
  });
});

describe('passages', () => {
  const analyser = createAnalyser({ type: 'text', language: 'english' });
  const marks = { before: '<b>', after: '</b>', html: false };

  it('mark stemmed and folded words as they are written', () => {
    expect(markMatches(analyser, 'He runs to a café. Running!', 'run cafe', marks)).toBe(
      'He <b>runs</b> to a <b>café</b>. <b>Running</b>!',
    );
    expect(markMatches(analyser, '东京大学', '东京大', marks)).toBe('<b>东京大</b>学');
    expect(markMatches(analyser, 'a < "fox" & b', 'fox', { ...marks, html: true })).toBe(
      'a &lt; &quot;<b>fox</b>&quot; &amp; b',
    );
  });

  it('are those with most of the terms', () => {
    const filler = 'nothing to see here '.repeat(40);
    const passage = bestPassage(analyser, `fox ${filler}quick brown foxes jump ${filler}dog`, 'quick fox');
    expect(passage).toMatch(/^….*quick brown foxes jump.*…$/);
    expect(passage.length).toBeLessThanOrEqual(242);
    expect(bestPassage(analyser, 'short', 'nowhere')).toBe('short');
    expect(bestPassage(analyser, filler, 'nowhere').startsWith('nothing to see')).toBe(true);
  });
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

it('stop words of its own: none, a language, a list; 100,000 are too many', () => {
  const terms = (stopWords: string): string[] =>
    createAnalyser({ type: 'text', language: 'english', stop_words: stopWords })
      .analyse("the Café of l'amour don’t")
      .map(({ term }) => term);
  expect(terms('none')).toEqual(['the', 'cafe', 'of', 'lamour', 'dont']);
  expect(terms('cafe, Don’t')).toEqual(['the', 'of', 'lamour']);
  expect(terms('english')).toEqual(['cafe', 'lamour']);
  const many = Array.from({ length: 100_000 }, (_, i) => `word${i}`).join();
  expect(() => terms(many)).toThrow('stop words are longer than 65536 characters');
});
