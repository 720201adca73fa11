/** How often answers are right by their confidence: bands set on all documents but the one that is judged. */

export interface Judged {
  readonly document: string;
  readonly confidence: number;
  readonly isRight: boolean;
}

const BANDS_COUNT = 3;

export function bands(name: string, judged: readonly Judged[]): void {
  const given = judged.filter(({ confidence }) => confidence > 0);
  const counts = Array.from({ length: BANDS_COUNT }, () => ({ right: 0, all: 0 }));
  for (const [document, own] of Map.groupBy(given, (one) => one.document)) {
    const others = given.filter((one) => one.document !== document).map(({ confidence }) => confidence);
    const edges = edgesOf(others.sort((a, b) => a - b));
    for (const { confidence, isRight } of own) {
      const band = counts[edges.filter((edge) => confidence >= edge).length];
      if (band === undefined) continue;
      band.all++;
      if (isRight) band.right++;
    }
  }
  console.log(
    `confidence, ${name}: ${given.length} answers with facts, right by band (a higher one must be right more often)`,
  );
  for (const [i, { right, all }] of counts.entries()) {
    console.log(`  ${['low', 'middle', 'high'][i]?.padEnd(8)} ${share(right, all)} of ${all}`);
  }
}

const edgesOf = (sorted: readonly number[]): readonly number[] =>
  Array.from(
    { length: BANDS_COUNT - 1 },
    (_, i) => sorted[Math.floor(((i + 1) * sorted.length) / BANDS_COUNT)] ?? 0,
  );

export const share = (part: number, all: number): string => (all === 0 ? '–' : (part / all).toFixed(3));
