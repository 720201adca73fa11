/**
 * The end of binding: column ids become positions, ids of enclosing queries become outer references with
 * their depth, columns of scans that nothing reads are left out, and positions in the text are dropped.
 */
import { assert, unreachable } from '../../assert.ts';
import type { Expression, Parameter } from '../../plan/expression.ts';
import type {
  AggregateCall,
  Arm,
  Assignment,
  Conflict,
  Delete,
  FrameBound,
  Insert,
  OutputColumn,
  Plan,
  PolicyCheck,
  RowRule,
  RowRules,
  SortKey,
  Update,
  WindowCall,
} from '../../plan/plan.ts';
import {
  BOOLEAN,
  type ChangeDraft,
  type ColumnReference,
  type Draft,
  type DraftColumn,
  type Expression as DraftExpression,
  eachReference,
  FLOAT,
  idsOf,
  type InsertDraft,
  type Plan as DraftPlan,
  type SortKey as DraftSortKey,
} from './draft.ts';
import type { State } from './state.ts';

/** Ids of a row in order; `hits` counts references from inside of subqueries and lateral sides. */
interface Row {
  readonly positions: ReadonlyMap<number, number>;
  hits: number;
}

interface SettledPlan<P extends Plan = Plan> {
  readonly plan: P;
  readonly ids: readonly number[];
}

interface Settling {
  readonly state: State;
  readonly used: ReadonlySet<number>;
}

/** @param state parameter types must be final. */
export function settle(state: State, draft: DraftPlan): Plan {
  const used = new Set<number>();
  const collect = (part: unknown): void => eachReference(part, (column) => used.add(column.id));
  collect(draft);
  for (const substitute of state.substitutes.values()) collect(substitute);
  return settlePlan({ state, used }, draft, []).plan;
}

/** An expression without relations in sight. */
export function settleScalar(state: State, draft: DraftExpression): Expression {
  return settleExpression({ state, used: new Set() }, draft, { row: rowOf([]), outer: [] });
}

function rowOf(ids: readonly number[]): Row {
  return { positions: new Map(ids.map((id, i) => [id, i])), hits: 0 };
}

type Of<K extends DraftPlan['kind']> = Extract<DraftPlan, { kind: K }>;

/** @param outer rows of the queries around, innermost first. */
type Settler<K extends DraftPlan['kind']> = (
  settling: Settling,
  plan: Of<K>,
  outer: readonly Row[],
) => SettledPlan;

const SETTLERS: { readonly [K in DraftPlan['kind']]: Settler<K> } = {
  values: (settling, plan, outer) => {
    const one = expressionSettler(settling, [], outer);
    return own(plan, { ...plan, rows: plan.rows.map((row) => row.map(one)), output: plain(plan.output) });
  },
  scan: settleScan,
  constants: (_, plan) => own(plan, { ...plan, output: plain(plan.output) }),
  system: (_, plan) => own(plan, { ...plan, output: plain(plan.output) }),
  stream: (_, plan) => own(plan, { ...plan, output: plain(plan.output) }),
  cte: (_, plan) => own(plan, { ...plan, output: plain(plan.output) }),
  function: (settling, plan, outer) => {
    const args = plan.args.map(expressionSettler(settling, [], outer));
    return own(plan, { ...plan, args, output: plain(plan.output) });
  },
  filter: (settling, plan, outer) => {
    const { below, ids, over } = settleInput(settling, plan.input, outer);
    return { plan: { ...plan, ...below, condition: over(plan.condition) }, ids };
  },
  project: (settling, plan, outer) => {
    const { below, over } = settleInput(settling, plan.input, outer);
    const sets = plan.sets.map((set) => ({ ...set, args: set.args.map(over) }));
    const expressions = plan.expressions.map(over);
    return own(plan, { ...plan, ...below, expressions, sets, output: plain(plan.output) });
  },
  presence: settlePresence,
  join: settleJoin,
  aggregate: (settling, plan, outer) => {
    const { below, over } = settleInput(settling, plan.input, outer);
    const keys = plan.keys.map(over);
    const aggregates = plan.aggregates.map((call) => settleAggregate(call, over));
    return own(plan, { ...plan, ...below, keys, aggregates, output: plain(plan.output) });
  },
  window: settleWindow,
  fusion: settleFusion,
  sort: (settling, plan, outer) => {
    const { below, ids, over } = settleInput(settling, plan.input, outer);
    const top = plan.top && over(plan.top);
    return { plan: { ...plan, ...below, keys: settleKeys(plan.keys, over), top }, ids };
  },
  limit: (settling, plan, outer) => {
    const { below, ids, over } = settleInput(settling, plan.input, outer);
    const one = expressionSettler(settling, [], outer);
    const ties = plan.ties && settleKeys(plan.ties, over);
    const bounds = { count: plan.count && one(plan.count), offset: plan.offset && one(plan.offset), ties };
    return { plan: { ...plan, ...below, ...bounds }, ids };
  },
  distinct: (settling, plan, outer) => {
    const { below, ids, over } = settleInput(settling, plan.input, outer);
    return { plan: { ...plan, ...below, on: plan.on?.map(over) ?? null }, ids };
  },
  set: (settling, plan, outer) => {
    const inputs = plan.inputs.map((input) => settlePlan(settling, input, outer).plan);
    return own(plan, { ...plan, inputs, output: plain(plan.output) });
  },
  'lock rows': (settling, plan, outer) => {
    const { below, ids } = settleInput(settling, plan.input, outer);
    const rows = plan.rows.map((row) => ({ ...row, rowNumber: ids.indexOf(row.mark) }));
    return { plan: { ...plan, ...below, rows }, ids };
  },
  with: (settling, plan, outer) => {
    const definition = settlePlan(settling, plan.definition, outer).plan;
    const recursive = plan.recursive && {
      term: settlePlan(settling, plan.recursive.term, outer).plan,
      all: plan.recursive.all,
    };
    const { plan: body, ids } = settlePlan(settling, plan.body, outer);
    return { plan: { ...plan, definition, recursive, body, output: body.output }, ids };
  },
  insert: settleChange,
  update: settleChange,
  delete: settleChange,
  merge: settleMerge,
};

