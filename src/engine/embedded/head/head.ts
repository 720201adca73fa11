/**
 * The head: the newest rows of a table, in memory, growing at the end. Rows arrive first, search structures
 * catch up in small steps (`catchUp`) before a commit shows the rows, so that no commit holds the event loop.
 * A head is frozen when a segment is to be made of it; a new one takes the rows that follow.
 */
import { present } from '../../../assert.ts';
import type { Index, Relation } from '../../../catalog/model.ts';
import { STRUCTURE_METHODS } from '../../../index/registry.ts';
import type { Passages } from '../../../index/request.ts';
import type { HeadStructure, Structure, StructureInput, StructureKind } from '../../../index/structure.ts';
import { OID } from '../../../types/oids.ts';
import type { RowBatch } from '../commit/chunk.ts';
import { NAME_WORDS, type NameCipher } from '../../../storage/seal.ts';
import { KeyTable } from '../keys/key-table.ts';
import type { EngineSettings } from '../settings.ts';
import type { EnginePart } from './part.ts';
import { type UniqueKey, uniqueKeys } from '../keys/unique-key.ts';
import { rowNames } from '../keys/key-rows.ts';
import { indexedValues } from '../segment/convert.ts';
import { columnVector, GrowableColumn, nullVector, type StoredColumn } from '../segment/column.ts';
import {
  declaredDimension,
  type Source,
  type StructurePlan,
  structureName,
  structureOptions,
  seenDimension,
  structurePlans,
} from './source.ts';

/** Rows a structure takes between two turns of the event loop, and bytes of text: about 2 ms at most. */
const CATCH_UP_ROWS = 32;
const CATCH_UP_TEXT_BYTES = 16 * 1024;
/** Rows whose keys are named at a time. */
const KEY_ROWS = 1024;

export class Head implements Source {
  part: EnginePart | null = null;
  readonly #columns = new Map<number, GrowableColumn>();
  readonly #structures = new Map<string, HeadStructure>();
  readonly #keys = new Map<string, KeyTable>();
  /** Names that came with rows not in the tables yet, by the first row. */
  readonly #names = new Map<number, NonNullable<RowBatch['names']>>();
  /** Passages of a semantic index that its structure has not taken yet, by row. */
  readonly #passages = new Map<number, Map<number, Passages>>();
  /** By structure: so many rows from the first on have no vector, as was seen. */
  readonly #withoutVectors = new Map<string, number>();
  #firstRows: number[] = [];
  #rowNumbers = new Float64Array(256);
  #rowCount = 0;
  #passageBytes = 0;
  /** True once a segment is being made of it; rows that follow begin a new head. */
  frozen = false;

  get rowCount(): number {
    return this.#rowCount;
  }

  /** One step makes its structures: they can wait for the first query. */
  get isSmall(): boolean {
    return this.#rowCount <= CATCH_UP_ROWS;
  }

  get rowNumbers(): Float64Array {
    return this.#rowNumbers;
  }

