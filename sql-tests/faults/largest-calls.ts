/**
 * A call of every function, operator, cast, aggregate and set-returning function with the largest arguments of their
 * types: long texts of several shapes, arrays of many elements, decimals of all digits, numbers at the ends of their
 * ranges. What they give matters to nobody here; how long others wait for it does (`bench/largest.ts`).
 */
import {
  allAggregates,
  allCasts,
  allFunctions,
  allOperators,
  allSetFunctions,
} from '../../src/functions/registry.ts';
import { functionId, operatorId } from '../../src/functions/signature.ts';
import { findType } from '../../src/types/registry.ts';

export interface LargestCall {
  /** `lpad(text,int4)`, `+(int4,int4)`, `text->jsonb`; with the number of the arguments' shape. */
  readonly name: string;
  readonly sql: string;
}

/** SQL of about `bytes` of text by shape. */
function texts(bytes: number): readonly string[] {
  const repeated = (text: string): string =>
    `repeat('${text}', ${Math.max(1, Math.floor(bytes / Buffer.byteLength(text)))})`;
  return [
    repeated('a'),
    repeated('word another_thing 12.5 '),
    repeated('日本語 ßé 𝒳'),
    repeated('7'),
    repeated(' '),
    `${repeated('aaaaaaaab')} || '!'`,
    repeated('a,'),
    repeated('a+'),
    repeated('<!--'),
    repeated(String.raw`\\'"{([%_$`),
  ];
}

/** Documents: flat and long, one long string, deep. */
const jsons = (bytes: number): readonly string[] => [
  `('[' || repeat('1,', ${Math.floor(bytes / 2)}) || '1]')`,
  `('["' || repeat('a', ${bytes}) || '"]')`,
  `('{"a":' || repeat('[{"a": ', 1000) || '1' || repeat('}]', 1000) || '}')`,
  `('{"k":[' || repeat('{"a":1,"b":["x",2.5e3,null]},', ${Math.floor(bytes / 29)}) || '1]}')`,
];

const ARRAY_SHARE = 16;

function arrays(bytes: number, element: string, values: readonly string[]): readonly string[] {
  const count = Math.floor(bytes / ARRAY_SHARE);
  const [value = 'NULL'] = values;
  return [
    `array_fill(${value}::${element}, ARRAY[${count}])`,
    `array_fill(${value}::${element}, ARRAY[${Math.floor(count / 1000)}, 1000])`,
  ];
}

const INTEGERS = {
  int2: ['32767', '-32768', '1'],
  int4: ['2147483647', '-2147483648', '1', '100000000', '16777216'],
  int8: ['9223372036854775807', '-9223372036854775808', '1', '100000000'],
};

/** Expressions by type; what is not here has small values only, which are quick. */
function largeValues(bytes: number): Readonly<Record<string, readonly string[]>> {
  const text = texts(bytes);
  const json = jsons(bytes);
  const dimension = 16_000;
  const bytea = [`convert_to(repeat('a', ${bytes}), 'UTF8')`, `decode(repeat('00ff', ${bytes / 2}), 'hex')`];
  const numbers = [
    '10::numeric ^ 131071',
    `(repeat('7', 131072) || '.' || repeat('3', 16383))::numeric`,
    `('0.' || repeat('3', 16383))::numeric`,
    '1000',
  ];
  return {
    ...INTEGERS,
    text,
    name: [`repeat('a', 63)`],
    bpchar: text,
    varchar: text,
    json,
    jsonb: json,
    bytea,
    numeric: numbers,
    float8: ['1e308', '-1e308', '1e-308', '100000000', "'NaN'"],
    float4: ['1e38', '-1e38', "'Infinity'"],
    bit: [`repeat('10', ${bytes / 2})::varbit`],
    varbit: [`repeat('10', ${bytes / 2})`],
    interval: ["'178000000 years'", "'-178000000 years 1000 days'", "'1 us'"],
    timestamp: ["'294276-12-31 23:59:59.999999'", "'4713-01-01 BC'", "'infinity'"],
    timestamptz: ["'294276-12-31 23:59:59.999999+00'", "'4713-01-02 BC'", "'-infinity'"],
    date: ["'5874897-12-31'", "'4713-01-01 BC'", "'infinity'"],
    vector: [`('[' || repeat('0.5,', ${dimension - 1}) || '1]')`],
    halfvec: [`('[' || repeat('0.5,', ${dimension - 1}) || '1]')`],
    sparsevec: [`('{' || repeat('', 1) || '1:1,16000:0.5}/16000')`],
    tsvector: [`(SELECT string_agg('w' || i || ':' || i % 16000 + 1, ' ') FROM generate_series(1, 60000) i)`],
    tsquery: [
      `(SELECT string_agg('w' || i, ' & ') FROM generate_series(1, 5000) i)`,
      `repeat('!', 500) || 'a'`,
    ],
    jsonpath: ["'$.**'", "'$.** ? (@ > 0)'", '\'$[*] ? (@ like_regex "^(a+)+$")\'', "'$.k[*].b[*]'"],
    anyrange: ["'[1,2147483647)'::int4range", "'(,)'::int4range"],
    _text: arrays(bytes, 'text', ["'abc'"]),
    _int4: arrays(bytes, 'int4', ['2147483647']),
    _float8: arrays(bytes, 'float8', ['1e308']),
    _float4: arrays(bytes, 'float4', ['1.5']),
    _numeric: arrays(bytes, 'numeric', ['1.5']),
    anyarray: [...arrays(bytes, 'text', ["'abc'"]), ...arrays(bytes, 'int4', ['7'])],
    record: [`ROW(repeat('a', ${bytes}), 1)`],
  };
}

