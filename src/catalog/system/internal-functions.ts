/**
 * Functions that the catalog refers to and no statement calls: those that read and write types, that casts and
 * operators are made of, that step aggregates and handle access methods. Clients join them with pg_proc.
 */
import { allAggregates, allCasts, allOperators } from '../../functions/registry.ts';
import { allTypes } from '../../types/registry.ts';
import type { SqlType } from '../../types/type.ts';
import { generatedOid } from '../oids.ts';
import { ACCESS_METHODS } from './access-methods.ts';

export interface InternalFunction {
  readonly oid: number;
  readonly name: string;
  /** pg_type.typname of each argument. */
  readonly args: readonly string[];
  readonly returns: string;
}

/** Functions by which a type is read and written; 0 where PostgreSQL has none. */
export interface TypeFunctions {
  readonly input: number;
  readonly output: number;
  readonly receive: number;
  readonly send: number;
}

/**
 * PostgreSQL 18's, which clients know: a name before `in`, `out`, `recv` and `send`, then the four OIDs.
 * array_in and its kin are those of all arrays, range_in of all ranges.
 */
const KNOWN = `
bool 1242 1243 2436 2437
bytea 1244 31 2412 2413
char 1245 33 2434 2435
name 34 35 2422 2423
int8 460 461 2408 2409
int2 38 39 2404 2405
int2vector 40 41 2410 2411
int4 42 43 2406 2407
regproc 44 45 2444 2445
text 46 47 2414 2415
oid 1798 1799 2418 2419
tid 48 49 2438 2439
xid 50 51 2440 2441
cid 52 53 2442 2443
oidvector 54 55 2420 2421
json_ 321 322 323 324
pg_node_tree_ 195 196 197 198
float4 200 201 2424 2425
float8 214 215 2426 2427
unknown 109 110 2416 2417
aclitem 1031 1032 0 0
bpchar 1044 1045 2430 2431
varchar 1046 1047 2432 2433
date_ 1084 1085 2468 2469
time_ 1143 1144 2470 2471
timestamp_ 1312 1313 2474 2475
timestamptz_ 1150 1151 2476 2477
interval_ 1160 1161 2478 2479
timetz_ 1350 1351 2472 2473
bit_ 1564 1565 2456 2457
varbit_ 1579 1580 2458 2459
numeric_ 1701 1702 2460 2461
regprocedure 2212 2213 2446 2447
regoper 2214 2215 2448 2449
regoperator 2216 2217 2450 2451
regclass 2218 2219 2452 2453
regtype 2220 2221 2454 2455
record_ 2290 2291 2402 2403
cstring_ 2292 2293 2500 2501
any_ 2294 2295 0 0
anyarray_ 2296 2297 2502 2503
void_ 2298 2299 3120 3121
trigger_ 2300 2301 0 0
internal_ 2304 2305 0 0
anyelement_ 2312 2313 0 0
anynonarray_ 2777 2778 0 0
uuid_ 2952 2953 2961 2962
pg_lsn_ 3229 3230 3238 3239
anyenum_ 3504 3505 0 0
tsvector 3610 3611 3639 3638
tsquery 3612 3613 3641 3640
regconfig 3736 3737 3738 3739
regdictionary 3771 3772 3773 3774
jsonb_ 3806 3804 3805 3803
jsonpath_ 4001 4003 4002 4004
regnamespace 4084 4085 4087 4088
regrole 4098 4092 4094 4095
regcollation 4193 4194 4196 4197
xid8 5070 5081 5082 5083
anycompatible_ 5086 5087 0 0
anycompatiblearray_ 5088 5089 5090 5091
array_ 750 751 2400 2401
range_ 3834 3835 3836 3837
enum_ 3506 3507 3532 3533
`;

const KNOWN_FUNCTIONS: ReadonlyMap<string, TypeFunctions> = new Map(
  KNOWN.trim()
    .split('\n')
    .map((line) => {
      const [prefix = '', input, output, receive, send] = line.split(' ');
      const oids = {
        input: Number(input),
        output: Number(output),
        receive: Number(receive),
        send: Number(send),
      };
      return [prefix, oids];
    }),
);

/** Prefix of `in` and `out`: of types that PostgreSQL lacks, as pgvector names them. */
function prefixOf(type: SqlType): string {
  if (type.elementOid !== undefined && type.category === 'A') return 'array_';
  if (type.subtypeOid !== undefined) return 'range_';
  if (type.name === 'refcursor') return 'text';
  return KNOWN_FUNCTIONS.has(type.name) ? type.name : `${type.name}_`;
}

function functionsOf(prefix: string): TypeFunctions {
  const made = (part: string): number => generatedOid(`type function ${prefix}${part}`);
  return (
    KNOWN_FUNCTIONS.get(prefix) ?? {
      input: made('in'),
      output: made('out'),
      receive: made('recv'),
      send: made('send'),
    }
  );
}

export const typeFunctions = (type: SqlType): TypeFunctions => functionsOf(prefixOf(type));
export const ARRAY_FUNCTIONS: TypeFunctions = functionsOf('array_');
export const ENUM_FUNCTIONS: TypeFunctions = functionsOf('enum_');
/** As pg_type has them. */
export function typeFunctionColumns({ input, output, receive, send }: TypeFunctions): {
  readonly typinput: number;
  readonly typoutput: number;
  readonly typreceive: number;
  readonly typsend: number;
} {
  return { typinput: input, typoutput: output, typreceive: receive, typsend: send };
}

