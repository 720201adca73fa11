/**
 * The root: one record, written with every commit, that says what must be stored and in which version. It
 * holds the marks of the catalog and of the sets of tables, sequences and statistics; a table's record holds
 * those of its rows, deletes and segments (`storage-entries.ts`), and blocks are named by the number of their
 * segment, which is never used twice; the journal's links hold each other's marks, and the root that of the newest.
 * It also counts what must not come again: commits, numbers, seals.
 *
 * An older root together with everything that belonged to it is not told from the newest one: that takes a
 * counter outside of the file (`rollback-guard.ts`).
 */
import { EMPTY_SET, EntrySet, type EntryCipher } from '../../../storage/entry-set.ts';
import { SqlError } from '../../../errors.ts';
import { markOf, SEALS_A_KEY, type SealCounter } from '../../../storage/seal.ts';
import type { Operation, Store } from '../../../storage/store.ts';
import type { ChainEnd } from '../../engine.ts';
import { termsOf } from './storage-entries.ts';

export interface RootRecord {
  /** Chosen by chance when the data was made. */
  readonly installation: string;
  /** The number of the newest commit, counted since the data was made. */
  readonly sequence: number;
  /** Numbers of slots, storages and segments below this may be in use, or have been. */
  readonly nextId: number;
  /** The generation of the data keys, and how often they may have been used. */
  readonly epoch: number;
  readonly seals: number;
  /** The first start has come to its end: the file of API keys is there. */
  readonly initialised: boolean;
  /** Marks that the file of API keys may have: two while it is being replaced. */
  readonly keys: readonly string[];
  /** A rollback guard stands beside the data. */
  readonly guarded: boolean;
  /** The embedding model that was the usual one when the data was made; absent in data of before it was recorded. */
  readonly usualModel?: string;
  /** Format of which data of format 8 has the layout; absent in others. */
  readonly layout?: number;
  /** Generation of the data keys in their file; absent: all keys are derived from the encryption key. */
  readonly ring?: number;
  /** The mark of the catalog's record; null before the first. */
  readonly catalog: string | null;
  readonly tables: string;
  readonly sequences: string;
  readonly statistics: string;
  /** The mark of the journal's newest link; absent where there is none. */
  readonly journal?: string;
  /** Where the chain of the audit ends; absent before its first entry. */
  readonly chain?: ChainEnd;
}

/** Fields that can be changed by themselves. */
export type RootChange = Partial<
  Pick<RootRecord, 'initialised' | 'keys' | 'guarded' | 'usualModel' | 'ring' | 'epoch' | 'chain'>
>;

/** Numbers and seals are taken ahead so far, that few commits have to say so. */
const ID_MARGIN = 4096;
const SEAL_MARGIN = 2 ** 20;

/** Sets of the root by the first word of their entries' keys in `meta`. */
const META_SETS = { sequence: 'sequences', statistics: 'statistics' } as const;

interface Sets {
  readonly tables: EntrySet;
  readonly sequences: EntrySet;
  readonly statistics: EntrySet;
}
type SetName = keyof Sets;

interface RootOptions {
  readonly store: Store;
  readonly cipher: EntryCipher;
  readonly counter: SealCounter;
  readonly seal: (record: RootRecord) => Extract<Operation, { kind: 'put' }>;
}

export class Root implements Sets {
  readonly tables = new EntrySet();
  readonly sequences = new EntrySet();
  readonly statistics = new EntrySet();
  readonly #options: RootOptions;
  #record: RootRecord;
  /** As it is stored, sealed. */
  #sealed: Uint8Array;
  /** A write failed and is there all the same, or nobody can say. */
  #isLost = false;

  /** @param sealed as it is stored; its record's sets are filled by whoever reads their entries. */
  constructor(options: RootOptions, record: RootRecord, sealed: Uint8Array) {
    this.#options = options;
    this.#record = record;
    this.#sealed = sealed;
    options.counter.epoch = record.epoch;
    options.counter.seals = record.seals;
  }

  /** As it is stored. */
  get record(): RootRecord {
    return this.#record;
  }

