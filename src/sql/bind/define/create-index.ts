/**
 * CREATE INDEX, with pgvector's operator classes as metrics. What ranks or finds texts is built; ordinary indexes of
 * every method are kept as they were written, and find rows by the order of their first column. A unique index on
 * expressions, or on some of the rows, is one on hidden generated columns: a predicate's column is NULL in rows that
 * it leaves out.
 */
import { elementText } from '../../../catalog/definitions.ts';
import type { CatalogEdit } from '../../../catalog/edit/edit.ts';
import {
  type Column,
  columnByAttribute,
  columnByName,
  hasRows,
  type Index,
  indexShape,
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
import { NAME_BYTES_MAX } from '../../../limits.ts';
import type { BoundStatement, FollowUp } from '../../../plan/statement.ts';
import type { TextPath } from '../../../types/json/path-column.ts';
import { OID } from '../../../types/oids.ts';
import type { TypeRef } from '../../../types/type.ts';
import { quoteIdentifier, quoteLiteral } from '../../../types/text/quote.ts';
import { allTypes, findTypeByOid } from '../../../types/registry.ts';
import type { CreateIndex, Expr, Located, QualifiedName } from '../../ast.ts';
import type { BindContext } from '../context.ts';
import { tableName } from './alter-rows.ts';
import { takenNames } from './create-table.ts';
import { noOperatorClass } from '../equality.ts';
import { boundElement, boundPredicate } from '../relation/index-expressions.ts';
import { indexName, kindOfMethod, makeIndex } from '../relation/indexes.ts';
import { columnName } from '../query/items.ts';
import { storedRelation } from '../names.ts';

type CatalogChange = Extract<BoundStatement, { kind: 'catalog' }>;

/** @throws SqlError 42P01, 42809. */
function indexedRelation(context: BindContext, name: QualifiedName): Relation {
  const relation = storedRelation(context, name);
  if (hasRows(relation)) return relation;
  throw new SqlError('wrong_object_type', `cannot create index on relation "${relation.name}"`, {
    detail: `This operation is not supported for ${relation.kind}s.`,
  });
}

export function bindCreateIndex(statement: CreateIndex, context: BindContext): CatalogChange {
  const relation = indexedRelation(context, { ...statement.relation, at: 0 });
  const { method } = statement;
  const row = kindOfMethod({ method, operatorClass: statement.columns[0]?.operatorClass ?? null }, 0);
  if (statement.unique && statement.method !== 'btree') {
    throw new SqlError(
      'feature_not_supported',
      `access method "${statement.method}" does not support unique indexes`,
    );
  }
  const taken = takenNames(context, relation.namespace, relation.name);
  if (statement.name !== null && taken.has(statement.name)) {
    if (!statement.ifNotExists) {
      throw new SqlError('duplicate_table', `relation "${statement.name}" already exists`);
    }
    const notices = [`relation "${statement.name}" already exists, skipping`];
    return { kind: 'catalog', tag: 'CREATE INDEX', edits: [], notices };
  }
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
  const index = makeIndex({ name, row, columns, options, at: statement.at });
  const written = withClasses(shape, byMetric, index.options);
  const own = isOwnKind(shape, row.kind) ? {} : { shape: written };
  const path = within === null ? {} : { path: within.path, shape: { ...written, parameters: index.options } };
  const equalNulls = statement.nullsNotDistinct ? { equalNulls: shape.elements.length } : {};
  const added: Index = { ...index, unique: statement.unique, ...equalNulls, ...own, ...path };
  const hidden = statement.unique ? hiddenColumns(relation, name, shape) : [];
  if (hidden.length === 0) {
    return change([{ edit: 'add index', relation: relation.oid, index: added }]);
  }
  const keys = keyColumns(shape, hidden);
  return change(
    [
      ...hidden.map((column): CatalogEdit => ({ edit: 'add column', relation: relation.oid, column })),
      { edit: 'add index', relation: relation.oid, index: { ...added, columns: keys } },
    ],
    fillHidden(context, relation, added),
  );
}

const change = (edits: readonly CatalogEdit[], followUps: readonly FollowUp[] = []): CatalogChange => ({
  kind: 'catalog',
  tag: 'CREATE INDEX',
  edits,
  notices: [],
  followUps,
});

// ───────────────────────────── as it was written ─────────────────────────────

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

/** Whether kind, columns and options say it all: `semantic (title)`. */
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

// ───────────────────────────── unique expressions ─────────────────────────────

/** A generated column for every expression, and one for the predicate; none for plain columns. */
function hiddenColumns(relation: Relation, index: string, shape: IndexShape): readonly Column[] {
  const expressions = shape.elements.flatMap(({ expression, type }) => {
    if (expression === null) return [];
    if (!findTypeByOid(type)?.compare) throw noOperatorClass({ oid: type, modifier: -1 });
    return [{ text: expression, type }];
  });
  const predicate =
    shape.where === null ? [] : [{ text: `CASE WHEN ${shape.where} THEN true END`, type: OID.bool }];
  const last = Math.max(0, ...relation.columns.map((column) => column.attribute));
  return [...expressions, ...predicate].map(({ text, type }, i) => ({
    attribute: last + 1 + i,
    name: `${index.slice(0, NAME_BYTES_MAX - 24)}........key.${i + 1}`,
    type: { oid: type, modifier: -1 },
    notNull: false,
    defaultText: null,
    identity: null,
    generatedText: text,
    undeclared: false,
    dropped: false,
    hidden: true,
  }));
}

/** What rows are told apart by: plain columns, and hidden ones in the place of expressions. */
function keyColumns(shape: IndexShape, hidden: readonly Column[]): readonly number[] {
  const left = hidden.map(({ attribute }) => attribute);
  const elements = shape.elements.map(({ attribute }) => attribute || (left.shift() ?? 0));
  return [...elements, ...left];
}

/** Looks whether the rows there are differ, then computes their hidden columns. */
function fillHidden(context: BindContext, relation: Relation, index: Index): readonly FollowUp[] {
  const { name } = index;
  const shape = indexShape(relation, index);
  const table = tableName({ context, relation });
  const keys = shape.elements.map((element) => element.expression ?? quoted(relation, element.attribute));
  const present = [
    ...keys.slice(index.equalNulls ?? 0).map((key) => `(${key}) IS NOT NULL`),
    ...(shape.where === null ? [] : [shape.where]),
  ];
  const first = quoted(relation, relation.columns.find(isPlain)?.attribute ?? 0);
  return [
    {
      kind: 'statement',
      sql:
        `SELECT ${duplicateText(relation, shape, keys)} FROM ${table} WHERE ${present.map((term) => `(${term})`).join(' AND ') || 'true'} ` +
        `GROUP BY ${keys.map((key) => `(${key})`).join(', ')} HAVING count(*) > 1 LIMIT 1`,
      violated: {
        condition: 'unique_violation',
        message: `could not create unique index "${name}"`,
        table: relation.name,
        constraint: name,
        detailed: true,
      },
    },
    { kind: 'statement', sql: `UPDATE ${table} SET ${first} = ${first}`, violated: null },
  ];
}

/** `Key (lower(email))=(a@x) is duplicated.` as an expression over the keys. */
function duplicateText(relation: Relation, shape: IndexShape, keys: readonly string[]): string {
  const names = shape.elements.map((element) => elementText(relation, element)).join(', ');
  const values = keys.map((key) => `coalesce((${key})::text, 'null')`).join(", ', ', ");
  return `concat(${quoteLiteral(`Key (${names})=(`)}, ${values}, ') is duplicated.')`;
}

const isPlain = ({ dropped, hidden, generatedText, identity }: Column): boolean =>
  !dropped && !hidden && generatedText === null && identity !== 'always';

function quoted(relation: Relation, attribute: number): string {
  return quoteIdentifier(columnByAttribute(relation, attribute)?.name ?? '');
}
