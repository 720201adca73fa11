/**
 * The end of binding: column ids become positions, ids of enclosing queries become outer references with
 * their depth, columns of scans that nothing reads are left out, and positions in the text are dropped.
 */
import { assert, unreachable } from '../../assert.ts';
import type { Expression } from '../../plan/expression.ts';
import type {
  AggregateCall,
  Arm,
  Conflict,
  Insert,
  OutputColumn,
  Plan,
  RowRules,
  SortKey,
  WindowCall,
} from '../../plan/plan.ts';
import { OID } from '../../types/oids.ts';
import {
  BOOLEAN,
  branch,
  type DraftColumn,
  draftColumns,
  eachReference,
  idsOf,
  type ScanDraft,
  type WriteDraft,
} from './draft.ts';
import { isPresence, type PresenceDraft } from './expression/presence.ts';
import type { State } from './state.ts';

/** Ids of a row in order; `hits` counts references from inside of subqueries and lateral sides. */
interface Row {
  readonly positions: ReadonlyMap<number, number>;
  hits: number;
}

interface Settled {
  readonly plan: Plan;
  readonly ids: readonly number[];
}

interface Settling {
  readonly state: State;
  readonly used: ReadonlySet<number>;
}

/** @param state parameter types must be final. */
export function settle(state: State, draft: Plan): Plan {
  const used = new Set<number>();
  const collect = (part: unknown): void => eachReference(part, (column) => used.add(column.index));
  collect(draft);
  for (const substitute of state.substitutes.values()) collect(substitute);
  return settlePlan({ state, used }, draft, []).plan;
}

/** An expression without relations in sight. */
export function settleScalar(state: State, draft: Expression): Expression {
  return settleExpression({ state, used: new Set() }, draft, { row: rowOf([]), outer: [] });
}

function rowOf(ids: readonly number[]): Row {
  return { positions: new Map(ids.map((id, i) => [id, i])), hits: 0 };
}

function settlePlan(settling: Settling, plan: Plan, outer: readonly Row[]): Settled {
  const over = (ids: readonly number[]) => expressionSettler(settling, ids, outer);
  switch (plan.kind) {
    case 'values': {
      const settleOne = over([]);
      return {
        plan: { ...plan, rows: plan.rows.map((row) => row.map(settleOne)), output: plain(plan) },
        ids: idsOf(plan),
      };
    }
    case 'scan':
      return settleScan(settling, plan as ScanDraft, outer);
    case 'constants':
    case 'system':
    case 'stream':
    case 'cte':
      return { plan: { ...plan, output: plain(plan) }, ids: idsOf(plan) };
    case 'function':
      return { plan: { ...plan, args: plan.args.map(over([])), output: plain(plan) }, ids: idsOf(plan) };
    case 'filter': {
      const input = settlePlan(settling, plan.input, outer);
      return through(input, { ...plan, input: input.plan, condition: over(input.ids)(plan.condition) });
    }
    case 'project': {
      if (isPresence(plan)) return settlePresence(settling, plan, outer);
      const input = settlePlan(settling, plan.input, outer);
      const one = over(input.ids);
      const sets = plan.sets.map((set) => ({ ...set, args: set.args.map(one) }));
      const expressions = plan.expressions.map(one);
      return {
        plan: { ...plan, input: input.plan, expressions, sets, output: plain(plan) },
        ids: idsOf(plan),
      };
    }
    case 'join':
      return settleJoin(settling, plan, outer);
    case 'aggregate': {
      const input = settlePlan(settling, plan.input, outer);
      const one = over(input.ids);
      const keys = plan.keys.map(one);
      const aggregates = plan.aggregates.map((call) => settleAggregate(call, one));
      return {
        plan: { ...plan, input: input.plan, keys, aggregates, output: plain(plan) },
        ids: idsOf(plan),
      };
    }
    case 'window':
      return settleWindow(settling, plan, outer);
    case 'fusion':
      return settleFusion(settling, plan, outer);
    case 'sort': {
      const input = settlePlan(settling, plan.input, outer);
      const keys = settleKeys(plan.keys, over(input.ids));
      return through(input, { ...plan, input: input.plan, keys });
    }
    case 'limit': {
      const input = settlePlan(settling, plan.input, outer);
      const one = over([]);
      const ties = plan.ties && settleKeys(plan.ties, over(input.ids));
      const bounds = { count: plan.count && one(plan.count), offset: plan.offset && one(plan.offset), ties };
      return through(input, { ...plan, input: input.plan, ...bounds });
    }
    case 'distinct': {
      const input = settlePlan(settling, plan.input, outer);
      return through(input, { ...plan, input: input.plan, on: plan.on?.map(over(input.ids)) ?? null });
    }
    case 'set': {
      const left = settlePlan(settling, plan.left, outer);
      const right = settlePlan(settling, plan.right, outer);
      return { plan: { ...plan, left: left.plan, right: right.plan, output: plain(plan) }, ids: idsOf(plan) };
    }
    case 'lock rows': {
      const input = settlePlan(settling, plan.input, outer);
      const rows = plan.rows.map((row) => ({ ...row, rowNumber: input.ids.indexOf(row.mark) }));
      return through(input, { ...plan, input: input.plan, rows });
    }
    case 'with': {
      const definition = settlePlan(settling, plan.definition, outer).plan;
      const recursive = plan.recursive && {
        term: settlePlan(settling, plan.recursive.term, outer).plan,
        all: plan.recursive.all,
      };
      const body = settlePlan(settling, plan.body, outer);
      return through(body, { ...plan, definition, recursive, body: body.plan });
    }
    case 'insert':
    case 'update':
    case 'delete':
      return settleWrite(settling, plan, outer);
    case 'merge':
      return settleMerge(settling, plan, outer);
    default:
      return unreachable(plan);
  }
}

