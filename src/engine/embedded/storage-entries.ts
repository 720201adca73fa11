/**
 * What is stored of a storage, as sets (`entry-set.ts`) whose marks the table's record keeps: chunks by first
 * row, pages of deleted rows, manifests of segments.
 */
import { type EntryChanges, type EntryCipher, EntrySet } from '../../storage/entry-set.ts';
import type { Operation, Space } from '../../storage/store.ts';

export type StorageSpace = 'chunks' | 'deletes' | 'segments';

export interface EntryMarks extends Readonly<Record<StorageSpace, string>> {}

export type StorageChanges = Readonly<Record<StorageSpace, Map<number, bigint | null>>>;

export class StorageEntries {
  readonly chunks = new EntrySet();
  readonly deletes = new EntrySet();
  readonly segments = new EntrySet();

  marksWith(changes: StorageChanges | undefined): EntryMarks {
    const mark = (space: StorageSpace): string => {
      const made: EntryChanges | undefined = changes?.[space];
      return made === undefined || made.size === 0 ? this[space].mark : this[space].markWith(made);
    };
    return { chunks: mark('chunks'), deletes: mark('deletes'), segments: mark('segments') };
  }

  apply(changes: StorageChanges | undefined): void {
    if (changes === undefined) return;
    this.chunks.apply(changes.chunks);
    this.deletes.apply(changes.deletes);
    this.segments.apply(changes.segments);
  }
}

const isOfStorage = (space: Space): space is StorageSpace =>
  space === 'chunks' || space === 'deletes' || space === 'segments';

/** What operations change, by storage; of several on one entry the last counts. */
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
      own = { chunks: new Map(), deletes: new Map(), segments: new Map() };
      changes.set(storage, own);
    }
    own[space as StorageSpace].set(number, terms[i] ?? null);
  }
  return changes;
}

/** Of each operation what it adds to its set; null for a removal. */
export function termsOf(cipher: EntryCipher, operations: readonly Operation[]): (bigint | null)[] {
  const values = operations.flatMap((operation) => (operation.kind === 'put' ? [operation.value] : []));
  const terms = cipher.terms(values).values();
  return operations.map(({ kind }) => (kind === 'put' ? (terms.next().value ?? null) : null));
}

/** The storage and what follows it in a key: a number of 4 bytes, or a row number of 6. */
export function entryNumbers(key: Uint8Array): { storage: number; number: number } {
  const view = new DataView(key.buffer, key.byteOffset, key.length);
  const high = key.length === 10 ? view.getUint16(4) : 0;
  return { storage: view.getUint32(0), number: high * 2 ** 32 + view.getUint32(key.length - 4) };
}
