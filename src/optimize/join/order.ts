/**
 * The order of inner joins: by dynamic programming over sets of relations up to RELATIONS_EXACT (Selinger et al.,
 * SIGMOD 1979; bushy trees, as in Moerkotte and Neumann, VLDB 2006), greedily by the smallest result above.
 */
import { functionById } from '../../functions/registry.ts';
import type { Expression } from '../../plan/expression.ts';
import type { Join, Plan } from '../../plan/plan.ts';
import { mapPlan } from '../../plan/walk.ts';
import { allOf } from '../conditions.ts';
import { isInner, type JoinGraph, type JoinShape, joinGraph, renumbered } from './graph.ts';
import { withKeys } from './keys.ts';
import { estimateRows } from '../row-estimate.ts';
import type { OptimizerContext, Rule } from '../rule.ts';
import { Selectivity } from '../selectivity.ts';

export const joinOrder: Rule = {
  name: 'join-order',
  summary: 'Joins first what leaves few rows.',
  rewriteRoot: reorderAll,
};

const RELATIONS_EXACT = 8;
/** A tree that is nearly as good stays: estimates are rough, and plans settle. */
const WORTH = 0.8;
/** Per row, next to one that is looked up: putting it into the hash table, and giving it out. */
const BUILD_COST = 2;
const OUTPUT_COST = 1;
/** Cost of a pair that a nested loop looks at. */
const PAIR_COST = 0.2;

function reorderAll(plan: Plan, context: OptimizerContext): Plan {
  const graph = isInner(plan) && !ranks(plan) ? joinGraph(plan) : null;
  if (graph === null) return mapPlan(plan, (input) => reorderAll(input, context));
  const leaves = graph.leaves.map((leaf) => ({ ...leaf, plan: reorderAll(leaf.plan, context) }));
  const changed = leaves.some(({ plan: leaf }, i) => leaf !== graph.leaves[i]?.plan);
  return changed || graph.leaves.length > 2
    ? reorder({ ...graph, leaves }, plan, { changed, context })
    : plan;
}

/** The order of ranked rows of equal score is that of their scan. */
function ranks(plan: Plan): boolean {
  if (plan.kind === 'scan') return plan.arms.length > 0;
  return plan.kind === 'join' ? ranks(plan.left) || ranks(plan.right) : 'input' in plan && ranks(plan.input);
}

function reorder(
  graph: JoinGraph,
  plan: Plan,
  { changed, context }: { changed: boolean; context: OptimizerContext },
): Plan {
  const costs = new Costs(graph, plan, context);
  const best = graph.leaves.length <= RELATIONS_EXACT ? exact(costs) : greedy(costs);
  const own = costs.ofShape(graph.shape);
  const better = best.cost < WORTH * own.cost;
  return better || changed ? build(graph, better ? best.shape : own.shape, plan) : plan;
}

interface Candidate {
  readonly shape: JoinShape;
  /** One bit a leaf. */
  readonly leaves: number;
  readonly rows: number;
  readonly cost: number;
}

class Costs {
  readonly #graph: JoinGraph;
  readonly #shares: readonly number[];
  readonly singles: readonly Candidate[];

  constructor(graph: JoinGraph, plan: Plan, context: OptimizerContext) {
    this.#graph = graph;
    const all = numberedInput(graph, plan);
    const selectivity = new Selectivity(all, context);
    this.#shares = graph.conditions.map(({ expression }) => selectivity.of(expression));
    this.singles = graph.leaves.map((leaf, position) => ({
      shape: position,
      leaves: 1 << position,
      rows: Math.max(1, estimateRows(leaf.plan, context)),
      cost: 0,
    }));
  }

  connected(a: Candidate, b: Candidate): boolean {
    return this.#between(a, b).length > 0;
  }

  /** The cheaper way round: the left side is looked up in the hash table of the right one. */
  join(a: Candidate, b: Candidate): Candidate {
    const between = this.#between(a, b);
    const hashed = between.some((index) => this.#isEquality(index));
    const share = between.reduce((product, index) => product * (this.#shares[index] as number), 1);
    const rows = Math.max(1, a.rows * b.rows * share);
    const [left, right] = a.rows >= b.rows ? [a, b] : [b, a];
    const work = hashed ? left.rows + BUILD_COST * right.rows : PAIR_COST * a.rows * b.rows + right.rows;
    return {
      shape: { left: left.shape, right: right.shape },
      leaves: a.leaves | b.leaves,
      rows,
      cost: a.cost + b.cost + work + OUTPUT_COST * rows,
    };
  }

  ofShape(shape: JoinShape): Candidate {
    if (typeof shape === 'number') return this.singles[shape] as Candidate;
    const [left, right] = [this.ofShape(shape.left), this.ofShape(shape.right)];
    return { ...this.join(left, right), shape };
  }

  /** Conditions that can be tested on the join and on neither side. */
  #between(a: Candidate, b: Candidate): number[] {
    const both = a.leaves | b.leaves;
    return [...this.#graph.conditions.keys()].filter((index) => {
      const { leaves } = this.#graph.conditions[index] as JoinGraph['conditions'][number];
      return (leaves & ~both) === 0 && (leaves & a.leaves) !== 0 && (leaves & b.leaves) !== 0;
    });
  }

  #isEquality(index: number): boolean {
    const expression = this.#graph.conditions[index]?.expression;
    return expression?.kind === 'call' && functionById(expression.function).name === '=';
  }
}

