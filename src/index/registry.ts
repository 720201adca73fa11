/**
 * The access methods there are, and which structures each index kind is made of.
 */
import { KEYWORDS } from './keywords.ts';
import type { StructureKind, StructureMethod } from './structure.ts';
import { VECTORS } from './vectors-method.ts';

export const STRUCTURE_METHODS: Readonly<Record<StructureKind, StructureMethod>> = {
  keywords: KEYWORDS,
  vectors: VECTORS,
};

/** Kinds as in `catalog/index-kinds.ts`; a btree's keys lie in storage, not in a search structure. */
export const INDEX_STRUCTURES: Readonly<
  Record<'btree' | 'gin' | 'keyword' | 'semantic' | 'vector', readonly StructureKind[]>
> = {
  btree: [],
  gin: [],
  keyword: ['keywords'],
  semantic: ['vectors', 'keywords'],
  vector: ['vectors'],
};
