/** Common work of vectors of all kinds: nulls and values of slices and of picked rows. */

/** One byte a row, 1 for NULL; null when no row is. */
export type Nulls = Uint8Array | null;

export const sliceNulls = (nulls: Nulls, start: number, end: number): Nulls =>
  nulls === null ? null : nulls.subarray(start, end);

export const takeNulls = (nulls: Nulls, rows: ArrayLike<number>): Nulls => {
  if (nulls === null) return null;
  const taken = new Uint8Array(rows.length);
  let any = 0;
  for (let i = 0; i < rows.length; i++) any |= taken[i] = nulls[rows[i] as number] as number;
  return any === 0 ? null : taken;
};

interface TypedValues {
  readonly length: number;
  slice(start: number, end: number): TypedValues;
  subarray(start: number, end: number): TypedValues;
}

export const takeValues = <T extends TypedValues & { [i: number]: number | bigint }>(
  from: T,
  to: T,
  rows: ArrayLike<number>,
): T => {
  for (let i = 0; i < rows.length; i++) to[i] = from[rows[i] as number] as number;
  return to;
};
