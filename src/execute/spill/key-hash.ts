/**
 * Hashes of rows' keys, equal for equal keys (as `rows/key-numbers.ts` has it): rows of one key go to one partition. Spread
 * by the finaliser of MurmurHash3 (Appleby, 2011).
 */
import { OID } from '../../types/oids.ts';
import type { Datum } from '../../types/datum.ts';
import type { TypeRef } from '../../types/type.ts';
import type { BoolVector, Int32Vector, TextVector, Vector } from '../../types/column/vector.ts';
import { type KeyOf, keyOfType } from '../rows/key-numbers.ts';

const NULL_HASH = 0x51ed270b;

/** Types whose equal values are equal bytes. */
const BYTEWISE: ReadonlySet<number> = new Set([OID.text, OID.varchar, OID.name, OID.uuid, OID.unknown]);

export class KeyHash {
  readonly #types: readonly TypeRef[];
  readonly #keyOf: readonly KeyOf[];
  #words: { readonly of: TextVector; readonly hashes: Int32Array } | null = null;

  constructor(types: readonly TypeRef[]) {
    this.#types = types;
    this.#keyOf = types.map(keyOfType);
  }

  /** @param columns one a type, of kinds that do not change from call to call. */
  of(columns: readonly Vector[], length: number): Int32Array {
    const hashes = new Int32Array(length);
    for (const [i, column] of columns.entries()) {
      this.#add(hashes, column, i);
      if (column.nulls !== null) addNulls(hashes, column.nulls);
    }
    for (let row = 0; row < length; row++) hashes[row] = spread(hashes[row] as number);
    return hashes;
  }

  #add(hashes: Int32Array, column: Vector, i: number): void {
    if (column.kind === 'bool' || column.kind === 'int32') addIntegers(hashes, column);
    else if (column.kind === 'int64') {
      const { buffer, byteOffset, length } = column.values;
      addWords(hashes, new Int32Array(buffer, byteOffset, 2 * length), column.nulls);
    } else if (column.kind === 'float64') {
      // Of zeros one is taken, and of NaNs.
      const plain = column.values.map((value) =>
        value === 0 ? 0 : Number.isNaN(value) ? Number.NaN : value,
      );
      addWords(hashes, new Int32Array(plain.buffer), column.nulls);
    } else if (column.kind === 'text' && BYTEWISE.has((this.#types[i] as TypeRef).oid)) {
      this.#addTexts(hashes, column);
    } else this.#addKeys(hashes, column, this.#keyOf[i] as KeyOf);
  }

  #addTexts(hashes: Int32Array, column: TextVector): void {
    const { dictionary, nulls } = column;
    const words = dictionary === null ? textHashes(column) : this.#wordHashes(dictionary.words);
    for (let row = 0; row < hashes.length; row++) {
      if (nulls !== null && nulls[row] === 1) continue;
      const at = dictionary === null ? row : (dictionary.codes[row] as number);
      hashes[row] = mix(hashes[row] as number, words[at] as number);
    }
  }

  #wordHashes(words: TextVector): Int32Array {
    if (this.#words?.of !== words) this.#words = { of: words, hashes: textHashes(words) };
    return this.#words.hashes;
  }

  #addKeys(hashes: Int32Array, column: Vector, keyOf: KeyOf): void {
    for (let row = 0; row < hashes.length; row++) {
      const datum: Datum = column.get(row);
      if (datum !== null) hashes[row] = mix(hashes[row] as number, stringHash(String(keyOf(datum))));
    }
  }
}

function addNulls(hashes: Int32Array, nulls: Uint8Array): void {
  for (let row = 0; row < hashes.length; row++) {
    if (nulls[row] === 1) hashes[row] = mix(hashes[row] as number, NULL_HASH);
  }
}

function addIntegers(hashes: Int32Array, { values, nulls }: BoolVector | Int32Vector): void {
  for (let row = 0; row < hashes.length; row++) {
    if (nulls !== null && nulls[row] === 1) continue;
    hashes[row] = mix(hashes[row] as number, values[row] as number);
  }
}

function addWords(hashes: Int32Array, words: Int32Array, nulls: Uint8Array | null): void {
  for (let row = 0; row < hashes.length; row++) {
    if (nulls !== null && nulls[row] === 1) continue;
    const low = mix(hashes[row] as number, words[2 * row] as number);
    hashes[row] = mix(low, words[2 * row + 1] as number);
  }
}

function textHashes(texts: TextVector): Int32Array {
  const hashes = new Int32Array(texts.length);
  const { bytes, offsets } = texts.utf8();
  for (let row = 0; row < texts.length; row++) {
    let hash = 0;
    for (let at = offsets[row] as number; at < (offsets[row + 1] as number); at++) {
      hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
    }
    hashes[row] = hash;
  }
  return hashes;
}

function stringHash(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}

function mix(hash: number, value: number): number {
  const turned = Math.imul(value, 0xcc9e2d51);
  const mixed = hash ^ Math.imul((turned << 15) | (turned >>> 17), 0x1b873593);
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) | 0;
}

function spread(hash: number): number {
  let bits = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}
