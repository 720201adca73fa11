/** Names of users' functions as `regproc` and `regprocedure` read and write them. */
import { findType } from '../types/registry.ts';
import { quoteIdentifier } from '../types/text/quote.ts';
import { functionSignature, functionsOf, sameInputs } from './functions.ts';
import type { Catalog, SqlFunction } from './model.ts';
import { effectivePath, findNamespace, namespaceName } from './lookup.ts';

/**
 * By `f`, `s.f` or `f(integer,text)`; null when there is none.
 * @param searchPath where a name without schema is looked for.
 */
export function sqlFunctionOid(
  catalog: Catalog,
  searchPath: readonly string[],
  written: string,
): number | null {
  if (catalog.functions.size === 0) return null;
  const found = /^\s*(?:("[^"]+"|[\w$]+)\.)?("[^"]+"|[\w$]+)\s*(?:\((.*)\))?\s*$/s.exec(written);
  if (found === null) return null;
  const name = identifier(found[2] ?? '');
  const path = found[1] === undefined ? effectivePath(searchPath) : [identifier(found[1])];
  const types = typeOids(found[3]);
  for (const schema of path) {
    const namespace = findNamespace(catalog, schema);
    const named = namespace ? functionsOf(catalog, namespace.oid, name) : [];
    const match = named.find((definition) => types === null || sameInputs(definition, types));
    if (match) return match.oid;
  }
  return null;
}

const identifier = (part: string): string => (part.startsWith('"') ? part.slice(1, -1) : part.toLowerCase());

function typeOids(list: string | undefined): readonly number[] | null {
  if (list === undefined) return null;
  if (list.trim() === '') return [];
  return list.split(',').map((type) => findType(type.trim().toLowerCase())?.oid ?? 0);
}

/** `add1(integer)`, with its schema where the search path does not lead to it. */
export function sqlFunctionName(catalog: Catalog, searchPath: readonly string[], oid: number): string | null {
  const definition = catalog.functions.get(oid);
  if (definition === undefined) return null;
  const signature = functionSignature({ catalog, searchPath }, definition);
  if (isVisibleFunction(catalog, searchPath, definition)) return signature;
  return `${quoteIdentifier(namespaceName(catalog, definition.namespace) ?? '')}.${signature}`;
}

/** True when its name and argument types without a schema mean this function. */
function isVisibleFunction(
  catalog: Catalog,
  searchPath: readonly string[],
  definition: SqlFunction,
): boolean {
  const schema = namespaceName(catalog, definition.namespace);
  return schema !== null && effectivePath(searchPath).includes(schema);
}
