/**
 * CREATE and ALTER FUNCTION. A body is bound once when the function is made, so that what is wrong with it
 * is told then; the catalog keeps its text. Follows PostgreSQL's functioncmds.c.
 */
import { applyEdit, type CatalogEdit } from '../../../catalog/edit/edit.ts';
import {
  functionSignature,
  functionsOf,
  inputArguments,
  outputArguments,
  sameInputs,
} from '../../../catalog/functions.ts';
import type { FunctionArgument, Relation, SqlFunction } from '../../../catalog/model.ts';
import { findNamespace } from '../../../catalog/lookup.ts';
import { CLASS_OID } from '../../../catalog/oids.ts';
import { notSupported, SqlError } from '../../../errors.ts';
import { isPolymorphic } from '../../../functions/resolve-casts.ts';
import type { BoundStatement } from '../../../plan/statement.ts';
import { OID } from '../../../types/oids.ts';
import { findTypeByOid, formatType } from '../../../types/registry.ts';
import type { TypeRef } from '../../../types/type.ts';
import type { CreateFunction, FunctionName, Statement, TypeName } from '../../ast.ts';
import { type BindContext, bindExpression } from '../context.ts';
import { qualifiedBody } from '../../deparse/source.ts';
import { coerce } from '../expression/coerce.ts';
import { reference } from '../draft.ts';
import { bindBody, bodyQuery } from '../expression/function-body.ts';
import { creationNamespace, findStored, typeOf } from '../names.ts';
import { roleOf } from '../access/actor.ts';
import { givenTo, type Owned } from '../access/owner.ts';
import { promises } from './function-promises.ts';
import { newLevel } from '../level.ts';
import { declaredColumns } from '../expression/candidates.ts';
import { newId, newState, typeOnly } from '../state.ts';

type Of<K extends Statement['kind']> = Extract<Statement, { kind: K }>;
type CatalogChange = Extract<BoundStatement, { kind: 'catalog' }>;

const wrong = (message: string, position?: number): SqlError =>
  new SqlError('invalid_function_definition', message, { position: position || undefined });

const change = (
  tag: string,
  edits: readonly CatalogEdit[],
  notices: readonly string[] = [],
): CatalogChange => ({
  kind: 'catalog',
  tag,
  edits,
  notices,
});

// ───────────────────────────── CREATE ─────────────────────────────

export function bindCreateFunction(statement: CreateFunction, context: BindContext): CatalogChange {
  const { name, body } = statement;
  const namespace = creationNamespace(context, name.schema, name.at);
  const language = statement.language ?? (body?.form === 'string' ? null : 'sql');
  if (language === null) throw wrong('no language specified');
  if (language !== 'sql') throw notSupported(`LANGUAGE ${language}`, { position: statement.at || undefined });
  if (body === null) throw wrong('no function body specified');
  const args = statement.arguments.map((argument) => defineArgument(argument, context));
  checkArguments(statement.arguments);
  const result = defineResult(statement, args, context);
  const definition: SqlFunction = {
    oid: 0,
    namespace,
    name: name.name,
    arguments: args,
    ...result,
    strict: statement.traits.strict ?? false,
    volatility: statement.traits.volatility ?? 'volatile',
    ...promises(statement.traits, { set: result.set }),
    form: body.form,
    body: body.form === 'string' ? body.text : qualifiedBody(context, body.form, body.text),
  };
  const replaced = replacedFunction(statement, definition, context);
  const edit: CatalogEdit = { edit: 'put function', function: { ...definition, oid: replaced?.oid ?? 0 } };
  const catalog = applyEdit(context.catalog, edit);
  if (body.form !== 'string' || !context.unreadBodies) {
    checkBody({ ...context, catalog }, { ...definition, body: body.text }, body.at);
  }
  return change('CREATE FUNCTION', [edit]);
}

function defineArgument(
  argument: CreateFunction['arguments'][number],
  context: BindContext,
): FunctionArgument {
  const { name, mode } = argument;
  if (argument.type.setOf) throw wrong('functions cannot accept set arguments');
  const type = argumentType(argument.type, context);
  if (mode === 'variadic' && !findTypeByOid(type.oid)?.elementOid) {
    throw wrong('VARIADIC parameter must be an array');
  }
  if (argument.default && (mode === 'out' || mode === 'table')) {
    throw wrong('only input parameters can have default values');
  }
  if (argument.default && !isPolymorphic(type.oid)) {
    const state = newState(context);
    const level = newLevel(state, null, null);
    level.clause = 'DEFAULT expressions';
    coerce(state, bindExpression(level, argument.default.value), {
      type,
      context: 'assignment',
      fail: (from, to, position) =>
        new SqlError('datatype_mismatch', `argument of DEFAULT must be type ${to}, not type ${from}`, {
          position,
        }),
    });
  }
  return { name, mode, type, defaultText: argument.default?.text ?? null };
}

