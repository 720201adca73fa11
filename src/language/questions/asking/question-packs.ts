/** All packs of questions; English first, which a question of no certain language is taken for. */
import { ENGLISH_QUESTIONS } from './english.ts';
import { GERMAN_QUESTIONS } from './german.ts';
import type { QuestionPack } from './question-pack.ts';

export const QUESTION_PACKS: readonly QuestionPack[] = [ENGLISH_QUESTIONS, GERMAN_QUESTIONS];
