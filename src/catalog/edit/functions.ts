/** Changes of the catalog's functions, for `edit.ts`. */
import { present } from '../../assert.ts';
import { SqlError } from '../../errors.ts';
import { functionSignature, functionsOf, inputArguments, sameInputs } from '../functions.ts';
import type { Catalog, SqlFunction } from '../model.ts';
import { CLASS_OID } from '../oids.ts';

export type FunctionEdit =
  /** OID 0 is a new one, any other takes the place of the function of that OID. */
  | { readonly edit: 'put function'; readonly function: SqlFunction }
  | { readonly edit: 'drop function'; readonly function: number };

/** @throws SqlError 42723. */
export function changeFunction(catalog: Catalog, edit: FunctionEdit): Catalog {
  const functions = new Map(catalog.functions);
  if (edit.edit === 'drop function') {
    present(functions.get(edit.function), `function ${edit.function}`);
    functions.delete(edit.function);
    const comments = catalog.comments.filter(
      ({ classOid, oid }) => classOid !== CLASS_OID.pg_proc || oid !== edit.function,
    );
    return { ...catalog, functions, comments };
  }
  const added = edit.function;
  requireFreeSignature(catalog, added);
  const oid = added.oid || catalog.nextOid;
  functions.set(oid, { ...added, oid });
  return { ...catalog, functions, nextOid: Math.max(catalog.nextOid, oid + 1) };
}

function requireFreeSignature(catalog: Catalog, added: SqlFunction): void {
  const types = inputArguments(added).map(({ type }) => type.oid);
  const other = functionsOf(catalog, added.namespace, added.name).find((known) => sameInputs(known, types));
  if (other === undefined || other.oid === added.oid) return;
  throw new SqlError(
    'duplicate_function',
    added.oid === 0
      ? `function "${added.name}" already exists with same argument types`
      : `function ${functionSignature({ catalog, searchPath: ['public'] }, added, ', ')} already exists in schema "${schemaName(catalog, added)}"`,
  );
}

const schemaName = (catalog: Catalog, { namespace }: SqlFunction): string =>
  catalog.namespaces.find(({ oid }) => oid === namespace)?.name ?? '';
