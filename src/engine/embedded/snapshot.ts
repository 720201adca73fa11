/** What one statement reads: committed versions at a sequence number, under the transaction's own writes. */
import { assert } from '../../assert.ts';
import { type Catalog, findIndex, type Relation } from '../../catalog/model.ts';
import type { ArmRequest } from '../../index/request.ts';
import type { Datum } from '../../types/datum.ts';
import type { Part, PreparedArm, RowAddress, Snapshot } from '../engine.ts';
import { prepareArm } from './arm.ts';
import type { Database } from './database.ts';
import { OWN_ROWS, type Overlay, type OverlayMark } from './overlay.ts';
import { EnginePart } from './part.ts';
import type { Run } from './source.ts';
import { findVisible } from './table.ts';
import { keyHash, keyTypes } from './unique-key.ts';

/** A transaction's writes as far as this snapshot sees them. */
export interface OwnWrites {
  overlay(relation: number, partition: string | null): { overlay: Overlay; mark: OverlayMark } | undefined;
  partitions(relation: number): Iterable<{ name: string; exists: boolean }>;
}

const NOTHING_OWN: OwnWrites = { overlay: () => undefined, partitions: () => [] };

export class EngineSnapshot implements Snapshot {
  readonly catalog: Catalog;
  readonly sequence: number;
  readonly #database: Database;
  readonly #own: OwnWrites;
  readonly #parts = new Map<string, readonly EnginePart[]>();
  #released = false;

  constructor(database: Database, sequence: number, catalog: Catalog, own: OwnWrites = NOTHING_OWN) {
    this.#database = database;
    this.sequence = sequence;
    this.catalog = catalog;
    this.#own = own;
    database.hold(sequence);
  }

  parts(relation: number, partition: string | null): readonly EnginePart[] {
    const name = partition === null ? String(relation) : `${relation}$${partition}`;
    const known = this.#parts.get(name);
    if (known !== undefined) return known;
    const described = this.#relation(relation);
    const runs = described === undefined ? [] : this.#runs(relation, partition);
    const parts = runs
      .filter((run) => run.rowCount > 0)
      .map((run) => new EnginePart(described as Relation, run));
    this.#parts.set(name, parts);
    return parts;
  }

  lookup(
    relation: number,
    partition: string | null,
    index: number,
    key: readonly Datum[],
  ): RowAddress | null {
    const rowNumber = this.keyRow(relation, partition, index, key);
    return rowNumber < 0 ? null : this.address(relation, partition, rowNumber);
  }

  /** Number of the row with that key, visible or not; -1 when there is none. */
  keyRow(relation: number, partition: string | null, indexOid: number, key: readonly Datum[]): number {
    const found = this.#relation(relation)?.indexes.find((index) => index.oid === indexOid);
    assert(found !== undefined, `index ${indexOid} belongs to relation ${relation}`);
    const types = keyTypes(this.#relation(relation) as Relation, found);
    const hash = keyHash(this.#database.records.names, `${indexOid}`, key, types);
    if (hash === null) return -1;
    const own = this.#own.overlay(relation, partition);
    const position = own?.overlay.ownRow(`${indexOid}/${hash}`, own.mark) ?? -1;
    if (position >= 0) return OWN_ROWS + position;
    const version = this.#database.version(relation, partition, this.sequence);
    if (version === null) return -1;
    const { records, history } = this.#database;
    const newest = records.keyRow(version.storage.id, indexOid, hash);
    return history.at(`${version.storage.id}/${indexOid}/${hash}`, this.sequence, newest);
  }

  /** Where a row is; null when it is not visible. */
  address(relation: number, partition: string | null, rowNumber: number): RowAddress | null {
    const parts = this.parts(relation, partition);
    const runs = parts.map((part) => part.run);
    const place = findVisible(runs, rowNumber);
    if (place === null) return null;
    const part = parts[runs.indexOf(place.run)] as Part;
    return { part, row: place.position, rowNumber };
  }

  prepare(relation: number, partition: string | null, arm: ArmRequest): PreparedArm {
    const described = this.#relation(relation);
    assert(described !== undefined, `relation ${relation} is in the catalog`);
    for (const oid of arm.kind === 'vector' ? [arm.index] : arm.indexes) {
      assert(findIndex(this.catalog, oid)?.relation.oid === relation, `index ${oid} is of another relation`);
    }
    return prepareArm(described, this.parts(relation, partition), arm, this.#database.pause);
  }

  partitions(relation: number): readonly string[] {
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
