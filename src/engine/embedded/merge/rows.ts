/**
 * Makes one segment's sections of several parts: rows that are visible, in order. Runs in the merge worker;
 * a plain function, so that tests can call it.
 */
import { columnByAttribute, type Relation } from '../../../catalog/model.ts';
import { STRUCTURE_METHODS } from '../../../index/registry.ts';
import type { MergeInput, Structure } from '../../../index/structure.ts';
import { NAME_WORDS } from '../../../storage/seal.ts';
import { OID } from '../../../types/oids.ts';
import { hasBit } from '../../../types/column/bitset.ts';
import { columnVector, GrowableColumn, isPaged, nullVector, sharedBytes } from '../segment/column.ts';
import { columnRows } from '../segment/column-rows.ts';
import { convertVector, indexedValues } from '../segment/convert.ts';
import type { MergeJob, MergePart, MergeResult } from './job.ts';
import { KeyTable } from '../keys/key-table.ts';
import { columnSection, isOffsets, keySection, structureSection } from '../segment/names.ts';
import { type PackedSection, packSection } from '../segment/packing.ts';
import { type StructurePlan, structureOptions, structurePlans } from '../head/source.ts';

/** Rows copied at a time. */
const COPY_ROWS = 4096;

export function mergeRows(job: MergeJob): MergeResult {
  const rowMaps = mapRows(job.parts);
  const kept = job.parts.map((part, i) => keptRows(part, rowMaps[i] as Int32Array));
  const rowCount = kept.reduce((sum, rows) => sum + rows.length, 0);
  const sections = new Map<string, Uint8Array>();
  sections.set('rows', mergeRowNumbers(job.parts, kept, rowCount));
  const columns = mergeColumns(job, kept, sections);
  const keys = mergeKeys(job.parts, kept, { rowCount, sections });
  const structures = mergeStructures(job, rowMaps, { rowCount, sections });
  const indexes = job.relation.indexes.map(({ oid }) => oid);
  const packed = packSections(job, sections);
  return { rowCount, sections, packed, columns, keys, structures, indexes };
}

function packSections(
  { packs }: MergeJob,
  sections: ReadonlyMap<string, Uint8Array>,
): ReadonlyMap<string, PackedSection> {
  const packed = new Map<string, PackedSection>();
  for (const [name, bytes] of packs ? sections : []) {
    const section = packSection(bytes, isOffsets(name) ? 'deltas' : null);
    if (section !== null) packed.set(name, section);
  }
  return packed;
}

function mapRows(parts: readonly MergePart[]): readonly Int32Array[] {
  let next = 0;
  return parts.map((part) => {
    const map = new Int32Array(part.rowCount);
    for (let row = 0; row < part.rowCount; row++) {
      map[row] = part.visible === null || hasBit(part.visible, row) ? next++ : -1;
    }
    return map;
  });
}

function keptRows(part: MergePart, map: Int32Array): Uint32Array {
  const rows = new Uint32Array(part.rowCount);
  let count = 0;
  for (let row = 0; row < part.rowCount; row++) if ((map[row] as number) >= 0) rows[count++] = row;
  return rows.subarray(0, count);
}

function mergeRowNumbers(
  parts: readonly MergePart[],
  kept: readonly Uint32Array[],
  rowCount: number,
): Uint8Array {
  const bytes = sharedBytes(8 * rowCount);
  const numbers = new Float64Array(bytes.buffer);
  let at = 0;
  parts.forEach((part, i) => {
    for (const row of kept[i] ?? []) numbers[at++] = part.rowNumbers[row] as number;
  });
  return bytes;
}

function mergeColumns(
  { relation, parts }: MergeJob,
  kept: readonly Uint32Array[],
  sections: Map<string, Uint8Array>,
): { attribute: number; type: number }[] {
  const attributes = new Set(parts.flatMap((part) => part.columns.map((column) => column.attribute)));
  const columns: { attribute: number; type: number }[] = [];
  for (const attribute of [...attributes].sort((a, b) => a - b)) {
    const described = columnByAttribute(relation, attribute);
    if (described === undefined || described.dropped) continue;
    const type = described.type.oid;
    columns.push({ attribute, type });
    if (isPaged(type)) {
      mergePaged(parts, kept, { attribute, type, sections });
      continue;
    }
    const merged = new GrowableColumn(type);
    parts.forEach((part, i) => {
      appendPart(merged, part, attribute, kept[i] ?? new Uint32Array(0));
    });
    const { values, offsets, nulls } = merged.stored();
    sections.set(columnSection(attribute, 'values'), values);
    if (offsets !== null) sections.set(columnSection(attribute, 'offsets'), bytesOf(offsets));
    if (nulls?.includes(1)) sections.set(columnSection(attribute, 'nulls'), nulls);
  }
  return columns;
}

