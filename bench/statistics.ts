/** Small statistics and the one way benchmarks print: what, the ratio or figure, the bar, what was measured. */

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** @param share 0..1; nearest rank. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export function report(what: string, figure: number, facts: Readonly<Record<string, string>>): void {
  const details = Object.entries(facts).map(([name, value]) => `${name} ${value}`);
  process.stdout.write(`${what}: ${figure.toFixed(3)}  (${details.join('; ')})\n`);
}
