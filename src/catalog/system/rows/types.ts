/**
 * pg_type, pg_proc, pg_operator and what else is read from the registries of types and functions.
 */
import { allAggregates, allCasts, allOperators } from '../../../functions/registry.ts';
import { arrayDatum } from '../../../types/composite/array.ts';
import { OID } from '../../../types/oids.ts';
import { allTypes, findType } from '../../../types/registry.ts';
import type { SqlType } from '../../../types/type.ts';
import {
  DEFAULT_COLLATION_OID,
  generatedOid,
  isExtensionType,
  NAMESPACE_OID,
  OWNER_ROLE_OID,
} from '../../oids.ts';
import { accessMethodOid } from '../access-methods.ts';
import type { NamedRow, RowSources, SystemContext } from '../context.ts';
import { FUNCTION_ENTRIES, type FunctionEntry, functionOid, placeOf } from '../function-oids.ts';
import {
  ARRAY_SUBSCRIPT_OID,
  castFunctionOid,
  INTERNAL_FUNCTIONS,
  type InternalFunction,
  isComputed,
  operatorFunctionOid,
  stepFunctionOid,
  typeFunctionColumns,
  typeFunctions,
} from '../internal-functions.ts';
import type { Catalog } from '../../model.ts';
import { shownAcl } from './access.ts';
import { enumLabelRows, enumTypeRows } from './enums.ts';
import { sqlFunctionRows } from './functions.ts';
import { OPERATOR_CLASSES } from '../operator-classes.ts';
import { alignment, storage } from './relations.ts';
import { vectorDatum } from '../columns/tables.ts';

export const TYPE_ROWS: RowSources = {
  *pg_type(context) {
    yield* allTypes().map((type) => typeRow(context.catalog, type));
    yield* enumTypeRows(context);
  },
  pg_enum: enumLabelRows,
  pg_range: () =>
    allTypes()
      .filter(({ subtypeOid }) => subtypeOid !== undefined)
      .map(rangeRow),
  pg_proc: pgProc,
  pg_aggregate: () => allAggregates().map(aggregateRow),
  pg_operator: () => allOperators().map(operatorRow),
  pg_cast: () => allCasts().map(castRow),
};

function typeRow(catalog: Catalog, type: SqlType): NamedRow {
  const array = type.elementOid !== undefined && type.category === 'A';
  return {
    oid: type.oid,
    typname: type.name,
    typnamespace: isExtensionType(type.oid) ? NAMESPACE_OID.public : NAMESPACE_OID.pg_catalog,
    typowner: OWNER_ROLE_OID,
    typacl: shownAcl(catalog, { kind: 'type', oid: type.oid }),
    typlen: type.typlen,
    typbyval: type.typlen > 0 && type.typlen <= 8,
    typtype: type.pseudo ? 'p' : type.subtypeOid === undefined ? 'b' : 'r',
    typcategory: type.category,
    typispreferred: type.preferred ?? false,
    typisdefined: true,
    typdelim: ',',
    typsubscript: array ? ARRAY_SUBSCRIPT_OID : 0,
    typelem: type.elementOid ?? 0,
    typarray: type.arrayOid,
    ...typeFunctionColumns(typeFunctions(type)),
    typalign: alignment(type.typlen),
    typstorage: storage(type.oid, type.typlen),
    typtypmod: -1,
    typcollation: type.category === 'S' ? DEFAULT_COLLATION_OID : 0,
  };
}

const aggregateRow = (row: ReturnType<typeof allAggregates>[number]): NamedRow => ({
  aggfnoid: functionOid(row),
  aggkind: 'n',
  aggtransfn: stepFunctionOid(row),
  aggtranstype: OID.internal,
});

/** Without a multirange type: there are none. */
const rangeRow = ({ oid, subtypeOid = 0 }: SqlType): NamedRow => ({
  rngtypid: oid,
  rngsubtype: subtypeOid,
  rngsubopc:
    OPERATOR_CLASSES.find(({ type, method }) => type === subtypeOid && method === accessMethodOid('btree'))
      ?.oid ?? 0,
});

