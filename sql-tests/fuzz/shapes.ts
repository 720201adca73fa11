/**
 * Shapes of statements that have been answered wrongly once: whole rows of outer joins, WITH in subqueries, lengths
 * of types through VALUES, filters above grouping sets, NaN, json's text, arrays of arrays, VARIADIC, sets of rows
 * under GROUP BY and DISTINCT ON. What they give depends on no choice of a plan.
 */
import type { Random } from '../faults/mutations.ts';
import { chance, pick, times } from './choose.ts';
import { type Column, TABLES, type Type } from './tables.ts';

type Scope = readonly (Column & { readonly source: string })[];

/** Parts that the maker of ordinary queries lends. */
export interface Parts {
  readonly random: Random;
  expression(scope: Scope, type: Type): string;
  condition(scope: Scope): string;
}

export type Shape = (parts: Parts) => string;

const NUMERIC_TABLES = TABLES.filter(({ name }) => name !== 't2');

function scopeOf(table: (typeof TABLES)[number], source: string): Scope {
  return table.columns.map((column) => ({ ...column, source }));
}

const ROW_VALUES = [
  'row_to_json(q)',
  'to_jsonb(q)',
  'coalesce(to_jsonb(q), \'"none"\')',
  'q IS NULL',
  'q IS NOT NULL',
  'q IS DISTINCT FROM NULL',
  'q::text',
  'num_nulls(q, p)',
  '(q).a',
  'CASE WHEN q IS NULL THEN -1 ELSE q.id END',
  '(SELECT row_to_json(q))',
  "jsonb_build_object('q', q)",
  'to_json(p)',
  'json_build_array(q, p.id)',
];

const ROW_AGGREGATES = [
  'count(q)',
  'json_agg(q ORDER BY q.id)',
  'jsonb_agg(q ORDER BY q.id)',
  'array_agg(q ORDER BY q.id)::text',
  'count(DISTINCT q)',
  'bool_and(q IS NULL)',
  'json_agg(row_to_json(q) ORDER BY q.id)',
];

const wholeRows: Shape = ({ random, condition }) => {
  const [left, right] = [pick(random, TABLES), pick(random, TABLES)];
  const join = pick(random, ['LEFT', 'RIGHT', 'FULL']);
  const side = chance(random, 30)
    ? `(SELECT s.id, s.a, 'x' AS k FROM ${right.name} s WHERE s.id % 2 = 0)`
    : right.name;
  const from = `${left.name} p ${join} JOIN ${side} q ON p.${pick(random, ['id', 'a'])} = q.${pick(random, ['id', 'a'])}`;
  const third = chance(random, 30) ? ` LEFT JOIN ${pick(random, TABLES).name} r ON r.id = q.a` : '';
  const where = chance(random, 40) ? ` WHERE ${condition(scopeOf(left, 'p'))}` : '';
  if (chance(random, 40)) {
    const calls = times(2, () => pick(random, ROW_AGGREGATES)).join(', ');
    return `SELECT p.id, ${calls} FROM ${from}${where} GROUP BY p.id`;
  }
  const values = times(2, () => pick(random, ROW_VALUES)).join(', ');
  return `SELECT p.id, q.id, ${values}${third && ', to_json(r), r IS NULL'} FROM ${from}${third}${where}`;
};

