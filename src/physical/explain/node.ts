/** One node of EXPLAIN: its title as PostgreSQL words it, and the lines below it. */
import { type Catalog, columnByAttribute, findIndex } from '../../catalog/model.ts';
import { systemRelationByOid } from '../../catalog/system/registry.ts';
import { present, unreachable } from '../../assert.ts';
import { OID } from '../../types/oids.ts';
import { quoteIdentifier } from '../../types/text/quote.ts';
import { columnCondition } from '../../plan/column-condition.ts';
import { expressionText } from './expression.ts';
import type { Expression } from '../../plan/expression.ts';
import { textCondition } from '../../plan/text-condition.ts';
import type { Arm, OutputColumn, SortKey } from '../../plan/plan.ts';
import type { Condition, Join, PhysicalPlan, Ranking, Scan, ScanWay } from '../physical.ts';

export interface NodeText {
  /** `Seq Scan on books`. */
  readonly title: string;
  /** `Seq Scan`. */
  readonly type: string;
  /** Parts of the title for JSON: relation and index names. */
  readonly facts: readonly (readonly [string, string])[];
  /** `Filter`, `Sort Key`, … */
  readonly details: readonly (readonly [string, string])[];
}

type Detail = readonly [string, string];

const node = (type: string, details: readonly Detail[] = [], facts: readonly Detail[] = []): NodeText => {
  const relation = facts.find(([name]) => name === 'Relation Name')?.[1];
  const index = facts.find(([name]) => name === 'Index Name')?.[1];
  const using = index === undefined ? '' : ` using ${quoteIdentifier(index)}`;
  const on = relation === undefined ? '' : ` on ${quoteIdentifier(relation)}`;
  return { title: `${type}${using}${on}`, type, facts, details };
};

export function describeNode(plan: PhysicalPlan, catalog: Catalog, verbose: boolean): NodeText {
  const text = describePlan(plan, catalog);
  if (!verbose) return text;
  const output = plan.output.map((column) => quoteIdentifier(column.name)).join(', ');
  return { ...text, details: [['Output', output], ...decided(plan), ...text.details] };
}

/** Decisions that only VERBOSE shows. */
function decided(plan: PhysicalPlan): readonly Detail[] {
  const details: Detail[] = [];
  if (plan.kind === 'scan') details.push(['Request', requestText(plan)]);
  if (plan.kind === 'aggregate' && plan.masked) details.push(['Filtered By', 'mask']);
  if (plan.kind === 'update') {
    details.push(['Row Lock', `for ${plan.lock}`], ['Written', plan.waits ? 'at the end' : 'row by row']);
  }
  return details;
}

function requestText({ request }: Scan): string {
  if (request.kind === 'rows' && request.masked) return 'rows, masked';
  return request.kind === 'best rows' && request.implied !== null
    ? 'best rows, of those that match'
    : request.kind;
}

