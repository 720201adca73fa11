/** A run of rows as the merge worker wants it: columns, and sections of its structures. */
import type { Relation } from '../../catalog/model.ts';
import { STRUCTURE_METHODS } from '../../index/registry.ts';
import { Head } from './head.ts';
import type { MergePart } from './merge-job.ts';
import { Segment } from './segment.ts';
import { structureSection } from './segment-names.ts';
import { NAME_WORDS, type NameCipher } from '../../storage/seal.ts';
import { uniqueKeys } from './unique-key.ts';
import { declaredDimension, type Run, seenDimension, type StructurePlan, structurePlans } from './source.ts';

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
  if (source instanceof Segment) await source.loadAll();
  if (source instanceof Head) await source.catchUp(relation, cipher, pause);
  const columns = relation.columns.flatMap(({ attribute, dropped }) => {
    const column = dropped ? null : source.column(attribute);
    return column === null ? [] : [{ attribute, column }];
  });
  const structures = [];
  for (const plan of structurePlans(relation)) {
    const found = structureOf(relation, run, plan, renewed);
    if (found !== null) structures.push({ index: plan.index.oid, kind: plan.kind, ...found });
    await pause();
  }
  const keys = [];
  for (const key of uniqueKeys(relation)) {
    await source.loadKeys(key, cipher, pause);
    keys.push({ id: key.id, names: source.keys(key, cipher).names.subarray(0, NAME_WORDS * rowCount) });
  }
  return { rowCount, visible, rowNumbers: source.rowNumbers.slice(0, rowCount), columns, keys, structures };
}

function structureOf(
  relation: Relation,
  { source }: Run,
  plan: StructurePlan,
  renewed: boolean,
): { dimension: number; sections: ReadonlyMap<string, Uint8Array> | null } | null {
  const { index, kind, embedded } = plan;
  // Sections of a head's postings take long to make: the worker makes the postings anew from the text.
  if (source instanceof Head && !STRUCTURE_METHODS[kind].dimensioned) return { dimension: 0, sections: null };
  if (source instanceof Segment) {
    const stored = source.manifest.structures.find((s) => s.index === index.oid && s.kind === kind);
    if (!embedded && (renewed || stored === undefined)) return ofColumn(relation, source, plan);
    if (stored !== undefined) {
      const prefix = structureSection(index.oid, kind, '');
      const sections = new Map<string, Uint8Array>();
      for (const { name } of source.manifest.sections) {
        if (name.startsWith(prefix)) sections.set(name.slice(prefix.length), source.section(name));
      }
      return { dimension: stored.dimension, sections };
    }
  }
  if (source instanceof Segment) return null;
  const structure = source.structure(relation, index, kind);
  if (structure === null) return null;
  const dimension =
    source instanceof Head || source instanceof Segment ? source.dimension(index.oid, kind) : 0;
  return { dimension, sections: structure.sections() };
}

/** The worker makes the structure of the column; null when there is nothing to make it of. */
function ofColumn(
  relation: Relation,
  source: Segment,
  plan: StructurePlan,
): { dimension: number; sections: null } | null {
  const column = source.column(plan.attribute);
  if (column === null) return null;
  if (!STRUCTURE_METHODS[plan.kind].dimensioned) return { dimension: 0, sections: null };
  const dimension = declaredDimension(relation, plan) || seenDimension(column);
  return dimension === 0 ? null : { dimension, sections: null };
}
