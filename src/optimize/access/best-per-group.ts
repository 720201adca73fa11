/**
 * The best few of each group, ranked: `row_number() OVER (PARTITION BY doc ORDER BY score DESC) <= n` or
 * `DISTINCT ON (doc) … ORDER BY doc, score DESC`, then sorted by the score and limited. The scan below needs to give
 * only its best rows until enough groups are among them; what is above works as before on the few that come.
 */
import { functionById } from '../../functions/registry.ts';
import type { Expression } from '../../plan/expression.ts';
import type { Distinct, Filter, Limit, Plan, SortKey } from '../../plan/plan.ts';
import { sameTree } from '../../plan/same-tree.ts';
import { columnsRead, isFixed } from '../conditions.ts';
import { canRank, substitute } from './retrieval-top-k.ts';
import type { Rule } from '../rule.ts';

export const bestPerGroup: Rule = {
  name: 'best-per-group',
  summary: 'Lets a ranked scan stop when enough groups are among its best rows.',
  rewrite: (plan) => (plan.kind === 'limit' && plan.ties === null ? limitedGroups(plan) : plan),
};

/** A plan below projections that keep rows, expressions in its terms, and the way back up. */
interface Place {
  readonly plan: Plan;
  readonly expressions: readonly Expression[];
  readonly put: (plan: Plan) => Plan;
}

function belowProjections(plan: Plan, expressions: readonly Expression[]): Place | null {
  if (plan.kind !== 'project' || plan.sets.length > 0)
    return { plan, expressions, put: (changed) => changed };
  const translated = expressions.map((expression) => substitute(expression, plan.expressions));
  if (translated.includes(null)) return null;
  const place = belowProjections(plan.input, translated as Expression[]);
  return place && { ...place, put: (changed) => ({ ...plan, input: place.put(changed) }) };
}

/** The same below two plans. */
function within(outer: Place, input: Plan, expressions: readonly Expression[], wrap: Wrap): Place | null {
  const place = belowProjections(input, expressions);
  return place && { ...place, put: (changed) => outer.put(wrap(place.put(changed))) };
}

type Wrap = (input: Plan) => Plan;

function limitedGroups(limit: Limit): Plan {
  const { count, offset } = limit;
  if (count === null || !isFixed(count) || (offset !== null && !isFixed(offset))) return limit;
  const top = belowProjections(limit.input, []);
  const sort = top?.plan;
  if (!top || sort?.kind !== 'sort') return limit;
  const sorted = sort.keys.map((key) => key.expression);
  const kept = within(top, sort.input, sorted, (input) => ({ ...sort, input }));
  const groups = kept && groupsOf(kept, sort.keys);
  const scan = groups?.place.plan;
  if (!groups || scan?.kind !== 'scan') return limit;
  const { expressions, put } = groups.place;
  const keys = sort.keys.map((key, i) => ({ ...key, expression: expressions[i] as Expression }));
  if (!canRank(scan, keys)) return limit;
  const by = expressions.slice(keys.length);
  const input = put({ ...scan, topK: { count, offset, keys, groups: { by, most: groups.most } } });
  return { ...limit, input };
}

/** Where the grouped rows come from; the place's expressions are the outer keys, then what is grouped by. */
interface Groups {
  readonly place: Place;
  readonly most: number;
}

function groupsOf(kept: Place, keys: readonly SortKey[]): Groups | null {
  const { plan } = kept;
  if (plan.kind === 'distinct') return distinctGroups(kept, plan, keys);
  return plan.kind === 'filter' ? numberedGroups(kept, plan, keys) : null;
}

/** Groups are ordered by what the whole is ordered by first. */
function sameFirst(outer: SortKey, expression: Expression | undefined, inner: SortKey | undefined): boolean {
  if (!expression || !inner) return false;
  const { descending, nullsFirst } = inner;
  if (outer.descending !== descending || outer.nullsFirst !== nullsFirst) return false;
  return sameTree(expression, inner.expression);
}

function distinctGroups(kept: Place, distinct: Distinct, keys: readonly SortKey[]): Groups | null {
  const { on } = distinct;
  const [outer] = keys;
  if (on === null || outer === undefined) return null;
  const both = [...kept.expressions, ...on];
  const place = within(kept, distinct.input, both, (input) => ({ ...distinct, input }));
  const sort = place?.plan;
  if (!place || sort?.kind !== 'sort') return null;
  const grouped = place.expressions.slice(keys.length);
  const first = sort.keys.slice(0, on.length).map((key) => key.expression);
  if (!grouped.every((by) => first.some((key) => sameTree(by, key)))) return null;
  if (!sameFirst(outer, place.expressions[0], sort.keys[on.length])) return null;
  const below = within(place, sort.input, place.expressions, (input) => ({ ...sort, input }));
  return below && { place: below, most: 1 };
}

function numberedGroups(kept: Place, filter: Filter, keys: readonly SortKey[]): Groups | null {
  const window = filter.input;
  const [outer] = keys;
  if (window.kind !== 'window' || window.calls.length !== 1 || outer === undefined) return null;
  const number = window.input.output.length;
  const most = window.calls[0]?.function === 'row_number()' ? mostOf(filter.condition, number) : null;
  if (most === null || !sameFirst(outer, kept.expressions[0], window.order[0])) return null;
  if (kept.expressions.some((expression) => columnsRead(expression).has(number))) return null;
  const wrap: Wrap = (input) => ({ ...filter, input: { ...window, input } });
  const place = within(kept, window.input, [...kept.expressions, ...window.partition], wrap);
  return place && { place, most };
}

/** The n of `number = 1`, `number <= n` or `number < n + 1`; null for any other condition. */
function mostOf(condition: Expression, number: number): number | null {
  if (condition.kind !== 'call') return null;
  const [left, right] = condition.args;
  if (left?.kind !== 'column' || left.index !== number || right?.kind !== 'literal') return null;
  const { name } = functionById(condition.function);
  const value = Number(right.value);
  if (name === '=' && value === 1) return 1;
  const most = name === '<=' ? value : name === '<' ? value - 1 : 0;
  return Number.isInteger(most) && most >= 1 ? most : null;
}