const correlatedWith: Shape = ({ random, expression }) => {
  const table = pick(random, TABLES);
  const value = expression(scopeOf(table, 'p'), 'int4');
  const kept = pick(random, ['', 'MATERIALIZED ', 'NOT MATERIALIZED ']);
  const other = pick(random, TABLES);
  const inner = pick(random, [
    `WITH c(x) AS ${kept}(VALUES (${value})) SELECT (SELECT x FROM c)`,
    `WITH c(x) AS ${kept}(SELECT ${value}) SELECT a.x + b.x FROM c a, c b`,
    `WITH c AS ${kept}(SELECT u.id FROM ${other.name} u WHERE u.id <= p.id) SELECT count(*) + (SELECT sum(id) FROM c) FROM c`,
    `WITH c(x) AS ${kept}(SELECT ${value}) SELECT (WITH d(y) AS (SELECT x + 1 FROM c) SELECT (SELECT y FROM d) + (SELECT x FROM c))`,
    `WITH RECURSIVE c(x) AS (SELECT p.id UNION ALL SELECT x + 1 FROM c WHERE x < 8) SELECT (SELECT count(*) FROM c) + max(x) FROM c`,
    `WITH RECURSIVE b AS (SELECT x + 1 AS y FROM c), c(x) AS (SELECT ${value}) SELECT y + (SELECT x FROM c) FROM b`,
    `WITH c(x) AS ${kept}(SELECT u.a FROM ${other.name} u WHERE u.a = p.a) SELECT count(*) FROM ${table.name} v WHERE v.a IN (SELECT x FROM c)`,
  ]);
  return chance(random, 50)
    ? `SELECT p.id, (${inner}) AS v FROM ${table.name} p`
    : `SELECT p.id, l.* FROM ${table.name} p, LATERAL (${inner}) AS l(v)`;
};

const SIZED: readonly (readonly [type: string, values: readonly string[]])[] = [
  ['numeric(5,1)', ['1.5', '2.25', '-3.14', '10', '0.05']],
  ['numeric(6,2)', ['1.255', '7', '-0.005', '12.3']],
  ['varchar(3)', ["'a'", "'abc'", "'abcdef'", "''"]],
  ['char(4)', ["'a'", "'abcd'", "'abcdef'"]],
  ['timestamp(0)', ["'2020-01-01 00:00:00.6'", "'2020-01-01 10:20:30.4'"]],
  ['time(1)', ["'10:00:00.66'", "'23:59:59.04'"]],
];

