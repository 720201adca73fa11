/** The read view of one statement: committed versions at a sequence number, under the transaction's own writes. */
import { assert, present } from '../../../assert.ts';
import type { Catalog, Index, Relation } from '../../../catalog/model.ts';
import { TYPED_TEXT } from '../../../index/registry.ts';
import type { ArmRequest } from '../../../index/request.ts';
import { runTask } from '../../../task.ts';
import type { Datum } from '../../../types/datum.ts';
import type {
  ColumnBounds,
  IndexWords,
  Part,
  PreparedArm,
  RowAddress,
  RowMask,
  Snapshot,
  PartCompletions,
} from '../../engine.ts';
import { prepareArm } from './arm.ts';
import { columnsOfWords, completeTyped } from './typed-text.ts';
import type { Database } from '../database.ts';
import { OWN_ROWS, type Overlay, type OverlayMark } from '../transaction/overlay.ts';
import type { EnginePart } from './part.ts';
import type { ReadSet } from '../transaction/read-set.ts';
import type { Run } from './source.ts';
import { indexWords } from './index-words.ts';
import { findVisible } from './table.ts';
import { keyName } from '../keys/key-names.ts';
import { type UniqueKey, uniqueKeys } from '../keys/unique-key.ts';
import { findKey } from '../keys/key-rows.ts';

/** A transaction's writes as far as this snapshot sees them, and what is to be remembered of its reads. */
export interface OwnWrites {
  readonly reads: ReadSet | null;
  overlay(relation: number, partition: string | null): { overlay: Overlay; mark: OverlayMark } | undefined;
  partitions(relation: number): Iterable<{ name: string; exists: boolean }>;
}

const NOTHING_OWN: OwnWrites = { reads: null, overlay: () => undefined, partitions: () => [] };

function ownIndex(relation: Relation | undefined, oid: number): Index {
  const own = relation?.indexes.find((index) => index.oid === oid);
  assert(own !== undefined, `index ${oid} is of relation ${relation?.oid}`);
  return own;
}

export class EngineSnapshot implements Snapshot {
  readonly catalog: Catalog;
  readonly sequence: number;
  readonly #database: Database;
  readonly #own: OwnWrites;
  /** By relation and partition. */
  readonly #parts = new Map<number | string, readonly EnginePart[]>();
  /** Relations and partitions of which `#parts` shows fewer rows than there are. */
  readonly #narrowed = new Set<number | string>();
  #released = false;

  constructor(database: Database, sequence: number, catalog: Catalog, own: OwnWrites = NOTHING_OWN) {
    this.#database = database;
    this.sequence = sequence;
    this.catalog = catalog;
    this.#own = own;
    database.hold(sequence);
  }

  get showsOwnWrites(): boolean {
    return this.#own !== NOTHING_OWN;
  }

  get remembersReads(): boolean {
    return this.#own.reads !== null;
  }

  remember(relation: number, partition: string | null, bounds: readonly ColumnBounds[]): void {
    this.#own.reads?.scan(relation, partition, bounds);
  }

