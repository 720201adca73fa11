/** Aggregates whose states are numbers in typed arrays: a row that does not count can be added without harm. */
import { OID } from '../../types/oids.ts';
import { aggregateById } from '../registry.ts';

export type TypedState =
  | 'count'
  | 'integer sum'
  | 'integer extreme'
  | 'float extreme'
  | 'decimal mean'
  | 'decimal sum'
  | 'float sum'
  | 'float mean';

/** Null for aggregates of another kind. @param types of the arguments. */
export function typedStateOf(id: string, types: readonly number[]): TypedState | null {
  const { name } = aggregateById(id);
  const [type] = types;
  if (name === 'count' && types.length <= 1) return 'count';
  if (type === undefined || types.length > 1) return null;
  return (Object.hasOwn(STATES, name) ? STATES[name]?.get(type) : undefined) ?? null;
}

const EXTREMES: ReadonlyMap<number, TypedState> = new Map([
  [OID.int2, 'integer extreme'],
  [OID.int4, 'integer extreme'],
  [OID.date, 'integer extreme'],
  [OID.float4, 'float extreme'],
  [OID.float8, 'float extreme'],
]);

/** By name, then by type of the argument. */
const STATES: Readonly<Record<string, ReadonlyMap<number, TypedState>>> = {
  min: EXTREMES,
  max: EXTREMES,
  sum: new Map([
    [OID.int2, 'integer sum'],
    [OID.int4, 'integer sum'],
    [OID.int8, 'decimal sum'],
    [OID.numeric, 'decimal sum'],
    [OID.float8, 'float sum'],
  ]),
  avg: new Map([
    [OID.int2, 'decimal mean'],
    [OID.int4, 'decimal mean'],
    [OID.int8, 'decimal mean'],
    [OID.numeric, 'decimal mean'],
    [OID.float8, 'float mean'],
  ]),
};
