/** All packs of questions; English first, which a question of no certain language is taken for. */
import { CHINESE_QUESTIONS } from './chinese.ts';
import { DUTCH_QUESTIONS } from './dutch.ts';
import { ENGLISH_QUESTIONS } from './english.ts';
import { FRENCH_QUESTIONS } from './french.ts';
import { GERMAN_QUESTIONS } from './german.ts';
import { ITALIAN_QUESTIONS } from './italian.ts';
import { PORTUGUESE_QUESTIONS } from './portuguese.ts';
import { SPANISH_QUESTIONS } from './spanish.ts';
import type { QuestionPack } from './question-pack.ts';

export const QUESTION_PACKS: readonly QuestionPack[] = [
  ENGLISH_QUESTIONS,
  GERMAN_QUESTIONS,
  FRENCH_QUESTIONS,
  SPANISH_QUESTIONS,
  ITALIAN_QUESTIONS,
  PORTUGUESE_QUESTIONS,
  DUTCH_QUESTIONS,
  CHINESE_QUESTIONS,
];
