/**
 * Reads of a serializable transaction, so that `validation.ts` can tell at its commit whether others have
 * changed it: rows found by a key, keys that nothing was found by, and what scans looked for (precision locks:
 * Jordan, Banerjee and Batman, "Precision Locks", 1981). What becomes too much to remember is widened to all
 * rows of its table. A rollback to a savepoint forgets nothing: its reads may have led to what followed.
 */
import type { Catalog } from '../../../catalog/model.ts';
import type { ColumnBounds } from '../../engine.ts';
import type { UniqueKey } from '../keys/unique-key.ts';

/** Rows and keys of one table, and scans of it. */
const ROWS_MAX = 10_000;
const SCANS_MAX = 256;
/** Rows, keys and scans of all tables together; what comes after is remembered by table. */
const READS_MAX = 100_000;

export interface MissedKey {
  readonly key: UniqueKey;
  readonly name: Uint32Array;
}

/** Reads of a table or partition. */
export class SlotReads {
  /** All of its rows; the rest is not needed then. */
  everything = false;
  /** True when the partition's existence was read. */
  existence = false;
  readonly rows = new Set<number>();
  /** By index and name. */
  readonly missed = new Map<string, MissedKey>();
  /** A row matters when it is within all bounds of one scan. */
  readonly scans: (readonly ColumnBounds[])[] = [];

  get size(): number {
    return this.rows.size + this.missed.size + this.scans.length;
  }

  widen(): void {
    this.everything = true;
    this.rows.clear();
    this.missed.clear();
    this.scans.length = 0;
  }
}

export class ReadSet {
  /** The number of the snapshot that all was read from. */
  readonly sequence: number;
  /** The catalog of that moment; statements are bound by the newest. */
  readonly catalog: Catalog;
  /** By relation, then by partition. */
  readonly relations = new Map<number, Map<string | null, SlotReads>>();
  /** Relations whose partitions have been listed. */
  readonly listed = new Set<number>();
  wholeCatalog = false;
  #size = 0;

  constructor({ sequence, catalog }: { readonly sequence: number; readonly catalog: Catalog }) {
    this.sequence = sequence;
    this.catalog = catalog;
  }

  row(relation: number, partition: string | null, row: number): void {
    this.#note(relation, partition, ({ rows }) => rows.add(row));
  }

  miss(partition: string | null, { key, name }: MissedKey): void {
    const noted = { key, name };
    this.#note(key.relation.oid, partition, ({ missed }) => missed.set(`${key.id}/${name.join()}`, noted));
  }

  /** @param bounds none: every row matters. */
  scan(relation: number, partition: string | null, bounds: readonly ColumnBounds[]): void {
    this.#note(relation, partition, (reads) => {
      if (bounds.length === 0) reads.widen();
      else reads.scans.push(bounds);
    });
  }

  existence(relation: number, partition: string): void {
    this.#slot(relation, partition).existence = true;
  }

  #note(relation: number, partition: string | null, add: (reads: SlotReads) => void): void {
    const reads = this.#slot(relation, partition);
    if (reads.everything) return;
    const before = reads.size;
    add(reads);
    const isMuch = reads.size > ROWS_MAX || reads.scans.length > SCANS_MAX;
    if (isMuch || this.#size + reads.size - before > READS_MAX) reads.widen();
    this.#size += reads.size - before;
  }

  #slot(relation: number, partition: string | null): SlotReads {
    const slots = this.relations.get(relation) ?? new Map<string | null, SlotReads>();
    this.relations.set(relation, slots);
    const known = slots.get(partition) ?? new SlotReads();
    slots.set(partition, known);
    return known;
  }
}