const sized: Shape = ({ random }) => {
  const [type, literals] = pick(random, SIZED);
  const plain = type.replace(/\(.*/, '');
  const value = (): string => {
    const literal = pick(random, literals);
    return pick(random, [`${literal}::${type}`, `${literal}::${plain}`, literal, `NULL::${type}`]);
  };
  const typed = `${pick(random, literals)}::${type}`;
  const one = pick(random, [
    `CASE WHEN t.i = 1 THEN ${typed} ELSE ${value()} END`,
    `coalesce(${typed}, ${value()})`,
    `greatest(${typed}, ${value()})`,
    `nullif(${typed}, ${value()})`,
    `(ARRAY[${typed}, ${value()}])[t.i]`,
    `(SELECT ${typed} UNION ALL SELECT ${value()} LIMIT 1)`,
    `(VALUES (${typed}))`,
    't.x',
  ]);
  const rows = pick(random, [
    `(VALUES (1, ${typed}), (2, ${value()}), (3, ${value()}))`,
    `(SELECT 1, ${typed} UNION ALL SELECT 2, ${value()})`,
    `(SELECT 1, ${typed} EXCEPT SELECT 2, ${value()})`,
    `(SELECT DISTINCT i, x FROM (VALUES (1, ${typed}), (2, ${value()})) u(i, x))`,
  ]);
  const cast = pick(random, [`(${one})::${type}`, `(${one})::${plain}`, `pg_typeof(${one})::text`, one]);
  return `SELECT t.i, ${cast} AS v, t.x::${type} AS w FROM ${rows} AS t(i, x)`;
};

const groupingSets: Shape = ({ random, condition }) => {
  const table = pick(random, TABLES);
  const keys = pick(random, [
    ['p.a % 3', 'p.id % 2'],
    ['p.a % 3', 'p.a % 3'],
    ['p.id', 'p.a'],
    ['p.a', 'coalesce(p.a, 7)'],
  ] as const);
  const inner = `SELECT ${keys[0]} AS x, ${keys[1]} AS y, p.id AS i, p.a AS n FROM ${table.name} p WHERE ${condition(scopeOf(table, 'p'))}`;
  const sets = pick(random, [
    'ROLLUP (x, y)',
    'CUBE (x, y)',
    'GROUPING SETS ((x), (y))',
    'GROUPING SETS ((x, y), (x), ())',
    'GROUPING SETS ((), ())',
    'x, ROLLUP (y)',
    'ROLLUP (x), ROLLUP (y)',
    'x, y, ROLLUP (x)',
    'DISTINCT ROLLUP (x), CUBE (x, y)',
  ]);
  const having = chance(random, 40)
    ? ` HAVING ${pick(random, ['count(*) > 1', 'grouping(x) = 0', 'x IS NULL', 'x = 1', 'count(*) > 1 AND y IS NOT NULL', 'max(i) > 3 OR x = 2'])}`
    : '';
  const usesKeys = sets !== 'GROUPING SETS ((), ())';
  const shown = usesKeys ? 'x, y, grouping(x, y) AS g' : 'NULL::int AS x, NULL::int AS y, 0 AS g';
  const grouped = `SELECT ${shown}, count(*) AS c, sum(n) AS s FROM (${inner}) t GROUP BY ${sets}${usesKeys ? having : ''}`;
  if (chance(random, 30)) return grouped;
  const outer = pick(random, [
    'x IS NULL',
    'x = 1',
    'y = 0 OR g > 0',
    'coalesce(y, 7) = 7',
    'g = 1 AND x IS NOT NULL',
    'c > 1 AND x = y',
  ]);
  return `SELECT * FROM (${grouped}) z WHERE ${outer}`;
};

/** Columns that depend on a key, GROUPING in another order than the keys. */
const dependentKeys: Shape = ({ random }) => {
  const table = pick(random, TABLES);
  const sets = pick(random, ['(p.id), (p.id, p.a)', '(p.id, p.b), (p.id, p.a)', '(p.id, p.a, p.b)']);
  const used = sets.includes('p.b') ? ['p.b', 'p.a', 'p.id'] : ['p.a', 'p.id'];
  const args = times(1 + random(3), () => pick(random, used)).join(', ');
  return `SELECT p.id, p.b::text, p.a, grouping(${args}), count(*) FROM ${table.name} p GROUP BY GROUPING SETS (${sets})`;
};

const SPECIALS = ["'NaN'", "'Infinity'", "'-Infinity'", '1', '2', '3', '-1', '0.5', 'NULL'];
const MOMENTS = [
  'sum',
  'avg',
  'min',
  'max',
  'count',
  'var_pop',
  'var_samp',
  'stddev_pop',
  'stddev',
  'array_agg',
];
const PAIRED = [
  'corr',
  'covar_pop',
  'covar_samp',
  'regr_slope',
  'regr_sxx',
  'regr_sxy',
  'regr_r2',
  'regr_avgx',
];

const notANumber: Shape = ({ random }) => {
  const type = pick(random, ['float8', 'numeric', 'float4']);
  const rows = times(
    2 + random(5),
    (i) => `(${i}, ${pick(random, SPECIALS)}::${type}, ${pick(random, SPECIALS)}::float8)`,
  );
  const from = `(VALUES ${rows.join(', ')}) AS t(i, x, y)`;
  const call = pick(random, MOMENTS);
  const agg = call === 'array_agg' ? 'array_agg(x ORDER BY i)' : `${call}(x)`;
  if (chance(random, 30)) return `SELECT ${agg} AS v, ${pick(random, PAIRED)}(x, y) AS w FROM ${from}`;
  const offset = pick(random, type === 'numeric' ? ['1', '0.5', '0'] : ['1', '0.5', '0', "'Infinity'"]);
  const range = pick(random, [
    `${offset} PRECEDING AND ${offset} FOLLOWING`,
    `UNBOUNDED PRECEDING AND ${offset} FOLLOWING`,
    `${offset} FOLLOWING AND UNBOUNDED FOLLOWING`,
    `${offset} PRECEDING AND CURRENT ROW`,
  ]);
  const order = pick(random, ['', ' DESC', ' NULLS FIRST']);
  // Sums of a frame are made in its order, which ties leave open.
  const over = chance(random, 60)
    ? `(ORDER BY x${order} RANGE BETWEEN ${range})`
    : `(ORDER BY x${order}, i ${pick(random, ['ROWS', 'GROUPS'])} BETWEEN 1 PRECEDING AND 1 FOLLOWING)`;
  const windowed = pick(random, [
    'count(*)',
    'sum(x)',
    'min(x)',
    'max(x)',
    'avg(x)',
    'first_value(x)',
    'var_pop(x)',
  ]);
  return pick(random, [
    `SELECT i, x, ${windowed} OVER ${over} AS v FROM ${from}`,
    `SELECT x, count(*), min(i) FROM ${from} GROUP BY x ORDER BY x`,
    `SELECT i, x = y::${type}, x > y::${type}, greatest(x, y::${type}), x IS DISTINCT FROM y::${type} FROM ${from}`,
    `SELECT ${agg} AS v FROM ${from}`,
  ]);
};

const DOCUMENTS = [
  '{"a":  {"x" :1,  "x":2}, "b": [1 , 2], "a": 3}',
  ' [ { "x" : 1.00 } , 1e5 , "\\u0041" , null, true ] ',
  '{"a":{"b" : [ 10 ,{"c":"d \\" } ]"} ] } , "n":null}',
  '"text"',
  ' null',
  '-1.50',
  '{}',
  '[]',
  '[[1,2],[ 3 ]]',
  '{"a":{"b":[1,{"c":2}],"x":3},"a":{"b":[4]},"b":[5,6],"b":[7]}',
  '{"a":[1,2],"a":[3],"a":{"x":null},"b":"s","b":[[8],[9,10]]}',
];
const PATHS = [
  "'{a,b,1,c}'",
  "'{0,x}'",
  "'{-1}'",
  "'{a}'",
  "'{b,1}'",
  "'{z,b}'",
  "'{}'",
  "'{1,0}'",
  "'{a,x}'",
  "'{a,b,0}'",
  "'{a,-1}'",
  "'{b,-2}'",
  "'{b,-1,-1}'",
  '\'{" 0"}\'',
];

const jsonText: Shape = ({ random }) => {
  const kind = pick(random, ['json', 'json', 'jsonb']);
  const document = `'${pick(random, DOCUMENTS)}'::${kind}`;
  const key = pick(random, ["'a'", "'b'", "'x'", "'n'", '0', '1', '-1', '7']);
  const values = times(3, () =>
    pick(random, [
      `d -> ${key}`,
      `d ->> ${key}`,
      `d #> ${pick(random, PATHS)}`,
      `d #>> ${pick(random, PATHS)}`,
      `${kind}_typeof(d)`,
      `${kind}_strip_nulls(d)`,
      `${kind === 'json' ? 'row_to_json' : 'to_jsonb'}(t)`,
      `${kind}_build_object('k', d, 'r', ROW(1, d), 'l', ARRAY[[1,2],[3,4]])`,
      `${kind}_build_array(d, NULL, 1.50, 'x', ROW(d))`,
      `${kind}_extract_path_text(d, 'a', 'b')`,
      'd::text',
      'd::json::jsonb',
      `CASE ${kind}_typeof(d) WHEN 'array' THEN ${kind}_array_length(d) END`,
    ]),
  );
  if (chance(random, 60)) return `SELECT ${values.join(', ')} FROM (VALUES (${document})) t(d)`;
  return pick(random, [
    `SELECT * FROM ${kind}_each${pick(random, ['', '_text'])}(${document})`,
    `SELECT * FROM ${kind}_array_elements${pick(random, ['', '_text'])}(${document})`,
    `SELECT ${kind}_object_keys(${document})`,
    `SELECT ${kind}_agg(t ORDER BY i), ${kind}_agg(d ORDER BY i), ${kind}_object_agg(i, d ORDER BY i)::text FROM (VALUES (1, ${document}), (2, NULL), (3, '${pick(random, DOCUMENTS)}')) t(i, d)`,
    `SELECT e, e ->> 'x' FROM ${kind}_array_elements('[{"x" :  1}, {"x":"y"}]'::${kind}) e`,
    `SELECT * FROM ${kind}_to_record('{"p": [1 , 2], "q": "x", "r": {"s" :1}}') AS r(p int[], q text, r ${kind}, s text)`,
  ]);
};

const MATRICES = [
  'ARRAY[[1,2,3],[4,5,6],[7,8,9]]',
  "'{{1,2},{3,4}}'::int[]",
  "'[0:1][2:3]={{1,2},{3,NULL}}'::int[]",
  "'{}'::int[]",
  'ARRAY[7,8,9]',
  "'[-1:1]={5,6,7}'::int[]",
  'ARRAY[[[1,2],[3,4]],[[5,6],[7,8]]]',
  'NULL::int[]',
];

const dimensions: Shape = ({ random }) => {
  const bound = (): string => pick(random, ['', '0', '1', '2', '3', '-1', 'NULL::int']);
  const slice = (): string =>
    chance(random, 70) ? `[${bound()}:${bound()}]` : `[${pick(random, ['1', '2'])}]`;
  const value = (): string =>
    pick(random, [
      `x${slice()}`,
      `x${slice()}${slice()}`,
      `x${slice()}${slice()}${slice()}`,
      'x[1][2]',
      'x[2]',
      'x[0][3]',
      'x || y',
      'x || 5',
      '5 || x',
      'array_dims(x)',
      'array_dims(x || y)',
      'array_ndims(x)',
      `array_length(x, ${1 + random(3)})`,
      `array_lower(x, ${1 + random(2)})`,
      'cardinality(x)',
      'x = y',
      'x < y',
      'x @> y',
      'x && y',
      "array_to_string(x, ',', '*')",
      'to_json(x)',
      'ARRAY[x, y]',
      'ARRAY(SELECT x UNION ALL SELECT y)',
      'ARRAY(SELECT unnest(x) ORDER BY 1)',
      'array_append(x, 1)',
      'array_replace(x, 2, 0)',
      'array_remove(x, 2)',
      'array_position(x, 2)',
      'greatest(x, y)',
      'array_reverse(x)',
      'x::text[]',
      'coalesce(x, y)',
      '3 = ANY (x)',
      'trim_array(x, 1)',
    ]);
  const from = `(VALUES (${pick(random, MATRICES)}, ${pick(random, MATRICES)})) t(x, y)`;
  return pick(random, [
    // One value only: which of two errors comes first is up to the plan.
    `SELECT ${value()} AS v FROM ${from}`,
    `SELECT ${value()} AS v FROM ${from}`,
    `SELECT unnest(x) AS u, unnest(y) AS w FROM ${from}`,
    `SELECT array_agg(x) FROM (VALUES (${pick(random, MATRICES)}), (${pick(random, MATRICES)})) t(x)`,
    `SELECT i, x FROM (VALUES (1, ${pick(random, MATRICES)}), (2, ${pick(random, MATRICES)}), (3, ${pick(random, MATRICES)})) t(i, x) ORDER BY x, i`,
  ]);
};

const variadic: Shape = ({ random }) => {
  const array = pick(random, [
    "ARRAY['a', NULL, 'b']",
    "'{x,y}'::text[]",
    "'{}'::text[]",
    'NULL::text[]',
    'ARRAY[p.a, p.id]',
    'ARRAY[p.a::text, p.b::text]',
  ]);
  const call = pick(random, [
    `concat(VARIADIC ${array})`,
    `concat_ws('-', VARIADIC ${array})`,
    `format('%s|%s', VARIADIC ${array})`,
    `num_nulls(VARIADIC ${array})`,
    `num_nonnulls(VARIADIC ${array})`,
    `json_build_array(VARIADIC ${array})`,
    `jsonb_build_array(VARIADIC ${array})`,
    `jsonb_build_object(VARIADIC ${array})`,
    `json_build_object('k', VARIADIC ${array})`,
    `jsonb_extract_path('{"x":{"y":1}}', VARIADIC '{x,y}'::text[])`,
    `abs(VARIADIC p.a)`,
    `count(VARIADIC ${array})`,
  ]);
  return `SELECT ${call.startsWith('count') ? '' : 'p.id, '}${call} AS v FROM ${pick(random, TABLES).name} p`;
};

const SETS = [
  'unnest(ARRAY[p.a, p.id % 3])',
  'generate_series(1, p.a % 4)',
  'generate_series(1, 2) + p.id % 2',
  "regexp_split_to_table('a b', ' ')",
  '(jsonb_each(\'{"k": 1}\')).key',
  'unnest(ARRAY[[1,2],[3,NULL]])',
];

const setsInLists: Shape = ({ random, condition }) => {
  const table = pick(random, TABLES);
  const [first, second] = [pick(random, SETS), pick(random, SETS)];
  const from = `${table.name} p WHERE ${condition(scopeOf(table, 'p'))}`;
  return pick(random, [
    `SELECT ${first} AS u, count(*), sum(p.id) FROM ${from} GROUP BY u`,
    `SELECT ${first} AS u, count(*) FROM ${from} GROUP BY 1 HAVING count(*) > 1`,
    `SELECT ${first} AS u, ${second} AS w, count(*) FROM ${from} GROUP BY u, w`,
    `SELECT ${first} AS u, p.a, max(p.id) FROM ${from} GROUP BY 1, 2`,
    `SELECT ${first} AS u, count(*), grouping(p.a) FROM ${from} GROUP BY ROLLUP (p.a), u`,
    `SELECT p.a, ${second === SETS[0] ? 'generate_series(1, 2)' : 'generate_series(1, count(*))'} AS g FROM ${from} GROUP BY p.a`,
    `SELECT ${first} AS u, count(*) OVER () FROM ${from} GROUP BY u`,
    `SELECT DISTINCT ON (p.a) p.a, p.id, generate_series(1, 2) AS g FROM ${from} ORDER BY p.a, p.id`,
    `SELECT DISTINCT ON (p.a, g) p.a, generate_series(1, 2) AS g, p.id FROM ${from} ORDER BY p.a, g, p.id`,
    `SELECT DISTINCT ${first} AS u FROM ${from}`,
    `SELECT p.id, ${first} AS u, ${second} AS w FROM ${from}`,
    `SELECT count(*) FROM ${from} GROUP BY ${first}`,
  ]);
};

const aliases: Shape = ({ random }) =>
  pick(random, [
    'SELECT g + 1, g FROM generate_series(1, 3) g',
    "SELECT u || 'x', count(*) FROM unnest(ARRAY['a','b','a']) u GROUP BY u",
    "SELECT o ->> 'k', o FROM jsonb_array_elements('[{\"k\": 1}]') o",
    `SELECT p.id, g FROM ${pick(random, NUMERIC_TABLES).name} p LEFT JOIN generate_series(1, 3) g ON g = p.a`,
    `SELECT p.id, to_json(g), g FROM ${pick(random, NUMERIC_TABLES).name} p LEFT JOIN generate_series(1, 3) WITH ORDINALITY g ON g.g = p.a`,
    'SELECT x, x.id, x.a FROM t0 JOIN t1 USING (id, a) AS x',
    'SELECT x.id, t0.b, row_to_json(x) FROM t0 FULL JOIN t3 USING (id) AS x',
  ]);

export const SHAPES: readonly Shape[] = [
  wholeRows,
  wholeRows,
  correlatedWith,
  sized,
  groupingSets,
  groupingSets,
  dependentKeys,
  notANumber,
  jsonText,
  dimensions,
  variadic,
  setsInLists,
  aliases,
];

const STYLES = ['ISO', 'SQL', 'Postgres', 'German'];
const ORDERS = ['MDY', 'DMY', 'YMD'];
const INTERVAL_STYLES = ['postgres', 'postgres_verbose', 'sql_standard', 'iso_8601'];

/** How the statements that follow write and read dates and intervals. */
export const styles = (random: Random): readonly string[] => [
  `SET DateStyle = '${pick(random, STYLES)}, ${pick(random, ORDERS)}'`,
  `SET IntervalStyle = '${pick(random, INTERVAL_STYLES)}'`,
];
