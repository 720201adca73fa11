/**
 * A run of rows as the merge worker wants it: columns, and sections of its structures. Values of vectors stay
 * where they are (`segment/wide-sections.ts`).
 */
import type { Relation } from '../../../catalog/model.ts';
import { STRUCTURE_METHODS } from '../../../index/registry.ts';
import type { StructureKind } from '../../../index/structure.ts';
import { Head } from '../head/head.ts';
import { columnVector, isPaged, type StoredColumn, valueBytesOf } from '../segment/column.ts';
import type { MergePart } from './job.ts';
import { Segment } from '../segment/segment.ts';
import { type Sections, storedStructure } from '../segment/manifest.ts';
import { NAME_WORDS, type NameCipher } from '../../../storage/seal.ts';
import { uniqueKeys } from '../keys/unique-key.ts';
import {
  declaredDimension,
  type Run,
  seenDimension,
  type StructurePlan,
  structureOptions,
  structurePlans,
} from '../head/source.ts';

/** Rows whose codes are made between two turns of the event loop: a millisecond. */
const CODED_ROWS = 64;

interface PartOptions {
  readonly cipher: NameCipher;
  readonly pause: () => Promise<void>;
  /** Structures are made anew of the columns. */
  readonly renewed: boolean;
}

export async function mergePart(
  relation: Relation,
  run: Run,
  { cipher, pause, renewed }: PartOptions,
): Promise<MergePart> {
  const { source, rowCount, visible } = run;
  await source.load(relation.columns.map(({ attribute }) => attribute));
  if (source instanceof Head) await source.catchUp(relation, cipher, pause, isMerged);
  const structures: MergePart['structures'][number][] = [];
  for (const plan of structurePlans(relation)) {
    const found = await structureOf(relation, run, plan, { renewed, pause });
    if (found !== null) structures.push({ index: plan.index.oid, kind: plan.kind, ...found });
    await pause();
  }
  const columns = relation.columns.flatMap(({ attribute, dropped, type }) => {
    const column = dropped ? null : source.column(attribute);
    if (column === null) return [];
    const wanted = column.type !== type.oid || isRead(relation, attribute, structures);
    return [{ attribute, column: columnForWorker(column, wanted) }];
  });
  const keys = [];
  for (const key of uniqueKeys(relation)) {
    await source.loadKeys(key, cipher, pause);
    keys.push({ id: key.id, names: source.keys(key, cipher).names.subarray(0, NAME_WORDS * rowCount) });
  }
  return { rowCount, visible, rowNumbers: source.rowNumbers.slice(0, rowCount), columns, keys, structures };
}

/** Sections of a head's postings take long to make: the worker makes the postings anew from the text. */
const isMerged = (kind: StructureKind): boolean => STRUCTURE_METHODS[kind].dimensioned;

/** True when the worker makes a structure of the column. */
function isRead(relation: Relation, attribute: number, structures: MergePart['structures']): boolean {
  return structurePlans(relation).some(
    (plan) =>
      plan.attribute === attribute &&
      structures.some((s) => s.index === plan.index.oid && s.kind === plan.kind && s.sections === null),
  );
}

/** @param wanted whether it wants values that are on disk, too. */
function columnForWorker(column: StoredColumn, wanted: boolean): StoredColumn {
  const { type, rowCount, offsets, nulls } = column;
  if (!isPaged(type)) return { type, rowCount, values: column.values, offsets, nulls };
  const values = wanted ? valueBytesOf(column, 0, rowCount, true) : new Uint8Array(0);
  return { type, rowCount, values, offsets, nulls };
}

async function structureOf(
  relation: Relation,
  { source }: Run,
  plan: StructurePlan,
  { renewed, pause }: { renewed: boolean; pause: () => Promise<void> },
): Promise<{ dimension: number; sections: Sections | null } | null> {
  const { index, kind, embedded } = plan;
  if (source instanceof Head && !isMerged(kind)) return { dimension: 0, sections: null };
  if (source instanceof Segment) {
    const stored = storedStructure(source.manifest, index.oid, kind);
    if (!embedded && (renewed || stored === undefined)) return ofColumn(relation, source, plan, pause);
    if (stored !== undefined) {
      return { dimension: stored.dimension, sections: await source.structureSections(index.oid, kind) };
    }
    return null;
  }
  const structure = source.structure(relation, index, kind);
  return structure === null ? null : { dimension: structure.dimension ?? 0, sections: structure.sections() };
}

/**
 * The worker makes the structure of the column; null when there is nothing to make it of. Codes of vectors on
 * disk are made here, a few rows at a time, so that they never come into memory together.
 */
async function ofColumn(
  relation: Relation,
  source: Segment,
  plan: StructurePlan,
  pause: () => Promise<void>,
): Promise<{ dimension: number; sections: Sections | null } | null> {
  const column = source.column(plan.attribute);
  if (column === null) return null;
  const method = STRUCTURE_METHODS[plan.kind];
  if (!method.dimensioned) return { dimension: 0, sections: null };
  const dimension = declaredDimension(relation, plan) || seenDimension(column);
  if (dimension === 0) return null;
  const floats = source.floats(plan);
  if (floats === null || method.over === undefined) return { dimension, sections: null };
  const structure = method.over(structureOptions(plan, dimension), floats, column.rowCount);
  for (let row = 0; row < column.rowCount; row += CODED_ROWS) {
    const values = columnVector(column, row, Math.min(column.rowCount, row + CODED_ROWS));
    structure.append({ kind: plan.kind, values });
    await pause();
  }
  return { dimension, sections: structure.sections() };
}
