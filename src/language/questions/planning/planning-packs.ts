/** All packs of planning, and what finds their words. */
import { wordsSource } from '../words.ts';
import { CHINESE } from './chinese.ts';
import { DUTCH } from './dutch.ts';
import { ENGLISH } from './english.ts';
import { FRENCH } from './french.ts';
import { GERMAN } from './german.ts';
import { ITALIAN } from './italian.ts';
import type { PlanningPack } from './planning-pack.ts';
import { PORTUGUESE } from './portuguese.ts';
import { SPANISH } from './spanish.ts';

const PACKS: readonly PlanningPack[] = [
  ENGLISH,
  GERMAN,
  FRENCH,
  SPANISH,
  ITALIAN,
  PORTUGUESE,
  DUTCH,
  CHINESE,
];

/** Undefined: there is none for the language. */
export const planningPack = (language: string): PlanningPack | undefined =>
  PACKS.find(({ name }) => name === language);

export const planningWords = (listed: (pack: PlanningPack) => readonly string[]): readonly string[] =>
  PACKS.flatMap(listed);

/** The source of a pattern, for `iu`, of what all packs list there. */
export const planningSource = (listed: (pack: PlanningPack) => readonly string[]): string =>
  wordsSource(planningWords(listed));

/** Words of numbers, with what they say. */
export const planningCounts = (): readonly (readonly [word: string, count: number])[] =>
  PACKS.flatMap(({ counts }) => Object.entries(counts));
