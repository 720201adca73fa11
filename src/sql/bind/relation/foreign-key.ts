/** Foreign keys: what they refer to when they are made, and what refers to something that is to be dropped. */
import type { CatalogEdit } from '../../../catalog/edit/edit.ts';
import {
  type Catalog,
  type Column,
  type Constraint,
  columnByAttribute,
  type ForeignKey,
  type ForeignReference,
  foreignKeys,
  type Index,
  liveColumns,
  type ReferentialAction,
  type Relation,
} from '../../../catalog/model.ts';
import { present } from '../../../assert.ts';
import { SqlError } from '../../../errors.ts';
import { resolveCast } from '../../../functions/resolve.ts';
import { OID } from '../../../types/oids.ts';
import { formatType } from '../../../types/registry.ts';
import type { TableConstraint } from '../../ast.ts';
import type { BindContext } from '../context.ts';
import { findStored, writableRelation } from '../names.ts';

/** They compare with each other in either direction. */
const INTEGERS: ReadonlySet<number> = new Set([OID.int2, OID.int4, OID.int8]);

interface Place {
  readonly table: string;
  readonly columns: readonly Column[];
  readonly own: Column | null;
  readonly taken: Set<string>;
  readonly indexes?: readonly Index[];
}

interface Referenced {
  /** 0 for the relation that is being made. */
  readonly oid: number;
  readonly name: string;
  readonly columns: readonly Column[];
  readonly indexes: readonly Index[];
}

/** @throws SqlError 42703, 42P01, 42830 without a matching unique constraint, 42804. */
export function defineForeignKey(
  context: BindContext,
  constraint: TableConstraint,
  place: Place,
): Constraint {
  const references = present(constraint.references ?? undefined, 'what a foreign key refers to');
  const columns = place.own
    ? [place.own]
    : constraint.columns.map((name) => columnOf(place.columns, name, constraint.at));
  const name =
    constraint.name ??
    freeName(`${place.table}_${columns.map((column) => column.name).join('_')}_fkey`, place);
  place.taken.add(name);
  const target = referenced(context, references.relation, place);
  const keys = referencedColumns(target, references.columns);
  if (keys.length !== columns.length) {
    throw new SqlError(
      'invalid_foreign_key',
      'number of referencing and referenced columns for foreign key disagree',
    );
  }
  requireUnique(target, keys);
  for (const [i, column] of columns.entries()) requireComparable(name, column, present(keys[i], 'key'));
  return {
    oid: 0,
    name,
    kind: 'foreign key',
    columns: columns.map((column) => column.attribute),
    index: 0,
    expression: null,
    references: {
      relation: target.oid,
      columns: keys.map((column) => column.attribute),
      onDelete: references.onDelete as ReferentialAction,
      onUpdate: references.onUpdate as ReferentialAction,
      ...(references.full && { full: true }),
      ...setOnDelete(references.setOnDelete, columns, (column) => columnOf(place.columns, column, 0)),
    },
    ...(constraint.deferrable && { deferrable: constraint.deferrable }),
  };
}

/** @throws SqlError 42703, 42P10 for a column that is not in the key. */
function setOnDelete(
  names: readonly string[],
  columns: readonly Column[],
  named: (name: string) => Column,
): Pick<ForeignReference, 'setOnDelete'> {
  if (names.length === 0) return {};
  return {
    setOnDelete: names.map((name) => {
      const column = named(name);
      if (columns.includes(column)) return column.attribute;
      const message = `column "${name}" referenced in ON DELETE SET action must be part of foreign key`;
      throw new SqlError('invalid_column_reference', message);
    }),
  };
}

function freeName(base: string, { taken }: Place): string {
  for (let number = 0; ; number++) {
    const name = number === 0 ? base : `${base}${number}`;
    if (!taken.has(name)) return name;
  }
}

function columnOf(columns: readonly Column[], name: string, at: number): Column {
  const column = columns.find((candidate) => candidate.name === name && !candidate.dropped);
  if (column) return column;
  const message = `column "${name}" referenced in foreign key constraint does not exist`;
  throw new SqlError('undefined_column', message, { position: at || undefined });
}

function referenced(context: BindContext, name: Parameters<typeof findStored>[1], place: Place): Referenced {
  const known = findStored(context, name);
  if (name.name === place.table && (!known || known.name === place.table)) {
    const indexes = place.indexes ?? [];
    return { oid: known?.oid ?? 0, name: place.table, columns: place.columns, indexes };
  }
  const { oid, indexes, ...relation } = writableRelation(context, { ...name, at: 0 });
  return { oid, name: relation.name, columns: liveColumns({ ...relation, oid, indexes }), indexes };
}

