/** Where groups begin. */

/** Row at which each of the groups from..to-1 first appears; they are numbered in that order. */
export function firstRows(groups: Int32Array, from: number, to: number): Uint32Array {
  const rows = new Uint32Array(to - from);
  let next = from;
  for (let row = 0; row < groups.length && next < to; row++) {
    if (groups[row] === next) rows[next++ - from] = row;
  }
  return rows;
}
