/** From a plan to its physical plan: what the plan demands of each node, then the choices. */
import { assert } from '../assert.ts';
import type { Catalog } from '../catalog/model.ts';
import { columnByAttribute, primaryKey } from '../catalog/model.ts';
import { columnsOf, readsAny } from '../plan/columns-read.ts';
import type { Expression } from '../plan/expression.ts';
import type * as logical from '../plan/plan.ts';
import type { Plan } from '../plan/plan.ts';
import { isVolatile } from '../plan/volatile.ts';
import { mapPlan, mapPlanExpressions, rewriteExpression } from '../plan/walk.ts';
import { OID } from '../types/oids.ts';
import type { Choice, ChoiceContext } from './choice.ts';
import { CHOICES } from './choices.ts';
import { keysAsCondition } from './join-keys.ts';
import { lockOf, movesKeys } from './key-changes.ts';
import { metricOf, WORDS } from './metrics.ts';
import { isOrdered } from './row-order.ts';
import { ordersTies } from './ties.ts';
import type {
  Fusion,
  KeyOrder,
  Limit,
  PhysicalPlan,
  RankedScan,
  Ranking,
  Scan,
  ScanRequest,
  Sort,
} from './physical.ts';

export function physicalPlan(plan: Plan, context: ChoiceContext): PhysicalPlan {
  return new Maker(context).make(plan);
}

class Maker {
  readonly #context: ChoiceContext;
  readonly #choices: readonly Choice[];

  constructor(context: ChoiceContext) {
    this.#context = context;
    this.#choices = CHOICES.filter(({ name }) => !context.disabled.has(name));
  }

  make(plan: Plan): PhysicalPlan {
    const inputs = mapPlan(plan, (input) => this.make(input));
    const demanded = this.#demanded(mapPlanExpressions(inputs, (expression) => this.#expression(expression)));
    return this.#choices.reduce((node, { choose }) => choose(node, this.#context), demanded);
  }

  #expression(expression: Expression): Expression {
    return rewriteExpression(expression, (part) => {
      if (part.kind !== 'subquery') return part;
      const compare = part.compare && this.#expression(part.compare);
      return { ...part, plan: this.make(part.plan), compare };
    });
  }

  /** @param plan a node whose inputs, and plans of subqueries, are physical ones. */
  #demanded(plan: Plan): PhysicalPlan {
    switch (plan.kind) {
      case 'scan':
        return this.#scan(plan);
      case 'join':
        return withWay(plan);
      case 'aggregate':
        return { ...plan, masked: false } as PhysicalPlan;
      case 'fusion':
        return this.#fusion(plan);
      case 'sort':
        return ordersTies(plan as Sort);
      case 'limit':
        return locksAsMany(plan as Limit);
      case 'lock rows':
        return { ...plan, wanted: null } as PhysicalPlan;
      case 'update': {
        const relation = this.#context.catalog.relations.get(plan.relation);
        const how = { lock: lockOf(relation, plan), waits: movesKeys(relation, plan) };
        return { ...plan, ...how } as PhysicalPlan;
      }
      default:
        return plan as PhysicalPlan;
    }
  }

  #scan(plan: logical.Scan): Scan {
    const { filter, arms, topK, access } = plan;
    const conditions = filter === null ? [] : filter.kind === 'and' ? filter.args : [filter];
    const ranks = arms.length > 0 || topK !== null;
    return {
      ...(plan as logical.Scan & Pick<Scan, 'arms'>),
      request: requestOf(plan),
      ways: access === undefined || plan.lookup !== null ? [] : [access],
      conditions: conditions.map((expression) => ({ expression, reads: readOf(plan, expression) })),
      key: ranks ? keyOrder(this.#context.catalog, plan.relation) : NO_KEY,
      zones: [],
      maskKey: null,
    } as Scan;
  }

  #fusion(plan: logical.Fusion): PhysicalPlan {
    const merged = scanOf(plan.input);
    if (merged === null) return { kind: 'values', rows: [], output: plan.output };
    const rankings = plan.arms.map(({ kind, score, metric = MODEL }) => {
      assert(score.kind === 'column', 'fusion of scores of the scan');
      const compared = metricOf(kind === 'keyword' ? WORDS : metric);
      const keys = [{ expression: score, descending: !compared.isDistance, nullsFirst: false }];
      const scan = this.make({ ...merged, topK: { count: AS_MANY, offset: null, keys } });
      assert(scan.kind === 'scan' && scan.request.kind === 'best rows', 'an arm ranks');
      // Which rows match is asked with the other arms.
      const ranked = { ...scan, request: { ...scan.request, implied: null } } as RankedScan;
      return { kind, metric: compared, position: score.index, scan: ranked };
    });
    return { ...(plan as Fusion), scan: this.make(merged) as Scan, rankings };
  }
}

