/** Texts that are typed, completed and corrected by the words of a snapshot's parts; `index/` knows how. */
import type { Relation } from '../../../catalog/model.ts';
import { TYPED_TEXT } from '../../../index/registry.ts';
import type { TypedColumn } from '../../../index/typed-text.ts';
import type { Task } from '../../../task.ts';
import type { PartCompletions } from '../../engine.ts';
import { loadStructures } from './arm-parts.ts';
import type { EnginePart } from './part.ts';
import { structureOptions, structurePlans } from './source.ts';

interface WordsOfParts extends TypedColumn {
  readonly held: readonly EnginePart[];
}

function* wordsOf(relation: Relation, parts: readonly EnginePart[], oid: number): Task<WordsOfParts | null> {
  const plan = structurePlans(relation).find(({ index, kind }) => index.oid === oid && kind === 'keywords');
  if (plan === undefined) return null;
  const structures = yield* loadStructures(relation, parts, plan);
  const held = parts.filter((part) => structures.has(part));
  const seen = held.flatMap((part) => {
    const structure = structures.get(part);
    return structure ? [{ structure, visible: part.visible, limit: part.rowCount }] : [];
  });
  return { options: structureOptions(plan, 0), parts: seen, held };
}

export function* completeTyped(
  relation: Relation,
  parts: readonly EnginePart[],
  { index, text, count }: { readonly index: number; readonly text: string; readonly count: number },
): Task<PartCompletions> {
  const words = yield* wordsOf(relation, parts, index);
  if (words === null) return { words: [], rows: [], isBegun: () => false };
  const found = TYPED_TEXT.complete(words, text, count);
  const rows = words.held.map((part, i) => ({ part, rows: found.rows[i] ?? new Uint32Array(0) }));
  return { ...found, rows };
}

export function* columnsOfWords(
  relation: Relation,
  parts: readonly EnginePart[],
  indexes: readonly number[],
): Task<readonly TypedColumn[]> {
  const columns: TypedColumn[] = [];
  for (const oid of indexes) {
    const words = yield* wordsOf(relation, parts, oid);
    if (words !== null) columns.push(words);
  }
  return columns;
}
