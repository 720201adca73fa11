/**
 * The catalog as JSON text, as it is stored. How each field is stored stands in one table, so that a field
 * that is forgotten there, or that JSON would not give back, is an error of types.
 */
import { accessKey } from '../../../catalog/access/acl.ts';
import type { ObjectAccess } from '../../../catalog/access/model.ts';
import type { Catalog } from '../../../catalog/model.ts';

interface Codec<Value> {
  encode(value: Value): unknown;
  /** @param stored undefined in a catalog that was stored before there was the field. */
  decode(stored: unknown): Value;
}

/** `Value` where JSON gives it back as it was; elsewhere `never` stands in the place of what it would not. */
type Json<Value> = Value extends string | number | boolean | null | undefined
  ? Value
  : Value extends bigint | symbol | ReadonlyMap<unknown, unknown> | ReadonlySet<unknown> | ArrayBufferView
    ? never
    : { readonly [Field in keyof Value]: Json<Value[Field]> };

type JsonCodec<Value, Stored> = Value extends Json<Value> ? Codec<Stored> : 'JSON would not give it back';

const plain = <Value>() => {
  const codec: Codec<Value> = { encode: (value) => value, decode: (stored) => stored as Value };
  return codec as unknown as JsonCodec<Value, Value>;
};

const byOid = <Row extends { readonly oid: number }>() => {
  const codec: Codec<ReadonlyMap<number, Row>> = {
    encode: (rows) => [...rows.values()],
    decode: (stored = []) => new Map((stored as readonly Row[]).map((row) => [row.oid, row])),
  };
  return codec as unknown as JsonCodec<Row, ReadonlyMap<number, Row>>;
};

/** None in a catalog that was stored before there was the field. */
const rows = <Row>() => {
  const codec: Codec<readonly Row[]> = {
    encode: (list) => list,
    decode: (stored = []) => stored as readonly Row[],
  };
  return codec as unknown as JsonCodec<Row, readonly Row[]>;
};

const byAccessKey = () => {
  const codec: Codec<Catalog['access']> = {
    encode: (entries) => [...entries.values()],
    decode: (stored = []) =>
      new Map(
        (stored as readonly ObjectAccess[]).map((entry) => [
          accessKey(entry.classOid, entry.oid, entry.column),
          entry,
        ]),
      ),
  };
  return codec as unknown as JsonCodec<ObjectAccess, Catalog['access']>;
};

type RowOf<Rows> = Rows extends ReadonlyMap<number, infer Row> ? Row : never;

const FIELDS: { readonly [Field in keyof Catalog]-?: Codec<Catalog[Field]> } = {
  version: plain<Catalog['version']>(),
  nextOid: plain<Catalog['nextOid']>(),
  namespaces: plain<Catalog['namespaces']>(),
  relations: byOid<RowOf<Catalog['relations']>>(),
  functions: byOid<RowOf<Catalog['functions']>>(),
  enums: byOid<RowOf<Catalog['enums']>>(),
  comments: plain<Catalog['comments']>(),
  roles: byOid<RowOf<Catalog['roles']>>(),
  memberships: rows<Catalog['memberships'][number]>(),
  access: byAccessKey(),
  defaultAccess: rows<Catalog['defaultAccess'][number]>(),
};

const codecs = Object.entries(FIELDS) as readonly (readonly [keyof Catalog, Codec<unknown>])[];

export function encodeCatalog(catalog: Catalog): string {
  return JSON.stringify(
    Object.fromEntries(codecs.map(([field, { encode }]) => [field, encode(catalog[field])])),
  );
}

export function decodeCatalog(text: string): Catalog {
  const stored = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const decoded = codecs.map(([field, { decode }]) => [field, decode(stored[field])]);
  return Object.fromEntries(decoded) as Catalog;
}
