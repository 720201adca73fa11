/**
 * Stored entries of a storage, as sets (`entry-set.ts`) whose marks the table's record keeps: chunks by first
 * row, pages of deleted rows, manifests of segments.
 */
import { type EntryChanges, type EntryCipher, EntrySet } from '../../../storage/entry-set.ts';
import type { Operation, Space } from '../../../storage/store.ts';

export type StorageSpace = 'chunks' | 'deletes' | 'segments';

export interface EntryMarks extends Readonly<Record<StorageSpace, string>> {}

export type StorageChanges = Partial<Record<StorageSpace, Map<number, bigint | null>>>;

export class StorageEntries {
  readonly chunks = new EntrySet();
  readonly deletes = new EntrySet();
  readonly segments = new EntrySet();

  marksWith(changes: StorageChanges | undefined): EntryMarks {
    const mark = (space: StorageSpace): string => {
      const made: EntryChanges | undefined = changes?.[space];
      return made === undefined ? this[space].mark : this[space].markWith(made);
    };
    return { chunks: mark('chunks'), deletes: mark('deletes'), segments: mark('segments') };
  }

  apply(changes: StorageChanges | undefined): void {
    for (const space of ['chunks', 'deletes', 'segments'] as const) {
      const made = changes?.[space];
      if (made !== undefined) this[space].apply(made);
    }
  }
}

const isOfStorage = (space: Space): space is StorageSpace =>
  space === 'chunks' || space === 'deletes' || space === 'segments';

/** Changes by storage; of several operations on one entry the last counts. */
export function storageChanges(
  cipher: EntryCipher,
  operations: readonly Operation[],
): ReadonlyMap<number, StorageChanges> {
  const found = operations.filter(({ space }) => isOfStorage(space));
  const terms = termsOf(cipher, found);
  const changes = new Map<number, StorageChanges>();
  for (const [i, { space, key }] of found.entries()) {
    const { storage, number } = entryNumbers(key);
    let own = changes.get(storage);
    if (own === undefined) {
      own = {};
      changes.set(storage, own);
    }
    const set = own[space as StorageSpace] ?? new Map<number, bigint | null>();
    own[space as StorageSpace] = set.set(number, terms[i] ?? null);
  }
  return changes;
}

/** Terms that operations add to their sets; null for a removal. */
export function termsOf(cipher: EntryCipher, operations: readonly Operation[]): (bigint | null)[] {
  const values: Uint8Array[] = [];
  for (const operation of operations) if (operation.kind === 'put') values.push(operation.value);
  const terms = cipher.terms(values);
  let next = 0;
  return operations.map(({ kind }) => (kind === 'put' ? (terms[next++] ?? null) : null));
}

/** The storage and what follows it in a key: a number of 4 bytes, or a row number of 6. */
export function entryNumbers(key: Uint8Array): { storage: number; number: number } {
  const view = new DataView(key.buffer, key.byteOffset, key.length);
  const high = key.length === 10 ? view.getUint16(4) : 0;
  return { storage: view.getUint32(0), number: high * 2 ** 32 + view.getUint32(key.length - 4) };
}