/** A node whose output is its input's. */
function through(input: Settled, plan: Plan): Settled {
  return { plan: { ...plan, output: input.plan.output } as Plan, ids: input.ids };
}

/** Output columns without their ids. */
function plain(plan: Plan): readonly OutputColumn[] {
  return draftColumns(plan).map(plainColumn);
}

function plainColumn({ name, type, relation, attribute }: DraftColumn): OutputColumn {
  return { name, type, relation, attribute };
}

function settleScan(settling: Settling, scan: ScanDraft, outer: readonly Row[]): Settled {
  const { used } = settling;
  const one = expressionSettler(settling, [], outer);
  const columns = draftColumns(scan).filter((column) => used.has(column.id));
  const kept = scan.armColumns
    .map((column, i) => ({ column, arm: scan.arms[i] }))
    .filter(({ column }) => used.has(column.id));
  const arms = kept.flatMap(({ arm }) => (arm ? [settleArm(arm, one)] : []));
  const armColumns = kept.map(({ column }) => column);
  const rowNumber: DraftColumn[] = scan.rowNumber
    ? [
        {
          id: scan.rowNumberId,
          name: 'row number',
          type: { oid: OID.float8, modifier: -1 },
          relation: 0,
          attribute: 0,
        },
      ]
    : [];
  const output = [...columns, ...armColumns, ...rowNumber];
  const plan: Plan = {
    kind: 'scan',
    relation: scan.relation,
    partition: scan.partition,
    columns: columns.map((column) => column.attribute),
    arms,
    rowNumber: scan.rowNumber,
    ...(scan.rowNumber && { mark: scan.rowNumberId }),
    filter: null,
    lookup: null,
    topK: null,
    output: output.map(plainColumn),
  };
  return { plan, ids: output.map((column) => column.id) };
}

/** All that comes from below, and the marks that something reads. */
function settlePresence(settling: Settling, plan: PresenceDraft, outer: readonly Row[]): Settled {
  const input = settlePlan(settling, plan.input, outer);
  const marks = plan.marks.filter(({ id }) => settling.used.has(id));
  if (marks.length === 0) return input;
  const below = input.plan.output.map(({ type }, index): Expression => ({ kind: 'column', index, type }));
  const there: Expression = { kind: 'literal', value: true, type: BOOLEAN };
  const expressions = [...below, ...marks.map(() => there)];
  const output = [...input.plan.output, ...marks.map(plainColumn)];
  return {
    plan: { kind: 'project', input: input.plan, expressions, sets: [], output },
    ids: [...input.ids, ...marks.map(({ id }) => id)],
  };
}

type One = (expression: Expression) => Expression;

function settleArm(arm: Arm, one: One): Arm {
  const query = one(arm.query);
  if (arm.kind === 'semantic') return { ...arm, query };
  if (arm.kind === 'vector') {
    return { ...arm, query, ...(arm.candidates && { candidates: one(arm.candidates) }) };
  }
  const { weight, option, b, k1 } = arm;
  return {
    ...arm,
    query,
    weight: weight && one(weight),
    option: option && one(option),
    b: b && one(b),
    k1: k1 && one(k1),
  };
}

function settleJoin(
  settling: Settling,
  plan: Extract<Plan, { kind: 'join' }>,
  outer: readonly Row[],
): Settled {
  const left = settlePlan(settling, plan.left, outer);
  const right = settlePlan(settling, plan.right, plan.lateral ? [rowOf(left.ids), ...outer] : outer);
  const ids = [...left.ids, ...right.ids];
  const condition = plan.condition && expressionSettler(settling, ids, outer)(plan.condition);
  const output = [...left.plan.output, ...right.plan.output];
  return { plan: { ...plan, left: left.plan, right: right.plan, condition, output }, ids };
}

