/** An integer of the same order as the float. */
@inline
export function ordered(x: f32): u32 {
  const bits = reinterpret<i32>(x);
  return <u32>(bits ^ ((bits >> 31) & 0x7fffffff)) ^ 0x80000000;
}

/** Keys of rows: their goodness in the high half, then the earlier row first. */
@inline
export function rowKey(goodness: f32, row: u32): u64 {
  return (<u64>ordered(goodness) << 32) | <u64>~row;
}

@inline
export function goodnessOf(key: u64): f32 {
  const bits = <i32>(<u32>(key >> 32) ^ 0x80000000);
  return reinterpret<f32>(bits ^ ((bits >> 31) & 0x7fffffff));
}

/** Brings the `wanted` largest of `count` keys to the front, the least of them last (quickselect, Hoare 1961). */
export function selectLargest(keys: usize, count: u32, wanted: u32): void {
  const target = keys + (<usize>(wanted - 1) << 3);
  let low = keys;
  let high = keys + (<usize>(count - 1) << 3);
  while (low < high) {
    const pivot = middleOfThree(low, low + (((high - low) >> 4) << 3), high);
    let left = low;
    let right = high;
    while (left <= right) {
      while (load<u64>(left) > pivot) left += 8;
      while (load<u64>(right) < pivot) right -= 8;
      if (left <= right) {
        const x = load<u64>(left);
        store<u64>(left, load<u64>(right));
        store<u64>(right, x);
        left += 8;
        right -= 8;
      }
    }
    if (target <= right) high = right;
    else if (target >= left) low = left;
    else return;
  }
}

function middleOfThree(a: usize, b: usize, c: usize): u64 {
  const x = load<u64>(a);
  const y = load<u64>(b);
  const z = load<u64>(c);
  return max(min(x, y), min(max(x, y), z));
}