/** A plan whose columns are the graph's numbers; only to ask where columns come from. */
function numberedInput({ leaves }: JoinGraph, plan: Plan): Plan {
  const [first, ...others] = leaves.map((leaf) => leaf.plan);
  return others.reduce<Plan>(
    (left, right) => ({
      kind: 'join',
      join: 'cross',
      left,
      right,
      lateral: false,
      keys: [],
      condition: null,
      output: [...left.output, ...right.output],
    }),
    first ?? plan,
  );
}

/** The best tree for every set of leaves, small sets first; unconnected sides only where there is no other way. */
function exact(costs: Costs): Candidate {
  const count = costs.singles.length;
  const best = new Map<number, Candidate>(costs.singles.map((single) => [single.leaves, single]));
  for (let set = 1; set < 1 << count; set++) {
    if (best.has(set)) continue;
    let found: Candidate | null = null;
    for (const joinable of [true, false]) {
      if (found !== null) break;
      for (let part = (set - 1) & set; part > set >> 1; part = (part - 1) & set) {
        const [a, b] = [best.get(part), best.get(set & ~part)];
        if (a === undefined || b === undefined || costs.connected(a, b) !== joinable) continue;
        const candidate = costs.join(a, b);
        if (found === null || candidate.cost < found.cost) found = candidate;
      }
    }
    if (found !== null) best.set(set, found);
  }
  return best.get((1 << count) - 1) as Candidate;
}

/** Joins the two whose result is smallest, until one is left. */
function greedy(costs: Costs): Candidate {
  let left = [...costs.singles];
  while (left.length > 1) {
    let found: { readonly a: Candidate; readonly b: Candidate; readonly joined: Candidate } | null = null;
    let foundConnected = false;
    for (const [i, a] of left.entries()) {
      for (const b of left.slice(i + 1)) {
        const connected = costs.connected(a, b);
        if (foundConnected && !connected) continue;
        const joined = costs.join(a, b);
        const first = found === null || (connected && !foundConnected);
        if (!first && found !== null && joined.rows >= found.joined.rows) continue;
        found = { a, b, joined };
        foundConnected = connected;
      }
    }
    if (found === null) break;
    const { a, b, joined } = found;
    left = [...left.filter((candidate) => candidate !== a && candidate !== b), joined];
  }
  return left[0] as Candidate;
}

interface Built {
  readonly plan: Plan;
  /** Numbers of its columns. */
  readonly columns: readonly number[];
  readonly leaves: number;
}

function build(graph: JoinGraph, shape: JoinShape, plan: Plan): Plan {
  const all = (1 << graph.leaves.length) - 1;
  const built = buildShape(graph, shape, all);
  const expressions = graph.output.map((number, index): Expression => {
    const type = plan.output[index]?.type ?? { oid: 0, modifier: -1 };
    return { kind: 'column', index: built.columns.indexOf(number), type };
  });
  if (expressions.every((expression, index) => expression.kind === 'column' && expression.index === index))
    return built.plan;
  return { kind: 'project', input: built.plan, expressions, sets: [], output: plan.output };
}

function buildShape(graph: JoinGraph, shape: JoinShape, all: number): Built {
  if (typeof shape === 'number') {
    const { plan, first } = graph.leaves[shape] as JoinGraph['leaves'][number];
    return { plan, columns: plan.output.map((_, index) => first + index), leaves: 1 << shape };
  }
  const [left, right] = [buildShape(graph, shape.left, all), buildShape(graph, shape.right, all)];
  const leaves = left.leaves | right.leaves;
  const columns = [...left.columns, ...right.columns];
  const positions: number[] = [];
  for (const [position, number] of columns.entries()) positions[number] = position;
  const conditions = graph.conditions
    .filter((condition) => isTestedAt(condition.leaves, { left: left.leaves, right: right.leaves, all }))
    .map(({ expression }) => renumbered(expression, positions));
  const join: Join = {
    kind: 'join',
    join: conditions.length === 0 ? 'cross' : 'inner',
    left: left.plan,
    right: right.plan,
    lateral: false,
    keys: [],
    condition: allOf(conditions),
    output: [...left.plan.output, ...right.plan.output],
  };
  return { plan: withKeys(join), columns, leaves };
}

/** At the lowest join that has all it reads; what reads one leaf or none, at the top or above that leaf. */
function isTestedAt(
  read: number,
  { left, right, all }: { left: number; right: number; all: number },
): boolean {
  if ((read & ~(left | right)) !== 0) return false;
  if (read === 0) return (left | right) === all;
  const isSingle = (read & (read - 1)) === 0;
  if (isSingle) return left === read || right === read;
  return (read & left) !== 0 && (read & right) !== 0;
}
