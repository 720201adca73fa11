/**
 * An index as CREATE INDEX gives it, or an INDEX clause of a field in a struct: its columns, expressions and options
 * bound over its relation, which may be about to be made.
 */
import {
  type Column,
  columnByAttribute,
  columnByName,
  type Index,
  type IndexElement,
  type IndexShape,
  type Relation,
} from '../../../catalog/model.ts';
import { type IndexKindRow, isOrdinary } from '../../../catalog/index-kinds.ts';
import {
  isOperatorClass,
  operatorClassName,
  vectorClasses,
} from '../../../catalog/system/operator-classes.ts';
import { notSupported, SqlError } from '../../../errors.ts';
import type { TextPath } from '../../../types/json/path-column.ts';
import { OID } from '../../../types/oids.ts';
import type { TypeRef } from '../../../types/type.ts';
import { allTypes, findTypeByOid } from '../../../types/registry.ts';
import type { CreateIndex, Expr, Located } from '../../ast.ts';
import type { BindContext } from '../context.ts';
import { columnName } from '../query/items.ts';
import { boundElement, boundPredicate } from './index-expressions.ts';
import { checkedIndex } from './schema-faults.ts';
import { indexName, makeIndex } from './indexes.ts';

interface IndexPlace {
  readonly context: BindContext;
  readonly relation: Relation;
  readonly row: IndexKindRow;
  /** Names that there are; the index's is added. */
  readonly taken: Set<string>;
}

/** @throws SqlError 42703, 42804, 42704, 22023, 0A000. */
export function defineIndex(
  statement: CreateIndex,
  { context, relation, row, taken }: IndexPlace,
): { readonly index: Index; readonly shape: IndexShape } {
  const shape = indexShapeOf(statement, context, relation);
  const within = isOrdinary(row.kind) ? null : indexedPath(statement, context, { relation, kind: row.kind });
  const columns = within === null ? plainColumns(relation, shape) : [{ ...within.column, type: TEXT_TYPE }];
  const names = shape.elements.map((element) => element.name);
  // An index by pgvector's methods is named as pgvector's is.
  const named = row.kind === statement.method ? row : null;
  const name = statement.name ?? indexName(relation.name, { columns: names, row: named, taken });
  const byMetric = row.classes === 'metrics';
  const classes = byMetric ? metricOption(statement, columns[0]) : checkOperatorClasses(statement, row);
  const options = [...classes, ...statement.options];
  const build = (): Index => makeIndex({ name, row, columns, options, at: statement.at });
  const isOwn = relation.kind === 'collection' && !isOrdinary(row.kind);
  const index = isOwn ? checkedIndex(columns, row.kind, build) : build();
  const written = withClasses(shape, byMetric, index.options);
  const own = isOwnKind(shape, row.kind) ? {} : { shape: written };
  const path = within === null ? {} : { path: within.path, shape: { ...written, parameters: index.options } };
  const equalNulls = statement.nullsNotDistinct ? { equalNulls: shape.elements.length } : {};
  const defined: Index = { ...index, unique: statement.unique, ...equalNulls, ...own, ...path };
  return { index: defined, shape };
}

function indexShapeOf(statement: CreateIndex, context: BindContext, relation: Relation): IndexShape {
  const reads = new Set<number>();
  const elements = statement.columns.map((element): IndexElement => {
    const { descending } = element;
    const order = { descending, nullsFirst: element.nullsFirst ?? descending };
    const { operatorClass } = element;
    if (element.name !== null) {
      const { attribute, name, type } = plainColumn(relation, element.name);
      return { attribute, name, type: type.oid, expression: null, operatorClass, ...order };
    }
    const bound = boundElement(context, relation, element.expression as Expr);
    for (const attribute of bound.reads) reads.add(attribute);
    if (bound.column) {
      const { attribute, name, type } = bound.column;
      return { attribute, name, type: type.oid, expression: null, operatorClass, ...order };
    }
    const shown = columnName(element.expression as Expr);
    const name = shown === '?column?' ? 'expr' : shown;
    return { attribute: 0, name, type: bound.type.oid, expression: bound.text, operatorClass, ...order };
  });
  const predicate = statement.where && boundPredicate(context, relation, statement.where);
  for (const attribute of predicate?.reads ?? []) reads.add(attribute);
  return {
    method: statement.method,
    elements,
    included: statement.included.map((name) => plainColumn(relation, name).attribute),
    parameters: Object.fromEntries(statement.options.map(({ name, value }) => [name, value])),
    where: predicate?.text ?? null,
    reads: [...reads],
  };
}

