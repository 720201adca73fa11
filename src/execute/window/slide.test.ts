/**
 * Frames that slide beside frames that are gone through one by one, over rows and frames by chance: every mode,
 * bound and EXCLUDE, with NULLs, NaN, infinities and decimals of several scales.
 */
import { describe, expect, it } from 'vitest';
import { emptyCatalog } from '../../catalog/edit/edit.ts';
import { physicalPlan } from '../../physical/make.ts';
import type { FunctionContext } from '../../functions/function.ts';
import { aggregateById } from '../../functions/registry.ts';
import type { Expression } from '../../plan/expression.ts';
import type { FrameBound, Plan, WindowCall, WindowFrame } from '../../plan/plan.ts';
import { seededRandom } from '../../seeded-random.ts';
import type { Datum, NumericDatum } from '../../types/datum.ts';
import { compareNumeric, parseNumeric } from '../../types/number/numeric.ts';
import { OID } from '../../types/oids.ts';
import { allBatches } from '../plan-rows.ts';
import { planRows } from '../run.ts';
import { unlimitedAccount, unlimitedSpace } from '../../../sql-tests/fixtures/account.ts';
import type { ExecutionContext } from '../context.ts';

const SEEDS = 150;
const ROWS_MAX = 24;
const NUMERIC = { oid: OID.numeric, modifier: -1 };

interface Row {
  readonly key: NumericDatum | null;
  readonly value: Datum;
  readonly passes: boolean;
}

