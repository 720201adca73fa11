/**
 * EXPLAIN: the plan as PostgreSQL shows it, a tree of lines or JSON. Expressions are shown as SQL, with
 * column names; ANALYZE adds what the executor measured.
 */
import { type Cost, costOf, widthOf } from './cost.ts';
import { type SearchFacts, searchFacts } from './search.ts';
import { spaceFacts } from './space.ts';
import type { Plan } from '../../plan/plan.ts';
import { type PhysicalPlan, subPlan } from '../physical.ts';
import { describeNode, type NodeText } from './node.ts';
import type { ExplainJson, ExplainOptions } from './options.ts';
import { planExpressions, visitExpression } from '../../plan/walk.ts';
import { inputsOf } from '../walk.ts';

/** One line of text a row. */
export function explainPlan(plan: PhysicalPlan, options: ExplainOptions): string[] {
  const lines = textLines(describe(plan, options), 0);
  const pending = (options.pending ?? []).map((sentence) => `Not searched by meaning yet: ${sentence}`);
  return [...lines, ...pending, ...timesOf(options).map(([name, ms]) => `${name}: ${fixed(ms)} ms`)];
}

function timesOf(options: ExplainOptions): readonly (readonly [string, number])[] {
  const { times } = options;
  if (!times || !showsTimes(options)) return [];
  return [
    ['Planning Time', times.planningMs],
    ['Execution Time', times.executionMs],
  ];
}

const showsTimes = ({ timing }: ExplainOptions): boolean => timing !== false;

/** Result of `EXPLAIN (FORMAT JSON)`, before it is written as text. */
export function explainPlanAsJson(plan: PhysicalPlan, options: ExplainOptions): readonly ExplainJson[] {
  const times = timesOf(options).map(([name, ms]) => [name, round(ms)] as const);
  const { pending = [] } = options;
  const told = pending.length > 0 && { 'Not Searched By Meaning Yet': pending };
  return [{ Plan: jsonOf(describe(plan, options)), ...told, ...Object.fromEntries(times) }];
}

interface Described {
  readonly text: NodeText;
  readonly work: SearchFacts;
  readonly estimate: (Cost & { readonly rows: number }) | null;
  readonly measured: readonly (readonly [string, number | string])[];
  readonly label: string | null;
  readonly children: readonly Described[];
}

function describe(plan: PhysicalPlan, options: ExplainOptions, label: string | null = null): Described {
  if (plan.kind === 'project' && isPlainProjection(plan)) {
    const input = describe(plan.input, options, label);
    return { ...input, estimate: input.estimate && { ...input.estimate, width: widthOf(plan) } };
  }
  const children = shownInputs(plan).map((child) => describe(child, options));
  const text = describeNode(plan, options.catalog, options.verbose);
  const search = isRuled(plan) ? NO_FACTS : searchFacts(plan, options);
  const space = spaceFacts(plan, options);
  return {
    text,
    work: { details: [...search.details, ...space.details], json: { ...search.json, ...space.json } },
    estimate: estimated(plan, options),
    measured: measurements(plan, options),
    label,
    children: [
      ...children,
      ...subqueryPlans(plan).map((sub, i) => describe(sub, options, `SubPlan ${i + 1}`)),
      ...(options.inner?.(plan) ?? []).map((inner) => describe(inner.plan, options, inner.label)),
    ],
  };
}

/** How rows were found, and whether their rule was asked, tells of those that the rule hides. */
const isRuled = (plan: PhysicalPlan): boolean => plan.kind === 'scan' && plan.rule !== null;

const NO_FACTS: SearchFacts = { details: [], json: {} };

function shownInputs(plan: PhysicalPlan): readonly PhysicalPlan[] {
  if (plan.kind === 'scan') return [];
  return plan.kind === 'insert' ? [plan.input] : inputsOf(plan);
}

/** As PostgreSQL shows it: never less than one row. */
const wholeRows = (rows: number): number => Math.max(1, Math.round(rows));

function estimated(plan: PhysicalPlan, { estimate }: ExplainOptions): Described['estimate'] {
  if (!estimate) return null;
  const rows = (node: Plan): number => wholeRows(estimate(node));
  return { ...costOf(plan, rows), rows: rows(plan) };
}

