/** Column definitions and constraints of CREATE TABLE and ALTER TABLE as entries of the catalog. */
import type { Column, Constraint, Index, SequenceDefinition } from '../../../catalog/model.ts';
import { sequenceDefault } from '../../../catalog/sequence-default.ts';
import { INDEX_KINDS } from '../../../catalog/index-kinds.ts';
import { SqlError } from '../../../errors.ts';
import { OID } from '../../../types/oids.ts';
import { findTypeByOid, formatType } from '../../../types/registry.ts';
import type { TypeRef } from '../../../types/type.ts';
import type { ColumnDefinition, TableConstraint, TypeName } from '../../ast.ts';
import { type BindContext, bindExpression } from '../context.ts';
import { writeExpression } from '../../deparse/write-expression.ts';
import { storedExpression } from '../../deparse/source.ts';
import { coerce, coerceBoolean } from '../expression/coerce.ts';
import { eachReference } from '../draft.ts';
import { noOperatorClass } from '../equality.ts';
import { defineForeignKey } from './foreign-key.ts';
import { freeName } from './indexes.ts';
import { typeOf } from '../names.ts';
import { type Level, newLevel } from '../level.ts';
import { structFields } from './struct.ts';
import { columnSequence } from './sequence-definition.ts';
import { located, newState } from '../state.ts';
import { isSystemColumn } from '../expression/system-columns.ts';
import { newTrace } from '../trace.ts';
import { columnsLevel } from './columns-level.ts';

const SERIAL: Readonly<Record<string, number>> = {
  serial: OID.int4,
  serial4: OID.int4,
  bigserial: OID.int8,
  serial8: OID.int8,
  smallserial: OID.int2,
  serial2: OID.int2,
};

export interface DefinedColumn {
  readonly column: Column;
  /** SERIAL and IDENTITY: the sequence to make. */
  readonly sequence: { readonly name: string; readonly definition: SequenceDefinition } | null;
}

/** `attribute` is 0 where the catalog's edit numbers it; `schema` is null where the search path finds it. */
export function defineColumn(
  context: BindContext,
  definition: ColumnDefinition,
  place: { readonly table: string; readonly schema: string | null; readonly attribute: number },
): DefinedColumn {
  if (isSystemColumn(definition.name)) {
    const message = `column name "${definition.name}" conflicts with a system column name`;
    throw new SqlError('duplicate_column', message);
  }
  const serial = serialType(definition.type);
  const type = serial ?? located(definition.type.at, () => typeOf(context, definition.type));
  checkColumnType(definition, type);
  const identity = definition.identity;
  const counted = serial !== undefined || identity !== null;
  const sequence = counted
    ? {
        name: `${place.table}_${definition.name}_seq`,
        definition: columnSequence(context, type.oid, definition.identityOptions),
      }
    : null;
  const given = defaultText(context, definition, type);
  const primary = definition.constraints.some((constraint) => constraint.kind === 'primary key');
  const column: Column = {
    attribute: place.attribute,
    name: definition.name,
    type,
    notNull: definition.notNull || counted || primary,
    defaultText: sequence ? sequenceDefault(place.schema, sequence.name) : given,
    identity,
    generatedText: definition.generated?.text ?? null,
    undeclared: false,
    dropped: false,
    ...(definition.struct !== null && { struct: structFields(context, definition.struct) }),
  };
  return { column, sequence };
}

function serialType(name: TypeName): TypeRef | undefined {
  const last = name.names[name.names.length - 1] ?? '';
  const oid = name.dimensions === 0 && Object.hasOwn(SERIAL, last) ? SERIAL[last] : undefined;
  return oid === undefined ? undefined : { oid, modifier: -1 };
}

function checkColumnType(definition: ColumnDefinition, type: TypeRef): void {
  if (!findTypeByOid(type.oid)?.pseudo) return;
  throw new SqlError(
    'invalid_table_definition',
    `column "${definition.name}" has pseudo-type ${formatType(type)}`,
    { position: definition.at || undefined },
  );
}