const typeOid = (name: string): number => findType(name)?.oid ?? OID.any;

const LANGUAGE_INTERNAL = 12;

/** Columns that all rows of pg_proc have in common. */
const FUNCTION_ROW = {
  pronamespace: NAMESPACE_OID.pg_catalog,
  proowner: OWNER_ROLE_OID,
  prolang: LANGUAGE_INTERNAL,
  procost: 1,
  prokind: 'f',
  provolatile: 'i',
  proparallel: 's',
  proisstrict: true,
} as const;

function* pgProc(context: SystemContext): Generator<NamedRow> {
  yield* sqlFunctionRows(context);
  for (const entry of FUNCTION_ENTRIES) yield functionRow(context.catalog, entry);
  for (const entry of INTERNAL_FUNCTIONS) yield internalRow(entry);
}

const internalRow = ({ oid, name, args, returns }: InternalFunction): NamedRow => ({
  ...FUNCTION_ROW,
  oid,
  proname: name,
  pronargs: args.length,
  prorettype: typeOid(returns),
  proargtypes: vectorDatum(OID.oid, args.map(typeOid)),
  prosrc: name,
});

function functionRow(catalog: Catalog, entry: FunctionEntry): NamedRow {
  const args = entry.args.map(typeOid);
  const { schema, name } = placeOf(entry);
  return {
    ...FUNCTION_ROW,
    oid: entry.oid,
    proname: name,
    pronamespace: NAMESPACE_OID[schema],
    prorows: entry.set ? 1000 : 0,
    provariadic: entry.variadic ? (args.at(-1) ?? 0) : 0,
    prokind: entry.kind,
    proacl: shownAcl(catalog, { kind: 'function', oid: entry.oid }),
    proisstrict: entry.strict,
    proretset: entry.set,
    provolatile: entry.volatility,
    pronargs: args.length,
    pronargdefaults: entry.defaults,
    prorettype: typeOid(entry.returns),
    proargtypes: vectorDatum(OID.oid, args),
    proargnames: entry.argNames === null ? null : arrayDatum(OID.text, entry.argNames),
    prosrc: entry.name,
  };
}

type OperatorRow = ReturnType<typeof allOperators>[number];

const operatorOid = (name: string, left: string | undefined, right: string): number =>
  generatedOid(`operator ${name}(${left ?? ''},${right})`);

function operatorRow(row: OperatorRow): NamedRow {
  const { name, left, right, returns, commutator, negator } = row;
  return {
    oid: operatorOid(name, left, right),
    oprname: name,
    oprnamespace: NAMESPACE_OID.pg_catalog,
    oprowner: OWNER_ROLE_OID,
    oprkind: left === undefined ? 'l' : 'b',
    oprcanhash: name === '=',
    oprcanmerge: name === '=',
    oprleft: left === undefined ? 0 : typeOid(left),
    oprright: typeOid(right),
    oprresult: typeOid(returns),
    oprcom: commutator === undefined || left === undefined ? 0 : operatorOid(commutator, right, left),
    oprnegate: negator === undefined ? 0 : operatorOid(negator, left, right),
    oprcode: operatorFunctionOid(row),
  };
}

type CastRow = ReturnType<typeof allCasts>[number];

/** Casts have no schema: their OIDs, below those of users, tell pg_dump that they are the system's. */
const CASTS_FROM = 14_000;

const CAST_CONTEXTS = { implicit: 'i', assignment: 'a', explicit: 'e' } as const;

function castRow(cast: CastRow, position: number): NamedRow {
  const computed = isComputed(cast);
  return {
    oid: CASTS_FROM + position,
    castsource: typeOid(cast.from),
    casttarget: typeOid(cast.to),
    castfunc: computed ? castFunctionOid(cast) : 0,
    castcontext: CAST_CONTEXTS[cast.context],
    castmethod: computed ? 'f' : 'b',
  };
}