/** Modifiers say nothing in a function: `varchar(3)` is `varchar`. */
function argumentType(written: TypeName, context: BindContext): TypeRef {
  if (rowType(written, context)) throw notSupported("an argument of a relation's row type");
  return plainType(written, context);
}

/** @throws SqlError 42704 in the words that PostgreSQL has for functions. */
function plainType(written: TypeName, context: BindContext): TypeRef {
  try {
    return typeOnly(typeOf(context, { ...written, setOf: false, modifiers: [] }).oid);
  } catch (error) {
    if (!(error instanceof SqlError) || error.condition !== 'undefined_object') throw error;
    throw new SqlError(error.condition, `type ${written.names.join('.')} does not exist`, error.fields);
  }
}

/** The relation that a type's name means, when it means one. */
function rowType(written: TypeName, context: BindContext): Relation | undefined {
  const [last, schema = null] = written.names.toReversed();
  if (schema === 'pg_catalog' || last === undefined) return undefined;
  return findStored(context, { schema, name: last, partition: null, at: written.at });
}

function checkArguments(args: CreateFunction['arguments']): void {
  const inputs = args.filter(({ mode }) => mode !== 'out' && mode !== 'table');
  const first = inputs.findIndex((argument) => argument.default !== null);
  const missing = inputs.find(
    (argument, i) => i > first && !argument.default && argument.mode !== 'variadic',
  );
  if (first !== -1 && missing) {
    throw wrong('input parameters after one with a default value must also have defaults', missing.at);
  }
  for (const side of [inputs, args.filter(({ mode }) => mode !== 'in' && mode !== 'variadic')]) {
    const twice = side.find(({ name }, i) => {
      return name !== null && side.findIndex((other) => other.name === name) !== i;
    });
    if (twice) throw wrong(`parameter name "${twice.name}" used more than once`, twice.at);
  }
}

function defineResult(
  { returns }: CreateFunction,
  args: readonly FunctionArgument[],
  context: BindContext,
): Pick<SqlFunction, 'returns' | 'returnsRelation' | 'set'> {
  const outputs = args.filter(({ mode }) => mode !== 'in' && mode !== 'variadic');
  const [only] = outputs;
  const byOutputs = outputs.length === 1 && only ? only.type : typeOnly(OID.record);
  if (returns === null) {
    if (outputs.length === 0) throw wrong('function result type must be specified');
    return { returns: byOutputs, returnsRelation: 0, set: false };
  }
  const relation = rowType(returns, context);
  if (relation) {
    return { returns: typeOnly(OID.record), returnsRelation: relation.oid, set: returns.setOf };
  }
  const type = plainType(returns, context);
  const table = outputs.some(({ mode }) => mode === 'table');
  if (table) return { returns: byOutputs, returnsRelation: 0, set: true };
  if (outputs.length > 0 && type.oid !== byOutputs.oid) {
    throw wrong(`function result type must be ${formatType(byOutputs)} because of OUT parameters`);
  }
  return { returns: type, returnsRelation: 0, set: returns.setOf };
}

/** The function that OR REPLACE replaces. @throws SqlError 42723, 42P13 when the result would change. */
function replacedFunction(
  { replace }: CreateFunction,
  definition: SqlFunction,
  { catalog, searchPath }: BindContext,
): SqlFunction | undefined {
  const types = inputArguments(definition).map(({ type }) => type.oid);
  const known = functionsOf(catalog, definition.namespace, definition.name).find((other) =>
    sameInputs(other, types),
  );
  if (!known || !replace) return undefined;
  const hint = `Use DROP FUNCTION ${functionSignature({ catalog, searchPath }, known)} first.`;
  const shape = ({ returns, set, returnsRelation }: SqlFunction): string => {
    return `${returns.oid} ${set} ${returnsRelation}`;
  };
  if (shape(known) !== shape(definition)) {
    const message = 'cannot change return type of existing function';
    throw new SqlError('invalid_function_definition', message, { hint });
  }
  const columns = (of: SqlFunction): string =>
    outputArguments(of)
      .map(({ name, type }) => `${name} ${type.oid}`)
      .join();
  if (columns(known) !== columns(definition)) {
    throw new SqlError('invalid_function_definition', 'cannot change return type of existing function', {
      detail: 'Row type defined by OUT parameters is different.',
      hint,
    });
  }
  const renamed = inputArguments(known).find(({ name }, i) => {
    return name !== null && name !== inputArguments(definition)[i]?.name;
  });
  if (renamed) {
    const message = `cannot change name of input parameter "${renamed.name}"`;
    throw new SqlError('invalid_function_definition', message, { hint });
  }
  return known;
}