function settleWindow(
  settling: Settling,
  plan: Extract<Plan, { kind: 'window' }>,
  outer: readonly Row[],
): Settled {
  const input = settlePlan(settling, plan.input, outer);
  const one = expressionSettler(settling, input.ids, outer);
  const own = draftColumns(plan).slice(-plan.calls.length);
  const calls = plan.calls.map((call): WindowCall => {
    return {
      ...call,
      args: call.args.map(one),
      filter: call.filter && one(call.filter),
      frame: settleFrame(call, one),
    };
  });
  const partition = plan.partition.map(one);
  const order = settleKeys(plan.order, one);
  const output = [...input.plan.output, ...own.map(plainColumn)];
  const ids = [...input.ids, ...own.map((column) => column.id)];
  return { plan: { ...plan, input: input.plan, partition, order, calls, output }, ids };
}

function settleFusion(
  settling: Settling,
  plan: Extract<Plan, { kind: 'fusion' }>,
  outer: readonly Row[],
): Settled {
  const input = settlePlan(settling, plan.input, outer);
  const over = expressionSettler(settling, input.ids, outer);
  const fixed = expressionSettler(settling, [], outer);
  const own = draftColumns(plan);
  const arms = plan.arms.map((arm) => ({ ...arm, score: over(arm.score) }));
  const settled: Plan = {
    ...plan,
    input: input.plan,
    arms,
    count: plan.count && fixed(plan.count),
    method: plan.method && fixed(plan.method),
    weights: plan.weights && fixed(plan.weights),
    depth: plan.depth && fixed(plan.depth),
    output: [...input.plan.output, ...own.map(plainColumn)],
  };
  return { plan: settled, ids: [...input.ids, ...own.map((column) => column.id)] };
}

function settleFrame(call: WindowCall, one: One): WindowCall['frame'] {
  const bound = (side: WindowCall['frame']['start']): WindowCall['frame']['start'] => {
    return 'offset' in side ? { ...side, offset: one(side.offset) } : side;
  };
  return { ...call.frame, start: bound(call.frame.start), end: bound(call.frame.end) };
}

function settleAggregate(call: AggregateCall, one: One): AggregateCall {
  return {
    ...call,
    args: call.args.map(one),
    filter: call.filter && one(call.filter),
    order: settleKeys(call.order, one),
  };
}

function settleKeys(keys: readonly SortKey[], one: One): readonly SortKey[] {
  return keys.map((key) => ({ ...key, expression: one(key.expression) }));
}

type Write = Extract<Plan, { kind: 'insert' | 'update' | 'delete' }>;

function settleWrite(settling: Settling, plan: Write, outer: readonly Row[]): Settled {
  const draft = plan as Write & WriteDraft;
  const input = settlePlan(settling, plan.input, outer);
  const ids = idsOf(plan);
  const output = plain(plan);
  if (plan.kind === 'insert') {
    const returning = plan.returning?.map(expressionSettler(settling, draft.rowIds, outer)) ?? null;
    const defaults = assignments(plan.defaults, expressionSettler(settling, [], outer));
    const conflict = settleConflict(plan.conflict, draft, settling);
    const rules = settleRules(plan.rules, expressionSettler(settling, draft.rowIds, outer));
    return {
      plan: { ...insertOnly(plan), input: input.plan, defaults, conflict, rules, returning, output },
      ids,
    };
  }
  const seen = [...draft.rowIds, ...input.ids];
  const returning = plan.returning?.map(expressionSettler(settling, seen, outer)) ?? null;
  const { relation, partition } = plan;
  const rowNumber = input.ids.indexOf(plan.rowNumber);
  assert(rowNumber >= 0, 'the row number is in the input of a write');
  const mark = plan.rowNumber;
  const others = plan.others.map((scan) => ({ ...scan, rowNumber: input.ids.indexOf(scan.mark) }));
  const common = { relation, partition, input: input.plan, rowNumber, mark, others, returning, output };
  if (plan.kind === 'delete') return { plan: { kind: 'delete', ...common }, ids };
  const one = expressionSettler(settling, input.ids, outer);
  const undeclared = plan.undeclared.map((column) => ({ ...column, value: one(column.value) }));
  const rules = settleRules(plan.rules, expressionSettler(settling, draft.rowIds, outer));
  return { plan: { kind: 'update', ...common, set: assignments(plan.set, one), undeclared, rules }, ids };
}

