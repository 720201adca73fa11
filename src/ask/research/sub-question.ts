/** One thing that research looks for. Made by `plan.ts` or written by a model, stored as a step of kind plan. */
import type { AnswerKind, Question, Reader } from '../question.ts';

export interface SubQuestion {
  readonly text: string;
  /** `part`: of the question's own words; `whole`: the question as it is; `aspect`: what research adds. */
  readonly origin: 'part' | 'whole' | 'aspect';
  /** Whom it is about, in the question's words, where the question compares several; else null. */
  readonly entity: string | null;
  /** Entities of the other parts; of the whole, those of all its parts. */
  readonly others: readonly string[];
  readonly years: readonly number[];
  /** Kind of answer that an aspect wants. */
  readonly kind: AnswerKind | null;
}

/** In the language of the question that it comes from: a few words are too few to tell one. */
export function readSubQuestion(
  { text, years, kind }: SubQuestion,
  { language, vocabulary }: Question,
  reader: Reader,
): Question {
  const read = reader.read(text, language, vocabulary);
  return { ...read, years: years.length > 0 ? years : read.years, kind: kind ?? read.kind };
}
