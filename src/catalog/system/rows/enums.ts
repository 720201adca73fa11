/** Users' enum types as pg_type and pg_enum show them. */
import { arrayOf } from '../../../types/registry.ts';
import type { TypeRef } from '../../../types/type.ts';
import { enumByOid } from '../../enums.ts';
import type { Catalog, EnumType } from '../../model.ts';
import { namespaceName } from '../../lookup.ts';
import { ownerOf } from '../../access/checks.ts';
import { shownAcl } from './access.ts';
import type { NamedRow, SystemContext } from '../context.ts';
import {
  ARRAY_FUNCTIONS,
  ARRAY_SUBSCRIPT_OID,
  ENUM_FUNCTIONS,
  typeFunctionColumns,
} from '../internal-functions.ts';

/** Columns that an enum and its arrays have in common. */
const TYPE_ROW = {
  typisdefined: true,
  typdelim: ',',
  typalign: 'i',
  typtypmod: -1,
} as const;

/** Rows of pg_type: each enum, then its array type. */
export function* enumTypeRows({ catalog }: SystemContext): Generator<NamedRow> {
  for (const { oid, namespace, name } of catalog.enums.values()) {
    const typarray = arrayOf(oid)?.oid ?? 0;
    const object = { kind: 'type', oid } as const;
    const typowner = ownerOf(catalog, object);
    yield {
      ...TYPE_ROW,
      ...typeFunctionColumns(ENUM_FUNCTIONS),
      oid,
      typname: name,
      typowner,
      typacl: shownAcl(catalog, object),
      typnamespace: namespace,
      typlen: 4,
      typbyval: true,
      typtype: 'e',
      typcategory: 'E',
      typarray,
      typstorage: 'p',
    };
    yield {
      ...TYPE_ROW,
      oid: typarray,
      typname: `_${name}`,
      typowner,
      typnamespace: namespace,
      typlen: -1,
      typtype: 'b',
      typcategory: 'A',
      typsubscript: ARRAY_SUBSCRIPT_OID,
      typelem: oid,
      ...typeFunctionColumns(ARRAY_FUNCTIONS),
      typstorage: 'x',
    };
  }
}

export function* enumLabelRows({ catalog }: SystemContext): Generator<NamedRow> {
  for (const { oid: enumtypid, labels } of catalog.enums.values()) {
    for (const { oid, order, label } of labels) {
      yield { oid, enumtypid, enumsortorder: order, enumlabel: label };
    }
  }
}

/** Where information_schema says an enum, or an array of one, comes from; null for other types. */
export function enumUdt(
  catalog: Catalog,
  { oid }: TypeRef,
): { readonly schema: string; readonly name: string } | null {
  const type: EnumType | undefined = enumByOid(catalog, oid);
  if (type === undefined) return null;
  const schema = namespaceName(catalog, type.namespace) ?? '';
  return { schema, name: oid === type.oid ? type.name : `_${type.name}` };
}
