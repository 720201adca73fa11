/** Errors of a foreign key that does not hold, in PostgreSQL's words. */
import { present } from '../../assert.ts';
import { settingsWithEnums } from '../../catalog/enums.ts';
import {
  type Catalog,
  type Column,
  columnByAttribute,
  type ForeignKey,
  type ReferentialAction,
  type Relation,
} from '../../catalog/model.ts';
import { SqlError } from '../../errors.ts';
import type { Datum } from '../../types/datum.ts';
import { typeByOid } from '../../types/registry.ts';
import { DEFAULT_SETTINGS } from '../../types/settings.ts';

/** Values of a foreign key's columns, in its order. */
export type Key = readonly Datum[];

export const columnOf = (relation: Relation, attribute: number | undefined): Column =>
  present(columnByAttribute(relation, attribute ?? 0), `attribute ${attribute}`);

const MIXED = 'MATCH FULL does not allow mixing of null and nonnull key values.';

/** @param key with a NULL in it where MATCH FULL is at odds with it. */
export function notPresent(catalog: Catalog, foreignKey: ForeignKey, key: Key): SqlError {
  const { child, constraint, parent } = foreignKey;
  if (key.includes(null)) return mixed(foreignKey);
  const text = keyText(catalog, child, constraint.columns, key);
  return notInserted(foreignKey, `Key ${text} is not present in table "${parent.name}".`);
}

/** Some of the key's values are NULL, and MATCH FULL forbids it. */
export const mixed = (foreignKey: ForeignKey): SqlError => notInserted(foreignKey, MIXED);

function notInserted({ child, constraint }: ForeignKey, detail: string): SqlError {
  return new SqlError(
    'foreign_key_violation',
    `insert or update on table "${child.name}" violates foreign key constraint "${constraint.name}"`,
    { detail, table: child.name, constraint: constraint.name },
  );
}

export function stillReferenced(
  catalog: Catalog,
  foreignKey: ForeignKey,
  action: ReferentialAction,
  key: Key,
): SqlError {
  const { child, constraint, parent, reference } = foreignKey;
  const restrict = action === 'restrict';
  const violates = restrict ? 'violates RESTRICT setting of' : 'violates';
  const text = keyText(catalog, parent, reference.columns, key);
  return new SqlError(
    restrict ? 'restrict_violation' : 'foreign_key_violation',
    `update or delete on table "${parent.name}" ${violates} foreign key constraint "${constraint.name}" on table "${child.name}"`,
    {
      detail: `Key ${text} is ${restrict ? '' : 'still '}referenced from table "${child.name}".`,
      table: child.name,
      constraint: constraint.name,
    },
  );
}

/** `(a, b)=(1, x)`. @param catalog has the labels of enums. */
function keyText(catalog: Catalog, relation: Relation, attributes: readonly number[], key: Key): string {
  const settings = settingsWithEnums(DEFAULT_SETTINGS, catalog);
  const columns = attributes.map((attribute) => columnOf(relation, attribute));
  const values = columns.map(({ type }, i) => {
    const value = key[i] as Datum;
    return value === null ? 'null' : typeByOid(type.oid).format(value, settings);
  });
  return `(${columns.map((column) => column.name).join(', ')})=(${values.join(', ')})`;
}