function settleMerge(
  settling: Settling,
  plan: Extract<Plan, { kind: 'merge' }>,
  outer: readonly Row[],
): Settled {
  const { rowIds, ...draft } = plan as typeof plan & Pick<WriteDraft, 'rowIds'>;
  const input = settlePlan(settling, plan.input, outer);
  const actions = plan.actions.map(
    (action) => settleWrite(settling, action, outer).plan,
  ) as unknown as typeof plan.actions;
  const seen = [...rowIds, ...input.ids];
  const returning = plan.returning?.map(expressionSettler(settling, seen, outer)) ?? null;
  const rowNumber = input.ids.indexOf(plan.rowNumber);
  const action = input.ids.indexOf(plan.action);
  assert(rowNumber >= 0 && action >= 0, "a merge's input says the row and the action");
  const output = plain(plan);
  return {
    plan: { ...draft, input: input.plan, actions, rowNumber, action, returning, output },
    ids: idsOf(plan),
  };
}

function settleRules(rules: RowRules | null | undefined, one: One): RowRules | null {
  if (!rules) return null;
  const checks = rules.checks.map(({ name, condition }) => ({ name, condition: one(condition) }));
  const options = rules.options.map(({ view, condition }) => ({ view, condition: one(condition) }));
  return { generated: assignments(rules.generated, one), checks, options };
}

function insertOnly(plan: Insert): Insert {
  const { kind, relation, partition, input, columns, undeclared, defaults, conflict, returning, output } =
    plan;
  return { kind, relation, partition, input, columns, undeclared, defaults, conflict, returning, output };
}

function settleConflict(conflict: Conflict, draft: WriteDraft, settling: Settling): Conflict {
  if (conflict.action !== 'update') return conflict;
  const one = expressionSettler(settling, [...draft.existingIds, ...draft.proposedIds], []);
  return { ...conflict, set: assignments(conflict.set, one), where: conflict.where && one(conflict.where) };
}

function assignments(
  list: readonly { readonly column: number; readonly value: Expression }[],
  one: One,
): readonly { column: number; value: Expression }[] {
  return list.map(({ column, value }) => ({ column, value: one(value) }));
}

interface Sight {
  readonly row: Row;
  readonly outer: readonly Row[];
}

function expressionSettler(settling: Settling, ids: readonly number[], outer: readonly Row[]): One {
  const sight: Sight = { row: rowOf(ids), outer };
  return (expression) => settleExpression(settling, expression, sight);
}

function settleExpression(settling: Settling, expression: Expression, sight: Sight): Expression {
  const one = (part: Expression): Expression => settleExpression(settling, part, sight);
  const { at: _, ...node } = expression;
  switch (node.kind) {
    case 'literal':
      return node;
    case 'parameter':
      return settleParameter(settling.state, node);
    case 'column': {
      const substitute = settling.state.substitutes.get(node.index);
      return substitute ? one(substitute) : settleReference(node, sight);
    }
    case 'outer':
      return node;
    case 'call':
      return { ...node, args: node.args.map(one) };
    case 'cast':
    case 'not':
    case 'is':
      return { ...node, input: one(node.input) };
    case 'and':
    case 'or':
    case 'coalesce':
      return { ...node, args: node.args.map(one) };
    case 'case': {
      const branches = node.branches.map(({ when, then }) => branch(one(when), one(then)));
      return { ...node, branches, otherwise: node.otherwise && one(node.otherwise) };
    }
    case 'in':
      return { ...node, input: one(node.input), items: node.items.map(one) };
    case 'array':
      return { ...node, elements: node.elements.map(one) };
    case 'row':
      return { ...node, fields: node.fields.map(one) };
    case 'quantified':
      return { ...node, left: one(node.left), array: one(node.array) };
    case 'subquery':
      return settleSubquery(settling, node, sight);
    default:
      return unreachable(node);
  }
}

function settleReference(node: Extract<Expression, { kind: 'column' }>, sight: Sight): Expression {
  const position = sight.row.positions.get(node.index);
  if (position !== undefined) return { kind: 'column', index: position, type: node.type };
  for (const [i, row] of sight.outer.entries()) {
    const index = row.positions.get(node.index);
    if (index === undefined) continue;
    row.hits++;
    return { kind: 'outer', depth: i + 1, index, type: node.type };
  }
  throw assert(false, `column ${node.index} is not in sight`);
}

function settleParameter(state: State, node: Extract<Expression, { kind: 'parameter' }>): Expression {
  const oid = state.parameters[node.index] || node.type.oid;
  return { kind: 'parameter', index: node.index, type: { oid, modifier: node.type.modifier } };
}

function settleSubquery(
  settling: Settling,
  node: Extract<Expression, { kind: 'subquery' }>,
  sight: Sight,
): Expression {
  const outer = [sight.row, ...sight.outer];
  const before = hits(outer);
  const { plan, ids } = settlePlan(settling, node.plan, outer);
  const compare = node.compare && expressionSettler(settling, ids, outer)(node.compare);
  return { ...node, plan, compare, correlated: hits(outer) > before };
}

function hits(rows: readonly Row[]): number {
  return rows.reduce((sum, row) => sum + row.hits, 0);
}
