/** What a foreign key that does not hold is told as, in PostgreSQL's words. */
import { present } from '../../assert.ts';
import {
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

/** @param key with a NULL in it where MATCH FULL is at odds with it. */
export function notPresent({ child, constraint, parent }: ForeignKey, key: Key): SqlError {
  const isMixed = key.includes(null);
  return new SqlError(
    'foreign_key_violation',
    `insert or update on table "${child.name}" violates foreign key constraint "${constraint.name}"`,
    {
      detail: isMixed
        ? 'MATCH FULL does not allow mixing of null and nonnull key values.'
        : `Key ${keyText(child, constraint.columns, key)} is not present in table "${parent.name}".`,
      table: child.name,
      constraint: constraint.name,
    },
  );
}

export function stillReferenced(foreignKey: ForeignKey, action: ReferentialAction, key: Key): SqlError {
  const { child, constraint, parent, reference } = foreignKey;
  const restrict = action === 'restrict';
  const violates = restrict ? 'violates RESTRICT setting of' : 'violates';
  const text = keyText(parent, reference.columns, key);
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

/** `(a, b)=(1, x)`. */
function keyText(relation: Relation, attributes: readonly number[], key: Key): string {
  const columns = attributes.map((attribute) => columnOf(relation, attribute));
  const values = columns.map((column, i) => formatted(column, key[i] as Datum));
  return `(${columns.map((column) => column.name).join(', ')})=(${values.join(', ')})`;
}

const formatted = (column: Column, value: Datum): string =>
  value === null ? 'null' : typeByOid(column.type.oid).format(value, DEFAULT_SETTINGS);
