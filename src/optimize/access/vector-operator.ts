/**
 * `ORDER BY column <=> constant LIMIT k` over a column with a fitting vector index: the distance becomes an
 * arm of the scan, which the retrieval rule can then look up in the index.
 */
import type { Relation } from '../../catalog/model.ts';
import { functionById } from '../../functions/registry.ts';
import type { Expression } from '../../plan/expression.ts';
import type { Arm, Limit, OutputColumn, Plan, Scan } from '../../plan/plan.ts';
import { mapPlanExpressions, rewriteExpression } from '../../plan/walk.ts';
import { OID } from '../../types/oids.ts';
import { sameTree } from '../../plan/same-tree.ts';
import { isFixed } from '../conditions.ts';
import type { OptimizerContext, Rule } from '../rule.ts';

export const vectorOperator: Rule = {
  name: 'vector-operator',
  summary: 'Ranks by a vector distance operator with the index of its metric.',
  rewrite: (plan, context) => (plan.kind === 'limit' ? rankedLimit(plan, context) : plan),
};

type VectorArm = Extract<Arm, { kind: 'vector' }>;

const METRICS: Readonly<Record<string, string>> = {
  '<=>': 'cosine',
  '<->': 'euclidean',
  '<#>': 'dot_product',
  '<+>': 'l1',
  '<~>': 'hamming',
  '<%>': 'jaccard',
};

/** Types whose values are those of a wider type as they are, so that an operator's cast changes nothing. */
const WIDENED: ReadonlyMap<number, number> = new Map([
  [OID.f8_vector, OID.vector],
  [OID.u8_vector, OID.vector],
  [OID.i8_vector, OID.vector],
  [OID.u8_sparse_vector, OID.f32_sparse_vector],
]);

function rankedLimit(limit: Limit, { catalog }: OptimizerContext): Plan {
  const path = pathToScan(limit);
  const scan = path?.at(-1);
  if (path === null || scan?.kind !== 'scan' || scan.rowNumber || scan.topK !== null) return limit;
  const relation = catalog.relations.get(scan.relation);
  const above = path.at(-2);
  if (relation === undefined || above === undefined) return limit;
  const found = findDistance(above, scan, relation);
  return found === null ? limit : keepOutput(limit, rebuild(limit, scan, found));
}

/** Limit, projections, one sort, the scan; null when the plan has another shape. */
function pathToScan(limit: Limit): Plan[] | null {
  const path: Plan[] = [limit];
  let plan: Plan = limit.input;
  let sorts = 0;
  while (plan.kind === 'project' || plan.kind === 'sort') {
    if (plan.kind === 'sort') sorts++;
    path.push(plan);
    plan = plan.input;
  }
  path.push(plan);
  return sorts === 1 ? path : null;
}

interface Distance {
  readonly call: Expression;
  readonly arm: VectorArm;
}

/** The first distance call that the node right above the scan computes. */
function findDistance(above: Plan, scan: Scan, relation: Relation): Distance | null {
  let found: Distance | null = null;
  mapPlanExpressions(above, (expression) =>
    rewriteExpression(expression, (part) => {
      found ??= distanceOf(part, scan, relation);
      return part;
    }),
  );
  return found;
}

function distanceOf(expression: Expression, scan: Scan, relation: Relation): Distance | null {
  if (expression.kind !== 'call') return null;
  const value = functionById(expression.function).name;
  const metric = Object.hasOwn(METRICS, value) ? METRICS[value] : undefined;
  const [left, right] = expression.args.map(withoutWidening);
  if (metric === undefined || left === undefined || right === undefined) return null;
  const [column, query] = left.kind === 'column' ? [left, right] : [right, left];
  if (column.kind !== 'column' || column.index >= scan.columns.length || !isFixed(query)) return null;
  const attribute = scan.columns[column.index];
  const index = relation.indexes.find(
    ({ kind, columns, options, standby }) =>
      kind === 'vector' && !standby && columns[0] === attribute && (options.metric ?? 'cosine') === metric,
  );
  if (index === undefined) return null;
  const arm: VectorArm = { kind: 'vector', index: index.oid, query, value: value as VectorArm['value'] };
  return { call: expression, arm };
}

function withoutWidening(expression: Expression): Expression {
  if (expression.kind !== 'cast' || expression.input.kind !== 'column') return expression;
  return WIDENED.get(expression.input.type.oid) === expression.type.oid ? expression.input : expression;
}

/** The plan with the arm as the scan's last column and the call replaced by it. */
function rebuild(plan: Plan, scan: Scan, found: Distance): Plan {
  if (plan === scan) {
    const column: OutputColumn = { name: 'distance', type: FLOAT, relation: 0, attribute: 0 };
    return { ...scan, arms: [...scan.arms, found.arm], output: [...scan.output, column] };
  }
  const above = plan as Extract<Plan, { kind: 'limit' | 'sort' | 'project' }>;
  const input = rebuild(above.input, scan, found);
  const overScan = above.input === scan;
  const node = overScan ? (replaceCall(above, scan, found) as typeof above) : above;
  return node.kind === 'project' ? { ...node, input } : { ...node, input, output: input.output };
}

const FLOAT = { oid: OID.float8, modifier: -1 } as const;

function replaceCall(plan: Plan, scan: Scan, { call }: Distance): Plan {
  const column: Expression = { kind: 'column', index: scan.output.length, type: FLOAT };
  return mapPlanExpressions(plan, (expression) =>
    rewriteExpression(expression, (part) => (sameTree(part, call) ? column : part)),
  );
}

/** Without a projection between, the added column would show; it is cut off again. */
function keepOutput(before: Limit, after: Plan): Plan {
  if (after.output.length === before.output.length) return after;
  return {
    kind: 'project',
    input: after,
    expressions: before.output.map((column, index) => ({ kind: 'column', index, type: column.type })),
    sets: [],
    output: before.output,
  };
}