  /** The mark of the root as it is stored. */
  get mark(): string {
    return markOf(this.#sealed);
  }

  /** @throws SqlError of the store; then nothing has changed. */
  async commit(operations: readonly Operation[], used: number, change: RootChange = {}): Promise<void> {
    this.requireKnown();
    const { store, counter } = this.#options;
    const { changes, catalog } = this.#changes(operations);
    const { journal: before, ...rest } = this.#record;
    const journal = journalAfter(before, operations);
    const mark = (name: SetName): string => {
      const made = changes[name];
      return made === undefined ? this.#record[name] : this[name].markWith(made);
    };
    const record: RootRecord = {
      ...rest,
      ...(journal !== undefined && { journal }),
      ...change,
      ...this.#counts(used, change.epoch ?? 0),
      catalog: catalog ?? this.#record.catalog,
      tables: mark('tables'),
      sequences: mark('sequences'),
      statistics: mark('statistics'),
    };
    const root = this.#options.seal(record);
    try {
      await store.write([...operations, root]);
    } catch (error) {
      this.#isLost = !this.#isStored();
      throw error;
    }
    for (const name of ['tables', 'sequences', 'statistics'] as const) {
      const made = changes[name];
      if (made !== undefined) this[name].apply(made);
    }
    if (record.epoch !== counter.epoch) Object.assign(counter, { epoch: record.epoch, seals: 0 });
    this.#record = record;
    this.#sealed = root.value;
  }

  /** @throws SqlError 58030 when nobody knows what is stored: then nothing more is written. */
  requireKnown(): void {
    if (this.#isLost) throw outcomeUnknown(this.#options.store.name);
  }

  /** True when a commit has to say first that numbers or seals are used, before anything else is written. */
  isShort(used: number): boolean {
    const { counter } = this.#options;
    return used > this.#record.nextId || counter.seals + SEAL_MARGIN / 2 > this.#record.seals;
  }

  /** @param least no epoch before this one goes on. */
  #counts(used: number, least: number): Pick<RootRecord, 'sequence' | 'nextId' | 'epoch' | 'seals'> {
    const { sequence, nextId, epoch, seals } = this.#record;
    const { counter } = this.#options;
    const isWorn = counter.seals >= SEALS_A_KEY || epoch < least;
    return {
      sequence: sequence + 1,
      nextId: used + ID_MARGIN / 2 > nextId ? used + ID_MARGIN : nextId,
      epoch: isWorn ? Math.max(epoch + 1, least) : epoch,
      seals: isWorn
        ? SEAL_MARGIN
        : seals - counter.seals > SEAL_MARGIN / 2
          ? seals
          : counter.seals + SEAL_MARGIN,
    };
  }

  #changes(operations: readonly Operation[]) {
    const changes: Partial<Record<SetName, Map<number, bigint | null>>> = {};
    let catalog: string | null = null;
    const listed = operations.filter(({ space }) => space === 'tables' || space === 'meta');
    const terms = termsOf(this.#options.cipher, listed);
    for (const [i, operation] of listed.entries()) {
      const entry = operation.space === 'tables' ? tableEntry(operation.key) : metaEntry(operation.key);
      if (entry !== null) {
        const set = changes[entry.set] ?? new Map<number, bigint | null>();
        changes[entry.set] = set.set(entry.number, terms[i] ?? null);
      } else if (operation.kind === 'put' && CATALOG_KEY.equals(operation.key)) {
        catalog = markOf(operation.value);
      }
    }
    return { changes, catalog };
  }

  /** True when the store holds the root that is known here. */
  #isStored(): boolean {
    try {
      const stored = this.#options.store.get('meta', ROOT_KEY);
      return stored !== undefined && markOf(stored) === this.mark;
    } catch {
      return false;
    }
  }
}

/** A link is added, or all of them go. */
function journalAfter(before: string | undefined, operations: readonly Operation[]): string | undefined {
  const last = operations.findLast(({ space }) => space === 'journal');
  if (last === undefined) return before;
  return last.kind === 'put' ? markOf(last.value) : undefined;
}

export const ROOT_KEY: Uint8Array = Buffer.from('root');
export const CATALOG_KEY = Buffer.from('catalog');

export function newRoot(installation: string, ring: number): RootRecord {
  return {
    installation,
    ...(ring > 0 && { ring }),
    sequence: 1,
    nextId: 1,
    epoch: 0,
    seals: SEAL_MARGIN,
    initialised: false,
    keys: [],
    guarded: false,
    catalog: null,
    tables: EMPTY_SET,
    sequences: EMPTY_SET,
    statistics: EMPTY_SET,
  };
}

const tableEntry = (key: Uint8Array): { set: SetName; number: number } => ({
  set: 'tables',
  number: new DataView(key.buffer, key.byteOffset).getUint32(0),
});

/** `sequence 16390` and the like; null for what the root knows by itself. */
export function metaEntry(key: Uint8Array): { set: 'sequences' | 'statistics'; number: number } | null {
  const [word, number] = Buffer.from(key).toString('utf8').split(' ');
  const set = META_SETS[word as keyof typeof META_SETS];
  return set === undefined ? null : { set, number: Number(number) };
}

function outcomeUnknown(name: string): SqlError {
  return new SqlError('io_error', `it is not known whether the last write to file "${name}" is there`, {
    hint: 'Restart the server: it reads what is stored. Until then nothing more is written.',
  });
}
