/** All text packs, and what finds their words. */
import { wordsSource } from '../questions/words.ts';
import { CHINESE } from './chinese.ts';
import { DUTCH } from './dutch.ts';
import { ENGLISH } from './english.ts';
import { FRENCH } from './french.ts';
import { GERMAN } from './german.ts';
import { ITALIAN } from './italian.ts';
import { PORTUGUESE } from './portuguese.ts';
import { SPANISH } from './spanish.ts';
import type { TextPack } from './text-pack.ts';

const PACKS: readonly TextPack[] = [ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN, PORTUGUESE, DUTCH, CHINESE];

/** The source of a pattern for what all packs list there. */
export const textWords = (listed: (pack: TextPack) => readonly string[]): string =>
  wordsSource(PACKS.flatMap(listed));
