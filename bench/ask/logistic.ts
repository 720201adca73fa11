/** Logistic regression by Newton's method, held near 0 a little: few terms, some hundred observations. */

export interface Observation {
  readonly values: readonly number[];
  readonly is: boolean;
  readonly weight: number;
}

/** Strength of what holds the parameters near 0. */
const RIDGE = 0.3;
const ROUNDS = 30;

/** Log odds for each unit of each value. */
export function fitted(rows: readonly Observation[]): readonly number[] {
  const size = rows[0]?.values.length ?? 0;
  let parameters = new Array<number>(size).fill(0);
  for (let round = 0; round < ROUNDS; round++) {
    const gradient = parameters.map((value) => -RIDGE * value);
    const curvature = parameters.map((_, i) => parameters.map((__, j): number => (i === j ? RIDGE : 0)));
    for (const { values, is, weight } of rows) {
      const odds = values.reduce((sum, value, i) => sum + value * (parameters[i] ?? 0), 0);
      const chance = 1 / (1 + Math.exp(-odds));
      for (const [i, a] of values.entries()) {
        gradient[i] = (gradient[i] ?? 0) + weight * (Number(is) - chance) * a;
        const row = curvature[i] ?? [];
        for (const [j, b] of values.entries())
          row[j] = (row[j] ?? 0) + weight * chance * (1 - chance) * a * b;
      }
    }
    const step = solved(curvature, gradient);
    parameters = parameters.map((value, i) => value + (step[i] ?? 0));
  }
  return parameters;
}

/** Gauss and Jordan; the matrix is positive definite, so that no pivot is 0. */
function solved(matrix: readonly (readonly number[])[], right: readonly number[]): readonly number[] {
  const rows = matrix.map((row, i) => [...row, right[i] ?? 0]);
  for (const [i, pivot] of rows.entries()) {
    for (const [j, row] of rows.entries()) {
      if (j === i) continue;
      const factor = (row[i] ?? 0) / (pivot[i] ?? 1);
      for (const [k, value] of pivot.entries()) row[k] = (row[k] ?? 0) - factor * value;
    }
  }
  return rows.map((row, i) => (row.at(-1) ?? 0) / (row[i] ?? 1));
}
