/**
 * Values of documents as columns want them: JSON, or a value that has a type already, read as the type of a declared
 * column, or as what it is. What does not fit is a `Misfit`, for the list of faults.
 */
import { SqlError } from '../../errors.ts';
import { arrayDatum } from '../../types/composite/array.ts';
import type { ArrayDatum, Datum, MatrixDatum, SparseDatum } from '../../types/datum.ts';
import {
  checkTagged,
  isStruct,
  readMoment,
  taggedText,
  taggedValue,
  tagWord,
  type TypedValue,
} from '../../types/json/tagged.ts';
import type { StructField } from '../../catalog/model.ts';
import { canonicalJsonb } from '../../types/json/canonical.ts';
import { parseJson } from '../../types/json/json.ts';
import { jsonItems, jsonKind, jsonMembers, unquoted } from '../../types/json/text.ts';
import { OID } from '../../types/oids.ts';
import { arrayOf, typeByOid } from '../../types/registry.ts';
import type { FormatSettings, TypeRef } from '../../types/type.ts';

type ValueFault =
  | { readonly kind: 'wrong_type'; readonly expected: string; readonly got: string }
  | { readonly kind: 'wrong_dimension'; readonly expected: number; readonly got: number }
  | { readonly kind: 'invalid_value'; readonly expected: string; readonly message: string }
  | { readonly kind: 'missing_field' };

/** Fault of a value, or of what stands within a struct: at a path of names. */
export type PlacedFault = ValueFault & { readonly path: string };

/** Why a value cannot be stored. */
export class Misfit {
  readonly faults: readonly PlacedFault[];
  /** Value that may be said to stand in its place, so that nothing is missing besides. */
  readonly kept: Datum;

  constructor(fault: ValueFault | readonly PlacedFault[], kept: Datum = null) {
    this.faults = 'kind' in fault ? [{ ...fault, path: '' }] : fault;
    this.kept = kept;
  }

  get isOfType(): boolean {
    return this.faults[0]?.kind === 'wrong_type';
  }
}

/** An empty list says nothing of its type. */
export const EMPTY_LIST = 0;

const WORDS: ReadonlyMap<number, string> = new Map([
  [OID.text, 'text'],
  [OID.varchar, 'text'],
  [OID.bpchar, 'text'],
  [OID.bool, 'bool'],
  [OID.int2, 'int'],
  [OID.int4, 'int'],
  [OID.float4, 'float'],
  [OID.jsonb, 'struct'],
  [OID.json, 'struct'],
  [EMPTY_LIST, 'list'],
]);

/** A type as clients name it. */
export function wordOf(oid: number): string {
  const word = WORDS.get(oid) ?? tagWord(oid);
  if (word !== undefined) return word;
  const element = typeByOid(oid).elementOid;
  return element ? `${wordOf(element)}_list` : typeByOid(oid).displayName;
}

const NUMBER_SHOWN_CHARACTERS_MAX = 64;
const INTEGER = /^-?\d+$/;
const INT8_MAX = 2n ** 63n - 1n;
const INTEGERS: ReadonlySet<number> = new Set([OID.int2, OID.int4, OID.int8]);
const FLOATS: ReadonlySet<number> = new Set([OID.float4, OID.float8, OID.numeric]);
const TEXTS: ReadonlySet<number> = new Set([OID.text, OID.varchar, OID.bpchar, OID.name]);
const TIMES: ReadonlySet<number> = new Set([OID.timestamp, OID.timestamptz]);
const STRUCTS: ReadonlySet<number> = new Set([OID.jsonb, OID.json]);
const MATRICES: ReadonlySet<number> = new Set([
  OID.f32_matrix,
  OID.f16_matrix,
  OID.f8_matrix,
  OID.u8_matrix,
  OID.i8_matrix,
]);
const DENSE: ReadonlySet<number> = new Set([
  OID.vector,
  OID.halfvec,
  OID.f8_vector,
  OID.u8_vector,
  OID.i8_vector,
  OID.binary_vector,
]);
const SPARSE: ReadonlySet<number> = new Set([OID.sparsevec, OID.f32_sparse_vector, OID.u8_sparse_vector]);
/** Types that a vector of bits may be given as: a byte has eight. */
const BYTES: ReadonlySet<number> = new Set([OID.u8_vector, OID.bytea]);
/** `2024-01-02`, with a time or not. */
const ISO_TIME = /^[+-]?\d{4,6}-\d\d-\d\d(?:[T ]\d\d:\d\d.*)?$/;

