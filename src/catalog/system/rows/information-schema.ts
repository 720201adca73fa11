/**
 * information_schema, as the SQL standard has it: relations, columns, constraints and routines under the one
 * catalog `quern`.
 */
import { EVENT } from '../../../functions/function.ts';
import type { Datum } from '../../../types/datum.ts';
import { OID } from '../../../types/oids.ts';
import { findType, findTypeByOid } from '../../../types/registry.ts';
import type { TypeRef } from '../../../types/type.ts';
import { PRIVILEGE } from '../../access/privileges.ts';
import { namespaceName } from '../../lookup.ts';
import {
  type Catalog,
  type Column,
  columnByAttribute,
  type Constraint,
  foreignKeys,
  type FunctionArgument,
  liveColumns,
  type Relation,
  type SqlFunction,
} from '../../model.ts';
import { DATABASE_NAME, NAMESPACE_OID } from '../../oids.ts';
import { definitionOf, ownedSequence } from '../../sequences.ts';
import { isTemporary } from '../../temporary.ts';
import type { NamedRow, RowSources, SystemContext } from '../context.ts';
import { FUNCTION_ENTRIES, type FunctionEntry } from '../function-oids.ts';
import { ownerName } from './access.ts';
import { enumUdt } from './enums.ts';
import { PRIVILEGE_ROWS } from './privileges.ts';
import { dataType, referencedIndex } from './relations.ts';
import { isOwn, isSeen, isSeenColumn, isSeenRelation, isSeenToWrite } from './seen.ts';
import { schemaSequences } from './sequences.ts';
import { SYSTEM_TABLES } from '../columns/tables.ts';

export const INFORMATION_SCHEMA_ROWS: RowSources = {
  information_schema_catalog_name: () => [{ catalog_name: DATABASE_NAME }],
  schemata: (context) =>
    context.catalog.namespaces
      .filter(({ oid }) => isSeen(context, 'schema', oid, PRIVILEGE.create | PRIVILEGE.usage))
      .map(({ oid, name }) => ({
        catalog_name: DATABASE_NAME,
        schema_name: name,
        schema_owner: ownerName(context.catalog, { kind: 'schema', oid }),
      })),
  tables,
  columns,
  views,
  sequences: schemaSequences,
  table_constraints: tableConstraints,
  key_column_usage: keyColumnUsage,
  referential_constraints: referentialConstraints,
  constraint_column_usage: constraintColumnUsage,
  constraint_table_usage: (context) =>
    constraintsOf(context)
      .filter(({ constraint }) => constraint.kind === 'primary key' || constraint.kind === 'unique')
      .filter(({ relation }) => isOwn(context, 'relation', relation.oid))
      .map((found) => ({ ...tableOf(context, found.relation), ...constraintOf(context, found) })),
  check_constraints: checkConstraints,
  routines: (context) => [
    ...seenFunctions(context).map((definition) => sqlRoutine(context, definition)),
    ...FUNCTION_ENTRIES.map(routineRow),
  ],
  parameters,
  character_sets: () => [
    {
      character_set_name: 'UTF8',
      character_repertoire: 'UCS',
      form_of_use: 'UTF8',
      default_collate_catalog: DATABASE_NAME,
      default_collate_schema: 'pg_catalog',
      default_collate_name: 'C.UTF-8',
    },
  ],
  ...PRIVILEGE_ROWS,
};

const yesNo = (value: boolean): string => (value ? 'YES' : 'NO');

/** The three names of a relation. */
function tableOf({ catalog }: SystemContext, relation: Relation): NamedRow {
  return {
    table_catalog: DATABASE_NAME,
    table_schema: namespaceName(catalog, relation.namespace),
    table_name: relation.name,
  };
}

function tableType({ catalog }: SystemContext, relation: Relation): string {
  if (relation.kind === 'view') return 'VIEW';
  return isTemporary(catalog, relation) ? 'LOCAL TEMPORARY' : 'BASE TABLE';
}

