/**
 * Removal of what nothing refers to any more: blocks of merged segments, storages of dropped and truncated
 * tables, and whatever a crash left behind. It runs in small writes beside everything else; a crash in the
 * middle leaves garbage for the next start to find.
 */
import type { KeyRange, Operation, Space, Store } from '../../../storage/store.ts';
import { damaged } from '../commit/format.ts';
import { numberKey, prefixRange } from '../commit/records.ts';
import type { Turns } from '../../../storage/turns.ts';

const REMOVE_KEYS = 1000;
const NUMBER_MAX = 0xffff_ffff;
const STORAGE_SPACES: readonly Space[] = ['segments', 'chunks', 'deletes'];

export interface Removal {
  readonly store: Store;
  /** In turns with whoever writes anew what is stored. */
  readonly turns: Turns;
  /** False: it ends. */
  readonly isOpen: () => boolean;
}

export async function removeSegment(removal: Removal, segment: number): Promise<void> {
  await removeRange(removal, 'blocks', prefixRange(segment));
}

/** A storage's rows, and the blocks of its segments. */
export async function removeStorage(removal: Removal, storage: number): Promise<void> {
  for (const key of removal.store.scanKeys('segments', prefixRange(storage))) {
    await removeSegment(removal, Buffer.from(key).readUInt32BE(4));
  }
  for (const space of STORAGE_SPACES) await removeRange(removal, space, prefixRange(storage));
}

async function removeRange({ store, turns, isOpen }: Removal, space: Space, range: KeyRange): Promise<void> {
  const remove = async (): Promise<boolean> => {
    const keys = store.scanKeys(space, { ...range, limit: REMOVE_KEYS });
    if (keys.length === 0) return false;
    await store.write(keys.map((key): Operation => ({ kind: 'remove', space, key })));
    return true;
  };
  while (isOpen() && (await turns.run(remove)));
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
