/**
 * The best rows of a search (AssemblyScript): a binary heap with the worst at its root, and rows that score as the
 * worst does. As `../../top-rows.ts`, for rows that come in ascending order.
 */

/** `../../keywords/scan.ts` writes addresses and bounds. */
@unmanaged
export class Top {
  scores: usize; // f64 each
  rows: usize; // u32 each, as the ties
  ties: usize; // ascending; room for `capacity` beyond `tiesMax`, which those that fall out of the heap take
  capacity: u32;
  tiesMax: u32;
  count: u32;
  tieCount: u32;
}

/** A row must score as much to get in, or be kept as a tie. */
@inline
export function thresholdOf(top: Top): f64 {
  return top.count == top.capacity ? load<f64>(top.scores) : -Infinity;
}

export function pushRow(top: Top, row: u32, score: f64): void {
  if (top.count < top.capacity) {
    siftUp(top, top.count++, row, score);
    return;
  }
  const worst = load<f64>(top.scores);
  if (score < worst) return;
  if (score > worst) {
    // All other ties came later.
    memory.copy(top.ties + 4, top.ties, <usize>(top.tieCount++) << 2);
    store<u32>(top.ties, load<u32>(top.rows));
    siftDown(top, row, score);
    if (load<f64>(top.scores) != worst) top.tieCount = 0;
  } else if (top.tieCount < top.tiesMax) {
    store<u32>(top.ties + (<usize>(top.tieCount++) << 2), row);
  }
}

@inline
function isWorse(top: Top, at: u32, row: u32, score: f64): bool {
  const own = load<f64>(top.scores + (<usize>at << 3));
  return own < score || (own == score && load<u32>(top.rows + (<usize>at << 2)) > row);
}

@inline
function put(top: Top, at: u32, row: u32, score: f64): void {
  store<f64>(top.scores + (<usize>at << 3), score);
  store<u32>(top.rows + (<usize>at << 2), row);
}

@inline
function move(top: Top, from: u32, to: u32): void {
  put(top, to, load<u32>(top.rows + (<usize>from << 2)), load<f64>(top.scores + (<usize>from << 3)));
}

function siftUp(top: Top, from: u32, row: u32, score: f64): void {
  let at = from;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (isWorse(top, parent, row, score)) break;
    move(top, parent, at);
    at = parent;
  }
  put(top, at, row, score);
}

function siftDown(top: Top, row: u32, score: f64): void {
  let at: u32 = 0;
  for (;;) {
    let child: u32 = 2 * at + 1;
    if (child >= top.count) break;
    const right = child + 1;
    if (right < top.count) {
      const rightRow = load<u32>(top.rows + (<usize>child << 2));
      const rightScore = load<f64>(top.scores + (<usize>child << 3));
      if (isWorse(top, right, rightRow, rightScore)) child = right;
    }
    if (!isWorse(top, child, row, score)) break;
    move(top, child, at);
    at = child;
  }
  put(top, at, row, score);
}

/** The heap becomes a list, best first. */
export function sortTop(top: Top): void {
  const count = top.count;
  while (top.count > 1) {
    const last = --top.count;
    const row = load<u32>(top.rows + (<usize>last << 2));
    const score = load<f64>(top.scores + (<usize>last << 3));
    move(top, 0, last);
    siftDown(top, row, score);
  }
  top.count = count;
}