function* tables(context: SystemContext): Generator<NamedRow> {
  for (const relation of context.catalog.relations.values()) {
    if (relation.kind === 'sequence' || relation.kind === 'materialized view') continue;
    if (!isSeenRelation(context, relation)) continue;
    yield {
      ...tableOf(context, relation),
      table_type: tableType(context, relation),
      is_insertable_into: yesNo(
        (context.functions.catalog.updatability(relation.oid).events & EVENT.insert) !== 0,
      ),
      is_typed: 'NO',
    };
  }
  for (const { schema, name, kind } of SYSTEM_TABLES) {
    yield {
      table_catalog: DATABASE_NAME,
      table_schema: schema,
      table_name: name,
      table_type: kind === 'v' ? 'VIEW' : 'BASE TABLE',
      is_insertable_into: 'NO',
      is_typed: 'NO',
    };
  }
}

// ───────────────────────────── columns ─────────────────────────────

function* columns(context: SystemContext): Generator<NamedRow> {
  for (const relation of context.catalog.relations.values()) {
    if (relation.kind === 'sequence' || relation.kind === 'materialized view') continue;
    const table = tableOf(context, relation);
    for (const column of liveColumns(relation)) {
      if (!isSeenColumn(context, relation, column.attribute)) continue;
      yield { ...table, ...columnRow(context, relation, column) };
    }
  }
  for (const table of SYSTEM_TABLES) {
    const names = { table_catalog: DATABASE_NAME, table_schema: table.schema, table_name: table.name };
    for (const [i, { name, type, notNull }] of table.columns.entries()) {
      yield {
        ...names,
        ...NO_COLUMN_FEATURES,
        ...typeColumns(context.catalog, type),
        column_name: name,
        ordinal_position: i + 1,
        is_nullable: yesNo(!notNull),
        dtd_identifier: String(i + 1),
        is_updatable: 'NO',
      };
    }
  }
}

const NO_COLUMN_FEATURES = {
  is_self_referencing: 'NO',
  is_identity: 'NO',
  identity_cycle: 'NO',
  is_generated: 'NEVER',
} as const;

function identityColumns(catalog: Catalog, relation: Relation, column: Column): NamedRow {
  if (column.identity === null) return {};
  const { start, increment, max, min, cycle } = definitionOf(ownedSequence(catalog, relation, column));
  return {
    is_identity: 'YES',
    identity_generation: column.identity.toUpperCase(),
    identity_start: start,
    identity_increment: increment,
    identity_maximum: max,
    identity_minimum: min,
    identity_cycle: yesNo(cycle),
  };
}

function columnRow({ catalog, functions }: SystemContext, relation: Relation, column: Column): NamedRow {
  const shown = (text: string | null): string | null =>
    text === null ? null : functions.catalog.expressionText(text, relation.oid, false);
  return {
    ...NO_COLUMN_FEATURES,
    ...typeColumns(catalog, column.type),
    column_name: column.name,
    ordinal_position: column.attribute,
    column_default: column.identity === null ? shown(column.defaultText) : null,
    is_nullable: yesNo(!column.notNull),
    dtd_identifier: String(column.attribute),
    ...identityColumns(catalog, relation, column),
    is_generated: column.generatedText === null ? 'NEVER' : 'ALWAYS',
    generation_expression: shown(column.generatedText),
    is_updatable: yesNo(functions.catalog.updatability(relation.oid).columns.has(column.attribute)),
  };
}

/** Precision in bits. */
const BINARY_PRECISIONS: Readonly<Record<number, number>> = {
  [OID.int2]: 16,
  [OID.int4]: 32,
  [OID.int8]: 64,
  [OID.float4]: 24,
  [OID.float8]: 53,
};
const INTEGERS: ReadonlySet<number> = new Set([OID.int2, OID.int4, OID.int8]);
/** Modifiers of PostgreSQL count four bytes of header. */
const HEADER_BYTES = 4;
const CHARACTER_OCTETS_MAX = 1_073_741_824;