/** @throws SqlError 42703. */
function plainColumn(relation: Relation, name: string): Column {
  const column = columnByName(relation, name);
  if (column) return column;
  throw new SqlError('undefined_column', `column "${name}" does not exist`);
}

function plainColumns(relation: Relation, shape: IndexShape): readonly Column[] {
  return shape.elements.flatMap(({ attribute }) => columnByAttribute(relation, attribute) ?? []);
}

/** Classes that a type has by default are not shown; those of vectors say how they are compared. */
function withClasses(shape: IndexShape, byMetric: boolean, options: Index['options']): IndexShape {
  const { method } = shape;
  const elements = shape.elements.map((element): IndexElement => {
    const type = findTypeByOid(element.type)?.name ?? '';
    const own = byMetric ? operatorClassName(method, type, options) : element.operatorClass;
    const usual = byMetric
      ? `${method} ${own}` === 'ivfflat vector_l2_ops'
      : /^(?!.*pattern|jsonb_path|gin_trgm)/.test(own ?? '');
    return { ...element, operatorClass: usual ? null : own };
  });
  const { metric: _, ...parameters } = shape.parameters;
  return { ...shape, elements, parameters: byMetric ? parameters : shape.parameters };
}

/** True when kind, columns and options say it all: `semantic (title)`. */
function isOwnKind(shape: IndexShape, kind: Index['kind']): boolean {
  if (shape.elements.some(({ expression }) => expression !== null)) return false;
  return shape.method === kind && !isOrdinary(kind) && shape.included.length === 0;
}

const TEXT_TYPE: TypeRef = { oid: OID.text, modifier: -1 };

/**
 * The path into a jsonb column that a search index is over; null for plain columns.
 * @throws SqlError 0A000 for other expressions, and other kinds.
 */
function indexedPath(
  statement: CreateIndex,
  context: BindContext,
  { relation, kind }: { readonly relation: Relation; readonly kind: Index['kind'] },
): { readonly column: Column; readonly path: TextPath } | null {
  const written = statement.columns.find(({ name }) => name === null);
  const expression = written?.expression;
  if (!expression) return null;
  const bound = boundElement(context, relation, expression);
  if (bound.column) return null;
  const column = relation.columns.find(({ attribute }) => attribute === bound.reads[0]);
  const fits = kind === 'keyword' || kind === 'semantic';
  if (fits && bound.path !== null && column !== undefined && statement.columns.length === 1) {
    return { column, path: bound.path };
  }
  const position = statement.at || undefined;
  throw notSupported(`an expression in an index by ${statement.method}`, {
    position,
    hint: fits
      ? "It is over a column, or a path of a jsonb column: (meta->>'title'), (meta #>> '{a,b}')."
      : 'Index a column, which may be GENERATED ALWAYS AS (…) STORED.',
  });
}

type GivenOption = Located & { readonly name: string; readonly value: string };

const noClass = (name: string, method: string, hint?: string): SqlError =>
  new SqlError('undefined_object', `operator class "${name}" does not exist for access method "${method}"`, {
    hint,
  });

/** pgvector's operator classes say the metric. @throws SqlError 42704, 42804. */
function metricOption(statement: CreateIndex, column: Column | undefined): readonly GivenOption[] {
  const [element] = statement.columns;
  const type = findTypeByOid(column?.type.oid ?? 0);
  if (!element || element.operatorClass === null || type === undefined) return [];
  const { operatorClass, at } = element;
  const classes = vectorClasses(type.name);
  const metric = classes.get(operatorClass);
  if (metric !== undefined) return [{ name: 'metric', value: metric, at }];
  if (allTypes().some(({ name }) => vectorClasses(name).has(operatorClass))) {
    const message = `operator class "${operatorClass}" does not accept data type ${type.displayName}`;
    throw new SqlError('datatype_mismatch', message);
  }
  const names = [...classes.keys()].join(', ');
  throw noClass(operatorClass, statement.method, names ? `Valid ones are ${names}.` : undefined);
}

/** Indexes by order know one order a type. @throws SqlError 42704. */
function checkOperatorClasses({ method, columns }: CreateIndex, row: IndexKindRow): readonly GivenOption[] {
  for (const { operatorClass } of columns) {
    if (operatorClass === null) continue;
    const known =
      row.classes === 'orders'
        ? /_ops$/.test(operatorClass) && !/trgm/.test(operatorClass)
        : isOperatorClass(method, operatorClass);
    if (!known) throw noClass(operatorClass, method);
  }
  return [];
}