/** As in PostgreSQL, a node that only computes the select list is not shown. */
function isPlainProjection(plan: PhysicalPlan & { kind: 'project' }): boolean {
  return plan.sets.length === 0 && subqueryPlans(plan).length === 0;
}

function subqueryPlans(plan: PhysicalPlan): readonly PhysicalPlan[] {
  const plans: PhysicalPlan[] = [];
  for (const expression of planExpressions(plan)) {
    visitExpression(expression, (part) => {
      if (part.kind === 'subquery') plans.push(subPlan(part));
    });
  }
  return plans;
}

function measurements(plan: PhysicalPlan, options: ExplainOptions): (readonly [string, number | string])[] {
  const { statistics } = options;
  const timing = showsTimes(options);
  if (statistics === null) return [];
  const node = statistics.get(plan);
  if (node === undefined) return [['never executed', '']];
  const times: (readonly [string, number])[] = timing
    ? [
        ['Actual Startup Time', round(node.startMs / node.loops)],
        ['Actual Total Time', round(node.totalMs / node.loops)],
      ]
    : [];
  return [...times, ['Actual Rows', round(node.rows / node.loops)], ['Actual Loops', node.loops]];
}

const round = (value: number): number => Math.round(value * 1000) / 1000;

/** `  (actual time=0.012..0.034 rows=10 loops=1)`. */
function measuredText(measured: Described['measured']): string {
  if (measured.length === 0) return '';
  const values = new Map(measured);
  if (values.has('never executed')) return ' (never executed)';
  const start = values.get('Actual Startup Time');
  const time =
    start === undefined ? '' : `time=${fixed(start)}..${fixed(values.get('Actual Total Time') ?? 0)} `;
  return ` (actual ${time}rows=${values.get('Actual Rows')} loops=${values.get('Actual Loops')})`;
}

const fixed = (value: number | string): string => Number(value).toFixed(3);

/** `  (cost=0.00..35.50 rows=2550 width=4)`. */
function estimateText(estimate: Described['estimate']): string {
  if (estimate === null) return '';
  const { startup, total, rows, width } = estimate;
  return `  (cost=${startup.toFixed(2)}..${total.toFixed(2)} rows=${rows} width=${width})`;
}

function estimateJson(estimate: Described['estimate']): ExplainJson {
  if (estimate === null) return {};
  const { startup, total, rows, width } = estimate;
  return {
    'Startup Cost': Number(startup.toFixed(2)),
    'Total Cost': Number(total.toFixed(2)),
    'Plan Rows': rows,
    'Plan Width': width,
  };
}

function textLines(node: Described, depth: number): string[] {
  const indent = ' '.repeat(depth === 0 ? 0 : 6 * depth - 4);
  const arrow = depth === 0 ? '' : '->  ';
  const detailIndent = ' '.repeat(depth === 0 ? 2 : 6 * depth + 2);
  const label = node.label === null ? [] : [`${' '.repeat(6 * depth - 4)}${node.label}`];
  return [
    ...label,
    `${indent}${arrow}${node.text.title}${estimateText(node.estimate)}${measuredText(node.measured)}`,
    ...[...node.text.details, ...node.work.details].map(
      ([name, value]) => `${detailIndent}${name}: ${value}`,
    ),
    ...node.children.flatMap((child) => textLines(child, depth + 1)),
  ];
}

/** A detail that comes several times, as the arms of a ranking do, is a list. */
function detailsJson(details: NodeText['details']): ExplainJson {
  const byName = Map.groupBy(details, ([name]) => name);
  return Object.fromEntries(
    [...byName].map(([name, all]) => {
      const values = all.map(([, value]) => value);
      return [name, values.length === 1 ? (values[0] ?? '') : values];
    }),
  );
}

function jsonOf(node: Described): ExplainJson {
  return {
    'Node Type': node.text.type,
    ...Object.fromEntries(node.text.facts),
    ...(node.label === null ? {} : { 'Subplan Name': node.label }),
    ...detailsJson(node.text.details),
    ...node.work.json,
    ...estimateJson(node.estimate),
    ...Object.fromEntries(node.measured),
    ...(node.children.length === 0 ? {} : { Plans: node.children.map(jsonOf) }),
  };
}
