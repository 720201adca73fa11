/** Candidates of a call by name: functions of the registry and users' functions in SQL. */
import { effectivePath, findNamespace } from '../../../catalog/lookup.ts';
import { functionsOf, inputArguments, outputArguments } from '../../../catalog/functions.ts';
import { liveColumns, type SqlFunction } from '../../../catalog/model.ts';
import { SqlError } from '../../../errors.ts';
import { functionsNamed } from '../../../functions/registry.ts';
import type { Signature } from '../../../functions/signature.ts';
import { OID } from '../../../types/oids.ts';
import { findTypeByOid } from '../../../types/registry.ts';
import type { TypeRef } from '../../../types/type.ts';
import type { BindContext } from '../context.ts';
import { isSystemSchema, requireUsage } from '../names.ts';

export interface NamedType {
  readonly name: string;
  readonly type: TypeRef;
}

/** The registry id that a user's function goes by while a statement is bound. */
export const SQL_FUNCTION_ID = /^sql function (\d+)$/;

/**
 * Candidates of a call by this name: functions of the registry, then users' in the order of the search path.
 * One that has the argument types of an earlier one is hidden by it.
 * @throws SqlError 3F000.
 */
export function candidates(
  context: BindContext,
  call: { readonly schema: string | null; readonly name: string; readonly at: number },
): readonly Signature[] {
  const { schema, name } = call;
  if (schema !== null && !isSystemSchema(schema) && !findNamespace(context.catalog, schema)) {
    const message = `schema "${schema}" does not exist`;
    throw new SqlError('invalid_schema_name', message, { position: call.at });
  }
  requireUsage(context, isSystemSchema(schema) ? null : schema, call.at);
  const builtIn =
    schema === null || schema === 'public' || isSystemSchema(schema) ? functionsNamed(name) : [];
  if (context.catalog.functions.size === 0) return builtIn;
  const path = schema === null ? pathOf(context, builtIn.length > 0) : [schema];
  const found: Signature[] = [...builtIn];
  for (const part of path) {
    const namespace = findNamespace(context.catalog, part);
    for (const definition of namespace ? functionsOf(context.catalog, namespace.oid, name) : []) {
      const signature = sqlSignature(context, definition);
      const hidden = found.some((known) => sameArguments(known, signature));
      if (!hidden) found.push(signature);
    }
  }
  return found;
}

/**
 * In a stored text functions of users are named with their schema: without one it is a built-in function, or one of a text of
 * before that was done, whatever the search path of who reads it has in front.
 */
function pathOf({ searchPath, inStoredText }: BindContext, isBuiltIn: boolean): readonly string[] {
  if (inStoredText !== true) return effectivePath(searchPath);
  return isBuiltIn ? [] : ['public'];
}

/** The schema of the function of a user that a call without one means; null: it is a built-in one, or unknown. */
export function schemaOfFunction(context: BindContext, name: string): string | null {
  if (functionsNamed(name).length > 0) return null;
  const has = (schema: string): boolean => {
    const namespace = findNamespace(context.catalog, schema);
    return namespace !== undefined && functionsOf(context.catalog, namespace.oid, name).length > 0;
  };
  return effectivePath(context.searchPath).find(has) ?? null;
}

const sameArguments = (left: Signature, right: Signature): boolean =>
  left.variadic === right.variadic &&
  left.args.length === right.args.length &&
  left.args.every((type, i) => type === right.args[i]);

function sqlSignature(context: BindContext, definition: SqlFunction): Signature {
  const inputs = inputArguments(definition);
  const variadic = inputs.at(-1)?.mode === 'variadic';
  const types = inputs.map(({ type }) => type.oid);
  const last = findTypeByOid(types.at(-1) ?? 0)?.elementOid ?? OID.anyelement;
  const columns = declaredColumns(context, definition);
  return {
    id: `sql function ${definition.oid}`,
    name: definition.name,
    kind: 'sql',
    args: variadic ? [...types.slice(0, -1), last] : types,
    variadic,
    argsMax: Number.POSITIVE_INFINITY,
    defaults: inputs.flatMap(({ defaultText }) => (defaultText === null ? [] : [defaultText])),
    argNames: inputs.map(({ name }) => name ?? ''),
    returns: definition.returns.oid,
    columns: (columns ?? []).map(({ name, type }) => ({ name, type: type.oid })),
  };
}

/** The result's columns by name and type; null for `record`, whose columns the body says. */
export function declaredColumns(context: BindContext, definition: SqlFunction): readonly NamedType[] | null {
  const outputs = outputArguments(definition);
  if (outputs.length > 0) {
    return outputs.map(({ name, type }, i) => ({ name: name ?? `column${i + 1}`, type }));
  }
  const relation = context.catalog.relations.get(definition.returnsRelation);
  if (relation) return liveColumns(relation).map(({ name, type }) => ({ name, type }));
  if (definition.returns.oid === OID.record) return null;
  return [{ name: definition.name, type: definition.returns }];
}
