/**
 * The access methods there are, and which structures each index kind is made of.
 */
import { OID } from '../types/oids.ts';
import { BITS } from './vectors/bits.ts';
import { KEYWORD_FIELDS } from './keywords/fields/search.ts';
import { KEYWORDS } from './keywords/keywords.ts';
import { MATRICES } from './matrices/matrices.ts';
import { SPARSE } from './sparse/sparse.ts';
import { completeText } from './keywords/words/complete.ts';
import { correctText } from './keywords/words/correct.ts';
import type { TypedTextMethod } from './typed-text.ts';
import type { FieldsMethod, StructureKind, StructureMethod } from './structure.ts';
import { TRIGRAMS } from './trigrams/trigrams.ts';
import { VECTORS } from './vectors/method.ts';

export const STRUCTURE_METHODS: Readonly<Record<StructureKind, StructureMethod>> = {
  keywords: KEYWORDS,
  vectors: VECTORS,
  bits: BITS,
  sparse: SPARSE,
  matrices: MATRICES,
  trigrams: TRIGRAMS,
};

/** Several columns' words searched as one's. */
export const TOGETHER: FieldsMethod = KEYWORD_FIELDS;

export const TYPED_TEXT: TypedTextMethod = {
  complete: completeText,
  correct: correctText,
};

/** Structure of a vector index by the type of its column. */
const VECTOR_STRUCTURES: ReadonlyMap<number, StructureKind> = new Map([
  [OID.vector, 'vectors'],
  [OID.halfvec, 'vectors'],
  [OID.f8_vector, 'vectors'],
  [OID.u8_vector, 'vectors'],
  [OID.i8_vector, 'vectors'],
  [OID.bit, 'bits'],
  [OID.binary_vector, 'bits'],
  [OID.sparsevec, 'sparse'],
  [OID.f32_sparse_vector, 'sparse'],
  [OID.u8_sparse_vector, 'sparse'],
]);

/**
 * Structures that an index is made of.
 *
 * @param kind as in `catalog/index-kinds.ts`; a btree's keys and order belong to segments.
 * @param type OID of its column's.
 */
export function structuresOf(
  kind: 'btree' | 'gin' | 'keyword' | 'semantic' | 'vector' | 'multi_vector' | 'ngram',
  type: number,
): readonly StructureKind[] {
  switch (kind) {
    case 'btree':
    case 'gin':
      return [];
    case 'keyword':
      return ['keywords'];
    case 'semantic':
      return ['vectors', 'keywords'];
    case 'vector':
      return [VECTOR_STRUCTURES.get(type) ?? 'vectors'];
    case 'multi_vector':
      return ['matrices'];
    case 'ngram':
      return ['trigrams'];
  }
}
