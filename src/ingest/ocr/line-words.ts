/**
 * Words with their places from the recogniser's steps: the best class of each step, repetitions and
 * blanks left out. A. Graves et al., "Connectionist Temporal Classification", 2006.
 */
import type { Steps } from './models.ts';

export interface LineWord {
  readonly text: string;
  /** Shares of the line's length. */
  readonly from: number;
  readonly to: number;
}

interface Mark {
  readonly text: string;
  readonly step: number;
}

/** @param length of the line in steps; what comes after it is padding. */
export function wordsOfLine(
  { best, probability }: Steps,
  characters: readonly string[],
  length: number,
): { readonly words: readonly LineWord[]; readonly confidence: number } {
  const marks: Mark[] = [];
  let sum = 0;
  for (let step = 0, last = 0; step < best.length; step++) {
    const one = best[step] as number;
    if (one !== 0 && one !== last) {
      marks.push({ text: characters[one] ?? '', step });
      sum += probability[step] as number;
    }
    last = one;
  }
  return { words: joined(marks, length), confidence: marks.length === 0 ? 0 : sum / marks.length };
}

/** Marks between spaces; each reaches half a usual step to both sides. */
function joined(marks: readonly Mark[], length: number): LineWord[] {
  const [first, last] = [marks[0]?.step ?? 0, marks.at(-1)?.step ?? 0];
  const half = marks.length < 2 ? 0.5 : (last - first) / (marks.length - 1) / 2;
  const share = (step: number): number => Math.max(0, Math.min(1, step / length));
  const words: LineWord[] = [];
  let isNew = true;
  for (const { text, step } of marks) {
    const isSpace = text.trim() === '';
    const word = words.at(-1);
    const [from, to] = [share(step + 0.5 - half), share(step + 0.5 + half)];
    if (!isSpace && (isNew || word === undefined)) words.push({ text, from, to });
    else if (!isSpace && word !== undefined)
      words[words.length - 1] = { text: word.text + text, from: word.from, to };
    isNew = isSpace;
  }
  return words;
}