  get bytes(): number {
    let bytes = this.#passageBytes;
    for (const column of this.#columns.values()) bytes += column.bytes;
    for (const structure of this.#structures.values()) bytes += structure.bytes;
    for (const table of this.#keys.values()) bytes += table.bytes;
    return bytes;
  }

  /** The dimension of a structure's vectors, whether it is made or waits for the first query; 0 where there are none. */
  dimension(plan: StructurePlan): number {
    const name = structureName(plan.index.oid, plan.kind);
    const made = this.#structures.get(name)?.dimension ?? 0;
    if (made > 0) return made;
    const looked = this.#withoutVectors.get(name) ?? 0;
    const dimension = this.#seenDimension(plan, looked);
    if (dimension === 0) this.#withoutVectors.set(name, this.#rowCount);
    return dimension;
  }

  /** First row numbers of the stored chunks its rows came in. */
  get chunks(): readonly number[] {
    return this.#firstRows;
  }

  /** Its chunks have been stored anew, joined. */
  storedAs(firstRows: readonly number[]): void {
    this.#firstRows = [...firstRows];
  }

  get attributes(): readonly number[] {
    return [...this.#columns.keys()];
  }

  /** True when no row lies between its last one and that number; a segment's might. */
  isFollowedBy(firstRow: number): boolean {
    return this.#rowCount === 0 || this.#rowNumbers[this.#rowCount - 1] === firstRow - 1;
  }

  /** False when it is full or frozen, or a column's type has changed: then the batch begins a new head. */
  takes(batch: RowBatch, settings: EngineSettings): boolean {
    if (this.frozen || this.isFull(settings)) return false;
    for (const [attribute, { type }] of batch.columns) {
      const column = this.#columns.get(attribute);
      if (column !== undefined && column.type !== type) return false;
    }
    return true;
  }

  /** A segment is to be made of it. */
  isFull({ headRows, headBytes }: EngineSettings): boolean {
    return this.#rowCount >= headRows || this.bytes >= headBytes;
  }

  /** @param firstRow number of the first row; the others follow. */
  append(batch: RowBatch, firstRow: number): void {
    const after = this.#rowCount + batch.length;
    for (const [attribute, { type, vector }] of batch.columns) {
      let column = this.#columns.get(attribute);
      if (column === undefined) {
        column = new GrowableColumn(type);
        column.appendNulls(this.#rowCount);
        this.#columns.set(attribute, column);
      }
      column.append(vector);
    }
    for (const column of this.#columns.values()) column.appendNulls(after - column.rowCount);
    this.#keepPassages(batch);
    if (batch.names !== undefined) this.#names.set(this.#rowCount, batch.names);
    if (this.#rowNumbers.length < after) {
      const grown = new Float64Array(Math.max(after, 2 * this.#rowNumbers.length));
      grown.set(this.#rowNumbers.subarray(0, this.#rowCount));
      this.#rowNumbers = grown;
    }
    for (let i = 0; i < batch.length; i++) this.#rowNumbers[this.#rowCount + i] = firstRow + i;
    this.#firstRows.push(firstRow);
    this.#rowCount = after;
  }

  #keepPassages(batch: RowBatch): void {
    for (const [index, rows] of batch.passages) {
      const kept = this.#passages.get(index) ?? new Map<number, Passages>();
      this.#passages.set(index, kept);
      rows.forEach((passages, row) => {
        if (passages === null) return;
        kept.set(this.#rowCount + row, passages);
        this.#passageBytes += passages.vectors.byteLength;
      });
    }
  }

  load(): void {}

  loadStructure(): void {}

  column(attribute: number): StoredColumn | null {
    return this.#columns.get(attribute)?.stored() ?? null;
  }

  structure(relation: Relation, index: Index, kind: StructureKind): Structure | null {
    const plan = structurePlans(relation).find((p) => p.index.oid === index.oid && p.kind === kind);
    if (plan === undefined) return null;
    while (this.#step(relation, plan)) {
      // All of it: a query needs the rows now.
    }
    return this.#structures.get(structureName(index.oid, kind)) ?? null;
  }

  keys(key: UniqueKey, cipher: NameCipher): KeyTable {
    const table = this.#keyTable(key);
    while (table.rowCount < this.#rowCount) this.#nameRows(table, key, cipher);
    return table;
  }

  async loadKeys(key: UniqueKey, cipher: NameCipher, pause: () => Promise<void>): Promise<void> {
    const table = this.#keyTable(key);
    while (table.rowCount < this.#rowCount) {
      await table.reserve(Math.min(KEY_ROWS, this.#rowCount - table.rowCount), pause);
      this.#nameRows(table, key, cipher);
      await pause();
    }
  }

  /**
   * Lets every structure of `relation` take the rows it lacks.
   * @param pause called between steps; gives the event loop a turn when it is time.
   * @param wants which of them.
   */
  async catchUp(
    relation: Relation,
    cipher: NameCipher,
    pause: () => Promise<void>,
    wants: (kind: StructureKind) => boolean = () => true,
  ): Promise<void> {
    for (const key of uniqueKeys(relation)) await this.loadKeys(key, cipher, pause);
    this.#names.clear();
    for (const plan of structurePlans(relation)) {
      while (wants(plan.kind) && this.#step(relation, plan)) await pause();
    }
  }

  release(): void {
    for (const structure of this.#structures.values()) structure.release();
    this.#structures.clear();
  }

  #keyTable({ id }: UniqueKey): KeyTable {
    let table = this.#keys.get(id);
    if (table === undefined) {
      table = new KeyTable();
      this.#keys.set(id, table);
    }
    return table;
  }

  #nameRows(table: KeyTable, key: UniqueKey, cipher: NameCipher): void {
    const start = table.rowCount;
    const end = Math.min(this.#rowCount, start + KEY_ROWS);
    const names = this.#names.get(start)?.get(key.id) ?? rowNames(this, key, { cipher, start, end });
    for (let at = 0; at < names.length; at += NAME_WORDS) table.push(names, at);
  }

  /** True while there may be more to do. */
  #step(relation: Relation, plan: StructurePlan): boolean {
    const name = structureName(plan.index.oid, plan.kind);
    const structure = this.#structures.get(name) ?? this.#begin(relation, plan, name);
    if (structure === undefined || structure.rowCount >= this.#rowCount) return false;
    const start = structure.rowCount;
    const end = plan.kind === 'keywords' ? this.#textEnd(plan, start) : this.#stepEnd(start);
    structure.append(this.#input(plan, start, end));
    return true;
  }

  #stepEnd(start: number): number {
    return Math.min(this.#rowCount, start + CATCH_UP_ROWS);
  }

  /** The end of a step whose texts are of bounded length together; one row at least. */
  #textEnd({ attribute }: StructurePlan, start: number): number {
    const offsets = this.column(attribute)?.offsets ?? null;
    let end = this.#stepEnd(start);
    if (offsets === null) return end;
    const first = offsets[start] as number;
    while (end > start + 1 && (offsets[end] as number) - first > CATCH_UP_TEXT_BYTES) end--;
    return end;
  }

  #begin(relation: Relation, plan: StructurePlan, name: string): HeadStructure | undefined {
    const method = STRUCTURE_METHODS[plan.kind];
    let dimension = declaredDimension(relation, plan);
    if (method.dimensioned && dimension === 0) dimension = this.#seenDimension(plan);
    if (method.dimensioned && dimension === 0) return undefined;
    const structure = method.head(structureOptions(plan, dimension));
    this.#structures.set(name, structure);
    return structure;
  }

  /** The dimension of the first vector there is, from a row on; 0 when there is none yet. */
  #seenDimension(plan: StructurePlan, from = 0): number {
    if (plan.embedded) {
      for (const passages of this.#passages.get(plan.index.oid)?.values() ?? []) {
        if (passages.count > 0) return passages.vectors.length / passages.count;
      }
      return 0;
    }
    const column = this.column(plan.attribute);
    return column === null ? 0 : seenDimension(column, from);
  }

  #input(plan: StructurePlan, start: number, end: number): StructureInput {
    if (plan.embedded) {
      const kept = present(this.#passages.get(plan.index.oid), 'passages of the index');
      const passages: (Passages | null)[] = [];
      for (let row = start; row < end; row++) {
        const found = kept.get(row) ?? null;
        if (found !== null) this.#passageBytes -= found.vectors.byteLength;
        kept.delete(row);
        passages.push(found);
      }
      return { kind: 'vectors', passages };
    }
    const column = this.column(plan.attribute);
    const values =
      column === null
        ? nullVector(plan.kind === 'keywords' ? OID.text : OID.vector, end - start)
        : indexedValues(plan.index, columnVector(column, start, end), column.type);
    return { kind: plan.kind, values };
  }
}
