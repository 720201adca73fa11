/** The languages of texts: of sentences as people write them, of scripts, and of what is none. */
import { describe, expect, it } from 'vitest';
import { createAnalyser } from './analyse.ts';
import { DETECTED_LANGUAGES, detectLanguage, documentLanguages } from './detect-language.ts';

describe('a text', () => {
  it.each([
    ['The dogs were running through the streets of the old city.', 'english'],
    ['Die Hunde liefen schnell durch die alten Straßen der Stadt.', 'german'],
    ['Los perros corrían por las calles de la ciudad antigua.', 'spanish'],
    ['Les chiens couraient à travers les rues de la vieille ville.', 'french'],
    ['Собаки бежали по улицам старого города и громко лаяли.', 'russian'],
    ['Τα σκυλιά έτρεχαν στους δρόμους της παλιάς πόλης.', 'greek'],
    ['Psy biegały szybko po ulicach starego miasta i szczekały.', 'simple'],
    ['狗在古老城市的街道上奔跑', 'cjk'],
    ['개들이 오래된 도시의 거리를 달렸다', 'cjk'],
    ['犬たちは古い街の通りを Berlin まで走った', 'cjk'],
    ['', 'english'],
    ['2001 — 42', 'english'],
    ['🦈🐋', 'english'],
  ])('%s is %s', (text, language) => {
    expect(detectLanguage(text)).toBe(language);
    expect(detectLanguage(text)).toBe(language);
    expect(detectLanguage(`${text}${' '.repeat(10)}`)).toBe(language);
  });

  it('is decided by its beginning, however long it is', () => {
    const german = 'Die Hunde liefen schnell durch die alten Straßen der Stadt. '.repeat(10);
    const text = german + 'the dogs were running through the streets '.repeat(100_000);
    const began = process.threadCpuUsage().user;
    for (let i = 0; i < 20; i++) expect(detectLanguage(text)).toBe('german');
    expect(process.threadCpuUsage().user - began).toBeLessThan(1_000_000);
  });

  it('is of a language that analysis knows', () => {
    for (const language of DETECTED_LANGUAGES) createAnalyser({ language });
  });
});

describe('a document', () => {
  const german = 'Die Hunde liefen schnell durch die alten Straßen der Stadt.';
  const english = 'The dogs were running through the streets of the old city.';

  it.each([
    [[english, english, '2001 — 42'], ['en']],
    [
      [german, english, german, german],
      ['de', 'en'],
    ],
    [[...Array.from({ length: 19 }, () => german), english], ['de']],
    [['', '42'], []],
    [[], []],
  ])('of %j is in %j', (texts, languages) => {
    expect(documentLanguages(texts)).toEqual(languages);
  });
});
