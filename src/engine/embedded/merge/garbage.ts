/**
 * Removal of what nothing refers to any more: blocks of merged segments, storages of dropped and truncated
 * tables, and whatever a crash left behind. It runs in small writes beside everything else; a crash in the
 * middle leaves garbage for the next start to find.
 */
import type { KeyRange, Operation, Space, Store } from '../../../storage/store.ts';
import { damaged, numberKey, prefixRange } from '../commit/records.ts';

const REMOVE_KEYS = 1000;
const NUMBER_MAX = 0xffff_ffff;
const STORAGE_SPACES: readonly Space[] = ['segments', 'chunks', 'deletes'];

export async function removeSegment(store: Store, segment: number, open: () => boolean): Promise<void> {
  await removeRange(store, { space: 'blocks', range: prefixRange(segment) }, open);
}

/** A storage's rows, and the blocks of its segments. */
export async function removeStorage(store: Store, storage: number, open: () => boolean): Promise<void> {
  for (const key of store.scanKeys('segments', prefixRange(storage))) {
    await removeSegment(store, Buffer.from(key).readUInt32BE(4), open);
  }
  for (const space of STORAGE_SPACES) {
    await removeRange(store, { space, range: prefixRange(storage) }, open);
  }
}

async function removeRange(
  store: Store,
  { space, range }: { space: Space; range: KeyRange },
  open: () => boolean,
): Promise<void> {
  while (open()) {
    const keys = store.scanKeys(space, { ...range, limit: REMOVE_KEYS });
    if (keys.length === 0) return;
    await store.write(keys.map((key): Operation => ({ kind: 'remove', space, key })));
  }
}

/** Numbers that keys of a space begin with, ascending; found by jumping from one to the next. */
export function firstNumbers(store: Store, space: Space): number[] {
  const numbers: number[] = [];
  for (let from = 0; ; ) {
    const [key] = store.scanKeys(space, { from: numberKey(from), limit: 1 });
    if (key === undefined) return numbers;
    const number = key.length < 4 ? NUMBER_MAX : Buffer.from(key).readUInt32BE(0);
    // Nobody has come so far: it is none of ours.
    if (number === NUMBER_MAX) {
      throw damaged(`record ${space}/${Buffer.from(key).toString('hex')}`, store.name);
    }
    numbers.push(number);
    from = number + 1;
  }
}

/** Storages that any space knows. */
export function storedStorages(store: Store): ReadonlySet<number> {
  return new Set(STORAGE_SPACES.flatMap((space) => firstNumbers(store, space)));
}
