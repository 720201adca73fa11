/** Window functions over hand-built plans: positions, other rows' values, frames and EXCLUDE. */
import { describe, expect, it } from 'vitest';
import { emptyCatalog } from '../../catalog/edit/edit.ts';
import { physicalPlan } from '../../physical/make.ts';
import type { Expression } from '../../plan/expression.ts';
import type { FrameBound, Plan, WindowCall, WindowFrame } from '../../plan/plan.ts';
import type { Datum } from '../../types/datum.ts';
import { OID } from '../../types/oids.ts';
import type { TypeRef } from '../../types/type.ts';
import type { Vector } from '../../types/column/vector.ts';
import { unlimitedAccount, unlimitedSpace } from '../../../sql-tests/fixtures/account.ts';
import type { ExecutionContext } from '../context.ts';
import { allBatches } from '../plan-rows.ts';
import { planRows } from '../run.ts';
import { TimeSlice } from '../../time-slice.ts';

const INT: TypeRef = { oid: OID.int4, modifier: -1 };
const BIG: TypeRef = { oid: OID.int8, modifier: -1 };
const FLOAT: TypeRef = { oid: OID.float8, modifier: -1 };
const literal = (value: Datum, type = INT): Expression => ({ kind: 'literal', value, type });
const column = (index: number): Expression => ({ kind: 'column', index, type: INT });
const named = (name: string, type: TypeRef) => ({ name, type, relation: 0, attribute: 0 });

const UP_TO_PEERS: WindowFrame = {
  mode: 'range',
  start: { kind: 'unbounded preceding' },
  end: { kind: 'current row' },
  exclude: 'no others',
};

const call = (
  id: string,
  type: TypeRef,
  args: readonly Expression[] = [],
  frame = UP_TO_PEERS,
): WindowCall => ({
  function: id,
  args,
  filter: null,
  frame,
  type,
});

/** Rows (partition, key): one partition 1 with keys 10, 20, 20, 40 and one of NULL alone. */
const ROWS = [
  [1, 20],
  [1, 10],
  [2, null],
  [1, 40],
  [1, 20],
];

async function windowValues(calls: readonly WindowCall[]): Promise<Datum[][]> {
  const slice = new TimeSlice(() => 0);
  // Only what plans without relations and session functions read.
  const context = {
    parameters: [],
    functions: {},
    account: unlimitedAccount(),
    spill: unlimitedSpace(),
    signal: new AbortController().signal,
    statistics: null,
    yieldToOthers: () => slice.yieldToOthers(),
    now: () => 0,
  } as unknown as ExecutionContext;
  const input: Plan = {
    kind: 'values',
    rows: ROWS.map((row) => row.map((value) => literal(value as Datum))),
    output: [named('p', INT), named('k', INT)],
  };
  const plan: Plan = {
    kind: 'window',
    input,
    partition: [column(0)],
    order: [{ expression: column(1), descending: false, nullsFirst: false }],
    calls,
    output: [...input.output, ...calls.map((each) => named('w', each.type))],
  };
  const values: Datum[][] = calls.map(() => []);
  const physical = physicalPlan(plan, { catalog: emptyCatalog(), disabled: new Set() });
  for (const batch of await allBatches(planRows(physical, context))) {
    for (let row = 0; row < batch.length; row++) {
      for (const i of calls.keys()) values[i]?.push((batch.columns[2 + i] as Vector).get(row));
    }
  }
  return values;
}

describe('window functions', () => {
  it('number and rank rows', async () => {
    const calls = [
      call('row_number()', BIG),
      call('rank()', BIG),
      call('dense_rank()', BIG),
      call('percent_rank()', FLOAT),
      call('cume_dist()', FLOAT),
      call('ntile(int4)', INT, [literal(3)]),
    ];
    expect(await windowValues(calls)).toEqual([
      [1n, 2n, 3n, 4n, 1n],
      [1n, 2n, 2n, 4n, 1n],
      [1n, 2n, 2n, 3n, 1n],
      [0, 1 / 3, 1 / 3, 1, 0],
      [0.25, 0.75, 0.75, 1, 1],
      [1, 1, 2, 3, 1],
    ]);
  });

  it('take values of other rows', async () => {
    const calls = [
      call('lag(anyelement)', INT, [column(1)]),
      call('lead(anycompatible,int4,anycompatible)', INT, [column(1), literal(2), literal(-1)]),
      call('first_value(anyelement)', INT, [column(1)]),
      call('last_value(anyelement)', INT, [column(1)]),
      call('nth_value(anyelement,int4)', INT, [column(1), literal(2)]),
    ];
    expect(await windowValues(calls)).toEqual([
      [null, 10, 20, 20, null],
      [20, 40, -1, -1, -1],
      [10, 10, 10, 10, null],
      [10, 20, 20, 40, null],
      [null, 20, 20, 20, null],
    ]);
  });

  const around = (mode: WindowFrame['mode'], before: number, after: number): WindowFrame => ({
    mode,
    start: { kind: 'preceding', offset: literal(before) },
    end: { kind: 'following', offset: literal(after) },
    exclude: 'no others',
  });

  it('sum over frames', async () => {
    const sum = (frame: WindowFrame): WindowCall => call('sum(int4)', BIG, [column(1)], frame);
    const whole: FrameBound = { kind: 'unbounded following' };
    const calls = [
      sum(UP_TO_PEERS),
      sum(around('rows', 1, 1)),
      sum(around('range', 10, 10)),
      sum(around('groups', 1, 0)),
      sum({ ...UP_TO_PEERS, end: whole, exclude: 'current row' }),
      sum({ ...UP_TO_PEERS, end: whole, exclude: 'group' }),
      sum({ ...UP_TO_PEERS, end: whole, exclude: 'ties' }),
    ];
    expect(await windowValues(calls)).toEqual([
      [10n, 50n, 50n, 90n, null],
      [30n, 50n, 80n, 60n, null],
      [50n, 50n, 50n, 40n, null],
      [10n, 50n, 50n, 80n, null],
      [80n, 70n, 70n, 50n, null],
      [80n, 50n, 50n, 50n, null],
      [90n, 70n, 70n, 90n, null],
    ]);
  });
});