function settlePlan(settling: Settling, plan: DraftPlan, outer: readonly Row[]): SettledPlan {
  const settler = SETTLERS[plan.kind] as Settler<DraftPlan['kind']>;
  return settler(settling, plan, outer);
}

/** A node's input; `below` makes the node's output its input's, and `over` settles expressions over it. */
function settleInput(settling: Settling, draft: DraftPlan, outer: readonly Row[]) {
  const { plan, ids } = settlePlan(settling, draft, outer);
  const below = { input: plan, output: plan.output };
  return { below, ids, over: expressionSettler(settling, ids, outer) };
}

/** A node with columns of its own. */
const own = (draft: DraftPlan, plan: Plan): SettledPlan => ({ plan, ids: idsOf(draft) });

/** Output columns without their ids. */
const plain = (columns: readonly DraftColumn[]): readonly OutputColumn[] => columns.map(plainColumn);

function plainColumn({ name, type, relation, attribute }: DraftColumn): OutputColumn {
  return { name, type, relation, attribute };
}

const ROW_NUMBER = { name: 'row number', type: FLOAT, relation: 0, attribute: 0 };

function settleScan(settling: Settling, scan: Of<'scan'>, outer: readonly Row[]): SettledPlan {
  const { used } = settling;
  const one = expressionSettler(settling, [], outer);
  const columns = scan.output.filter((column) => used.has(column.id));
  const kept = scan.armColumns
    .map((column, i) => ({ column, arm: scan.arms[i] }))
    .filter(({ column }) => used.has(column.id));
  const arms = kept.flatMap(({ arm }) => (arm ? [settleArm(arm, one)] : []));
  const armColumns = kept.map(({ column }) => column);
  const rowNumber = scan.rowNumber ? [{ id: scan.rowNumberId, ...ROW_NUMBER }] : [];
  const output = [...columns, ...armColumns, ...rowNumber];
  const plan: Plan = {
    kind: 'scan',
    relation: scan.relation,
    partition: scan.partition,
    columns: columns.map((column) => column.attribute),
    arms,
    rowNumber: scan.rowNumber,
    ...(scan.rowNumber && { mark: scan.rowNumberId }),
    rule: scan.rule && settleRule(settling, scan.rule),
    filter: null,
    lookup: null,
    topK: null,
    output: plain(output),
  };
  return { plan, ids: output.map((column) => column.id) };
}

/** All that comes from below, and the marks that something reads. */
function settlePresence(settling: Settling, plan: Of<'presence'>, outer: readonly Row[]): SettledPlan {
  const input = settlePlan(settling, plan.input, outer);
  const marks = plan.marks.filter(({ id }) => settling.used.has(id));
  if (marks.length === 0) return input;
  const below = input.plan.output.map(({ type }, index): Expression => ({ kind: 'column', index, type }));
  const there: Expression = { kind: 'literal', value: true, type: BOOLEAN };
  const expressions = [...below, ...marks.map(() => there)];
  const output = [...input.plan.output, ...plain(marks)];
  return {
    plan: { kind: 'project', input: input.plan, expressions, sets: [], output },
    ids: [...input.ids, ...marks.map(({ id }) => id)],
  };
}

type One = (expression: DraftExpression) => Expression;