function withWay(plan: logical.Join): PhysicalPlan {
  const rest = keysAsCondition(plan.keys, plan);
  const ordered = isOrdered(plan.left as PhysicalPlan);
  return { ...plan, way: plan.lateral ? 'lateral' : 'loop', hashed: [], rest, ordered } as PhysicalPlan;
}

/** Vectors of models are compared by cosine. */
const MODEL = 'cosine';
const AS_MANY: Expression = { kind: 'literal', value: null, type: { oid: OID.int8, modifier: -1 } };

/** The scan that is ranked, with a filter over it as its own; null where the filter is never true. */
function scanOf(input: Plan): logical.Scan | null {
  const below = input.kind === 'filter' ? input.input : input;
  if (below.kind === 'values' && below.rows.length === 0) return null;
  assert(below.kind === 'scan', 'fusion over a scan');
  const scan = { ...below, lookup: null };
  if (input.kind !== 'filter') return scan;
  const { condition } = input;
  const both =
    scan.filter === null ? condition : { ...condition, kind: 'and' as const, args: [scan.filter, condition] };
  return { ...scan, filter: both };
}

function requestOf(plan: logical.Scan): ScanRequest {
  if (plan.lookup !== null) return { kind: 'key' };
  if (plan.topK !== null) return rankingOf(plan, plan.topK);
  if (plan.access?.kind === 'order' && plan.access.first !== undefined) return { kind: 'first rows' };
  return { kind: 'rows', masked: false };
}

function rankingOf(plan: logical.Scan, { keys, groups }: NonNullable<logical.Scan['topK']>): Ranking {
  const { columns, arms } = plan;
  const expressions = [...keys.map((key) => key.expression), ...(groups?.by ?? [])];
  const positions = [...new Set(expressions.flatMap((expression) => readOf(plan, expression)))];
  const scores = positions.filter((at) => at >= columns.length && at < columns.length + arms.length);
  const gathered = { expressions, positions, scores };
  const none = { first: null, columns: [], arms: [], score: null, plain: false, implied: null } as const;
  return { kind: 'best rows', ...none, gathered };
}

/** All columns where subqueries in it may read any. */
function readOf({ output }: logical.Scan, expression: Expression): readonly number[] {
  return readsAny(expression) ? [...output.keys()] : [...columnsOf(expression)];
}

const NO_KEY: KeyOrder = { attributes: [], order: [] };

function keyOrder(catalog: Catalog, oid: number): KeyOrder {
  const relation = catalog.relations.get(oid);
  const attributes = (relation && primaryKey(relation)?.columns) ?? [];
  const order = attributes.flatMap((attribute) => {
    const type = relation && columnByAttribute(relation, attribute)?.type;
    if (type === undefined) return [];
    return [
      { expression: { kind: 'column', index: 0, type }, descending: false, nullsFirst: false } as const,
    ];
  });
  return { attributes, order };
}

/** A LIMIT that gives the same whenever it is asked tells the LockRows below it how many rows it can use. */
function locksAsMany(plan: Limit): PhysicalPlan {
  const { input, count, offset, ties } = plan;
  if (
    input.kind !== 'lock rows' ||
    ties !== null ||
    [count, offset].some((bound) => bound !== null && isVolatile(bound))
  )
    return plan;
  return { ...plan, input: { ...input, wanted: { count, offset } } };
}
