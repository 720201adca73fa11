/**
 * A run as a snapshot shows it: an immutable part with its visible rows, columns in the catalog's types.
 */
import { columnByAttribute, type Relation } from '../../../catalog/model.ts';
import type { Passages } from '../../../index/request.ts';
import type { TextNeed } from '../../../types/text/text-piece.ts';
import type { Vector } from '../../../types/column/vector.ts';
import type { BoundedCache } from '../../../bounded-cache.ts';
import type { KeptMasks, Part, RowMask, ValueOrder, Zones } from '../../engine.ts';
import { columnVector, nullVector, type StoredColumn, vectorOfRows } from '../segment/column.ts';
import { convertVector } from '../segment/convert.ts';
import type { Run, Source } from './source.ts';

export class EnginePart implements Part {
  readonly rowCount: number;
  readonly rowNumbers: Float64Array;
  readonly masks: PartMasks;
  readonly run: Run;
  readonly relation: Relation;
  /** Rows that statistics of words are of, where they are not those that it shows. */
  readonly #counted: Uint32Array | null | undefined;
  /** The catalog's types of columns read before. */
  readonly #types = new Map<number, number>();

  /**
   * @param masks those of this part.
   * @param counted rows whose words count; absent: those that the run shows.
   */
  constructor(relation: Relation, run: Run, masks: PartMasks, counted?: Uint32Array | null) {
    this.#counted = counted;
    this.masks = masks;
    this.relation = relation;
    this.run = run;
    this.rowCount = run.rowCount;
    this.rowNumbers = run.source.rowNumbers.subarray(0, run.rowCount);
  }

  get id(): number {
    return this.masks.part;
  }

  get visible(): Uint32Array | null {
    return this.run.visible;
  }

  /** Rows whose words count in scores. */
  get counted(): Uint32Array | null {
    return this.#counted === undefined ? this.run.visible : this.#counted;
  }

  read(
    attributes: readonly number[],
    start: number,
    end: number,
  ): readonly Vector[] | Promise<readonly Vector[]> {
    const loading = this.run.source.load(attributes);
    const vectors = (): readonly Vector[] =>
      this.#vectors(attributes, end - start, (column) => columnVector(column, start, end));
    return loading === undefined ? vectors() : loading.then(vectors);
  }

  readRows(attributes: readonly number[], rows: Uint32Array): readonly Vector[] | Promise<readonly Vector[]> {
    const start = rows[0] ?? 0;
    const end = start + rows.length;
    if (rows.length === 0 || rows[rows.length - 1] === end - 1) return this.read(attributes, start, end);
    const loading = this.run.source.load(attributes);
    const vectors = (): readonly Vector[] =>
      this.#vectors(attributes, rows.length, (column) => vectorOfRows(column, rows));
    return loading === undefined ? vectors() : loading.then(vectors);
  }

  #vectors(
    attributes: readonly number[],
    length: number,
    read: (column: StoredColumn) => Vector,
  ): readonly Vector[] {
    return attributes.map((attribute) => {
      const column = this.run.source.column(attribute);
      const type = this.#typeOf(attribute, column);
      if (column === null) return nullVector(type, length);
      return column.type === type ? read(column) : convertVector(read(column), column.type, type);
    });
  }

  #typeOf(attribute: number, column: StoredColumn | null): number {
    let type = this.#types.get(attribute);
    if (type === undefined) {
      type = columnByAttribute(this.relation, attribute)?.type.oid ?? column?.type ?? 0;
      this.#types.set(attribute, type);
    }
    return type;
  }

  async zones(attribute: number): Promise<Zones | null> {
    const { source } = this.run;
    if (source.zones === undefined) return null;
    return (await this.#isAsWritten(attribute)) ? source.zones(attribute) : null;
  }

  async order(attribute: number): Promise<ValueOrder | null> {
    const { source } = this.run;
    if (source.order === undefined) return null;
    return (await this.#isAsWritten(attribute)) ? source.order(attribute) : null;
  }

  /** True when the column is there and needs no conversion. */
  async #isAsWritten(attribute: number): Promise<boolean> {
    await this.run.source.load([attribute]);
    const column = this.run.source.column(attribute);
    return column !== null && column.type === this.#typeOf(attribute, column);
  }

  containing(index: number, needs: readonly TextNeed[]): Uint32Array | null {
    const found = this.relation.indexes.find(({ oid }) => oid === index);
    const structure = found && this.run.source.structure(this.relation, found, 'trigrams');
    const rows = structure?.containing?.(needs) ?? null;
    // A head may have grown since.
    return rows?.filter((row) => row < this.rowCount) ?? null;
  }

  async passages(index: number, rows: Uint32Array): Promise<readonly (Passages | null)[]> {
    const found = this.relation.indexes.find(({ oid }) => oid === index);
    const { source } = this.run;
    if (found !== undefined) await source.loadStructure(this.relation, found, 'vectors');
    const structure = found && source.structure(this.relation, found, 'vectors');
    return Array.from(rows, (row) => {
      const floats = structure?.rowFloats?.(row);
      return floats === undefined ? null : copyPassages(floats);
    });
  }
}

/** The spans of passages are not kept by structures: they come back as zeros. */
function copyPassages({ count, floats }: { count: number; floats: Float32Array }): Passages | null {
  return count === 0 ? null : { count, vectors: floats.slice(), spans: new Uint32Array(2 * count) };
}

/** Rows [start, end) of a column in the catalog's type; NULLs where the rows are older than the column. */
export function readColumn(
  source: Source,
  relation: Relation,
  attribute: number,
  start: number,
  end: number,
): Vector {
  const column = source.column(attribute);
  const wanted = columnByAttribute(relation, attribute)?.type.oid ?? column?.type ?? 0;
  if (column === null) return nullVector(wanted, end - start);
  return convertVector(columnVector(column, start, end), column.type, wanted);
}

/** The masks of one part among those of all. */
export class PartMasks implements KeptMasks {
  readonly #all: BoundedCache<string, RowMask>;
  readonly part: number;
  /** The key asked for last, and what it is among those of all parts: a string that is kept is hashed once. */
  #last = { key: '', whole: '' };

  /** @param part a number that no other part has, or had. */
  constructor(all: BoundedCache<string, RowMask>, part: number) {
    this.#all = all;
    this.part = part;
  }

  get(key: string): RowMask | undefined {
    return this.#all.get(this.#whole(key));
  }

  set(key: string, mask: RowMask): void {
    this.#all.set(this.#whole(key), mask);
  }

  #whole(key: string): string {
    if (this.#last.key !== key) this.#last = { key, whole: `${this.part} ${key}` };
    return this.#last.whole;
  }
}