function settleArm(arm: Arm<Draft>, one: One): Arm {
  if (arm.kind === 'embedding') return arm;
  const query = one(arm.query);
  if (arm.kind === 'semantic') return { ...arm, query };
  if (arm.kind === 'vector') {
    const { candidates, ...rest } = arm;
    return { ...rest, query, ...(candidates && { candidates: one(candidates) }) };
  }
  const { weight, option, b, k1, columnWeights, fuzzy } = arm;
  return {
    ...arm,
    query,
    weight: weight && one(weight),
    option: option && one(option),
    b: b && one(b),
    k1: k1 && one(k1),
    columnWeights: columnWeights && one(columnWeights),
    fuzzy: fuzzy && one(fuzzy),
  };
}

function settleJoin(settling: Settling, plan: Of<'join'>, outer: readonly Row[]): SettledPlan {
  const left = settlePlan(settling, plan.left, outer);
  const right = settlePlan(settling, plan.right, plan.lateral ? [rowOf(left.ids), ...outer] : outer);
  const ids = [...left.ids, ...right.ids];
  const condition = plan.condition && expressionSettler(settling, ids, outer)(plan.condition);
  const output = [...left.plan.output, ...right.plan.output];
  const { join, lateral } = plan;
  const sides = { left: left.plan, right: right.plan };
  return { plan: { kind: 'join', join, ...sides, lateral, keys: [], condition, output }, ids };
}

function settleWindow(settling: Settling, plan: Of<'window'>, outer: readonly Row[]): SettledPlan {
  const input = settlePlan(settling, plan.input, outer);
  const one = expressionSettler(settling, input.ids, outer);
  const added = plan.output.slice(-plan.calls.length);
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
  const output = [...input.plan.output, ...plain(added)];
  const ids = [...input.ids, ...added.map((column) => column.id)];
  return { plan: { ...plan, input: input.plan, partition, order, calls, output }, ids };
}

function settleFusion(settling: Settling, plan: Of<'fusion'>, outer: readonly Row[]): SettledPlan {
  const input = settlePlan(settling, plan.input, outer);
  const over = expressionSettler(settling, input.ids, outer);
  const fixed = expressionSettler(settling, [], outer);
  const arms = plan.arms.map((arm) => ({ ...arm, score: over(arm.score) }));
  const settled: Plan = {
    ...plan,
    input: input.plan,
    arms,
    count: plan.count && fixed(plan.count),
    method: plan.method && fixed(plan.method),
    weights: plan.weights && fixed(plan.weights),
    depth: plan.depth && fixed(plan.depth),
    diversity: plan.diversity && fixed(plan.diversity),
    like: plan.like && {
      ids: plan.like.ids && fixed(plan.like.ids),
      text: plan.like.text && fixed(plan.like.text),
      notIds: plan.like.notIds && fixed(plan.like.notIds),
      notText: plan.like.notText && fixed(plan.like.notText),
    },
    output: [...input.plan.output, ...plain(plan.output)],
  };
  return { plan: settled, ids: [...input.ids, ...idsOf(plan)] };
}

function settleFrame({ frame }: WindowCall<Draft>, one: One): WindowCall['frame'] {
  const bound = (side: FrameBound<Draft>): FrameBound => {
    return 'offset' in side ? { ...side, offset: one(side.offset) } : side;
  };
  return { ...frame, start: bound(frame.start), end: bound(frame.end) };
}

function settleAggregate(call: AggregateCall<Draft>, one: One): AggregateCall {
  return {
    ...call,
    args: call.args.map(one),
    filter: call.filter && one(call.filter),
    order: settleKeys(call.order, one),
  };
}

function settleKeys(keys: readonly DraftSortKey[], one: One): readonly SortKey[] {
  return keys.map((key) => ({ ...key, expression: one(key.expression) }));
}

type Change = Insert | Update | Delete;

function settleChange(settling: Settling, draft: ChangeDraft, outer: readonly Row[]): SettledPlan<Change> {
  const input = settlePlan(settling, draft.input, outer);
  const ids = idsOf(draft);
  if (draft.kind === 'insert') return { plan: settleInsert(settling, draft, input.plan, outer), ids };
  const seen = [...draft.rowIds, ...input.ids];
  const rowNumber = input.ids.indexOf(draft.mark);
  assert(rowNumber >= 0, 'the row number is in the input of a write');
  const common = {
    relation: draft.relation,
    partition: draft.partition,
    input: input.plan,
    rowNumber,
    mark: draft.mark,
    others: draft.others.map((scan) => ({ ...scan, rowNumber: input.ids.indexOf(scan.mark) })),
    returning: draft.returning?.map(expressionSettler(settling, seen, outer)) ?? null,
    output: plain(draft.output),
  };
  if (draft.kind === 'delete') return { plan: { kind: 'delete', ...common }, ids };
  const one = expressionSettler(settling, input.ids, outer);
  const undeclared = draft.undeclared.map((column) => ({ ...column, value: one(column.value) }));
  const rules = settleRules(draft.rules, expressionSettler(settling, draft.rowIds, outer));
  return { plan: { kind: 'update', ...common, set: assignments(draft.set, one), undeclared, rules }, ids };
}