/** Merges what lies beside values that are not here; where a part has none, or of another type, they are NULL. */
function mergePaged(
  parts: readonly MergePart[],
  kept: readonly Uint32Array[],
  { attribute, type, sections }: { attribute: number; type: number; sections: Map<string, Uint8Array> },
): void {
  const rowCount = kept.reduce((sum, rows) => sum + rows.length, 0);
  const nulls = sharedBytes(rowCount);
  const bytes = sharedBytes(4 * (rowCount + 1));
  const offsets = new Uint32Array(bytes.buffer);
  let at = 0;
  parts.forEach((part, i) => {
    const column = part.columns.find((c) => c.attribute === attribute)?.column;
    const from = column?.type === type ? column.offsets : null;
    for (const row of kept[i] ?? []) {
      const size = from === null ? 0 : (from[row + 1] as number) - (from[row] as number);
      nulls[at] = from === null ? 1 : (column?.nulls?.[row] ?? 0);
      offsets[at + 1] = (offsets[at] as number) + size;
      at++;
    }
  });
  sections.set(columnSection(attribute, 'offsets'), bytes);
  if (nulls.includes(1)) sections.set(columnSection(attribute, 'nulls'), nulls);
}

function appendPart(merged: GrowableColumn, part: MergePart, attribute: number, rows: Uint32Array): void {
  const column = part.columns.find((c) => c.attribute === attribute)?.column;
  for (let start = 0; start < rows.length; start += COPY_ROWS) {
    const run = rows.subarray(start, start + COPY_ROWS);
    if (column === undefined) {
      merged.append(nullVector(merged.type, run.length));
      continue;
    }
    const first = run[0] as number;
    const last = run[run.length - 1] as number;
    const source = columnVector(column, first, last + 1);
    const whole = last - first + 1 === run.length;
    const vector = whole ? source : source.take(run.map((row) => row - first));
    merged.append(convertVector(vector, column.type, merged.type));
  }
}

/**
 * Tables of the unique keys that all parts have. Several rows share a key only among a transaction's own, where an
 * older one can come back by ROLLBACK TO: what is stored says nothing of older rows, so such a table is made of its
 * columns when it is wanted.
 */
function mergeKeys(
  parts: readonly MergePart[],
  kept: readonly Uint32Array[],
  { rowCount, sections }: { rowCount: number; sections: Map<string, Uint8Array> },
): string[] {
  const ids = (parts[0]?.keys ?? []).map(({ id }) => id);
  const common = ids.filter((id) => parts.every(({ keys }) => keys.some((key) => key.id === id)));
  const stored: string[] = [];
  for (const id of common) {
    const table = new KeyTable(rowCount);
    parts.forEach(({ keys }, i) => {
      const names = keys.find((key) => key.id === id)?.names as Uint32Array;
      for (const row of kept[i] ?? []) table.push(names, NAME_WORDS * row);
    });
    if (!table.isUnique) continue;
    stored.push(id);
    sections.set(keySection(id, 'names'), shared(bytesOf(table.names)));
    sections.set(keySection(id, 'slots'), shared(bytesOf(table.slots)));
  }
  return stored;
}

function mergeStructures(
  { relation, parts, options: how }: MergeJob,
  rowMaps: readonly Int32Array[],
  { rowCount, sections }: { rowCount: number; sections: Map<string, Uint8Array> },
): MergeResult['structures'] {
  const made: MergeResult['structures'][number][] = [];
  for (const plan of structurePlans(relation)) {
    const { index, kind } = plan;
    const method = STRUCTURE_METHODS[kind];
    const inputs: MergeInput[] = [];
    let dimension = 0;
    parts.forEach((part, i) => {
      const stored = part.structures.find((s) => s.index === index.oid && s.kind === kind);
      if (stored === undefined) return;
      dimension = Math.max(dimension, stored.dimension);
      const options = structureOptions(plan, dimension);
      const structure =
        stored.sections === null
          ? buildStructure(relation, plan, part, stored.dimension)
          : method.load(options, stored.sections, part.rowCount);
      inputs.push({ structure, rowMap: rowMaps[i] as Int32Array });
    });
    if (inputs.length === 0) continue;
    const began = performance.now();
    const merged = method.merge(structureOptions(plan, dimension), inputs, rowCount, how);
    for (const [name, bytes] of merged.sections()) {
      sections.set(structureSection(index.oid, kind, name), shared(bytes));
    }
    for (const { structure } of inputs) structure.release();
    const graph = merged.graphFact ?? null;
    const buildMs = Math.round(performance.now() - began);
    const { format = 1 } = method;
    made.push({ index: index.oid, kind, dimension: merged.dimension ?? 0, format, graph, buildMs });
    merged.release();
  }
  return made;
}

function buildStructure(
  relation: Relation,
  plan: StructurePlan,
  part: MergePart,
  dimension: number,
): Structure {
  const column = part.columns.find((c) => c.attribute === plan.attribute)?.column;
  const type = columnByAttribute(relation, plan.attribute)?.type.oid ?? OID.text;
  const method = STRUCTURE_METHODS[plan.kind];
  const options = structureOptions(plan, dimension);
  if (column !== undefined && method.ofColumn) return method.ofColumn(options, columnRows(column, type));
  const values =
    column === undefined
      ? nullVector(type, part.rowCount)
      : convertVector(columnVector(column, 0, part.rowCount), column.type, type);
  const structure = method.head(options);
  structure.append({ kind: plan.kind, values: indexedValues(plan.index, values, type) });
  return structure;
}

/** In shared memory, where it may lie already. */
function shared(bytes: Uint8Array): Uint8Array {
  if (bytes.buffer instanceof SharedArrayBuffer) return bytes;
  const copy = sharedBytes(bytes.length);
  copy.set(bytes);
  return copy;
}

function bytesOf(words: Uint32Array | Int32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}
