/** The tables that generated queries read and change: few rows, small values, many NULLs, so that they meet. */
import type { Random } from '../faults/mutations.ts';
import { chance, pick } from './choose.ts';

export type Type =
  | 'bool'
  | 'int2'
  | 'int4'
  | 'int8'
  | 'numeric'
  | 'float8'
  | 'text'
  | 'date'
  | 'timestamp'
  | 'timestamptz'
  | 'interval'
  | 'time'
  | 'jsonb'
  | 'int4[]'
  | 'text[]'
  | 'uuid'
  | 'bytea';

/** Literals of each type, as SQL; whole quarters for float8, so that sums do not depend on their order. */
export const LITERALS: Readonly<Record<Type, readonly string[]>> = {
  bool: ['true', 'false'],
  int2: ['0::int2', '1::int2', '(-3)::int2', '7::int2', '300::int2'],
  int4: ['0', '1', '2', '3', '-1', '5', '42', '1000'],
  int8: ['0::int8', '1::int8', '3::int8', '-7::int8', '10000000000'],
  numeric: ['0.00', '1.5', '2.25', '-3.10', '10', '0.333', '123456.789'],
  float8: ['0::float8', '0.25::float8', '-1.5::float8', '2::float8', '1e10::float8', '7.75::float8'],
  text: ["''", "'a'", "'b'", "'abc'", "'Ab c'", "'xyz'", "'10'", "'hello'", "'%a_'", "' pad '"],
  date: [
    "date '2024-01-01'",
    "date '2024-02-29'",
    "date '1999-12-31'",
    "date '2024-03-10'",
    "date '03/04/05'",
  ],
  timestamp: [
    "timestamp '2024-01-01 10:20:30'",
    "timestamp '1999-12-31 23:59:59.5'",
    "timestamp '2024-02-29'",
  ],
  timestamptz: ["timestamptz '2024-01-01 10:20:30+00'", "timestamptz '2024-06-01 00:00:00+02'"],
  interval: ["interval '1 day'", "interval '2 months 3 days'", "interval '-01:30:00'", "interval '1 year'"],
  time: ["time '10:20:30'", "time '23:59:59.25'", "time '00:00'"],
  jsonb: [
    `'{"a": 1, "b": [1, 2]}'::jsonb`,
    `'[1, "x", null]'::jsonb`,
    `'3'::jsonb`,
    `'null'::jsonb`,
    `'{"a": {"c": "x"}}'::jsonb`,
    `'{}'::jsonb`,
  ],
  'int4[]': ["'{1,2,3}'::int[]", "'{}'::int[]", "'{NULL,4}'::int[]", 'ARRAY[2,1]'],
  'text[]': ["'{a,b}'::text[]", "'{}'::text[]", "ARRAY['x', NULL, 'abc']"],
  uuid: ["'00000000-0000-0000-0000-000000000001'::uuid", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid"],
  bytea: ["'\\x00ff'::bytea", "''::bytea", "'abc'::bytea"],
};

export const TYPES = Object.keys(LITERALS) as readonly Type[];

export interface Column {
  readonly name: string;
  readonly type: Type;
}

export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
}

const ID: Column = { name: 'id', type: 'int4' };

const columns = (...types: readonly Type[]): readonly Column[] => [
  ID,
  ...types.map((type, i): Column => ({ name: String.fromCharCode(97 + i), type })),
];

export const TABLES: readonly Table[] = [
  { name: 't0', columns: columns('int4', 'text', 'numeric', 'bool', 'date', 'int8') },
  { name: 't1', columns: columns('int4', 'text', 'float8', 'timestamp', 'jsonb', 'int4[]') },
  { name: 't2', columns: columns('int4', 'int2', 'text[]', 'interval', 'timestamptz', 'uuid', 'bytea') },
  { name: 't3', columns: columns('int4', 'numeric', 'text', 'time', 'bool') },
];

const ROWS_COUNT = 9;
const NULL_PERCENT = 25;

/** CREATE TABLE and INSERT of every table; t3 stays empty of keys that others have. */
export function setup(random: Random): readonly string[] {
  return TABLES.flatMap(({ name, columns: list }) => {
    const definitions = list.map((column) => `${column.name} ${column.type}`);
    const rows = Array.from({ length: ROWS_COUNT }, (_, i) => {
      const values = list.map(({ type }, place) => {
        if (place === 0) return String(i + 1);
        return chance(random, NULL_PERCENT) ? 'NULL' : pick(random, LITERALS[type]);
      });
      return `(${values.join(', ')})`;
    });
    return [
      `CREATE TABLE ${name} (${definitions.join(', ')}, PRIMARY KEY (id))`,
      `INSERT INTO ${name} VALUES ${rows.join(', ')}`,
    ];
  });
}
