/** DROP TYPE: columns, views and functions that use the type hold it, or go with it. */
import { applyEdit, type CatalogEdit } from '../../../catalog/edit/edit.ts';
import { enumByOid, enumName, findEnum } from '../../../catalog/enums.ts';
import { type EnumType, hasRows, liveColumns, type Relation } from '../../../catalog/model.ts';
import { functionSignature } from '../../../catalog/functions.ts';
import { SqlError } from '../../../errors.ts';
import type { BoundStatement } from '../../../plan/statement.ts';
import { findType, formatType } from '../../../types/registry.ts';
import type { QualifiedName, Statement } from '../../ast.ts';
import type { BindContext } from '../context.ts';
import { bindAlterTable } from './alter-table.ts';
import { brokenViews, kindOf } from './dependent-views.ts';
import { wholeName, writtenTypeName } from './enum-types.ts';
import { findStored } from '../names.ts';

type DropStatement = Extract<Statement, { kind: 'drop' }>;

/** Dependents of a type, as errors name them, and the edits that take it away. */
interface Dependent {
  readonly what: string;
  readonly on: string;
  readonly edits: readonly CatalogEdit[];
}

export function bindDropType(statement: DropStatement, context: BindContext): BoundStatement {
  const notices: string[] = [];
  const edits: CatalogEdit[] = [];
  let { catalog } = context;
  for (const name of statement.names) {
    const now = { ...context, catalog };
    const type = findEnum(catalog, name.schema, wholeName(name), context.searchPath);
    if (type === undefined) {
      checkMissing(statement, name, now);
      notices.push(`type "${writtenTypeName(name)}" does not exist, skipping`);
      continue;
    }
    const dropped = dropEnum(now, type, { cascade: statement.cascade, notices });
    edits.push(...dropped);
    catalog = dropped.reduce(applyEdit, catalog);
  }
  return { kind: 'catalog', tag: 'DROP TYPE', edits, notices };
}

/** @throws SqlError 42704, 2BP01 unless the name may be passed over. */
function checkMissing(statement: DropStatement, name: QualifiedName, context: BindContext): void {
  const builtIn = findType(name.name);
  if (builtIn !== undefined) {
    const shown = formatType({ oid: builtIn.oid, modifier: -1 });
    throw new SqlError(
      'dependent_objects_still_exist',
      `cannot drop type ${shown} because it is required by the database system`,
    );
  }
  const relation = findStored(context, name);
  if (relation !== undefined && relation.kind !== 'sequence') {
    const kind = kindOf(relation);
    throw new SqlError(
      'dependent_objects_still_exist',
      `cannot drop type ${relation.name} because ${kind} ${relation.name} requires it`,
      { hint: `You can drop ${kind} ${relation.name} instead.` },
    );
  }
  if (statement.ifExists) return;
  throw new SqlError('undefined_object', `type "${writtenTypeName(name)}" does not exist`);
}

/** The edits that drop the type, after those that drop what uses it. */
export function dropEnum(
  context: BindContext,
  type: EnumType,
  { cascade, notices }: { readonly cascade: boolean; readonly notices: string[] },
): readonly CatalogEdit[] {
  const dependents = dependentsOf(context, type);
  const drop: CatalogEdit = { edit: 'drop enum', type: type.oid };
  const [only] = dependents;
  if (only === undefined) return [drop];
  const name = enumName(context.catalog, type, context.searchPath);
  if (!cascade) {
    throw new SqlError(
      'dependent_objects_still_exist',
      `cannot drop type ${name} because other objects depend on it`,
      {
        detail: dependents.map(({ what, on }) => `${what} depends on ${on}`).join('\n'),
        hint: 'Use DROP ... CASCADE to drop the dependent objects too.',
      },
    );
  }
  if (dependents.length > 1) notices.push(`drop cascades to ${dependents.length} other objects`);
  else notices.push(`drop cascades to ${only.what}`);
  return [...editsOf(context, dependents.toReversed()), drop];
}

/** All edits in their order, but for constraints that are gone with a column before. */
function editsOf({ catalog }: BindContext, dependents: readonly Dependent[]): readonly CatalogEdit[] {
  const kept: CatalogEdit[] = [];
  let now = catalog;
  for (const edit of dependents.flatMap(({ edits }) => edits)) {
    if (edit.edit === 'drop constraint') {
      const constraints = now.relations.get(edit.relation)?.constraints ?? [];
      if (!constraints.some(({ oid }) => oid === edit.constraint)) continue;
    }
    now = applyEdit(now, edit);
    kept.push(edit);
  }
  return kept;
}

function dependentsOf(context: BindContext, type: EnumType): readonly Dependent[] {
  const columns = dependentColumns(context, type);
  const functions = dependentFunctions(context, type);
  const without = editsOf(context, [...columns, ...functions]).reduce(applyEdit, context.catalog);
  const last = applyEdit(without, { edit: 'drop enum', type: type.oid });
  const views = brokenViews(context, last).map((view): Dependent => {
    return {
      what: `view ${view.name}`,
      on: `type ${type.name}`,
      edits: [{ edit: 'drop relation', relation: view.oid }],
    };
  });
  return [...columns, ...functions, ...views];
}

function dependentColumns(context: BindContext, type: EnumType): readonly Dependent[] {
  const { catalog } = context;
  const found = [...catalog.relations.values()].filter(hasRows).flatMap((relation) =>
    liveColumns(relation)
      .filter((column) => enumByOid(catalog, column.type.oid) === type)
      .toReversed()
      .map((column) => ({ relation, column })),
  );
  // In PostgreSQL's order: what depends on the array type comes first.
  return found
    .toSorted((a, b) => b.column.type.oid - a.column.type.oid)
    .map(({ relation, column }): Dependent => {
      return {
        what: `column ${column.name} of table ${relation.name}`,
        on: `type ${formatType({ oid: column.type.oid, modifier: -1 })}`,
        edits: dropColumn(context, relation, column.name),
      };
    });
}

/** As ALTER TABLE … DROP COLUMN … CASCADE does it. */
function dropColumn(context: BindContext, relation: Relation, column: string): readonly CatalogEdit[] {
  const schema = context.catalog.namespaces.find(({ oid }) => oid === relation.namespace)?.name ?? null;
  const bound = bindAlterTable(
    {
      kind: 'alter table',
      at: 0,
      name: { at: 0, schema, name: relation.name, partition: null },
      ifExists: false,
      actions: [{ action: 'drop column', at: 0, column, ifExists: false, cascade: true }],
    },
    context,
  );
  return bound.kind === 'catalog' ? bound.edits : [];
}

function dependentFunctions(context: BindContext, type: EnumType): readonly Dependent[] {
  const uses = (oid: number): boolean => enumByOid(context.catalog, oid) === type;
  return [...context.catalog.functions.values()]
    .filter(({ arguments: args, returns }) => uses(returns.oid) || args.some((arg) => uses(arg.type.oid)))
    .map((definition): Dependent => {
      return {
        what: `function ${functionSignature(context, definition)}`,
        on: `type ${type.name}`,
        edits: [{ edit: 'drop function', function: definition.oid }],
      };
    });
}