  rememberCatalog(): void {
    if (this.#own.reads !== null) this.#own.reads.wholeCatalog = true;
  }

  parts(relation: number, partition: string | null, remembered = false): readonly EnginePart[] {
    if (!remembered) this.remember(relation, partition, []);
    const name = nameOf(relation, partition);
    const known = this.#parts.get(name);
    if (known !== undefined) return known;
    const described = this.#relation(relation);
    const runs = described === undefined ? [] : this.#runs(relation, partition);
    const parts = runs
      .filter((run) => run.rowCount > 0)
      .map((run) => this.#database.part(described as Relation, run));
    this.#parts.set(name, parts);
    return parts;
  }

  narrowed(
    relation: number,
    partition: string | null,
    shown: ReadonlyMap<Part, RowMask> | null,
  ): EngineSnapshot {
    const made = new EngineSnapshot(this.#database, this.sequence, this.catalog, this.#own);
    for (const name of this.#narrowed) {
      made.#narrowed.add(name);
      made.#parts.set(name, this.#parts.get(name) ?? []);
    }
    if (shown === null) return made;
    const name = nameOf(relation, partition);
    const parts = this.parts(relation, partition, true).flatMap((part) => {
      const mask = shown.get(part);
      return mask === undefined ? [] : [this.#database.narrowedPart(part, mask)];
    });
    made.#narrowed.add(name);
    made.#parts.set(name, parts);
    return made;
  }

  lookup(
    relation: number,
    partition: string | null,
    index: number,
    key: readonly Datum[],
  ): RowAddress | null {
    const unique = this.#uniqueKey(relation, index);
    const name = this.#keyName(unique, key);
    if (name === null) return null;
    const own = this.#own.overlay(relation, partition);
    const position = own?.overlay.ownRow(unique.id, name, own.mark) ?? -1;
    if (position >= 0) return this.#address(relation, partition, OWN_ROWS + position);
    return this.#committedRow(partition, unique, name);
  }

  lookupAll(
    relation: number,
    partition: string | null,
    index: number,
    key: readonly Datum[],
  ): readonly RowAddress[] {
    const unique = this.#uniqueKey(relation, index);
    if (unique.index.deferrable !== true) {
      const found = this.lookup(relation, partition, index, key);
      return found === null ? [] : [found];
    }
    const name = this.#keyName(unique, key);
    if (name === null) return [];
    // Committed rows have been checked, so that only own rows share a key.
    const committed = this.#committedRow(partition, unique, name);
    const found = committed === null ? [] : [committed];
    const own = this.#own.overlay(relation, partition);
    for (const position of own?.overlay.ownRows(unique.id, name, own.mark) ?? []) {
      found.push(present(this.#address(relation, partition, OWN_ROWS + position), 'own row'));
    }
    return found;
  }

  #keyName({ types, index }: UniqueKey, key: readonly Datum[]): Uint32Array | null {
    return keyName(this.#database.records.names, key, types, index.equalNulls);
  }

  /** The committed row of a key, unless the transaction has deleted it. */
  #committedRow(partition: string | null, unique: UniqueKey, name: Uint32Array): RowAddress | null {
    const relation = unique.relation.oid;
    const { names: cipher } = this.#database.records;
    const runs = this.#database.version(relation, partition, this.sequence)?.runs ?? [];
    const place = findKey(runs, unique, { cipher, names: name, at: 0 });
    if (place === null) {
      this.#own.reads?.miss(partition, { key: unique, name });
      return null;
    }
    const rowNumber = place.run.source.rowNumbers[place.position] as number;
    this.#own.reads?.row(relation, partition, rowNumber);
    const own = this.#own.overlay(relation, partition);
    const whole = nameOf(relation, partition);
    // Who has asked for all parts gets one of them: they are told apart by which they are.
    if (this.#narrowed.has(whole) || (own !== undefined && this.#parts.has(whole)))
      return this.#address(relation, partition, rowNumber);
    if (own?.overlay.seesBaseRow(rowNumber, own.mark) === false) return null;
    const described = this.#relation(relation) as Relation;
    return { part: this.#database.part(described, place.run), row: place.position, rowNumber };
  }

  #uniqueKey(relation: number, index: number): UniqueKey {
    const described = this.#relation(relation);
    const keys = described === undefined ? [] : uniqueKeys(described);
    return present(
      keys.find((key) => key.index.oid === index),
      'unique index of the relation',
    );
  }

  /** Where a row is; null when it is not visible. */
  #address(relation: number, partition: string | null, rowNumber: number): RowAddress | null {
    const parts = this.parts(relation, partition, true);
    const runs = parts.map((part) => part.run);
    const place = findVisible(runs, rowNumber);
    if (place === null) return null;
    const part = parts[runs.indexOf(place.run)] as Part;
    return { part, row: place.position, rowNumber };
  }

  prepare(relation: number, partition: string | null, arm: ArmRequest): PreparedArm | Promise<PreparedArm> {
    const described = this.#relation(relation);
    assert(described !== undefined, `relation ${relation} is in the catalog`);
    for (const oid of arm.kind === 'vector' ? [arm.index] : arm.indexes) {
      if (arm.kind === 'vector') this.requireIndex(relation, oid);
      else ownIndex(described, oid);
    }
    return runTask(prepareArm(described, this.parts(relation, partition), arm, this.#database.pause));
  }

  requireIndex(relation: number, index: number): void {
    this.#database.indexAges.require(ownIndex(this.#relation(relation), index), this.sequence);
  }

  async complete(
    relation: number,
    partition: string | null,
    typed: { readonly index: number; readonly text: string; readonly count: number },
  ): Promise<PartCompletions> {
    const described = present(this.#relation(relation), 'relation of the catalog');
    return runTask(completeTyped(described, this.parts(relation, partition), typed));
  }

  async correct(
    relation: number,
    partition: string | null,
    { indexes, text, signal }: { indexes: readonly number[]; text: string; signal: AbortSignal },
  ): Promise<string | null> {
    const described = present(this.#relation(relation), 'relation of the catalog');
    const columns = await runTask(columnsOfWords(described, this.parts(relation, partition), indexes));
    return TYPED_TEXT.correct(columns, text, signal);
  }

  words(
    relation: number,
    partition: string | null,
    index: number,
  ): IndexWords | null | Promise<IndexWords | null> {
    const described = present(this.#relation(relation), `relation ${relation}`);
    return runTask(indexWords(described, this.parts(relation, partition), index, this.#database.pause));
  }

  partitions(relation: number): readonly string[] {
    this.#own.reads?.listed.add(relation);
    const names = new Set<string>();
    for (const slot of this.#database.slots(relation)) {
      const { partition } = slot;
      if (partition !== null && this.#database.version(relation, partition, this.sequence) !== null) {
        names.add(partition);
      }
    }
    for (const { name, exists } of this.#own.partitions(relation)) {
      if (exists) names.add(name);
      else names.delete(name);
    }
    return [...names].sort();
  }

  partitionCreatedMs(relation: number, partition: string): number | null {
    return this.#database.version(relation, partition, this.sequence)?.createdMs ?? null;
  }

  hasPartition(relation: number, partition: string): boolean {
    for (const { name, exists } of this.#own.partitions(relation)) if (name === partition) return exists;
    this.#own.reads?.existence(relation, partition);
    return this.#database.version(relation, partition, this.sequence) !== null;
  }

  [Symbol.dispose](): void {
    if (this.#released) return;
    this.#released = true;
    this.#parts.clear();
    this.#database.release(this.sequence);
  }

  #relation(relation: number): Relation | undefined {
    return this.catalog.relations.get(relation);
  }

  #runs(relation: number, partition: string | null): readonly Run[] {
    const base = this.#database.version(relation, partition, this.sequence)?.runs ?? [];
    const own = this.#own.overlay(relation, partition);
    return own === undefined ? base : own.overlay.runs(base, own.mark);
  }
}

const nameOf = (relation: number, partition: string | null): number | string =>
  partition === null ? relation : `${relation}$${partition}`;