function typeColumns(catalog: Catalog, type: TypeRef): NamedRow {
  const sqlType = findTypeByOid(type.oid);
  const ours = dataType(type) === 'USER-DEFINED';
  const udt = enumUdt(catalog, type);
  return {
    data_type: dataType(type),
    ...characterColumns(type),
    ...numericColumns(type),
    datetime_precision: timePrecision(type),
    udt_catalog: DATABASE_NAME,
    udt_schema: udt?.schema ?? (ours ? 'public' : 'pg_catalog'),
    udt_name: udt?.name ?? sqlType?.name ?? null,
  };
}

/** Digits after the second's point, of times and periods. */
function timePrecision({ oid, modifier }: TypeRef): number | null {
  const category = findTypeByOid(oid)?.category;
  if (category !== 'D' && category !== 'T') return null;
  if (oid === OID.date) return 0;
  return modifier >= 0 ? modifier : 6;
}

function characterColumns(type: TypeRef): NamedRow {
  if (type.oid !== OID.text && type.oid !== OID.varchar && type.oid !== OID.bpchar) return {};
  if (type.modifier < HEADER_BYTES) return { character_octet_length: CHARACTER_OCTETS_MAX };
  const length = type.modifier - HEADER_BYTES;
  return { character_maximum_length: length, character_octet_length: length * 4 };
}

function numericColumns(type: TypeRef): NamedRow {
  const bits = BINARY_PRECISIONS[type.oid];
  if (bits !== undefined) {
    const scale: Datum = INTEGERS.has(type.oid) ? 0 : null;
    return { numeric_precision: bits, numeric_precision_radix: 2, numeric_scale: scale };
  }
  if (type.oid !== OID.numeric) return {};
  if (type.modifier < HEADER_BYTES) return { numeric_precision_radix: 10 };
  const packed = type.modifier - HEADER_BYTES;
  return { numeric_precision: packed >> 16, numeric_precision_radix: 10, numeric_scale: packed & 0x7ff };
}

function* views(context: SystemContext): Generator<NamedRow> {
  for (const relation of context.catalog.relations.values()) {
    if (relation.kind !== 'view' || !isSeenRelation(context, relation)) continue;
    const { events } = context.functions.catalog.updatability(relation.oid);
    const changes = EVENT.update | EVENT.delete;
    yield {
      ...tableOf(context, relation),
      view_definition: isOwn(context, 'relation', relation.oid)
        ? context.functions.catalog.viewDefinition(relation.oid, { pretty: false, wrap: 0 })
        : null,
      check_option: relation.checkOption?.toUpperCase() ?? 'NONE',
      is_updatable: yesNo((events & changes) === changes),
      is_insertable_into: yesNo((events & EVENT.insert) !== 0),
      is_trigger_updatable: 'NO',
      is_trigger_deletable: 'NO',
      is_trigger_insertable_into: 'NO',
    };
  }
}

// ───────────────────────────── constraints ─────────────────────────────

interface FoundConstraint {
  readonly relation: Relation;
  readonly constraint: Constraint;
}

function constraintsOf({ catalog }: SystemContext): FoundConstraint[] {
  return [...catalog.relations.values()].flatMap((relation) =>
    relation.constraints.map((constraint) => ({ relation, constraint })),
  );
}

function constraintOf({ catalog }: SystemContext, { relation, constraint }: FoundConstraint): NamedRow {
  return {
    constraint_catalog: DATABASE_NAME,
    constraint_schema: namespaceName(catalog, relation.namespace),
    constraint_name: constraint.name,
  };
}

const CONSTRAINT_TYPES = {
  'primary key': 'PRIMARY KEY',
  unique: 'UNIQUE',
  check: 'CHECK',
  'foreign key': 'FOREIGN KEY',
  'not null': 'CHECK',
} as const;

