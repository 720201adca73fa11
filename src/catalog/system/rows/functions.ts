/** Users' functions in SQL as pg_proc and information_schema show them. */
import { arrayDatum } from '../../../types/composite/array.ts';
import { OID } from '../../../types/oids.ts';
import { findTypeByOid } from '../../../types/registry.ts';
import { inputArguments } from '../../functions.ts';
import {
  type Catalog,
  type FunctionArgument,
  type SqlFunction,
  USUAL_COST,
  USUAL_ROWS,
} from '../../model.ts';
import { ownerOf } from '../../access/checks.ts';
import { shownAcl } from './access.ts';
import type { NamedRow, SystemContext } from '../context.ts';
import { vectorDatum } from '../columns/tables.ts';

const LANGUAGE_SQL = 14;

const MODES: Readonly<Record<FunctionArgument['mode'], string>> = {
  in: 'i',
  out: 'o',
  inout: 'b',
  variadic: 'v',
  table: 't',
};

/** Rows of pg_proc. */
export function sqlFunctionRows({ catalog }: SystemContext): readonly NamedRow[] {
  return [...catalog.functions.values()].map((definition) => functionRow(catalog, definition));
}

function functionRow(catalog: Catalog, definition: SqlFunction): NamedRow {
  const object = { kind: 'function', oid: definition.oid } as const;
  const { arguments: all, set, returns, promises = {} } = definition;
  const inputs = inputArguments(definition);
  const types = inputs.map(({ type }) => type.oid);
  const variadic = inputs.find(({ mode }) => mode === 'variadic');
  const special = all.some(({ mode }) => mode !== 'in');
  const defaults = inputs.flatMap(({ defaultText }) => (defaultText === null ? [] : [defaultText]));
  const asString = definition.form === 'string';
  return {
    oid: definition.oid,
    proname: definition.name,
    pronamespace: definition.namespace,
    proowner: ownerOf(catalog, object),
    proacl: shownAcl(catalog, object),
    prolang: LANGUAGE_SQL,
    procost: promises.cost ?? USUAL_COST,
    prorows: set ? (promises.rows ?? USUAL_ROWS) : 0,
    provariadic: (variadic && findTypeByOid(variadic.type.oid)?.elementOid) ?? 0,
    prokind: 'f',
    prosecdef: promises.securityDefiner ?? false,
    proleakproof: promises.leakproof ?? false,
    proisstrict: definition.strict,
    proretset: set,
    provolatile: definition.volatility[0] ?? 'v',
    proparallel: promises.parallel?.[0] ?? 'u',
    pronargs: inputs.length,
    pronargdefaults: defaults.length,
    prorettype: returns.oid,
    proargtypes: vectorDatum(OID.oid, types),
    proallargtypes: special
      ? arrayDatum(
          OID.oid,
          all.map(({ type }) => type.oid),
        )
      : null,
    proargmodes: special
      ? arrayDatum(
          OID.char,
          all.map(({ mode }) => MODES[mode]),
        )
      : null,
    proargnames: all.some(({ name }) => name !== null)
      ? arrayDatum(
          OID.text,
          all.map(({ name }) => name ?? ''),
        )
      : null,
    proargdefaults: defaults.length > 0 ? defaults.join(', ') : null,
    prosrc: asString ? definition.body : '',
    prosqlbody: asString ? null : definition.body,
  };
}