/** Polymorphic types, by what is put in their place. */
const POLYMORPHIC: Readonly<Record<string, string>> = {
  any: 'text',
  anyelement: 'text',
  anynonarray: 'text',
  anycompatible: 'text',
  anycompatiblearray: '_text',
};

/** Values of types that cannot be large. */
const SMALL: Readonly<Record<string, string>> = {
  bool: 'true',
  uuid: "'00000000-0000-0000-0000-000000000001'",
  time: "'12:00'",
  timetz: "'12:00+01'",
  pg_lsn: "'0/1'",
  tid: "'(0,1)'",
  char: "'a'",
  regconfig: "'english'",
  oid: '1',
  oidvector: "'1 2'",
};

class Shapes {
  readonly #values: Readonly<Record<string, readonly string[]>>;

  constructor(bytes: number) {
    this.#values = largeValues(bytes);
  }

  /** A large value of `type` in shape number `shape`; null for types without a large shape. */
  value(given: string, shape: number): string | null {
    const type = POLYMORPHIC[given.replace('...', '')] ?? given.replace('...', '');
    const large = this.#values[type];
    if (large !== undefined) {
      const value = large[shape % large.length];
      return type === 'anyarray' || type === 'anyrange' || type === 'record'
        ? `(${value})`
        : `(${value})::${sqlName(type)}`;
    }
    const small = SMALL[type];
    return small === undefined ? null : `${small}::${sqlName(type)}`;
  }

  count(given: readonly string[]): number {
    const counts = given.map(
      (type) => this.#values[POLYMORPHIC[type] ?? type.replace('...', '')]?.length ?? 0,
    );
    return Math.max(...counts, 0);
  }

  values(types: readonly string[], shape: number): string[] | null {
    const found = types.map((type, i) => this.value(type, shape + i));
    return found.every((value) => value !== null) ? (found as string[]) : null;
  }
}

const sqlName = (type: string): string =>
  type.startsWith('_') ? `${type.slice(1)}[]` : type === 'char' ? '"char"' : type;

interface Shaped {
  readonly id: string;
  readonly types: readonly string[];
  readonly sql: (values: readonly string[]) => string;
}

const isSet = (sql: string): string => `SELECT (${sql}) IS NULL`;

/** They wait, or end something, by what they are there for. */
const UNASKED =
  /^(?:pg_sleep|pg_advisory|pg_try_advisory|pg_terminate|pg_cancel|quern\.|pg_notify|set_config|setval)/;

function shapedCalls(): Shaped[] {
  const quoted = (name: string): string => (name.includes('.') ? name : `"${name}"`);
  return [
    ...allFunctions()
      .filter(({ name, args }) => args.length > 0 && !UNASKED.test(name))
      .map((row) => ({
        id: functionId(row),
        types: row.args,
        sql: (values: readonly string[]) => isSet(`${quoted(row.name)}(${values.join(', ')})`),
      })),
    ...allOperators().map((row) => ({
      id: operatorId(row),
      types: [row.left, row.right].filter((type) => type !== undefined),
      sql: (values: readonly string[]) =>
        isSet(
          values.length === 1
            ? `${row.name} ${values[0]}`
            : `${values[0]} OPERATOR(pg_catalog.${row.name}) ${values[1]}`,
        ),
    })),
    ...allCasts()
      .filter(({ to }) => findType(to) !== undefined)
      .map(({ from, to }) => ({
        id: `${from}->${to}`,
        types: [from],
        sql: ([value]: readonly string[]) => isSet(`${value}::${sqlName(to)}`),
      })),
    ...textCasts(),
    ...allAggregates().flatMap((row) =>
      row.ordered === true || row.args.length === 0
        ? []
        : [
            {
              id: functionId(row),
              types: row.args,
              sql: (values: readonly string[]) =>
                `SELECT (${quoted(row.name)}(${values.join(', ')})) IS NULL FROM generate_series(1, 20)`,
            },
          ],
    ),
    ...allSetFunctions()
      .filter(({ name, args, shaped }) => args.length > 0 && shaped === undefined && !UNASKED.test(name))
      .map((row) => ({
        id: functionId(row),
        types: row.args,
        sql: (values: readonly string[]) => `SELECT count(*) FROM ${quoted(row.name)}(${values.join(', ')})`,
      })),
  ];
}

/** Casts of a long text to every type. */
function textCasts(): Shaped[] {
  const types = [
    'jsonb',
    'json',
    'numeric',
    '_int4',
    '_text',
    'tsvector',
    'tsquery',
    'vector',
    'bytea',
    'xml',
    'jsonpath',
    'bit',
    'int4',
    'date',
    'interval',
    'uuid',
    'sparsevec',
    'int4range',
    'regclass',
  ];
  return types
    .filter((type) => findType(type) !== undefined)
    .map((type) => ({
      id: `text->${type} by its text`,
      types: ['text'],
      sql: ([value]: readonly string[]) => isSet(`${value}::${sqlName(type)}`),
    }));
}

/**
 * @param bytes about the size of each large argument.
 * @param shapesMax of one callee: with fewer than there are, neighbours in the registry get different ones.
 */
export function largestCalls(bytes: number, shapesMax = Number.POSITIVE_INFINITY): LargestCall[] {
  const shapes = new Shapes(bytes);
  return shapedCalls().flatMap(({ id, types, sql }, i) => {
    const count = shapes.count(types);
    return Array.from({ length: Math.min(count, shapesMax) }, (_, n) => {
      const shape = (i + n) % count;
      const values = shapes.values(types, shape);
      return values === null ? [] : [{ name: `${id} #${shape}`, sql: sql(values) }];
    }).flat();
  });
}