/** Reads values of one request. */
export class ValueReader {
  readonly #settings: FormatSettings;

  constructor(settings: FormatSettings) {
    this.#settings = settings;
  }

  /** A value for an undeclared column. @param text JSON. */
  seen(text: string): TypedValue | Misfit {
    switch (jsonKind(text)) {
      case 'null':
        return { oid: OID.unknown, value: null };
      case 'string':
        return this.#guarded('text', () => ({ oid: OID.text, value: textOf(text) }));
      case 'boolean':
        return { oid: OID.bool, value: text === 'true' };
      case 'number':
        return numberSeen(text);
      case 'array':
        return this.#listSeen(text);
      case 'object':
        return this.#guarded('struct', () => this.#objectSeen(text));
    }
  }

  /** A value for a declared column. */
  fitted(text: string, type: TypeRef): Datum | Misfit {
    const kind = jsonKind(text);
    if (kind === 'null') return null;
    if (kind === 'object') return this.#object(text, type);
    if (kind === 'array') return this.#list(text, type);
    return this.#scalar(text, kind, type);
  }

  /** A value that has a type, for a declared column. */
  typed({ oid, value }: TypedValue, type: TypeRef): Datum | Misfit {
    if (value === null) return null;
    const { oid: to, modifier } = type;
    const isAlike = oid === to || (SPARSE.has(to) && oid === OID.f32_sparse_vector && to === OID.sparsevec);
    if (isAlike) return this.#measured(value, type);
    if (to === OID.binary_vector && BYTES.has(oid)) {
      return this.#measured(Uint8Array.from(value as Uint8Array | Float32Array), type);
    }
    const element = typeByOid(to).elementOid;
    if (element && typeByOid(oid).elementOid) {
      return this.#elements(value as ArrayDatum, { oid: element, modifier }, wordOf(to), wordOf(oid));
    }
    if (TIMES.has(oid) && TIMES.has(to)) return this.#measured(value, type);
    const isNumber = INTEGERS.has(oid)
      ? INTEGERS.has(to) || FLOATS.has(to)
      : FLOATS.has(oid) && FLOATS.has(to);
    if (isNumber || (TEXTS.has(oid) && TEXTS.has(to))) {
      return this.#parsed(typeByOid(oid).format(value, this.#settings), type);
    }
    return misfit(to, wordOf(oid));
  }

