/**
 * How often answers are right beside what they say of it: five bands of equal counts, of the documents that the
 * confidence was not fitted on.
 */
import { createHash } from 'node:crypto';

export interface Judged {
  readonly document: string;
  readonly confidence: number;
  readonly isRight: boolean;
}

const BANDS_COUNT = 5;

/** True for documents that the confidence is fitted on: half of them, by their names alone. */
export const isFitted = (document: string): boolean =>
  createHash('sha256').update(document).digest().readUInt8(0) % 2 === 0;

/** @param bar greatest difference of a band. */
export function bands(name: string, judged: readonly Judged[], bar: number): void {
  const given = judged.filter(({ document, confidence }) => confidence > 0 && !isFitted(document));
  // Where several are as sure, their order is of no meaning.
  const sorted = given.toSorted((a, b) => a.confidence - b.confidence);
  console.log(`confidence, ${name}: ${given.length} answers with facts, none of them fitted on`);
  let worst = 0;
  for (let i = 0; i < BANDS_COUNT; i++) {
    const edge = (place: number): number => Math.round((place * sorted.length) / BANDS_COUNT);
    const own = sorted.slice(edge(i), edge(i + 1));
    const said = own.reduce((sum, { confidence }) => sum + confidence / 100, 0) / own.length;
    const right = own.filter(({ isRight }) => isRight).length / own.length;
    const error = Math.sqrt((said * (1 - said)) / own.length);
    worst = Math.max(worst, Math.abs(said - right));
    console.log(
      `  says ${said.toFixed(3)}, right ${right.toFixed(3)} of ${own.length} (by chance ±${error.toFixed(3)})`,
    );
  }
  console.log(`  furthest apart ${worst.toFixed(3)} (bar ${bar}): ${worst <= bar ? 'met' : 'MISSED'}`);
}

export const share = (part: number, all: number): string => (all === 0 ? '–' : (part / all).toFixed(3));
