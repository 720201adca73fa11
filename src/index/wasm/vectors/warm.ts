/** Keeps loads that only warm the cache from being left out. */
let touched: u8 = 0;

/** Asks for the cache lines of a record that comes next, so that its loads overlap with the work before. */
@inline
export function warm(record: usize, bytes: usize): void {
  let bits: u8 = 0;
  for (let i: usize = 0; i < bytes; i += 64) bits |= load<u8>(record + i);
  touched = bits;
}