function* tableConstraints(context: SystemContext): Generator<NamedRow> {
  for (const found of constraintsOf(context)) {
    if (!isSeenToWrite(context, found.relation)) continue;
    yield {
      ...constraintOf(context, found),
      ...tableOf(context, found.relation),
      constraint_type: CONSTRAINT_TYPES[found.constraint.kind],
      is_deferrable: found.constraint.deferrable ? 'YES' : 'NO',
      initially_deferred: found.constraint.deferrable === 'deferred' ? 'YES' : 'NO',
      enforced: 'YES',
      nulls_distinct: found.constraint.kind === 'unique' ? 'YES' : null,
    };
  }
}

function* keyColumnUsage(context: SystemContext): Generator<NamedRow> {
  for (const found of constraintsOf(context)) {
    if (found.constraint.kind === 'check' || found.constraint.kind === 'not null') continue;
    for (const [i, attribute] of found.constraint.columns.entries()) {
      if (!isSeenColumn(context, found.relation, attribute)) continue;
      yield {
        ...constraintOf(context, found),
        ...tableOf(context, found.relation),
        column_name: columnByAttribute(found.relation, attribute)?.name ?? null,
        ordinal_position: i + 1,
        position_in_unique_constraint: found.constraint.kind === 'foreign key' ? i + 1 : null,
      };
    }
  }
}

/** Columns that a constraint uses: a foreign key the columns it refers to. */
function* constraintColumnUsage(context: SystemContext): Generator<NamedRow> {
  for (const found of constraintsOf(context)) {
    const { references, columns } = found.constraint;
    const parent = references && context.catalog.relations.get(references.relation);
    const relation = parent ?? found.relation;
    if (!isOwn(context, 'relation', relation.oid)) continue;
    for (const attribute of references?.columns ?? columns) {
      yield {
        ...tableOf(context, relation),
        ...constraintOf(context, found),
        column_name: columnByAttribute(relation, attribute)?.name ?? null,
      };
    }
  }
}

function* referentialConstraints(context: SystemContext): Generator<NamedRow> {
  for (const { child, constraint, reference, parent } of foreignKeys(context.catalog)) {
    if (!isSeenToWrite(context, child)) continue;
    const index = referencedIndex(context.catalog, constraint);
    const unique = parent.constraints.find((candidate) => candidate.index === index && index !== 0);
    const of = unique && constraintOf(context, { relation: parent, constraint: unique });
    yield {
      ...constraintOf(context, { relation: child, constraint }),
      unique_constraint_catalog: of?.constraint_catalog ?? null,
      unique_constraint_schema: of?.constraint_schema ?? null,
      unique_constraint_name: of?.constraint_name ?? null,
      match_option: reference.full ? 'FULL' : 'NONE',
      update_rule: reference.onUpdate.toUpperCase(),
      delete_rule: reference.onDelete.toUpperCase(),
    };
  }
}

function* checkConstraints(context: SystemContext): Generator<NamedRow> {
  for (const found of constraintsOf(context)) {
    const { relation, constraint } = found;
    if (!isOwn(context, 'relation', relation.oid)) continue;
    if (constraint.kind === 'check') {
      const { expression } = constraint;
      const clause = expression && context.functions.catalog.expressionText(expression, relation.oid, false);
      yield { ...constraintOf(context, found), check_clause: clause };
    } else if (constraint.kind === 'not null') {
      const column = columnByAttribute(relation, constraint.columns[0] ?? 0)?.name ?? '';
      yield { ...constraintOf(context, found), check_clause: `${column} IS NOT NULL` };
    }
  }
}

// ───────────────────────────── routines ─────────────────────────────

const schemaName = (namespace: number): string =>
  namespace === NAMESPACE_OID.public ? 'public' : 'pg_catalog';

function routineNames(entry: FunctionEntry): NamedRow {
  return {
    specific_catalog: DATABASE_NAME,
    specific_schema: schemaName(NAMESPACE_OID.pg_catalog),
    specific_name: `${entry.name}_${entry.oid}`,
  };
}

