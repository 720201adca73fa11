/**
 * Numbers for distinct keys: the hash table of joins, grouping, DISTINCT and set operations. (Of keys
 * that are stored with their rows, and of no values, is `engine/embedded/keys/key-table.ts`.) A key of one
 * number, bigint or plain text is used as it is; any other becomes a string that is equal exactly when the
 * types' `hashKey`s are.
 */
import { KEYS_COUNT_MAX } from '../../limits.ts';
import type { Datum } from '../../types/datum.ts';
import { OID } from '../../types/oids.ts';
import { typeByOid } from '../../types/registry.ts';
import type { TypeRef } from '../../types/type.ts';
import type { Int32Vector, TextDictionary, TextVector, Vector } from '../../types/column/vector.ts';
import { outOfMemory } from '../account.ts';
import type { HeldRows } from '../held-rows.ts';
import { IntegerTable } from './integer-table.ts';

/** About what a key takes, with its number and where it is looked up. */
const KEY_BYTES = 96;
const INTEGER_BYTES = 24;

/** Types whose values are their own hash keys. */
const PLAIN_TEXT: ReadonlySet<number> = new Set([OID.text, OID.varchar, OID.name, OID.uuid, OID.unknown]);

const NULL_KEY = Symbol('null');

type Key = string | number | bigint | boolean | typeof NULL_KEY;
export type KeyOf = (datum: Datum) => Key;

export class KeyNumbers {
  readonly #ids = new Map<Key, number>();
  readonly #keyOf: readonly KeyOf[];
  readonly #nullsMatch: boolean;
  readonly #held: HeldRows;
  /** The size of new keys that are not yet counted. */
  #bytes = 0;
  /** Keys of one 32-bit integer. */
  readonly #integers = new IntegerTable();
  /** Numbers of the words of the dictionary that came last; -1: not looked up. */
  #known: { readonly words: TextVector; readonly numbers: Int32Array } | null = null;

  /**
   * @param nullsMatch GROUP BY and DISTINCT hold NULLs equal; joins never match them.
   * @param held what the keys are counted to.
   */
  constructor(types: readonly TypeRef[], nullsMatch: boolean, held: HeldRows) {
    this.#keyOf = types.map(keyOfType);
    this.#nullsMatch = nullsMatch;
    this.#held = held;
  }

  /** Distinct keys seen. */
  get size(): number {
    return this.#ids.size + this.#integers.size;
  }

  /** Number of each row's key, new ones counted on from `size`; -1 for a key with an unmatched NULL. */
  insert(columns: readonly Vector[], length: number): Int32Array {
    const numbers = this.#number(columns, length, true);
    if (this.#bytes > 0) this.#held.addBytes(this.#bytes);
    this.#bytes = 0;
    return numbers;
  }

  /** Number of each row's key; -1 when it was never inserted. */
  find(columns: readonly Vector[], length: number): Int32Array {
    return this.#number(columns, length, false);
  }

  #number(columns: readonly Vector[], length: number, insert: boolean): Int32Array {
    const numbers = new Int32Array(length);
    const [column, second] = columns;
    const single = column !== undefined && second === undefined ? this.#keyOf[0] : undefined;
    if (single !== undefined && column !== undefined && this.#numberTyped(column, numbers, insert))
      return numbers;
    for (let row = 0; row < length; row++) {
      const key =
        single === undefined
          ? this.#compositeKey(columns, row)
          : this.#singleKey(column as Vector, row, single);
      if (key === NULL_KEY && !this.#nullsMatch) {
        numbers[row] = -1;
        continue;
      }
      numbers[row] = this.#numberOf(key, insert);
    }
    return numbers;
  }

  /** False when the column needs the general way. */
  #numberTyped(column: Vector, numbers: Int32Array, insert: boolean): boolean {
    if (this.#keyOf[0] !== identity) return false;
    if (column.kind === 'int32') this.#numberIntegers(column, numbers, insert);
    else if (column.kind === 'text' && column.dictionary !== null) {
      this.#numberCodes(column, column.dictionary, { numbers, insert });
    } else return false;
    return true;
  }

  #numberIntegers({ values, nulls }: Int32Vector, numbers: Int32Array, insert: boolean): void {
    const integers = this.#integers;
    for (let row = 0; row < numbers.length; row++) {
      if (nulls !== null && nulls[row] === 1) {
        numbers[row] = this.#nullsMatch ? this.#numberOf(NULL_KEY, insert) : -1;
        continue;
      }
      const key = values[row] as number;
      let number = integers.find(key);
      if (number < 0 && insert) {
        number = this.size;
        integers.add(key, number);
        this.#bytes += INTEGER_BYTES;
      }
      numbers[row] = number;
    }
  }

  /** Each word is looked up when it first comes. */
  #numberCodes(
    { nulls }: TextVector,
    { codes, words }: TextDictionary,
    { numbers, insert }: { numbers: Int32Array; insert: boolean },
  ): void {
    if (this.#known?.words !== words) {
      this.#known = { words, numbers: new Int32Array(words.length).fill(-1) };
    }
    const known = this.#known.numbers;
    for (let row = 0; row < numbers.length; row++) {
      if (nulls !== null && nulls[row] === 1) {
        numbers[row] = this.#nullsMatch ? this.#numberOf(NULL_KEY, insert) : -1;
        continue;
      }
      const code = codes[row] as number;
      let number = known[code] as number;
      if (number < 0) {
        number = this.#numberOf(words.get(code) as string, insert);
        known[code] = number;
      }
      numbers[row] = number;
    }
  }

  #numberOf(key: Key, insert: boolean): number {
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    if (!insert) return -1;
    const number = this.size;
    if (number >= KEYS_COUNT_MAX) throw outOfMemory(`more than ${KEYS_COUNT_MAX} distinct keys`);
    this.#ids.set(key, number);
    this.#bytes += KEY_BYTES + (typeof key === 'string' ? key.length : 0);
    return number;
  }

  #singleKey(column: Vector, row: number, keyOf: KeyOf): Key {
    const datum = column.get(row);
    return datum === null ? NULL_KEY : keyOf(datum);
  }

  /** NULL_KEY when a NULL keeps the row from matching at all. */
  #compositeKey(columns: readonly Vector[], row: number): Key {
    let key = '';
    for (let i = 0; i < columns.length; i++) {
      const datum = (columns[i] as Vector).get(row);
      if (datum === null) {
        if (!this.#nullsMatch) return NULL_KEY;
        key += 'n;';
        continue;
      }
      const part = String((this.#keyOf[i] as KeyOf)(datum));
      key += `${part.length}:${part};`;
    }
    return key;
  }
}

const identity = (datum: Datum): Key => datum as Key;

/** The part of a value that tells whether it equals another of its type. */
export function keyOfType(ref: TypeRef): KeyOf {
  const type = typeByOid(ref.oid);
  switch (type.vector) {
    case 'bool':
    case 'int32':
    case 'int64':
      return identity;
    case 'float64':
      return (datum) => ((datum as number) === 0 ? 0 : (datum as number));
    case 'text':
      if (PLAIN_TEXT.has(ref.oid)) return identity;
      return type.hashKey ?? identity;
    case 'object':
      return type.hashKey ?? ((datum) => JSON.stringify(datum, bigintText));
  }
}

const bigintText = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? `${value}n` : value;
