/**
 * `JSONB STRUCT (field type …)`: what documents in a column are declared to have, and indexes on paths in them.
 */
import type { Index, Relation, StructField } from '../../../catalog/model.ts';
import { FIRST_USER_OID } from '../../../catalog/model.ts';
import { notSupported, SqlError } from '../../../errors.ts';
import { OID } from '../../../types/oids.ts';
import { findTypeByOid, formatType } from '../../../types/registry.ts';
import { quoteIdentifier } from '../../../types/text/quote.ts';
import type { ColumnDefinition, IndexClause } from '../../ast.ts';
import { parseExpression } from '../../parse/parse.ts';
import type { BindContext } from '../context.ts';
import { typeOf } from '../names.ts';
import { located } from '../state.ts';
import { defineIndex } from './index-definition.ts';
import { indexName, kindOfClause } from './indexes.ts';
import { pathText } from './text-path.ts';

const TEXTS: ReadonlySet<number> = new Set([OID.text, OID.varchar, OID.bpchar]);

/** @throws SqlError 42701, 42704, 22023, 0A000. */
export function structFields(
  context: BindContext,
  fields: readonly ColumnDefinition[],
): readonly StructField[] {
  const seen = new Set<string>();
  return fields.map((field) => {
    const { name, struct } = field;
    if (seen.has(name)) throw new SqlError('duplicate_column', `field "${name}" specified more than once`);
    seen.add(name);
    checkPlain(field);
    const type = located(field.type.at, () => typeOf(context, field.type));
    if (type.oid >= FIRST_USER_OID || findTypeByOid(type.oid)?.pseudo) {
      throw notSupported(`a field of type ${formatType(type)} in a struct`, {
        position: field.at || undefined,
      });
    }
    if (field.indexes.length > 0 && !TEXTS.has(type.oid)) {
      throw notSupported(`an index on field "${name}" of type ${formatType(type)} in a struct`, {
        position: field.indexes[0]?.at || undefined,
        hint: 'Fields of a struct have keyword and semantic indexes on text; others go on a column.',
      });
    }
    return {
      name,
      type,
      notNull: field.notNull,
      ...(struct !== null && { struct: structFields(context, struct) }),
    };
  });
}

/** @throws SqlError 0A000 for what only columns have. */
function checkPlain({ name, at, defaultValue, identity, generated, constraints }: ColumnDefinition): void {
  if (defaultValue === null && identity === null && generated === null && constraints.length === 0) return;
  throw notSupported(`a default or constraint of field "${name}" in a struct`, {
    position: at || undefined,
    hint: 'Fields of a struct have a type, NOT NULL, and INDEX clauses.',
  });
}

interface NestedClause {
  readonly path: readonly string[];
  readonly clause: IndexClause;
}

/** INDEX clauses of the fields in a column, at any depth. */
export function nestedClauses({ struct }: ColumnDefinition): readonly NestedClause[] {
  return (struct ?? []).flatMap((field) => [
    ...field.indexes.map((clause) => ({ path: [field.name], clause })),
    ...nestedClauses(field).map(({ path, clause }) => ({ path: [field.name, ...path], clause })),
  ]);
}

/** An index on the path. @throws SqlError 42704, 22023, 0A000 for kinds that are over columns only. */
export function nestedIndex(
  context: BindContext,
  { relation, column, path, clause }: NestedClause & { readonly relation: Relation; readonly column: string },
  taken: Set<string>,
): Index {
  const { at, options } = clause;
  const row = kindOfClause(clause.clause, at);
  const expression = parseExpression(pathText(quoteIdentifier(column), path));
  const name = indexName(relation.name, { columns: [column, ...path], row, taken });
  const element = { at, name: null, expression, operatorClass: null, descending: false, nullsFirst: null };
  const statement = {
    kind: 'create index',
    at,
    name,
    relation: { at, schema: null, name: relation.name, partition: null },
    method: row.kind,
    columns: [element],
    included: [],
    options,
    unique: false,
    concurrently: false,
    ifNotExists: false,
    nullsNotDistinct: false,
    where: null,
  } as const;
  return defineIndex(statement, { context, relation, row, taken }).index;
}
