/**
 * Match of a fact with an expected answer: its words stand in the fact after folding, or the fact is computed and its
 * result is the answer's number. What TAT-QA's own scoring folds is folded: case, currency and quotation marks,
 * groups of digits.
 */

/** A fact of `ask()` that is computed ends in ` = 30.8 %; from …`. */
const RESULT = / = ([−\d.,]+)/;
/** Results are rounded: two decimals of a percentage, or so much of the value. */
const ROUNDING = 0.006;
const ROUNDING_SHARE = 0.0005;
const NUMBER = /^[-−+]?[\d,]*\.?\d+%?$/;

/** '' where there is nothing that could be compared. */
export const foldedAnswer = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[$€£“”"']/g, '')
    .replace(/(\d),(?=\d{3})/g, '$1')
    .replace(/[^\p{L}\p{N}%.()-]+/gu, ' ')
    .trim()
    .replace(/\.+$/, '');

/** True when the answer's words stand in the fact, as whole words and numbers. */
export function hasWords(fact: string, answer: string): boolean {
  const words = foldedAnswer(answer);
  const text = foldedAnswer(fact);
  if (words === '') return false;
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
    const [before, after] = [text.slice(0, at), text.slice(at + words.length)];
    if (!GOES_ON_BEFORE.test(before) && !GOES_ON_AFTER.test(after)) return true;
  }
  return false;
}

/** The word or number is longer than what was found of it: `5` in `15`, `1.5` and `5.1`. */
const GOES_ON_BEFORE = /(?:[\p{L}\p{N}]|\d\.)$/u;
const GOES_ON_AFTER = /^(?:[\p{L}\p{N}]|\.\d)/u;

/** True when the fact is computed, and its result is the answer. */
export function hasResult(fact: string, answer: string): boolean {
  const [, written] = RESULT.exec(fact) ?? [];
  if (written === undefined || !NUMBER.test(answer.trim())) return false;
  const value = numberOf(written);
  const wanted = numberOf(answer);
  return Math.abs(value - wanted) <= Math.max(ROUNDING, Math.abs(wanted) * ROUNDING_SHARE);
}

const numberOf = (text: string): number =>
  Number(text.trim().replace('−', '-').replace(/%$/, '').replaceAll(',', ''));

/** 1-based place of the first fact that gives one of the answers; null where none does. */
export function answerPlace(facts: readonly string[], answers: readonly string[]): number | null {
  const gives = (fact: string): boolean =>
    answers.some((answer) => hasWords(fact, answer) || hasResult(fact, answer));
  const index = facts.findIndex(gives);
  return index < 0 ? null : index + 1;
}
