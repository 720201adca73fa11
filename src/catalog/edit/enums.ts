/** Changes of enum types, as pure functions of the catalog. */
import { SqlError } from '../../errors.ts';
import { newEnumOid } from '../enums.ts';
import type { Catalog, EnumType, Relation } from '../model.ts';
import { CLASS_OID } from '../oids.ts';

/** `put enum` creates a type of OID 0 and replaces any other; labels of OID 0 are numbered. */
export type EnumEdit =
  | { readonly edit: 'put enum'; readonly type: EnumType }
  | { readonly edit: 'drop enum'; readonly type: number };

/** @throws SqlError 42710 for a name that is taken. */
export function changeEnum(catalog: Catalog, edit: EnumEdit): Catalog {
  const enums = new Map(catalog.enums);
  if (edit.edit === 'drop enum') {
    enums.delete(edit.type);
    const comments = catalog.comments.filter(
      (comment) => comment.classOid !== CLASS_OID.pg_type || comment.oid !== edit.type,
    );
    return { ...catalog, enums, comments };
  }
  requireFreeTypeName(catalog, edit.type);
  const isNew = edit.type.oid === 0;
  const oid = isNew ? newEnumOid(catalog, edit.type) : edit.type.oid;
  let nextOid = catalog.nextOid + Number(isNew);
  const labels = edit.type.labels.map((label) => (label.oid === 0 ? { ...label, oid: nextOid++ } : label));
  enums.set(oid, { ...edit.type, oid, labels });
  return { ...catalog, nextOid, enums };
}

/** Tables and views have a row type of their name. */
function requireFreeTypeName(catalog: Catalog, type: EnumType): void {
  const taken = (other: { oid: number; namespace: number; name: string }): boolean =>
    other.oid !== type.oid && other.name === type.name && other.namespace === type.namespace;
  const relations = [...catalog.relations.values()].filter(({ kind }) => kind !== 'sequence');
  if ([...catalog.enums.values(), ...relations].some(taken)) {
    throw new SqlError('duplicate_object', `type "${type.name}" already exists`);
  }
}

/** @throws SqlError 42710 where a new relation's row type would have the name of an enum. */
export function requireFreeRowType(catalog: Catalog, { namespace, name, kind }: Relation): void {
  if (kind === 'sequence') return;
  for (const type of catalog.enums.values()) {
    if (type.name !== name || type.namespace !== namespace) continue;
    throw new SqlError('duplicate_object', `type "${name}" already exists`, {
      hint:
        'A relation has an associated type of the same name, ' +
        "so you must use a name that doesn't conflict with any existing type.",
    });
  }
}