function routineType(name: string): NamedRow {
  const type = findType(name);
  if (type === undefined) return { data_type: name };
  return {
    data_type: dataType({ oid: type.oid, modifier: -1 }),
    udt_name: type.name,
    udt_schema: 'pg_catalog',
  };
}

function routineRow(entry: FunctionEntry): NamedRow {
  return {
    ...routineNames(entry),
    ...routineType(entry.returns),
    type_udt_catalog: DATABASE_NAME,
    routine_catalog: DATABASE_NAME,
    routine_schema: 'pg_catalog',
    routine_name: entry.name,
    routine_type: entry.kind === 'f' ? 'FUNCTION' : null,
    routine_body: 'EXTERNAL',
    external_language: 'INTERNAL',
    parameter_style: 'GENERAL',
    is_deterministic: yesNo(entry.volatility === 'i'),
    sql_data_access: 'READS',
    is_null_call: yesNo(entry.strict),
    schema_level_routine: 'YES',
    security_type: 'INVOKER',
  };
}

function sqlRoutineNames({ catalog }: SystemContext, { oid, name, namespace }: SqlFunction): NamedRow {
  return {
    specific_catalog: DATABASE_NAME,
    specific_schema: namespaceName(catalog, namespace),
    specific_name: `${name}_${oid}`,
  };
}

const seenFunctions = (context: SystemContext): readonly SqlFunction[] =>
  [...context.catalog.functions.values()].filter(({ oid }) =>
    isSeen(context, 'function', oid, PRIVILEGE.execute),
  );

/** A user's function in SQL. */
function sqlRoutine(context: SystemContext, definition: SqlFunction): NamedRow {
  return {
    ...sqlRoutineNames(context, definition),
    ...routineType(findTypeByOid(definition.returns.oid)?.name ?? 'record'),
    ...(definition.returnsRelation !== 0 && { data_type: 'USER-DEFINED' }),
    type_udt_catalog: DATABASE_NAME,
    routine_catalog: DATABASE_NAME,
    routine_schema: namespaceName(context.catalog, definition.namespace),
    routine_name: definition.name,
    routine_type: 'FUNCTION',
    routine_body: definition.form === 'string' ? 'EXTERNAL' : 'SQL',
    routine_definition: isOwn(context, 'function', definition.oid) ? definition.body : null,
    external_language: 'SQL',
    parameter_style: 'GENERAL',
    is_deterministic: yesNo(definition.volatility === 'immutable'),
    sql_data_access: 'MODIFIES',
    is_null_call: yesNo(definition.strict),
    schema_level_routine: 'YES',
    security_type: definition.promises?.securityDefiner ? 'DEFINER' : 'INVOKER',
  };
}

const PARAMETER_MODES: Readonly<Record<FunctionArgument['mode'], string>> = {
  in: 'IN',
  variadic: 'IN',
  out: 'OUT',
  table: 'OUT',
  inout: 'INOUT',
};

function* sqlParameters(context: SystemContext): Generator<NamedRow> {
  for (const definition of seenFunctions(context)) {
    for (const [i, { name, mode, type }] of definition.arguments.entries()) {
      yield {
        ...sqlRoutineNames(context, definition),
        ...routineType(findTypeByOid(type.oid)?.name ?? 'any'),
        ordinal_position: i + 1,
        parameter_mode: PARAMETER_MODES[mode] ?? 'IN',
        is_result: 'NO',
        as_locator: 'NO',
        parameter_name: name,
      };
    }
  }
}

function* parameters(context: SystemContext): Generator<NamedRow> {
  yield* sqlParameters(context);
  for (const entry of FUNCTION_ENTRIES) {
    for (const [i, arg] of entry.args.entries()) {
      yield {
        ...routineNames(entry),
        ...routineType(arg),
        ordinal_position: i + 1,
        parameter_mode: 'IN',
        is_result: 'NO',
        as_locator: 'NO',
        parameter_name: entry.argNames?.[i] ?? null,
      };
    }
  }
}