  #scalar(text: string, kind: 'string' | 'number' | 'boolean', type: TypeRef): Datum | Misfit {
    const { oid } = type;
    if (kind === 'string') {
      const plain = this.#guarded('text', () => textOf(text));
      if (oid === OID.text || plain instanceof Misfit) return plain;
      if (TIMES.has(oid)) return ISO_TIME.test(plain) ? this.#moment(text, type) : misfit(oid, 'text');
      const reads = TEXTS.has(oid) || (wordOf(oid) === typeByOid(oid).displayName && !SPARSE.has(oid));
      return reads ? this.#parsed(plain, type) : misfit(oid, 'text');
    }
    if (kind === 'boolean') return oid === OID.bool ? text === 'true' : misfit(oid, 'bool');
    const isWhole = INTEGER.test(text);
    if (TIMES.has(oid) && isWhole) return this.#moment(text, type);
    if (oid === OID.float8 && Number.isFinite(Number(text))) return Number(text);
    const fits = FLOATS.has(oid) || (INTEGERS.has(oid) && isWhole);
    return fits ? this.#parsed(text, type) : misfit(oid, isWhole ? 'int' : 'float');
  }

  #moment(text: string, type: TypeRef): Datum | Misfit {
    return this.#guarded(wordOf(type.oid), () => this.#measured(readMoment(text, this.#settings), type));
  }

  #object(text: string, type: TypeRef): Datum | Misfit {
    return this.#guarded(wordOf(type.oid), () => {
      const tagged = taggedValue(text, this.#settings);
      if (tagged !== null) return this.typed(tagged, type);
      return STRUCTS.has(type.oid) ? this.#struct(text) : misfit(type.oid, 'struct');
    });
  }

  #list(text: string, type: TypeRef): Datum | Misfit {
    const { oid, modifier } = type;
    if (STRUCTS.has(oid)) return this.#guarded('struct', () => this.#struct(text));
    const got = (): string => {
      const seen = this.#listSeen(text);
      return seen instanceof Misfit ? 'list' : wordOfSeen(seen);
    };
    if (DENSE.has(oid) || MATRICES.has(oid)) {
      if (modifier >= 0 && DENSE.has(oid) && /^\[\s*\]$/.test(text)) return wrongDimension(modifier, 0);
      const read = this.#parsed(text, { oid, modifier: -1 });
      if (!(read instanceof Misfit)) return this.#measured(read, type);
      return holdsNumbers(text) ? read : misfit(oid, got());
    }
    const element = typeByOid(oid).elementOid;
    if (!element) return misfit(oid, got());
    const elements: Datum[] = [];
    for (const item of jsonItems(text)) {
      const value = this.fitted(item, { oid: element, modifier });
      if (value instanceof Misfit) {
        return value.isOfType ? misfit(oid, got()) : value;
      }
      elements.push(value);
    }
    return arrayDatum(element, elements);
  }

  #elements(array: ArrayDatum, type: TypeRef, expected: string, got: string): Datum | Misfit {
    const elements: Datum[] = [];
    for (const element of array.elements) {
      const value = this.typed({ oid: array.elementType, value: element }, type);
      if (value instanceof Misfit) {
        return value.isOfType ? new Misfit({ kind: 'wrong_type', expected, got }) : value;
      }
      elements.push(value);
    }
    return arrayDatum(type.oid, elements);
  }

  /** By the column's modifier. */
  #measured(value: Datum, type: TypeRef): Datum | Misfit {
    const { oid, modifier } = type;
    if (modifier < 0) return value;
    if (oid === OID.sparsevec) return { ...(value as SparseDatum), dimension: modifier };
    const dimension = dimensionOf(value, oid);
    if (dimension !== null) return dimension === modifier ? value : wrongDimension(modifier, dimension);
    const { coerce } = typeByOid(oid);
    if (coerce === undefined) return value;
    return this.#guarded(wordOf(oid), () => coerce(value, modifier, false));
  }

  #parsed(text: string, { oid, modifier }: TypeRef): Datum | Misfit {
    return this.#guarded(wordOf(oid), () => typeByOid(oid).parse(text, modifier, this.#settings));
  }

  #guarded<T>(expected: string, read: () => T): T | Misfit {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof SqlError)) throw error;
      return new Misfit({ kind: 'invalid_value', expected, message: error.message });
    }
  }

  #objectSeen(text: string): TypedValue {
    const tagged = taggedValue(text, this.#settings);
    return tagged ?? { oid: OID.jsonb, value: this.#struct(text) };
  }

  /**
   * A struct whose fields are declared: these become what their types hold, others stay as they are.
   * @param text an object. @param isWhole whether what is required has to be there.
   */
  struct(text: string, fields: readonly StructField[], isWhole: boolean): string | Misfit {
    const faults: PlacedFault[] = [];
    const made = this.#guarded('struct', () => {
      checkTagged(text, this.#settings);
      return canonicalJsonb(this.#members(text, fields, { path: '', isWhole, faults }));
    });
    return made instanceof Misfit || faults.length === 0 ? made : new Misfit(faults, made);
  }

  #members(
    text: string,
    fields: readonly StructField[],
    { path, isWhole, faults }: { path: string; isWhole: boolean; faults: PlacedFault[] },
  ): string {
    const members = new Map(Array.from(jsonMembers(text), (member) => [member.key, member.text]));
    for (const field of fields) {
      const given = members.get(field.name);
      const at = path === '' ? field.name : `${path}.${field.name}`;
      if (given === undefined || jsonKind(given) === 'null') {
        const isMissing = field.notNull && (isWhole || given !== undefined);
        if (isMissing) faults.push({ kind: 'missing_field', path: at });
      } else if (field.struct !== undefined && isStruct(given)) {
        members.set(field.name, this.#members(given, field.struct, { path: at, isWhole, faults }));
      } else {
        const value = this.fitted(given, field.type);
        if (!(value instanceof Misfit)) {
          members.set(field.name, taggedText(value, field.type.oid, this.#settings));
        } else faults.push(...value.faults.map((fault) => ({ ...fault, path: at })));
      }
    }
    return `{${[...members].map(([key, value]) => `${JSON.stringify(key)}: ${value}`).join(', ')}}`;
  }

  /** As jsonb. @throws SqlError 22P05, 54001, and of a tagged value within. */
  #struct(text: string): string {
    checkTagged(text, this.#settings);
    return canonicalJsonb(text);
  }

  /** A list of one kind, NULL among them or not; any other as jsonb. */
  #listSeen(text: string): TypedValue | Misfit {
    let common = EMPTY_LIST;
    const values: Datum[] = [];
    for (const item of jsonItems(text)) {
      const kind = jsonKind(item);
      const seen = kind === 'string' || kind === 'number' || kind === 'null' ? this.seen(item) : null;
      if (seen === null || seen instanceof Misfit) {
        common = OID.jsonb;
        break;
      }
      values.push(seen.value);
      common = commonElement(common, seen.oid);
      if (common === OID.jsonb) break;
    }
    if (common === OID.unknown) common = OID.jsonb;
    if (common !== OID.jsonb) return listOf(common, values);
    return this.#guarded('list', () => ({ oid: OID.jsonb, value: this.#struct(text) }));
  }
}

function listOf(element: number, values: readonly Datum[]): TypedValue {
  if (element === EMPTY_LIST) return { oid: EMPTY_LIST, value: null };
  const list =
    element === OID.float8 ? values.map((value) => (value === null ? null : Number(value))) : values;
  return { oid: arrayOf(element)?.oid ?? OID.jsonb, value: arrayDatum(element, list) };
}

function commonElement(known: number, seen: number): number {
  if (known === seen || seen === OID.unknown) return known === EMPTY_LIST ? seen : known;
  if (known === EMPTY_LIST || known === OID.unknown) return seen;
  const areNumbers = known !== OID.text && seen !== OID.text;
  return areNumbers ? OID.float8 : OID.jsonb;
}

/** Only what is escaped can be no text. @throws SqlError 22P05. */
const textOf = (text: string): string =>
  text.includes('\\u') ? (parseJson(text) as string) : unquoted(text);

/** Whole numbers that no bigint holds are floats. */
function numberSeen(text: string): TypedValue | Misfit {
  if (INTEGER.test(text)) {
    const value = BigInt(text);
    if (value <= INT8_MAX && value >= -INT8_MAX - 1n) return { oid: OID.int8, value };
  }
  const value = Number(text);
  if (Number.isFinite(value)) return { oid: OID.float8, value };
  const message = `"${text.slice(0, NUMBER_SHOWN_CHARACTERS_MAX)}" is out of range for type double precision`;
  return new Misfit({ kind: 'invalid_value', expected: 'float', message });
}

const misfit = (expected: number, got: string): Misfit =>
  new Misfit({ kind: 'wrong_type', expected: wordOf(expected), got });

const wrongDimension = (expected: number, got: number): Misfit =>
  new Misfit({ kind: 'wrong_dimension', expected, got });

/** Lists of several kinds are jsonb, as structs are. */
export function wordOfSeen({ oid, value }: TypedValue): string {
  return oid === OID.jsonb && jsonKind(value as string) === 'array' ? 'list' : wordOf(oid);
}

/** Numbers, or lists of numbers. */
const holdsNumbers = (text: string): boolean => /\d/.test(text) && !/["{a-df-z]/.test(text);

function dimensionOf(value: Datum, oid: number): number | null {
  if (DENSE.has(oid)) return (value as Float32Array).length;
  return MATRICES.has(oid) ? (value as MatrixDatum).dimension : null;
}

/** The type in which an undeclared column keeps values of a type. */
export function keptOid(oid: number): number {
  if (INTEGERS.has(oid)) return OID.int8;
  if (FLOATS.has(oid)) return OID.float8;
  if (TEXTS.has(oid)) return OID.text;
  if (TIMES.has(oid)) return OID.timestamptz;
  return oid === OID.json ? OID.jsonb : oid;
}
