/**
 * Real texts and queries to measure keyword search with: the movie plots, NPL and the other English retrieval
 * sets of `../shared/data`, repeated with shuffled words until there are enough.
 */
import { readFileSync } from 'node:fs';
import { randomNumbers } from './vectors.ts';

export type Shape = 'any' | 'all' | 'phrase';

export interface KeywordTask {
  readonly name: string;
  readonly shape: Shape;
  readonly queries: readonly string[];
}

const SETS = ['cranfield', 'medline', 'npl', 'xquad-en'];
const TERMS = [1, 2, 3, 8];
const STOP_WORDS = new Set(
  (
    'a an and are as at be but by for from had has have he her his if in into is it its no not of on or she ' +
    'such that the their then there these they this to was were which will with who'
  ).split(' '),
);

/** @returns `count` texts without line breaks. */
export function keywordTexts(count: number): string[] {
  const root = new URL('../../../shared/data/', import.meta.url);
  const lines = (path: string): Record<string, string>[] =>
    readFileSync(new URL(path, root), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  const texts = [
    ...lines('structured/wikipedia-movies-1980-2023.jsonl').map(({ extract }) => extract ?? ''),
    ...SETS.flatMap((set) => lines(`retrieval/${set}/docs.jsonl`).map(({ text }) => text ?? '')),
  ]
    .map((text) => text.replace(/\s+/g, ' ').trim())
    .filter((text) => text !== '');
  const random = randomNumbers(11);
  for (let i = 0; texts.length < count; i++) texts.push(shuffled(texts[i] as string, random));
  return texts.slice(0, count);
}

function shuffled(text: string, random: () => number): string {
  const words = text.split(' ');
  for (let i = words.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [words[i], words[j]] = [words[j] as string, words[i] as string];
  }
  return words.join(' ');
}

/** Queries of words that stand in one text; a phrase is two or three that stand together. */
export function keywordTasks(texts: readonly string[], count: number): KeywordTask[] {
  const random = randomNumbers(13);
  const pick = (terms: number, together: boolean): string => {
    for (;;) {
      const text = texts[Math.floor(random() * Math.min(texts.length, 20_000))] as string;
      const words = text.toLowerCase().match(/[a-z]+/g) ?? [];
      const useful = together ? words : [...new Set(words.filter((word) => !STOP_WORDS.has(word)))];
      if (useful.length < terms) continue;
      const from = Math.floor(random() * (useful.length - terms + 1));
      const chosen = together
        ? useful.slice(from, from + terms)
        : shuffled(useful.join(' '), random).split(' ');
      if (chosen.slice(0, terms).some((word) => STOP_WORDS.has(word))) continue;
      return chosen.slice(0, terms).join(' ');
    }
  };
  const queries = (terms: number, together = false): string[] =>
    Array.from({ length: count }, () => pick(terms, together));
  return [
    ...TERMS.map((terms) => ({ name: `${terms} terms, OR`, shape: 'any' as const, queries: queries(terms) })),
    ...TERMS.slice(1).map((terms) => ({
      name: `${terms} terms, AND`,
      shape: 'all' as const,
      queries: queries(terms),
    })),
    ...[2, 3].map((terms) => ({
      name: `phrase of ${terms}`,
      shape: 'phrase' as const,
      queries: queries(terms, true),
    })),
  ];
}