function describePlan(plan: PhysicalPlan, catalog: Catalog): NodeText {
  switch (plan.kind) {
    case 'values':
      return plan.output.length === 0 || plan.rows.length <= 1 ? node('Result') : node('Values Scan');
    case 'constants':
      return node('Values Scan');
    case 'scan':
      return describeScan(plan, catalog);
    case 'system':
      return node('Seq Scan', [], [['Relation Name', relationName(plan.relation, catalog)]]);
    case 'stream':
      return node('Copy Input');
    case 'function':
      return node('Function Scan', [], [['Relation Name', plan.function.replace(/\(.*/, '')]]);
    case 'filter':
      return node('Filter', [['Filter', expressionText(plan.condition, plan.input.output)]]);
    case 'project':
      return node(plan.sets.length > 0 ? 'ProjectSet' : 'Project');
    case 'join':
      return describeJoin(plan);
    case 'aggregate': {
      const keys = plan.keys.map((key) => expressionText(key, plan.input.output)).join(', ');
      if (plan.keys.length === 0) return node('Aggregate');
      return node('HashAggregate', [['Group Key', keys]]);
    }
    case 'window':
      return node('WindowAgg');
    case 'fusion':
      return node('Fusion', [
        ['Arms', plan.arms.map((arm) => expressionText(arm.score, plan.input.output)).join(', ')],
      ]);
    case 'sort': {
      const keys: Detail[] = [['Sort Key', sortKeys(plan.keys, plan.input.output)]];
      return node(plan.top === null ? 'Sort' : 'Top-N Sort', keys);
    }
    case 'limit':
      return node('Limit');
    case 'distinct':
      return node('Unique');
    case 'set':
      return describeSet(plan);
    case 'lock rows':
      return node('LockRows');
    case 'with':
      return node(plan.recursive === null ? 'With' : 'Recursive Union', [['CTE', plan.name]]);
    case 'cte':
      return node('CTE Scan');
    case 'insert':
      return node('Insert', [], [['Relation Name', relationName(plan.relation, catalog)]]);
    case 'update':
      return node('Update', [], [['Relation Name', relationName(plan.relation, catalog)]]);
    case 'delete':
      return node('Delete', [], [['Relation Name', relationName(plan.relation, catalog)]]);
    case 'merge':
      return node('Merge', [], [['Relation Name', relationName(plan.relation, catalog)]]);
    default:
      return unreachable(plan);
  }
}

const relationName = (oid: number, catalog: Catalog): string =>
  (catalog.relations.get(oid) ?? systemRelationByOid(oid))?.name ?? String(oid);

const indexName = (oid: number, catalog: Catalog): string =>
  findIndex(catalog, oid)?.index.name ?? String(oid);

function describeScan(scan: Scan, catalog: Catalog): NodeText {
  const name = relationName(scan.relation, catalog);
  const relation = scan.partition === null ? name : `${name}$${scan.partition}`;
  const facts: Detail[] = [['Relation Name', relation]];
  const details: Detail[] = [];
  const text = (expression: Expression): string => expressionText(expression, scan.output);
  const { found, checked } = splitConditions(scan);
  if (found !== null) details.push(['Index Cond', text(found)]);
  if (checked !== null) details.push(['Filter', text(checked)]);
  if (scan.lookup !== null) {
    const index: Detail = ['Index Name', indexName(scan.lookup.index, catalog)];
    return node(
      'Index Scan',
      [['Index Cond', keyText(scan.lookup, catalog, text)], ...details],
      [...facts, index],
    );
  }
  const { request } = scan;
  for (const [i, arm] of scan.arms.entries()) {
    if (isShown(scan, i)) details.push(['Arm', describeArm(arm, catalog, text)]);
  }
  if (request.kind !== 'best rows') return describePlainScan(scan, catalog, { facts, details });
  const { keys, groups } = present(scan.topK, 'topK');
  if (groups !== undefined) {
    const by = groups.by.map(text).join(', ');
    details.unshift(['Best Per Group', groups.most === 1 ? by : `${groups.most} of ${by}`]);
  }
  details.unshift(['Order By', sortKeys(keys, scan.output)]);
  const arm = searchedArm(scan, request);
  if (arm === undefined || arm.kind === 'embedding') return node('Ranked Scan', details, facts);
  const type = arm.kind === 'keyword' ? 'Keyword Search' : 'Vector Search';
  const index = arm.kind === 'keyword' ? (arm.indexes[0] ?? 0) : arm.index;
  return node(type, details, [...facts, ['Index Name', indexName(index, catalog)]]);
}

/** The one arm whose index is searched. */
const searchedArm = ({ arms }: Scan, { arms: asked }: Ranking): Arm | undefined =>
  asked.length === 1 ? arms[asked[0] as number] : undefined;

/** False for arms that a fused ranking does not ask: the fusion computes their scores. */
function isShown({ topK, request, conditions, columns }: Scan, arm: number): boolean {
  if (request.kind !== 'best rows' || topK?.count.kind !== 'literal' || topK.count.value !== null)
    return true;
  const read = conditions.some(({ reads }) => reads.includes(columns.length + arm));
  return read || request.arms.includes(arm);
}

/** Without a ranking: by what an index finds, or row by row. */
function describePlainScan(
  { ways: [way], arms }: Scan,
  catalog: Catalog,
  { facts, details }: { readonly facts: readonly Detail[]; readonly details: readonly Detail[] },
): NodeText {
  if (way === undefined) return node('Seq Scan', details, facts);
  if (way.kind === 'keyword') {
    const arm = arms[way.arm];
    const index = arm?.kind === 'keyword' ? (arm.indexes[0] ?? 0) : 0;
    return node('Keyword Scan', details, [...facts, ['Index Name', indexName(index, catalog)]]);
  }
  const isBackward = way.kind === 'order' && way.first?.descending === true;
  const type = isBackward ? 'Index Scan Backward' : 'Index Scan';
  return node(type, details, [...facts, ['Index Name', indexName(way.index, catalog)]]);
}

/** Conditions that the scan's index answers, and those that are only checked, in their order. */
function splitConditions(scan: Scan): { found: Expression | null; checked: Expression | null } {
  const { ways, request, columns } = scan;
  const implied = request.kind === 'best rows' ? request.implied : null;
  const way = ways[0];
  const isFound = ({ expression }: Condition): boolean => {
    const isImplied = expression.kind === 'column' && implied?.arms.has(expression.index - columns.length);
    return isImplied === true || (way !== undefined && answers(way, expression, scan));
  };
  const allOf = (conditions: readonly Condition[]): Expression | null => {
    const args = conditions.map(({ expression }) => expression);
    return args.length > 1 ? { kind: 'and', args, type: BOOLEAN } : (args[0] ?? null);
  };
  const { conditions } = scan;
  return {
    found: allOf(conditions.filter(isFound)),
    checked: allOf(conditions.filter((condition) => !isFound(condition))),
  };
}

const BOOLEAN = { oid: OID.bool, modifier: -1 };

function answers(way: ScanWay, condition: Expression, { columns }: Scan): boolean {
  if (way.kind === 'keyword' || way.kind === 'key list') return way.condition === condition;
  const column = (way.kind === 'text' ? textCondition(condition) : columnCondition(condition))?.column;
  return column !== undefined && columns[column] === way.attribute;
}

/** `(a = 1) AND (b = 2)` of a lookup. */
function keyText(
  { index, key }: NonNullable<Scan['lookup']>,
  catalog: Catalog,
  text: (expression: Expression) => string,
): string {
  const found = findIndex(catalog, index);
  const names =
    found?.index.columns.map((attribute) => columnByAttribute(found.relation, attribute)?.name) ?? [];
  return key.map((part, i) => `(${names[i] ?? 'key'} = ${text(part)})`).join(' AND ');
}

function describeArm(arm: Arm, catalog: Catalog, text: (expression: Expression) => string): string {
  if (arm.kind !== 'keyword') {
    const what = arm.kind === 'vector' && arm.value !== 'metric' ? arm.value : arm.kind;
    return `${what} on ${indexName(arm.index, catalog)}`;
  }
  const indexes = arm.indexes.map((index) => indexName(index, catalog)).join(', ');
  const together = arm.fields === 'together' && arm.indexes.length > 1 ? ' together' : '';
  return `${arm.operator}(${text(arm.query)}) on ${indexes}${together} (${arm.output})`;
}

function sortKeys(keys: readonly SortKey[], input: readonly OutputColumn[]): string {
  return keys
    .map((key) => {
      const direction = key.descending ? ' DESC' : '';
      const nulls = key.nullsFirst === key.descending ? '' : key.nullsFirst ? ' NULLS FIRST' : ' NULLS LAST';
      return `${expressionText(key.expression, input)}${direction}${nulls}`;
    })
    .join(', ');
}

const JOIN_NAMES: Readonly<Record<Join['join'], string>> = {
  inner: '',
  cross: '',
  left: ' Left',
  right: ' Right',
  full: ' Full',
  semi: ' Semi',
  anti: ' Anti',
};

function describeJoin(join: Join): NodeText {
  const details: Detail[] = [];
  const both = [...join.left.output, ...join.right.output];
  if (join.hashed.length > 0) {
    const pairs = join.hashed.map((key) => {
      const left = expressionText(key.left, join.left.output);
      return `(${left} = ${expressionText(key.right, join.right.output)})`;
    });
    details.push(['Hash Cond', pairs.join(' AND ')]);
  }
  if (join.rest !== null) details.push(['Join Filter', expressionText(join.rest, both)]);
  const kind = JOIN_NAMES[join.join];
  if (join.way === 'hash') return node(`Hash${kind} Join`, details);
  return node(kind === '' ? 'Nested Loop' : `Nested Loop${kind} Join`, details);
}

function describeSet(plan: PhysicalPlan & { kind: 'set' }): NodeText {
  if (plan.operation === 'union') return node(plan.all ? 'Append' : 'HashAggregate Append');
  const operation = plan.operation === 'intersect' ? 'Intersect' : 'Except';
  return node(`HashSetOp ${operation}${plan.all ? ' All' : ''}`);
}
