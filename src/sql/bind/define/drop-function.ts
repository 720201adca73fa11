/** DROP FUNCTION, and what calls a function: views, defaults and CHECKs hold it, or go with it. */
import { eachPart, isCall } from '../../tree.ts';
import { applyEdit, type CatalogEdit } from '../../../catalog/edit/edit.ts';
import { functionSignature } from '../../../catalog/functions.ts';
import type { Relation, SqlFunction } from '../../../catalog/model.ts';
import { SqlError } from '../../../errors.ts';
import type { BoundStatement } from '../../../plan/statement.ts';
import type { FunctionName, Statement } from '../../ast.ts';
import type { BindContext } from '../context.ts';
import { parseExpression } from '../../parse/parse.ts';
import { missingFunction, namedFunction } from './create-function.ts';
import { brokenViews, dependentViews } from './dependent-views.ts';

type DropFunction = Extract<Statement, { kind: 'drop function' }>;

/** Something that goes with a function, as PostgreSQL names it. */
interface Dependent {
  readonly what: string;
  readonly on: string;
  readonly edit: CatalogEdit;
}

export function bindDropFunction(statement: DropFunction, context: BindContext): BoundStatement {
  const notices: string[] = [];
  const named = statement.functions.flatMap((name): readonly SqlFunction[] => {
    const definition = statement.ifExists ? knownFunction(context, name) : namedFunction(context, name);
    if (definition) return [definition];
    if (!statement.ifExists) throw missingFunction(context, name);
    const types = (name.types ?? []).map((type) => type.names.join('.') + '[]'.repeat(type.dimensions));
    notices.push(`function ${name.name.name}(${types.join(',')}) does not exist, skipping`);
    return [];
  });
  const edits = dropFunctions([...new Set(named)], context, { cascade: statement.cascade, notices });
  return { kind: 'catalog', tag: 'DROP FUNCTION', edits, notices };
}

/** With what calls them. @throws SqlError 2BP01. */
export function dropFunctions(
  dropped: readonly SqlFunction[],
  context: BindContext,
  { cascade, notices }: { readonly cascade: boolean; readonly notices: string[] },
): readonly CatalogEdit[] {
  const dependents = dropped.flatMap((definition) => dependentsOf(context, definition));
  const [first] = dependents;
  if (first && !cascade) throw held(context, dropped, dependents);
  if (dependents.length > 1) notices.push(`drop cascades to ${dependents.length} other objects`);
  else if (first) notices.push(`drop cascades to ${first.what}`);
  const edits = dropped.map(({ oid }): CatalogEdit => ({ edit: 'drop function', function: oid }));
  return [...dependents.map(({ edit }) => edit), ...edits];
}

/** With a type that is not there, there is no such function either. */
export function knownFunction(context: BindContext, name: FunctionName): SqlFunction | undefined {
  try {
    return namedFunction(context, name);
  } catch (error) {
    const missing = ['undefined_object', 'invalid_schema_name'];
    if (error instanceof SqlError && missing.includes(error.condition)) return undefined;
    throw error;
  }
}

function held(
  context: BindContext,
  dropped: readonly SqlFunction[],
  dependents: readonly Dependent[],
): SqlError {
  const what =
    dropped.length === 1 && dropped[0]
      ? `function ${functionSignature(context, dropped[0])}`
      : 'desired object(s)';
  return new SqlError(
    'dependent_objects_still_exist',
    `cannot drop ${what} because other objects depend on it`,
    {
      detail: dependents.map((dependent) => `${dependent.what} depends on ${dependent.on}`).join('\n'),
      hint: 'Use DROP ... CASCADE to drop the dependent objects too.',
    },
  );
}

/** Views before what they read. */
function dependentsOf(context: BindContext, definition: SqlFunction): readonly Dependent[] {
  const on = `function ${functionSignature(context, definition)}`;
  const later = applyEdit(context.catalog, { edit: 'drop function', function: definition.oid });
  const broken = brokenViews(context, later);
  const further = dependentViews(
    context,
    broken.map(({ oid }) => oid),
  );
  const direct = broken.map((view) => ({ view, on }));
  const indirect = further
    .filter(({ view }) => !broken.includes(view))
    .map(({ view, on: read }) => ({ view, on: `view ${read.name}` }));
  const views = [...direct, ...indirect].map(({ view, on: read }): Dependent => {
    return { what: `view ${view.name}`, on: read, edit: { edit: 'drop relation', relation: view.oid } };
  });
  const columns = [...context.catalog.relations.values()].flatMap((relation) => {
    return callers(relation, definition, on);
  });
  return [...views.toReversed(), ...columns];
}

/** Defaults, generated columns and CHECKs of a relation that call a function of this name. */
function callers(relation: Relation, { name }: SqlFunction, on: string): readonly Dependent[] {
  const table = `table ${relation.name}`;
  const columns = relation.columns.flatMap((column): readonly Dependent[] => {
    if (column.dropped) return [];
    if (column.generatedText !== null && calls(column.generatedText, name)) {
      const edit = { edit: 'drop column', relation: relation.oid, attribute: column.attribute } as const;
      return [{ what: `column ${column.name} of ${table}`, on, edit }];
    }
    if (column.defaultText === null || !calls(column.defaultText, name)) return [];
    const edit = {
      edit: 'alter column',
      relation: relation.oid,
      column: { ...column, defaultText: null },
    } as const;
    return [{ what: `default value for column ${column.name} of ${table}`, on, edit }];
  });
  const checks = relation.constraints.flatMap((constraint): readonly Dependent[] => {
    if (constraint.expression === null || !calls(constraint.expression, name)) return [];
    const edit = { edit: 'drop constraint', relation: relation.oid, constraint: constraint.oid } as const;
    return [{ what: `constraint ${constraint.name} on ${table}`, on, edit }];
  });
  return [...columns, ...checks];
}

function calls(text: string, name: string): boolean {
  if (!text.includes(name)) return false;
  let found = false;
  eachPart(parseExpression(text), (part) => {
    found ||= isCall(part) && part.name === name;
  });
  return found;
}
