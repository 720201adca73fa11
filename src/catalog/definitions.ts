/**
 * SQL texts of what the catalog holds: `pg_get_indexdef`, `pg_get_constraintdef`.
 */
import { unreachable } from '../assert.ts';
import { quoteIdentifier, quoteLiteral } from '../types/text/quote.ts';
import { namespaceName } from './lookup.ts';
import { isExtensionClass } from './system/operator-classes.ts';
import {
  type Catalog,
  type Constraint,
  columnByAttribute,
  type Index,
  type IndexElement,
  indexShape,
  type Relation,
} from './model.ts';

/** `public.books`, each part quoted where it needs it. */
function qualifiedName(catalog: Catalog, relation: { namespace: number; name: string }): string {
  const schema = namespaceName(catalog, relation.namespace);
  const name = quoteIdentifier(relation.name);
  return schema === null ? name : `${quoteIdentifier(schema)}.${name}`;
}

/** Names of columns by attribute number, quoted. */
function columnNames(relation: Relation, attributes: readonly number[]): string[] {
  return attributes.map((attribute) => quoteIdentifier(columnByAttribute(relation, attribute)?.name ?? ''));
}

interface IndexTexts {
  /** The relation's name. */
  readonly on?: string | undefined;
  /** The schema before operator classes of pgvector, with its dot. */
  readonly extension?: string;
  readonly condition?: ((stored: string) => string) | undefined;
}

/**
 * `CREATE INDEX i ON public.books USING semantic (title) WITH (model='all-minilm-l6-v2')`.
 * @param names what stands otherwise than it is stored.
 */
export function indexDefinition(
  catalog: Catalog,
  relation: Relation,
  index: Index,
  names: IndexTexts = {},
): string {
  const { on = qualifiedName(catalog, relation), extension = '', condition = (stored) => stored } = names;
  const shape = indexShape(relation, index);
  const parameters = Object.entries(shape.parameters).map(
    ([name, value]) => `${name}=${quoteLiteral(value)}`,
  );
  const included = columnNames(relation, shape.included).join(', ');
  return [
    index.unique ? 'CREATE UNIQUE INDEX' : 'CREATE INDEX',
    quoteIdentifier(index.name),
    'ON',
    on,
    `USING ${shape.method}`,
    `(${shape.elements.map((element) => elementDefinition(relation, element, extension)).join(', ')})`,
    ...(included === '' ? [] : [`INCLUDE (${included})`]),
    ...(index.equalNulls === undefined ? [] : ['NULLS NOT DISTINCT']),
    ...(parameters.length > 0 ? [`WITH (${parameters.join(', ')})`] : []),
    ...(shape.where === null ? [] : [`WHERE ${condition(shape.where)}`]),
  ].join(' ');
}

function elementDefinition(relation: Relation, element: IndexElement, extension: string): string {
  const { operatorClass, descending, nullsFirst } = element;
  const words = [elementText(relation, element)];
  if (operatorClass !== null) {
    const schema = isExtensionClass(operatorClass) ? extension : '';
    words.push(schema + quoteIdentifier(operatorClass));
  }
  if (descending) words.push('DESC');
  if (nullsFirst !== descending) words.push(nullsFirst ? 'NULLS FIRST' : 'NULLS LAST');
  return words.join(' ');
}

/** A column's name, a call, or another expression in brackets. */
export function elementText(relation: Relation, { attribute, expression }: IndexElement): string {
  if (expression === null) return quoteIdentifier(columnByAttribute(relation, attribute)?.name ?? '');
  return isCall(expression) ? expression : `(${expression})`;
}

/** A name and one pair of brackets to the end. */
function isCall(text: string): boolean {
  const open = /^(?:\w+|"[^"]+")(?:\.(?:\w+|"[^"]+"))?\(/.exec(text)?.[0];
  if (open === undefined) return false;
  let depth = 1;
  for (let i = open.length; i < text.length; i++) {
    if (text[i] === '(') depth++;
    if (text[i] === ')' && --depth === 0) return i === text.length - 1;
  }
  return false;
}

/**
 * @param constraint a CHECK's expression with the brackets it needs.
 * @param nameOf a relation's name as it is to stand there.
 */
export function constraintDefinition(
  catalog: Catalog,
  relation: Relation,
  constraint: Constraint,
  nameOf = (other: Relation): string => qualifiedName(catalog, other),
): string {
  const text = definitionText({ catalog, relation, nameOf }, constraint);
  const { deferrable } = constraint;
  return deferrable ? `${text} DEFERRABLE${deferrable === 'deferred' ? ' INITIALLY DEFERRED' : ''}` : text;
}

interface Place {
  readonly catalog: Catalog;
  readonly relation: Relation;
  readonly nameOf: (relation: Relation) => string;
}

function definitionText(place: Place, constraint: Constraint): string {
  const { relation } = place;
  const columns = columnNames(relation, constraint.columns).join(', ');
  switch (constraint.kind) {
    case 'primary key':
      return `PRIMARY KEY (${columns})`;
    case 'unique':
      return `UNIQUE ${hasEqualNulls(relation, constraint) ? 'NULLS NOT DISTINCT ' : ''}(${columns})`;
    case 'foreign key':
      return `FOREIGN KEY (${columns})${referencesText(place, constraint)}`;
    case 'check':
      return `CHECK (${constraint.expression ?? 'true'})`;
    case 'not null':
      return `NOT NULL ${columns}`;
    default:
      return unreachable(constraint.kind);
  }
}

function hasEqualNulls(relation: Relation, constraint: Constraint): boolean {
  return relation.indexes.find(({ oid }) => oid === constraint.index)?.equalNulls !== undefined;
}

function referencesText({ catalog, relation, nameOf }: Place, { references }: Constraint): string {
  const parent = references && catalog.relations.get(references.relation);
  if (!parent) return '';
  const action = (when: string, what: string): string =>
    what === 'no action' ? '' : ` ON ${when} ${what.toUpperCase()}`;
  const columns = columnNames(parent, references.columns).join(', ');
  const set = references.setOnDelete && columnNames(relation, references.setOnDelete).join(', ');
  const on = [
    references.full ? ' MATCH FULL' : '',
    action('UPDATE', references.onUpdate),
    action('DELETE', references.onDelete),
    set ? ` (${set})` : '',
  ];
  return ` REFERENCES ${nameOf(parent)}(${columns})${on.join('')}`;
}
