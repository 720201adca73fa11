/** A plan as `EXPLAIN (FORMAT JSON)` gives it, as a tree whose nodes know their share of the cost. */
import type { Json } from '../../../server/messages.ts';

type Node = Readonly<Record<string, Json>>;

export interface PlanNode {
  readonly name: string;
  /** Relation, index, or what else it is about. */
  readonly about: string | null;
  readonly expectedRows: number | null;
  /** Null where it was not run. */
  readonly actualRows: number | null;
  readonly loops: number;
  /** Milliseconds with its children; null where it was not run. */
  readonly ms: number | null;
  /** Its own, without its children's, as a share of the whole: 0 to 1. */
  readonly share: number;
  /** Held at a time, at most; null where it is not told. */
  readonly memoryBytes: number | null;
  /** How its indexes were asked, an arm each. */
  readonly searches: readonly Search[];
  /** Shares of the rows that pass its filter: expected, and met. */
  readonly selectivity: { readonly expected: number | null; readonly met: number } | null;
  /** Null where it searches nothing. */
  readonly arm: 'keyword' | 'meaning' | 'hybrid' | null;
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly children: readonly PlanNode[];
}

export interface Search {
  readonly strategy: string;
  readonly candidates: number;
  readonly compared: number;
  readonly rescored: number;
  readonly ms: number | null;
}

export interface PlanTree {
  readonly root: PlanNode;
  readonly planningMs: number | null;
  readonly executionMs: number | null;
}

/** Shown by themselves. */
const KNOWN = new Set([
  'Node Type',
  'Relation Name',
  'Index Name',
  'Alias',
  'Plans',
  'Plan Rows',
  'Actual Rows',
  'Actual Loops',
  'Actual Total Time',
  'Actual Startup Time',
  'Startup Cost',
  'Total Cost',
  'Plan Width',
  'Parallel Aware',
  'Async Capable',
  'Parent Relationship',
  'Peak Memory Usage',
  'Searches',
  'Selectivity',
  'Estimated Selectivity',
]);

const number = (value: Json | undefined): number | null => (typeof value === 'number' ? value : null);

const text = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

const childrenOf = (node: Node): readonly Node[] => (Array.isArray(node.Plans) ? (node.Plans as Node[]) : []);

/** Time of a node in all its loops where it was run, else its cost. */
const weight = (node: Node): number => {
  const ms = number(node['Actual Total Time']);
  return ms === null ? (number(node['Total Cost']) ?? 0) : ms * (number(node['Actual Loops']) ?? 1);
};

const ARMS: Readonly<Record<string, PlanNode['arm']>> = {
  'Keyword Search': 'keyword',
  'Keyword Scan': 'keyword',
  'Vector Search': 'meaning',
  Fusion: 'hybrid',
};

function searchesOf({ Searches: searches }: Node): readonly Search[] {
  if (!Array.isArray(searches)) return [];
  return (searches as readonly Node[]).map((one) => ({
    strategy: text(one.Strategy ?? ''),
    candidates: number(one.Candidates) ?? 0,
    compared: number(one.Compared) ?? 0,
    rescored: number(one.Rescored) ?? 0,
    ms: number(one.Time),
  }));
}

function selectivityOf(node: Node): PlanNode['selectivity'] {
  const met = number(node.Selectivity);
  return met === null ? null : { expected: number(node['Estimated Selectivity']), met };
}

const memoryOf = (node: Node): number | null => {
  const kilobytes = number(node['Peak Memory Usage']);
  return kilobytes === null ? null : kilobytes * 1024;
};

function nodeOf(node: Node, whole: number): PlanNode {
  const children = childrenOf(node);
  const own = weight(node) - children.reduce((sum, child) => sum + weight(child), 0);
  const ms = number(node['Actual Total Time']);
  const about = [node['Index Name'], node['Relation Name']]
    .filter((name) => name != null)
    .map((name) => text(name as Json));
  return {
    name: text(node['Node Type'] ?? '?'),
    about: about.length > 0 ? about.join(' on ') : null,
    expectedRows: number(node['Plan Rows']),
    actualRows: number(node['Actual Rows']),
    loops: number(node['Actual Loops']) ?? 1,
    ms: ms === null ? null : weight(node),
    share: whole > 0 ? Math.max(0, own) / whole : 0,
    memoryBytes: memoryOf(node),
    searches: searchesOf(node),
    selectivity: selectivityOf(node),
    arm: ARMS[text(node['Node Type'] ?? '')] ?? null,
    facts: Object.entries(node).flatMap(([name, value]) =>
      KNOWN.has(name) || value === null ? [] : [[name, text(value)] as const],
    ),
    children: children.map((child) => nodeOf(child, whole)),
  };
}

/** @param value the only cell of the only row. @returns null for what is no plan. */
export function planTree(value: Json): PlanTree | null {
  const parsed = typeof value === 'string' ? (JSON.parse(value) as Json) : value;
  const whole = Array.isArray(parsed) ? parsed[0] : parsed;
  if (whole == null || typeof whole !== 'object' || Array.isArray(whole)) return null;
  const { Plan: root, 'Planning Time': planning, 'Execution Time': execution } = whole as Node;
  if (root == null || typeof root !== 'object') return null;
  return {
    root: nodeOf(root as Node, weight(root as Node)),
    planningMs: number(planning),
    executionMs: number(execution),
  };
}
