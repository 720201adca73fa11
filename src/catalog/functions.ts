/**
 * Users' functions in SQL as immutable data, and the texts that describe one: `add(integer,integer)`, its
 * arguments and result as `pg_get_function_*` give them, its definition. A body is kept as it was written; the
 * binder reads it anew for every statement that calls the function.
 */
import { OID } from '../types/oids.ts';
import { quoteIdentifier } from '../types/text/quote.ts';
import type { TypeRef } from '../types/type.ts';
import { typeName } from './enums.ts';
import { namespaceName } from './lookup.ts';
import type { Catalog, FunctionArgument, Relation, SqlFunction } from './model.ts';

/** Arguments a call gives, in order. */
export function inputArguments(definition: SqlFunction): readonly FunctionArgument[] {
  return definition.arguments.filter(({ mode }) => mode !== 'out' && mode !== 'table');
}

/** Columns that OUT arguments or RETURNS TABLE name. */
export function outputArguments(definition: SqlFunction): readonly FunctionArgument[] {
  return definition.arguments.filter(({ mode }) => mode === 'out' || mode === 'inout' || mode === 'table');
}

/** Functions of a name in a namespace. */
export function functionsOf(catalog: Catalog, namespace: number, name: string): readonly SqlFunction[] {
  return [...catalog.functions.values()].filter(
    (definition) => definition.name === name && definition.namespace === namespace,
  );
}

export function sameInputs(definition: SqlFunction, types: readonly number[]): boolean {
  const inputs = inputArguments(definition);
  return inputs.length === types.length && inputs.every(({ type }, i) => type.oid === types[i]);
}

/** Where types are named: a version of the catalog, along a search path. */
interface Place {
  readonly catalog: Catalog;
  readonly searchPath: readonly string[];
}

const typeText = (place: Place, { oid }: TypeRef): string => typeName(place, { oid, modifier: -1 }) ?? '???';

/** `add(integer,integer)`. @param between the types: a comma, or a comma and a blank in errors. */
export function functionSignature(place: Place, definition: SqlFunction, between = ','): string {
  const types = inputArguments(definition).map(({ type }) => typeText(place, type));
  return `${quoteIdentifier(definition.name)}(${types.join(between)})`;
}

const MODES: Readonly<Record<FunctionArgument['mode'], string>> = {
  in: '',
  out: 'OUT ',
  inout: 'INOUT ',
  variadic: 'VARIADIC ',
  table: '',
};

/** `a integer, b integer DEFAULT 1`. */
export function functionArguments(
  place: Place,
  definition: SqlFunction,
  { defaults }: { readonly defaults: boolean },
): string {
  return definition.arguments
    .filter(({ mode }) => mode !== 'table')
    .map((argument) => {
      const name = argument.name === null ? '' : `${quoteIdentifier(argument.name)} `;
      const given = defaults && argument.defaultText !== null ? ` DEFAULT ${argument.defaultText}` : '';
      return `${MODES[argument.mode]}${name}${typeText(place, argument.type)}${given}`;
    })
    .join(', ');
}

/**
 * `SETOF integer`, `TABLE(a integer, b text)`, `SETOF books`.
 * @param nameOf a relation's name as it is to stand there.
 */
export function functionResult(
  place: Place,
  definition: SqlFunction,
  nameOf: (relation: Relation) => string,
): string {
  const columns = definition.arguments.filter(({ mode }) => mode === 'table');
  if (columns.length > 0) {
    const list = columns.map(({ name, type }) => `${quoteIdentifier(name ?? '')} ${typeText(place, type)}`);
    return `TABLE(${list.join(', ')})`;
  }
  const relation = place.catalog.relations.get(definition.returnsRelation);
  const returns = relation === undefined ? typeText(place, definition.returns) : nameOf(relation);
  return definition.set ? `SETOF ${returns}` : returns;
}

/** CREATE OR REPLACE FUNCTION as `pg_get_functiondef` writes it. */
export function functionDefinition(
  place: Place,
  definition: SqlFunction,
  nameOf: (relation: Relation) => string,
): string {
  const { name, namespace, volatility, strict, set, returns, promises = {} } = definition;
  const schema = quoteIdentifier(namespaceName(place.catalog, namespace) ?? '');
  const traits = [
    ...(volatility === 'volatile' ? [] : [volatility.toUpperCase()]),
    ...(promises.parallel === undefined ? [] : [`PARALLEL ${promises.parallel.toUpperCase()}`]),
    ...(strict ? ['STRICT'] : []),
    ...(promises.securityDefiner ? ['SECURITY DEFINER'] : []),
    ...(promises.leakproof ? ['LEAKPROOF'] : []),
    ...(promises.cost === undefined ? [] : [`COST ${formatPromise(promises.cost)}`]),
    ...(promises.rows === undefined ? [] : [`ROWS ${formatPromise(promises.rows)}`]),
  ];
  const rows = set && returns.oid === OID.void && promises.rows === undefined ? [' ROWS 0'] : [];
  return [
    `CREATE OR REPLACE FUNCTION ${schema}.${quoteIdentifier(name)}(${functionArguments(place, definition, { defaults: true })})`,
    ` RETURNS ${functionResult(place, definition, nameOf)}`,
    ' LANGUAGE sql',
    ...(traits.length > 0 ? [` ${traits.join(' ')}`] : []),
    ...rows,
    bodyText(definition),
    '',
  ].join('\n');
}

/** As C's %g prints it. */
function formatPromise(value: number): string {
  const short = Number(value.toPrecision(6));
  if (short !== 0 && (Math.abs(short) >= 1e6 || Math.abs(short) < 1e-4)) {
    return short.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
  }
  return String(short);
}

/** A body that is not a string: RETURN, or BEGIN ATOMIC. */
export function sqlBody({ form, body }: SqlFunction): string | null {
  if (form === 'return') return `RETURN ${body}`;
  return form === 'atomic' ? `BEGIN ATOMIC\n ${body}\nEND` : null;
}

function bodyText(definition: SqlFunction): string {
  const { body } = definition;
  const written = sqlBody(definition);
  if (written !== null) return written;
  let mark = 'function';
  while (body.includes(`$${mark}$`)) mark += 'x';
  return `AS $${mark}$${body}$${mark}$`;
}
