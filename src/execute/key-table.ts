/**
 * Numbers for distinct keys: the hash table of joins, grouping, DISTINCT and set operations. A key of one
 * number, bigint or plain text is used as it is; any other becomes a string that is equal exactly when the
 * types' `hashKey`s are.
 */
import type { Datum } from '../types/datum.ts';
import { OID } from '../types/oids.ts';
import { typeByOid } from '../types/registry.ts';
import type { TypeRef } from '../types/type.ts';
import type { Vector } from '../types/vector.ts';

/** Types whose values are their own hash keys. */
const PLAIN_TEXT: ReadonlySet<number> = new Set([OID.text, OID.varchar, OID.name, OID.uuid, OID.unknown]);

const NULL_KEY = Symbol('null');

type Key = string | number | bigint | boolean | typeof NULL_KEY;
type KeyOf = (datum: Datum) => Key;

export class KeyTable {
  readonly #ids = new Map<Key, number>();
  readonly #keyOf: readonly KeyOf[];
  readonly #nullsMatch: boolean;

  /** @param nullsMatch GROUP BY and DISTINCT hold NULLs equal; joins never match them. */
  constructor(types: readonly TypeRef[], nullsMatch: boolean) {
    this.#keyOf = types.map(keyOfType);
    this.#nullsMatch = nullsMatch;
  }

  /** Distinct keys seen. */
  get size(): number {
    return this.#ids.size;
  }

  /** Number of each row's key, new ones counted on from `size`; -1 for a key with an unmatched NULL. */
  insert(columns: readonly Vector[], length: number): Int32Array {
    return this.#number(columns, length, true);
  }

  /** Number of each row's key; -1 when it was never inserted. */
  find(columns: readonly Vector[], length: number): Int32Array {
    return this.#number(columns, length, false);
  }

  #number(columns: readonly Vector[], length: number, insert: boolean): Int32Array {
    const numbers = new Int32Array(length);
    const [column, second] = columns;
    const single = column !== undefined && second === undefined ? this.#keyOf[0] : undefined;
    for (let row = 0; row < length; row++) {
      const key =
        single === undefined
          ? this.#compositeKey(columns, row)
          : this.#singleKey(column as Vector, row, single);
      if (key === NULL_KEY && !this.#nullsMatch) {
        numbers[row] = -1;
        continue;
      }
      const known = this.#ids.get(key);
      if (known !== undefined) numbers[row] = known;
      else if (!insert) numbers[row] = -1;
      else {
        numbers[row] = this.#ids.size;
        this.#ids.set(key, this.#ids.size);
      }
    }
    return numbers;
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

function keyOfType(ref: TypeRef): KeyOf {
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