/** A default is bound once now, so that a wrong one is refused here and not at the first INSERT. */
function defaultText(context: BindContext, definition: ColumnDefinition, type: TypeRef): string | null {
  if (!definition.defaultValue) return null;
  const { expression } = definition.defaultValue;
  const level = newLevel(newState(context, newTrace()), null, null);
  level.clause = 'DEFAULT expressions';
  const bound = bindExpression(level, expression);
  coerce(level.state, bound, {
    type,
    context: 'assignment',
    fail: (from, to) =>
      new SqlError(
        'datatype_mismatch',
        `column "${definition.name}" is of type ${to} but default expression is of type ${from}`,
        { hint: 'You will need to rewrite or cast the expression.' },
      ),
  });
  return writeExpression(level, expression);
}

export interface DefinedConstraint {
  readonly constraint: Constraint;
  /** The unique index of a primary key or unique constraint. */
  readonly index: Index | null;
}

/**
 * A table constraint; a column's own names no columns, so `own` gives it.
 * @throws SqlError 42703 for a column that is not there.
 */
export function defineConstraint(
  context: BindContext,
  constraint: TableConstraint,
  place: {
    readonly table: string;
    readonly columns: readonly Column[];
    readonly own: Column | null;
    readonly taken: Set<string>;
    /** Unique indexes of the relation itself, which its foreign keys may refer to. */
    readonly indexes?: readonly Index[];
  },
): DefinedConstraint {
  const { table, columns, own, taken } = place;
  if (constraint.kind === 'foreign key') {
    return { constraint: defineForeignKey(context, constraint, place), index: null };
  }
  if (constraint.kind === 'check') return defineCheck(context, constraint, place);
  const keys =
    constraint.columns.length > 0 || !own
      ? constraint.columns.map((name) => keyColumn(columns, name, constraint.at))
      : [own];
  const primary = constraint.kind === 'primary key';
  const base = primary ? table : [table, ...keys.map((column) => column.name)].join('_');
  const name = constraint.name ?? freeName(base, primary ? 'pkey' : 'key', taken);
  taken.add(name);
  for (const column of keys) checkKeyType(column);
  const attributes = keys.map((column) => column.attribute);
  const index: Index = {
    oid: 0,
    name,
    kind: INDEX_KINDS.btree.kind,
    columns: attributes,
    unique: true,
    primary,
    options: {},
    ...(constraint.nullsNotDistinct && { equalNulls: attributes.length }),
    ...(constraint.deferrable && { deferrable: true }),
  };
  const row: Constraint = {
    oid: 0,
    name,
    kind: constraint.kind,
    columns: attributes,
    index: 0,
    expression: null,
    ...(constraint.deferrable && { deferrable: constraint.deferrable }),
  };
  return { constraint: row, index };
}

function checkKeyType(column: Column): void {
  if (findTypeByOid(column.type.oid)?.compare) return;
  throw noOperatorClass(column.type);
}

function keyColumn(columns: readonly Column[], name: string, at: number): Column {
  const column = columns.find((candidate) => candidate.name === name && !candidate.dropped);
  if (column) return column;
  throw new SqlError('undefined_column', `column "${name}" named in key does not exist`, {
    position: at || undefined,
  });
}

function defineCheck(
  context: BindContext,
  constraint: TableConstraint,
  place: {
    readonly table: string;
    readonly columns: readonly Column[];
    readonly own: Column | null;
    readonly taken: Set<string>;
  },
): DefinedConstraint {
  const { check } = constraint;
  const level = columnsLevel(context, place.table, place.columns);
  level.clause = 'check constraints';
  const used = new Set<number>();
  if (check) {
    const bound = bindExpression(level, check.expression);
    coerceBoolean(level.state, bound, 'argument of CHECK');
    collectAttributes(level, bound, used);
  }
  const [only] = place.own
    ? [place.own.name]
    : [...used].length === 1
      ? [attributeName(place.columns, used)]
      : [];
  const base = only === undefined ? place.table : `${place.table}_${only}`;
  const name = constraint.name ?? freeName(base, 'check', place.taken);
  const row: Constraint = {
    oid: 0,
    name,
    kind: 'check',
    columns: [...used],
    index: 0,
    expression: check && storedExpression(context, { name: place.table, columns: place.columns }, check.text),
  };
  return { constraint: row, index: null };
}

function attributeName(columns: readonly Column[], used: ReadonlySet<number>): string | undefined {
  return columns.find((column) => used.has(column.attribute))?.name;
}

function collectAttributes(level: Level, bound: unknown, used: Set<number>): void {
  eachReference(bound, (column) => {
    const info = level.state.columns.get(column.id);
    if (info) used.add(info.attribute);
  });
}