export const ARRAY_SUBSCRIPT_OID = 6179;

/** Types whose values those functions are of: the pseudo-type where several share them. */
const SHARED: Readonly<Record<string, string>> = {
  array_: 'anyarray',
  range_: 'anyrange',
  enum_: 'anyenum',
  text: 'text',
};

function typeFunctionRows(): readonly InternalFunction[] {
  const byPrefix = new Map(allTypes().map((type) => [prefixOf(type), type.name]));
  byPrefix.set('enum_', 'anyenum');
  return [...byPrefix].flatMap(([prefix, name]) => {
    const type = SHARED[prefix] ?? name;
    const { input, output, receive, send } = functionsOf(prefix);
    return [
      { oid: input, name: `${prefix}in`, args: ['cstring'], returns: type },
      { oid: output, name: `${prefix}out`, args: [type], returns: 'cstring' },
      { oid: receive, name: `${prefix}recv`, args: ['internal'], returns: type },
      { oid: send, name: `${prefix}send`, args: [type], returns: 'bytea' },
    ].filter(({ oid }) => oid !== 0);
  });
}

type CastRow = ReturnType<typeof allCasts>[number];
type OperatorRow = ReturnType<typeof allOperators>[number];
type AggregateRow = ReturnType<typeof allAggregates>[number];

export const castFunctionOid = ({ from, to }: CastRow): number =>
  generatedOid(`cast function ${from}->${to}`);

/** True when values change when they are cast. */
export const isComputed = (cast: CastRow): boolean =>
  (cast.evaluate ?? cast.evaluateIn ?? cast.kernel) !== undefined;

export const operatorFunctionOid = ({ name, left, right }: OperatorRow): number =>
  generatedOid(`operator function ${name}(${left ?? ''},${right})`);

/** `<=>` → less_equal_greater: every operator has a function of a name of its own. */
const SIGN_NAMES: Readonly<Record<string, string>> = {
  '<': 'less',
  '=': 'equal',
  '>': 'greater',
  '+': 'plus',
  '-': 'minus',
  '*': 'times',
  '/': 'slash',
  '~': 'tilde',
  '!': 'not',
  '@': 'at',
  '#': 'hash',
  '%': 'percent',
  '^': 'hat',
  '&': 'and',
  '|': 'bar',
  '`': 'quote',
  '?': 'question',
};

const signNames = (operator: string): string =>
  [...operator].map((sign) => SIGN_NAMES[sign] ?? sign).join('_');

export const stepFunctionOid = ({ name, args }: AggregateRow): number =>
  generatedOid(`step function ${name}(${args.join(',')})`);

/** PostgreSQL's OIDs of what makes its access methods. */
const HANDLERS: Readonly<Record<string, readonly [oid: number, name: string]>> = {
  heap: [3, 'heap_tableam_handler'],
  btree: [330, 'bthandler'],
  hash: [331, 'hashhandler'],
  gin: [333, 'ginhandler'],
  brin: [335, 'brinhandler'],
  spgist: [334, 'spghandler'],
};

export function accessMethodHandler(method: string): readonly [oid: number, name: string] {
  return HANDLERS[method] ?? [generatedOid(`handler ${method}`), `${method}handler`];
}

/** The parser of texts. */
export const PARSER_FUNCTIONS = {
  prsstart: 3717,
  prstoken: 3718,
  prsend: 3719,
  prsheadline: 3720,
  prslextype: 3721,
} as const;

const PARSER_NAMES: Readonly<Record<keyof typeof PARSER_FUNCTIONS, string>> = {
  prsstart: 'prsd_start',
  prstoken: 'prsd_nexttoken',
  prsend: 'prsd_end',
  prsheadline: 'prsd_headline',
  prslextype: 'prsd_lextype',
};

const internal = (oid: number, name: string): InternalFunction => ({
  oid,
  name,
  args: ['internal'],
  returns: 'internal',
});

export const INTERNAL_FUNCTIONS: readonly InternalFunction[] = [
  ...typeFunctionRows(),
  internal(ARRAY_SUBSCRIPT_OID, 'array_subscript_handler'),
  ...allCasts()
    .filter(isComputed)
    .map((cast) => ({ oid: castFunctionOid(cast), name: cast.to, args: [cast.from], returns: cast.to })),
  ...allOperators().map((operator) => ({
    oid: operatorFunctionOid(operator),
    name: signNames(operator.name),
    args: operator.left === undefined ? [operator.right] : [operator.left, operator.right],
    returns: operator.returns,
  })),
  ...allAggregates().map((aggregate) => ({
    oid: stepFunctionOid(aggregate),
    name: `${aggregate.name}_step`,
    args: ['internal', ...aggregate.args.map((arg) => arg.replace(/^\.\.\./, ''))],
    returns: 'internal',
  })),
  ...ACCESS_METHODS.map(({ name }) => internal(...accessMethodHandler(name))),
  ...Object.entries(PARSER_FUNCTIONS).map(([part, oid]) =>
    internal(oid, PARSER_NAMES[part as keyof typeof PARSER_FUNCTIONS]),
  ),
];