function settleInsert(settling: Settling, draft: InsertDraft, input: Plan, outer: readonly Row[]): Insert {
  const { kind, relation, partition, columns, undeclared } = draft;
  const ofRow = expressionSettler(settling, draft.rowIds, outer);
  return {
    kind,
    relation,
    partition,
    input,
    columns,
    undeclared,
    defaults: assignments(draft.defaults, expressionSettler(settling, [], outer)),
    conflict: settleConflict(settling, draft),
    met: draft.met && {
      rule: settleRule(settling, draft.met.rule),
      policies: settlePolicies(draft.met.policies, ofRow),
    },
    rules: settleRules(draft.rules, ofRow),
    returning: draft.returning?.map(ofRow) ?? null,
    output: plain(draft.output),
  };
}

function settleMerge(settling: Settling, draft: Of<'merge'>, outer: readonly Row[]): SettledPlan {
  const { rowIds, rowNumberId, actionId, guards: guarding, ...plan } = draft;
  const input = settlePlan(settling, draft.input, outer);
  const actions = draft.actions.map((action) => settleChange(settling, action, outer).plan);
  const seen = [...rowIds, ...input.ids];
  const returning = draft.returning?.map(expressionSettler(settling, seen, outer)) ?? null;
  const rowNumber = input.ids.indexOf(rowNumberId);
  const action = input.ids.indexOf(actionId);
  assert(rowNumber >= 0 && action >= 0, "a merge's input says the row and the action");
  const guards = guarding && { ...guarding, violated: input.ids.indexOf(guarding.violatedId) };
  const output = plain(draft.output);
  return own(draft, { ...plan, input: input.plan, actions, rowNumber, action, guards, returning, output });
}

const settleRule = (settling: Settling, { plan, mark }: RowRule<Draft>): RowRule => ({
  plan: settlePlan(settling, plan, []).plan,
  mark,
});

const settlePolicies = (policies: readonly PolicyCheck<Draft>[], one: One): readonly PolicyCheck[] =>
  policies.map(({ name, condition }) => ({ name, condition: one(condition) }));

function settleRules(rules: RowRules<Draft> | null | undefined, one: One): RowRules | null {
  if (!rules) return null;
  const checks = rules.checks.map(({ name, condition }) => ({ name, condition: one(condition) }));
  const options = rules.options.map(({ view, condition }) => ({ view, condition: one(condition) }));
  return {
    generated: assignments(rules.generated, one),
    checks,
    options,
    policies: settlePolicies(rules.policies, one),
  };
}

function settleConflict(settling: Settling, { conflict, existingIds, proposedIds }: InsertDraft): Conflict {
  if (conflict.action !== 'update') return conflict;
  const one = expressionSettler(settling, [...existingIds, ...proposedIds], []);
  return { ...conflict, set: assignments(conflict.set, one), where: conflict.where && one(conflict.where) };
}

function assignments(list: readonly Assignment<Draft>[], one: One): readonly Assignment[] {
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

function settleExpression(settling: Settling, expression: DraftExpression, sight: Sight): Expression {
  const one = (part: DraftExpression): Expression => settleExpression(settling, part, sight);
  const { at: _, ...node } = expression;
  switch (node.kind) {
    case 'literal':
      return node;
    case 'parameter':
      return settleParameter(settling.state, node);
    case 'column': {
      const substitute = settling.state.substitutes.get(node.id);
      return substitute ? one(substitute) : settleReference(node, sight);
    }
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
      const branches = node.branches.map(({ when, then }) => ({
        when: one(when),
        // biome-ignore lint/suspicious/noThenProperty: CASE WHEN … THEN
        then: one(then),
      }));
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

function settleReference(node: ColumnReference, sight: Sight): Expression {
  const position = sight.row.positions.get(node.id);
  if (position !== undefined) return { kind: 'column', index: position, type: node.type };
  for (const [i, row] of sight.outer.entries()) {
    const index = row.positions.get(node.id);
    if (index === undefined) continue;
    row.hits++;
    return { kind: 'outer', depth: i + 1, index, type: node.type };
  }
  throw assert(false, `column ${node.id} is not in sight`);
}

function settleParameter(state: State, node: Parameter): Expression {
  const oid = state.parameters[node.index] || node.type.oid;
  return { kind: 'parameter', index: node.index, type: { oid, modifier: node.type.modifier } };
}

function settleSubquery(
  settling: Settling,
  node: Extract<DraftExpression, { kind: 'subquery' }>,
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