/** Binds the body once. @param at position of its text in the statement; 0 when it has none. */
function checkBody(context: BindContext, definition: SqlFunction, at: number): void {
  try {
    const polymorphic = definition.arguments.some(({ type }) => isPolymorphic(type.oid));
    if (polymorphic) {
      bodyQuery(definition);
      return;
    }
    const state = newState({ ...context, parameterTypes: [] });
    const args = inputArguments(definition).map(({ type }) => reference(newId(state), type));
    const known = functionsOf(context.catalog, definition.namespace, definition.name).find((other) => {
      return sameInputs(
        other,
        args.map(({ type }) => type.oid),
      );
    });
    const columns = declaredColumns(context, definition);
    bindBody(state, { definition: known ?? definition, args, columns, at: 0 }, { keepPositions: true });
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
    const { position, ...fields } = error.fields;
    const moved =
      position === undefined || position <= 0 || at === 0
        ? fields
        : { ...fields, position: position + at - 1 };
    throw new SqlError(error.condition, error.message, moved);
  }
}

// ───────────────────────────── names and ALTER ─────────────────────────────

/** @throws SqlError 42883, 42725. */
export function namedFunction(context: BindContext, { name, types }: FunctionName): SqlFunction | undefined {
  const path = name.schema === null ? context.searchPath : [name.schema];
  const all = path.flatMap((schema) => {
    const namespace = findNamespace(context.catalog, schema);
    return namespace ? functionsOf(context.catalog, namespace.oid, name.name) : [];
  });
  if (types !== null) {
    const wanted = types.map((type) => typeOf(context, type).oid);
    return all.find((definition) => sameInputs(definition, wanted));
  }
  if (all.length > 1) {
    throw new SqlError('ambiguous_function', `function name "${name.name}" is not unique`, {
      hint: 'Specify the argument list to select the function unambiguously.',
    });
  }
  return all[0];
}

export function missingFunction(
  context: BindContext,
  { name, types }: FunctionName,
  noun = 'function',
): SqlError {
  const written = name.schema === null ? name.name : `${name.schema}.${name.name}`;
  if (types === null) {
    return new SqlError('undefined_function', `could not find a ${noun} named "${written}"`);
  }
  const list = types.map((type) => formatType(typeOnly(typeOf(context, type).oid))).join(', ');
  return new SqlError('undefined_function', `${noun} ${written}(${list}) does not exist`);
}

const ownedFunction = ({ oid, name, namespace }: SqlFunction): Owned => ({
  kind: 'function',
  oid,
  name,
  noun: 'function',
  namespace,
});

export function bindAlterFunction(statement: Of<'alter function'>, context: BindContext): CatalogChange {
  const { change: wanted } = statement;
  if (wanted.action === 'set owner') roleOf(context, wanted.role);
  const definition = namedFunction(context, statement.function);
  if (!definition) throw missingFunction(context, statement.function);
  const put = (changes: Partial<SqlFunction>): CatalogChange =>
    change('ALTER FUNCTION', [{ edit: 'put function', function: { ...definition, ...changes } }]);
  switch (wanted.action) {
    case 'rename':
      return put({ name: wanted.to });
    case 'set schema':
      return put({ namespace: creationNamespace(context, wanted.schema, statement.at) });
    case 'set owner':
      return change('ALTER FUNCTION', givenTo(context, ownedFunction(definition), wanted.role));
    case 'comment': {
      const { text } = wanted;
      const on = { classOid: CLASS_OID.pg_proc, oid: definition.oid, column: 0 };
      return change('COMMENT', [{ edit: 'comment', ...on, text }]);
    }
    case 'set': {
      const { volatility, strict } = wanted.traits;
      return put({
        ...(volatility !== null && { volatility }),
        ...(strict !== null && { strict }),
        ...promises(wanted.traits, definition),
      });
    }
  }
}
