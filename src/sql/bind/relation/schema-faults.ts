/**
 * Faults in the definition of a collection's fields and indexes: all of them at once, as JSON in DETAIL, from
 * which clients build their errors. Plain tables tell the first fault, as PostgreSQL does.
 */
import { type Column, type Index, NULLS } from '../../../catalog/model.ts';
import type { ErrorKind } from '../../../error-kinds.ts';
import { type Condition, SqlError } from '../../../errors.ts';
import { formatType } from '../../../types/registry.ts';
import type { TypeRef } from '../../../types/type.ts';
import type { ColumnDefinition, IndexClause, TypeName } from '../../ast.ts';
import type { BindContext } from '../context.ts';
import { typeOf } from '../names.ts';
import { located } from '../state.ts';
import { kindOfClause, makeIndex } from './indexes.ts';

/** Its members are part of the public contract. */
interface SchemaFault {
  readonly kind:
    | 'reserved_field'
    | 'dotted_field_name'
    | 'invalid_type'
    | 'invalid_dimension'
    | 'invalid_index'
    | 'invalid_metric'
    | 'invalid_option';
  /** Dotted within a struct. */
  readonly field: string;
  /** Kind of the index: `keyword`. */
  readonly index?: string;
  readonly type?: string;
  readonly message: string;
}

type Phase = 'name' | 'type' | 'index';

/** By what went wrong where. */
function faultKind(phase: Phase, { condition, message }: SqlError): SchemaFault['kind'] | null {
  const kinds: Readonly<Record<Phase, Partial<Record<Condition, SchemaFault['kind']>>>> = {
    name: { reserved_name: 'reserved_field', invalid_name: 'dotted_field_name' },
    type: {
      undefined_object: 'invalid_type',
      invalid_parameter_value: 'invalid_dimension',
      invalid_table_definition: 'invalid_type',
    },
    index: {
      undefined_object: 'invalid_index',
      datatype_mismatch: 'invalid_index',
      invalid_parameter_value: message.includes('"metric"') ? 'invalid_metric' : 'invalid_option',
    },
  };
  return kinds[phase][condition] ?? null;
}

class SchemaFaults {
  readonly #found: { readonly error: SqlError; readonly fault: SchemaFault }[] = [];

  /** Undefined where it throws what is such a fault. */
  check<T>(phase: Phase, about: Omit<SchemaFault, 'kind' | 'message'>, run: () => T): T | undefined {
    try {
      return run();
    } catch (error) {
      if (!(error instanceof SqlError)) throw error;
      const kind = faultKind(phase, error);
      if (kind === null) throw error;
      this.#found.push({ error, fault: { kind, ...about, message: error.message } });
      return undefined;
    }
  }

  raise(): void {
    const [first] = this.#found;
    if (first === undefined) return;
    const { condition, message, fields } = first.error;
    throw new SqlError(condition, message, {
      ...fields,
      hint: fields.hint ?? fields.detail,
      routine: 'schema_validation',
      detail: JSON.stringify(this.#found.map(({ fault }) => fault)),
      column: first.fault.field,
    });
  }
}

/** @throws SqlError of the first of its faults, `schema_validation`. */
export function checkFields(context: BindContext, definitions: readonly ColumnDefinition[]): void {
  const faults = new SchemaFaults();
  for (const definition of definitions) checkField(context, definition, { faults, path: [] });
  faults.raise();
}

function checkField(
  context: BindContext,
  definition: ColumnDefinition,
  { faults, path }: { readonly faults: SchemaFaults; readonly path: readonly string[] },
): void {
  const { name, at, indexes, struct } = definition;
  const within = [...path, name];
  const field = within.join('.');
  faults.check('name', { field }, () => checkFieldName(name, { at, nested: path.length > 0 }));
  const type = faults.check('type', { field, type: written(definition.type) }, () =>
    located(definition.type.at, () => typeOf(context, definition.type)),
  );
  for (const inner of struct ?? []) checkField(context, inner, { faults, path: within });
  if (type === undefined) return;
  for (const clause of indexes) checkClause(faults, clause, { field, type });
}

/** `bigint[]`, `f32_vector(3)`: what stands in the definition. */
function written({ names, modifiers, dimensions }: TypeName): string {
  const name = names.filter((part) => part !== 'pg_catalog').join('.');
  const given = modifiers.length > 0 ? `(${modifiers.join(', ')})` : '';
  return `${name}${given}${'[]'.repeat(dimensions)}`;
}

function checkClause(
  faults: SchemaFaults,
  clause: IndexClause,
  { field, type }: { readonly field: string; readonly type: TypeRef },
): void {
  const { at, options } = clause;
  const index = clause.clause.replace(/_index$/, '');
  faults.check('index', { field, index, type: formatType(type) }, () => {
    const row = kindOfClause(clause.clause, at);
    makeIndex({ name: '', row, columns: [probe(field, type)], options, at });
  });
}

/** @param build of an index on columns of a collection. @throws SqlError `schema_validation`. */
export function checkedIndex(columns: readonly Column[], kind: string, build: () => Index): Index {
  const faults = new SchemaFaults();
  const field = columns.map(({ name }) => name).join(', ');
  const type = columns.map((column) => formatType(column.type)).join(', ');
  const index = faults.check('index', { field, index: kind, type }, build);
  faults.raise();
  return index as Index;
}

const probe = (name: string, type: TypeRef): Column => ({
  attribute: 1,
  name,
  type,
  notNull: false,
  defaultText: null,
  identity: null,
  generatedText: null,
  undeclared: false,
  dropped: false,
});

const ID = '_id';

/**
 * Names beginning with `_` are the system's at the top level of a document; a dot leads into a struct.
 * @throws SqlError 42939, 42602.
 */
export function checkFieldName(
  name: string,
  {
    at,
    nested = false,
    routine = 'schema_validation',
  }: { readonly at: number; readonly nested?: boolean; readonly routine?: ErrorKind },
): void {
  const position = at || undefined;
  if (name.includes('.')) {
    throw new SqlError('invalid_name', `column name "${name}" of a collection has a dot`, {
      routine,
      position,
      hint: 'A dot leads into a struct: a JSONB column holds fields of their own.',
    });
  }
  if (nested || !name.startsWith('_') || name === ID || name === NULLS) return;
  throw new SqlError('reserved_name', `column name "${name}" is reserved`, {
    routine,
    position,
    hint: 'Names of a collection that begin with "_" belong to the system; only "_id" may be used.',
  });
}
