/**
 * Enum types, which users make. A value is its place among the labels: `enumsortorder` of pg_enum, so that
 * numbers compare as the labels do, a label can come between two others, and renaming one changes no row.
 * Which labels there are is asked of the catalog through `settings.objects`, at every read and write of text.
 *
 * OIDs of users' types lie between 2^30 and 2^31 and tell by their last bits what the type is: all that rows,
 * indexes and merges need to know of a type follows from its OID alone, on any thread.
 */
import { SqlError } from '../../errors.ts';
import { arrayTypeOf } from './array.ts';
import { decodeText, encodeText, expectBytes, viewOf } from '../column/bytes.ts';
import type { Datum } from '../datum.ts';
import type { FormatSettings, SqlType } from '../type.ts';

const USER_TYPES_FROM = 0x4000_0000;
const USER_TYPES_TO = 0x8000_0000;
/** Numbers that one type takes: its own OID, its array's, and room for what enums are not. */
const OIDS_PER_TYPE = 8;
const ENUM = 0;
const ENUM_ARRAY = 1;

/** Names of a type and its values in the binder's messages and EXPLAIN. */
export interface EnumNames {
  readonly name: string;
  /** As SQL writes it, quoted where needed. */
  readonly displayName: string;
  readonly labels: readonly { readonly order: number; readonly label: string }[];
}

const UNNAMED: EnumNames = { name: '???', displayName: '???', labels: [] };

/** Enum types with the names that one version of a catalog gives them along one search path. */
export class NamedEnums {
  readonly #types = new Map<number, SqlType>();

  /** @param named names by OID. */
  constructor(named: Iterable<readonly [oid: number, names: EnumNames]>) {
    for (const [oid, names] of named) {
      const type = enumType(oid, names);
      this.#types.set(oid, type);
      this.#types.set(type.arrayOid, arrayTypeOf(type));
    }
  }

  find(oid: number): SqlType | undefined {
    return this.#types.get(oid);
  }
}

/** The names that hold in the call of `withNamedEnums` under way; null outside of any. */
let inCall: NamedEnums | null = null;

/** Types have these names while `run` goes on, which waits for nothing: no other session's turn sees them. */
export function withNamedEnums<T>(named: NamedEnums, run: () => T): T {
  const before = inCall;
  inCall = named;
  try {
    return run();
  } finally {
    inCall = before;
  }
}

/** Types without names, by OID: clients may ask for any, so that all are forgotten when they are many. */
const PLAIN = new Map<number, SqlType | undefined>();
const PLAIN_MAX = 10_000;

/** @returns undefined when no type of users can have this OID. */
export function userTypeByOid(oid: number): SqlType | undefined {
  if (oid < USER_TYPES_FROM || oid >= USER_TYPES_TO) return undefined;
  const known = inCall?.find(oid) ?? PLAIN.get(oid);
  if (known !== undefined) return known;
  if (PLAIN.size >= PLAIN_MAX) PLAIN.clear();
  const type = plainType(oid);
  PLAIN.set(oid, type);
  return type;
}

function plainType(oid: number): SqlType | undefined {
  const kind = oid % OIDS_PER_TYPE;
  if (kind === ENUM) return enumType(oid, UNNAMED);
  return kind === ENUM_ARRAY ? arrayTypeOf(enumType(oid - ENUM_ARRAY, UNNAMED)) : undefined;
}

/** The first OID of a type's own at or below `oid`, which must be from 2^30 on. */
export function enumOidBelow(oid: number): number {
  return oid - (oid % OIDS_PER_TYPE);
}

function enumType(oid: number, { name, displayName, labels }: EnumNames): SqlType {
  const parse = (text: string, settings: FormatSettings): number => {
    const order = settings.objects.enumValues(oid).orders.get(text);
    if (order !== undefined) return order;
    const shown = settings.objects.name('regtype', oid) ?? displayName;
    throw new SqlError('invalid_text_representation', `invalid input value for enum ${shown}: "${text}"`);
  };
  const format = (datum: Datum, settings: FormatSettings): string =>
    settings.objects.enumValues(oid).labels.get(datum as number) ??
    labels.find(({ order }) => order === datum)?.label ??
    '???';
  return {
    oid,
    name,
    displayName,
    arrayOid: oid + ENUM_ARRAY,
    category: 'E',
    typlen: 4,
    vector: 'float64',
    parse: (text, _modifier, settings) => parse(text, settings),
    format,
    receive: (bytes, _modifier, settings) =>
      settings === undefined ? receiveOrder(bytes) : parse(decodeText(bytes), settings),
    send: (datum, settings) =>
      settings === undefined ? orderBytes(datum as number) : encodeText(format(datum, settings)),
    ...ENUM_ORDER,
  };
}

/** How values of all enums compare. */
export const ENUM_ORDER = {
  compare: (a: Datum, b: Datum): number => (a as number) - (b as number),
  hashKey: (datum: Datum): number => datum as number,
} as const;

function receiveOrder(bytes: Uint8Array): number {
  expectBytes(bytes, 8);
  return viewOf(bytes).getFloat64(0);
}

function orderBytes(order: number): Uint8Array {
  const bytes = new Uint8Array(8);
  viewOf(bytes).setFloat64(0, order);
  return bytes;
}
