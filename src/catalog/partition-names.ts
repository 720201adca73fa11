/** How a partition of a collection is written: `books$acme`. */

/** Splits `books$acme`, partition `acme` of `books`, at the first `$` that has something on both sides. */
export function splitPartition(written: string): { name: string; partition: string | null } {
  const dollar = written.indexOf('$');
  if (dollar <= 0 || dollar === written.length - 1) return { name: written, partition: null };
  return { name: written.slice(0, dollar), partition: written.slice(dollar + 1) };
}