const TYPES: Readonly<Record<string, { oid: number; values: readonly Datum[]; calls: readonly string[] }>> = {
  int4: {
    oid: OID.int4,
    values: [1, -7, 2_147_483_647, 0, 3],
    calls: ['count(any)', 'sum(int4)', 'avg(int4)', 'min(int4)', 'max(int4)'],
  },
  int8: {
    oid: OID.int8,
    values: [1n, -(2n ** 63n), 2n ** 62n, 5n],
    calls: ['sum(int8)', 'avg(int8)', 'min(int8)', 'max(int8)'],
  },
  numeric: {
    oid: OID.numeric,
    values: ['1', '2.50', '-0.001', '1e20', 'NaN', 'Infinity', '-Infinity'].map(parseNumeric),
    calls: ['sum(numeric)', 'avg(numeric)', 'min(numeric)', 'max(numeric)'],
  },
  float8: {
    oid: OID.float8,
    values: [1.5, -0, 0, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
    calls: ['min(float8)', 'max(float8)', 'sum(float8)', 'count(any)'],
  },
  bool: { oid: OID.bool, values: [true, false], calls: ['bool_and(bool)', 'every(bool)', 'bool_or(bool)'] },
};

const KEYS = ['1', '1', '2', '3.5', '4', '7', 'NaN', 'Infinity', '-Infinity'].map(parseNumeric);

type Random = () => number;
const chosen = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;

function rowsByChance(random: Random, values: readonly Datum[]): Row[] {
  const count = 1 + Math.floor(random() * ROWS_MAX);
  return Array.from({ length: count }, () => ({
    key: random() < 0.15 ? null : chosen(random, KEYS),
    value: random() < 0.15 ? null : chosen(random, values),
    passes: random() < 0.8,
  }));
}

/** Offsets of -n stand for PRECEDING. */
interface Bounds {
  readonly start: number;
  readonly end: number;
}

function boundsByChance(random: Random): Bounds {
  const edges = [Number.NEGATIVE_INFINITY, -5, -2, -1, 0, 1, 3, Number.POSITIVE_INFINITY];
  const start = chosen(random, edges.slice(0, -1));
  const end = chosen(
    random,
    edges.filter((edge) => edge >= start && edge > Number.NEGATIVE_INFINITY),
  );
  return { start, end };
}

function boundOf(edge: number, mode: WindowFrame['mode']): FrameBound {
  if (edge === 0) return { kind: 'current row' };
  const kind = edge < 0 ? 'preceding' : 'following';
  if (!Number.isFinite(edge)) return { kind: `unbounded ${kind}` };
  const offset = literal(parseNumeric(String(Math.abs(edge))), NUMERIC);
  return {
    kind,
    offset: mode === 'range' ? offset : literal(Math.abs(edge), { oid: OID.int4, modifier: -1 }),
  };
}

const literal = (value: Datum, type: Expression['type']): Expression => ({ kind: 'literal', value, type });

/** NULLs last; NaN is the greatest number, and its own peer. */
function compareKeys(a: NumericDatum | null, b: NumericDatum | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return compareNumeric(a, b);
}

const lineOf = (key: NumericDatum): number =>
  key.special === undefined ? Number(key.digits) / 10 ** key.scale : Number(key.special);

/** Side of an edge of RANGE: behind (-1), within (0) or beyond (1): `in_range` of PostgreSQL. */
function besideRange(at: NumericDatum | null, of: NumericDatum | null, step: number): number {
  if (!Number.isFinite(step)) return -Math.sign(step);
  if (at === null || of === null) return compareKeys(at, of);
  const [value, base] = [lineOf(at), lineOf(of)];
  if (Number.isNaN(value) || Number.isNaN(base))
    return Number(Number.isNaN(value)) - Number(Number.isNaN(base));
  const edge = base + step;
  return value < edge ? -1 : value > edge ? 1 : 0;
}

interface Ordered {
  readonly rows: readonly Row[];
  readonly groups: readonly number[];
}

function isInFrame(
  { rows, groups }: Ordered,
  [at, of]: [number, number],
  frame: WindowFrame,
  by: Bounds,
): boolean {
  const groupsApart = (groups[at] as number) - (groups[of] as number);
  if (frame.exclude === 'current row' && at === of) return false;
  if (frame.exclude === 'group' && groupsApart === 0) return false;
  if (frame.exclude === 'ties' && groupsApart === 0 && at !== of) return false;
  if (frame.mode === 'rows') return at - of >= by.start && at - of <= by.end;
  if (frame.mode === 'groups') return groupsApart >= by.start && groupsApart <= by.end;
  const keys = [(rows[at] as Row).key, (rows[of] as Row).key] as const;
  return besideRange(...keys, by.start) >= 0 && besideRange(...keys, by.end) <= 0;
}

function naive(ordered: Ordered, id: string, frame: WindowFrame, by: Bounds): Datum[] {
  const aggregate = aggregateById(id);
  return ordered.rows.map((_, of) => {
    let state: unknown = aggregate.init();
    for (const [at, { value, passes }] of ordered.rows.entries()) {
      if (value === null || !passes || !isInFrame(ordered, [at, of], frame, by)) continue;
      state = aggregate.step(state, value);
    }
    return aggregate.final(state, {} as FunctionContext);
  });
}

async function windowed(rows: readonly Row[], oid: number, call: WindowCall): Promise<Datum[]> {
  // Only what plans without relations and session functions read.
  const context = {
    parameters: [],
    functions: {},
    account: unlimitedAccount(),
    spill: unlimitedSpace(),
    signal: new AbortController().signal,
    statistics: null,
    yieldToOthers: () => null,
    now: () => 0,
  } as unknown as ExecutionContext;
  const types = [NUMERIC, { oid, modifier: -1 }, { oid: OID.bool, modifier: -1 }];
  const output = types.map((type) => ({ name: 'c', type, relation: 0, attribute: 0 }));
  const input: Plan = {
    kind: 'values',
    rows: rows.map(({ key, value, passes }) =>
      [key, value, passes].map((datum, i) => literal(datum, types[i] as Expression['type'])),
    ),
    output,
  };
  const order = [{ expression: column(0, NUMERIC), descending: false, nullsFirst: false }];
  const named = { name: 'w', type: call.type, relation: 0, attribute: 0 };
  const plan: Plan = {
    kind: 'window',
    input,
    partition: [],
    order,
    calls: [call],
    output: [...output, named],
  };
  const values: Datum[] = [];
  const physical = physicalPlan(plan, { catalog: emptyCatalog(), disabled: new Set() });
  for (const batch of await allBatches(planRows(physical, context))) {
    for (let row = 0; row < batch.length; row++) values.push(batch.columns[3]?.get(row) ?? null);
  }
  return values;
}

const column = (index: number, type: Expression['type']): Expression => ({ kind: 'column', index, type });

function typeOfCall(id: string, oid: number): Expression['type'] {
  const { returns } = aggregateById(id);
  const types: Readonly<Record<string, number>> = OID;
  return { oid: types[returns] ?? oid, modifier: -1 };
}

describe('sliding frames', () => {
  it.each(Object.entries(TYPES))('of %s give what each frame gives by itself', async (_, type) => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const random = seededRandom(seed);
      const rows = rowsByChance(random, type.values);
      const by = boundsByChance(random);
      const mode = chosen(random, ['rows', 'groups', 'range'] as const);
      const exclude = chosen(random, ['no others', 'current row', 'group', 'ties'] as const);
      const frame: WindowFrame = {
        mode,
        start: boundOf(by.start, mode),
        end: boundOf(by.end, mode),
        exclude,
      };
      const id = chosen(random, type.calls);
      const oid = { oid: type.oid, modifier: -1 };
      const filter = column(2, { oid: OID.bool, modifier: -1 });
      const call: WindowCall = {
        function: id,
        args: [column(1, oid)],
        filter,
        frame,
        type: typeOfCall(id, type.oid),
      };
      const sorted = rows.toSorted((a, b) => compareKeys(a.key, b.key));
      let group = 0;
      const groups = sorted.map(({ key }, i) => {
        if (i > 0 && compareKeys((sorted[i - 1] as Row).key, key) !== 0) group++;
        return group;
      });
      const wanted = naive({ rows: sorted, groups }, id, frame, by);
      expect(
        await windowed(rows, type.oid, call),
        `seed ${seed}: ${id} ${JSON.stringify({ mode, exclude, by })}`,
      ).toEqual(wanted);
    }
  });
});
