/**
 * pg_type, pg_proc, pg_operator and what else is read from the registries of types and functions.
 */
import { allCasts, allOperators } from '../../functions/registry.ts';
import { arrayDatum } from '../../types/array.ts';
import { OID } from '../../types/oids.ts';
import { allTypes, findType } from '../../types/registry.ts';
import type { SqlType } from '../../types/type.ts';
import { DEFAULT_COLLATION_OID, generatedOid, NAMESPACE_OID, OWNER_ROLE_OID } from '../oids.ts';
import type { NamedRow, RowSources, SystemContext } from './context.ts';
import { ARRAY_IO, FUNCTION_ENTRIES, type FunctionEntry } from './function-oids.ts';
import { enumLabelRows, enumTypeRows } from './rows-enums.ts';
import { sqlFunctionRows } from './rows-functions.ts';
import { alignment, storage } from './rows-relations.ts';
import { vectorDatum } from './tables.ts';

export const TYPE_ROWS: RowSources = {
  *pg_type(context) {
    yield* allTypes().map(typeRow);
    yield* enumTypeRows(context);
  },
  pg_enum: enumLabelRows,
  pg_range: () =>
    allTypes()
      .filter(({ subtypeOid }) => subtypeOid !== undefined)
      .map(rangeRow),
  pg_proc: pgProc,
  pg_aggregate: () =>
    FUNCTION_ENTRIES.filter(({ kind }) => kind === 'a').map(({ oid }) => ({ aggfnoid: oid, aggkind: 'n' })),
  pg_operator: () => allOperators().map(operatorRow),
  pg_cast: () => allCasts().map(castRow),
};

/** Types of ours and pgvector's stand in the schema that the extension was made in. */
const EXTENSION_TYPES_FROM = 16_000;

function typeRow(type: SqlType): NamedRow {
  const array = type.elementOid !== undefined && type.category === 'A';
  const io = array
    ? ARRAY_IO
    : {
        input: generatedOid(`input ${type.name}`),
        output: generatedOid(`output ${type.name}`),
        receive: generatedOid(`receive ${type.name}`),
        send: generatedOid(`send ${type.name}`),
        subscript: 0,
      };
  return {
    oid: type.oid,
    typname: type.name,
    typnamespace: type.oid >= EXTENSION_TYPES_FROM ? NAMESPACE_OID.public : NAMESPACE_OID.pg_catalog,
    typowner: OWNER_ROLE_OID,
    typlen: type.typlen,
    typbyval: type.typlen > 0 && type.typlen <= 8,
    typtype: type.pseudo ? 'p' : type.subtypeOid === undefined ? 'b' : 'r',
    typcategory: type.category,
    typispreferred: type.preferred ?? false,
    typisdefined: true,
    typdelim: ',',
    typsubscript: io.subscript,
    typelem: type.elementOid ?? 0,
    typarray: type.arrayOid,
    typinput: io.input,
    typoutput: io.output,
    typreceive: io.receive,
    typsend: io.send,
    typalign: alignment(type.typlen),
    typstorage: storage(type.oid, type.typlen),
    typtypmod: -1,
    typcollation: type.category === 'S' ? DEFAULT_COLLATION_OID : 0,
  };
}

/** Without a multirange type: there are none. */
const rangeRow = ({ oid, subtypeOid = 0 }: SqlType): NamedRow => ({ rngtypid: oid, rngsubtype: subtypeOid });

const typeOid = (name: string): number => findType(name)?.oid ?? OID.any;

const LANGUAGE_INTERNAL = 12;

/** What all rows of pg_proc have in common. */
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
  for (const entry of FUNCTION_ENTRIES) yield functionRow(entry);
  const names = {
    input: 'array_in',
    output: 'array_out',
    receive: 'array_recv',
    send: 'array_send',
  } as const;
  for (const [part, proname] of Object.entries(names)) {
    const returns = part === 'output' ? OID.cstring : part === 'send' ? OID.bytea : OID.anyarray;
    yield {
      ...FUNCTION_ROW,
      oid: ARRAY_IO[part as keyof typeof names],
      proname,
      pronargs: 1,
      prorettype: returns,
      proargtypes: vectorDatum(OID.oid, [part === 'output' || part === 'send' ? OID.anyarray : OID.cstring]),
      prosrc: proname,
    };
  }
}

function functionRow(entry: FunctionEntry): NamedRow {
  const args = entry.args.map(typeOid);
  return {
    ...FUNCTION_ROW,
    oid: entry.oid,
    proname: entry.name,
    prorows: entry.set ? 1000 : 0,
    provariadic: entry.variadic ? (args.at(-1) ?? 0) : 0,
    prokind: entry.kind,
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

function operatorRow({ name, left, right, returns, commutator, negator }: OperatorRow): NamedRow {
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
    oprcode: generatedOid(`operator function ${name}(${left ?? ''},${right})`),
  };
}

type CastRow = ReturnType<typeof allCasts>[number];

const CAST_CONTEXTS = { implicit: 'i', assignment: 'a', explicit: 'e' } as const;

function castRow({ from, to, context, ...rest }: CastRow): NamedRow {
  const computed = rest.evaluate ?? rest.evaluateIn ?? rest.kernel;
  return {
    oid: generatedOid(`cast ${from}->${to}`),
    castsource: typeOid(from),
    casttarget: typeOid(to),
    castfunc: computed === undefined ? 0 : generatedOid(`cast function ${from}->${to}`),
    castcontext: CAST_CONTEXTS[context],
    castmethod: computed === undefined ? 'b' : 'f',
  };
}