function referencedColumns(target: Referenced, names: readonly string[]): readonly Column[] {
  if (names.length > 0) return names.map((name) => columnOf(target.columns, name, 0));
  const primary = target.indexes.find((index) => index.primary);
  if (!primary) {
    throw new SqlError('undefined_object', `there is no primary key for referenced table "${target.name}"`);
  }
  if (primary.deferrable) throw deferrableKey('primary key', target);
  return primary.columns.map((attribute) =>
    present(
      target.columns.find((column) => column.attribute === attribute),
      'key column',
    ),
  );
}

function requireUnique(target: Referenced, keys: readonly Column[]): void {
  const wanted = new Set(keys.map((column) => column.attribute));
  const fitting = target.indexes.filter(
    ({ unique, columns }) =>
      unique && columns.length === wanted.size && columns.every((one) => wanted.has(one)),
  );
  if (wanted.size === keys.length) {
    if (fitting.some(({ deferrable }) => !deferrable)) return;
    if (fitting.length > 0) throw deferrableKey('unique constraint', target);
  }
  throw new SqlError(
    'invalid_foreign_key',
    `there is no unique constraint matching given keys for referenced table "${target.name}"`,
  );
}

const deferrableKey = (what: string, { name }: Referenced): SqlError =>
  new SqlError(
    'object_not_in_prerequisite_state',
    `cannot use a deferrable ${what} for referenced table "${name}"`,
  );

function requireComparable(name: string, column: Column, key: Column): void {
  const [from, to] = [column.type.oid, key.type.oid];
  if (from === to || resolveCast(from, to, 'implicit') !== null) return;
  if (INTEGERS.has(from) && INTEGERS.has(to)) return;
  throw new SqlError('datatype_mismatch', `foreign key constraint "${name}" cannot be implemented`, {
    detail: `Key columns "${column.name}" of the referencing table and "${key.name}" of the referenced table are of incompatible types: ${formatType(column.type)} and ${formatType(key.type)}.`,
  });
}

/** A column at either end of a foreign key keeps a type that compares. @throws SqlError 42804. */
export function requireFittingType(catalog: Catalog, relation: number, changed: Column): void {
  const columnNow = (owner: Relation, attribute: number): Column =>
    owner.oid === relation && attribute === changed.attribute
      ? changed
      : present(columnByAttribute(owner, attribute), 'column of a foreign key');
  for (const { child, parent, constraint, reference } of foreignKeys(catalog)) {
    if (child.oid !== relation && parent.oid !== relation) continue;
    for (const [i, attribute] of constraint.columns.entries()) {
      const key = columnNow(parent, present(reference.columns[i], 'referenced column'));
      requireComparable(constraint.name, columnNow(child, attribute), key);
    }
  }
}

/** The foreign keys that refer to these relations. */
export function referringKeys(catalog: Catalog, relations: readonly number[]): readonly ForeignKey[] {
  if (relations.length === 0) return [];
  return foreignKeys(catalog).filter(({ parent }) => relations.includes(parent.oid));
}

/** CASCADE drops the constraints. @throws SqlError 2BP01 without it. */
export function dropReferring(
  keys: readonly ForeignKey[],
  what: string,
  cascade: boolean,
  neededThing = what,
): readonly CatalogEdit[] {
  if (keys.length === 0 || cascade) {
    return keys.map(({ child, constraint }) => {
      return { edit: 'drop constraint', relation: child.oid, constraint: constraint.oid };
    });
  }
  throw new SqlError(
    'dependent_objects_still_exist',
    `cannot drop ${what} because other objects depend on it`,
    {
      detail: keys
        .map(({ child, constraint }) => {
          return `constraint ${constraint.name} on table ${child.name} depends on ${neededThing}`;
        })
        .join('\n'),
      hint: 'Use DROP ... CASCADE to drop the dependent objects too.',
    },
  );
}

/** A unique constraint or index that foreign keys rely on. */
export function keysOnIndex(catalog: Catalog, relation: number, index: Index): readonly ForeignKey[] {
  return referringKeys(catalog, [relation]).filter(({ parent, reference }) => {
    const others = parent.indexes.filter(
      (other) => other.unique && !other.deferrable && other.oid !== index.oid,
    );
    const sameColumns = ({ columns }: Index): boolean =>
      columns.length === reference.columns.length && columns.every((one) => reference.columns.includes(one));
    return index.unique && sameColumns(index) && !others.some(sameColumns);
  });
}
