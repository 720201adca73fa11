/**
 * A view's query as the catalog stores it: the user's own text, with the schema of every relation and with its
 * stars spread out, so that it means the same under any search path and when columns are added. It is bound
 * from this text, and written out in PostgreSQL's form from what binding makes of it.
 */
import { namespaceName } from '../../catalog/lookup.ts';
import { type Catalog, columnByAttribute, columnByName, type Relation } from '../../catalog/model.ts';
import { quoteIdentifier } from '../../types/text/quote.ts';
import type { Expr, FromItem, Query, SelectItem } from '../ast.ts';
import { type BindContext, bindExpression, bindQuery } from '../bind/context.ts';
import { columnsLevel } from '../bind/relation/columns-level.ts';
import { eachReference, type Expression } from '../bind/draft.ts';
import { findStored, writtenName } from '../bind/names.ts';
import type { Level } from '../bind/level.ts';
import { newState, type State } from '../bind/state.ts';
import { newTrace, type Trace } from '../bind/trace.ts';
import { parseExpression, parseStatements } from '../parse/parse.ts';
import { eachPart, isRelationItem, type RelationItem, type TreePart } from '../tree.ts';
import { meaningEdit } from './enum-names.ts';

export interface TextEdit {
  /** 1-based position in code points of a name or a string, which the edit replaces as a whole. */
  readonly at: number;
  readonly text: string;
}

/** @param text a query. @throws SqlError what binding it throws. */
export function storedSource(context: BindContext, text: string): string {
  return rewrittenQuery(context, text, context.catalog);
}

/**
 * A query with the names that relations and columns have in another version of the catalog.
 * @param text bound in the context's own version.
 */
export function rewrittenQuery(context: BindContext, text: string, now: Catalog): string {
  const [parsed] = parseStatements(text);
  if (parsed?.statement.kind !== 'query') return text;
  const { query } = parsed.statement;
  const trace = newTrace();
  const state = newState({ ...context, parameterTypes: [] }, trace);
  bindQuery({ state, parent: null, commonTables: null }, query);
  const names = namesOf(context, query, trace);
  const edits: TextEdit[] = [];
  eachPart(query, (node) => {
    const edit =
      relationEdit(context, now, { node, tables: names.tables }) ??
      meaningEdit(state, now, node) ??
      itemEdit(state, now, { node, names }) ??
      columnEdit(state, now, { node, names });
    if (edit && !edits.some(({ at }) => at === edit.at)) edits.push(edit);
  });
  return replaceNames(text, edits);
}

/** The body of a function with the schema of every relation and enum, so that it means the same everywhere. */
export function qualifiedBody(context: BindContext, form: 'return' | 'atomic', text: string): string {
  const tree = form === 'return' ? parseExpression(text) : parseStatements(text);
  const tables = commonTables(tree);
  const state = newState({ ...context, parameterTypes: [] });
  const edits: TextEdit[] = [];
  eachPart(tree, (node) => {
    const edit =
      relationEdit(context, context.catalog, { node, tables }) ?? meaningEdit(state, context.catalog, node);
    if (edit && !edits.some(({ at }) => at === edit.at)) edits.push(edit);
  });
  return replaceNames(text, edits);
}

/** Another version of the catalog, and what a relation is in it. */
export interface Renamed {
  readonly catalog: Catalog;
  readonly relation: Relation;
}

/** Columns of stored relations that a query reads itself: attribute numbers by the relation's OID. */
export function columnsRead(context: BindContext, text: string): ReadonlyMap<number, ReadonlySet<number>> {
  const [parsed] = parseStatements(text);
  const read = new Map<number, Set<number>>();
  if (parsed?.statement.kind !== 'query') return read;
  const { query } = parsed.statement;
  const trace = newTrace();
  const state = newState({ ...context, parameterTypes: [] }, trace);
  bindQuery({ state, parent: null, commonTables: null }, query);
  const { relations } = namesOf(context, query, trace);
  const add = (entry: Entry | undefined, name: string): void => {
    const attribute = entry && columnByName(entry.relation, name)?.attribute;
    if (!entry || attribute === undefined) return;
    const { oid } = entry.relation;
    read.set(oid, (read.get(oid) ?? new Set()).add(attribute));
  };
  for (const bound of trace.bound.values()) {
    eachReference(bound, ({ id }) => {
      const info = state.columns.get(id);
      if (info) add(relations.get(info.level)?.get(info.table), info.name);
    });
  }
  const joined = new Set<string>([...trace.natural.values()].flat());
  eachPart(query, (node) => {
    if (node.kind === 'join')
      for (const name of (node.using as readonly string[] | null) ?? []) joined.add(name);
  });
  for (const entry of [...relations.values()].flatMap((entries) => [...entries.values()])) {
    for (const name of joined) add(entry, name);
  }
  return read;
}

/** An expression over a relation's columns that means the same whatever a session sets. */
export function storedExpression(
  context: BindContext,
  { name, columns }: Pick<Relation, 'name' | 'columns'>,
  text: string,
): string {
  const expr = parseExpression(text);
  const level = columnsLevel(context, name, columns);
  bindExpression(level, expr);
  const edits: TextEdit[] = [];
  eachPart(expr, (node) => {
    const edit = meaningEdit(level.state, context.catalog, node);
    if (edit) edits.push(edit);
  });
  return replaceNames(text, edits);
}

/** An expression over one relation's columns with the names they and its types have now. */
export function rewrittenExpression(
  context: BindContext,
  relation: Relation,
  text: string,
  now: Renamed,
): string {
  const expr = parseExpression(text);
  const level = columnsLevel(context, relation.name, relation.columns);
  bindExpression(level, expr);
  const edits: TextEdit[] = [];
  eachPart(expr, (node) => {
    const ofType = meaningEdit(level.state, now.catalog, node);
    if (ofType) edits.push(ofType);
    const bound = level.state.trace?.bound.get(node as unknown as Expr);
    if (node.kind !== 'column' || bound?.kind !== 'column') return;
    const info = level.state.columns.get(bound.id);
    // Columns of other relations, in a subquery, have theirs.
    const name = info?.relation === 0 ? columnByAttribute(now.relation, info.attribute)?.name : undefined;
    const { at, path } = node as unknown as Extract<Expr, { kind: 'column' }>;
    if (name !== undefined && name !== path.at(-1)) edits.push({ at, text: quoteIdentifier(name) });
  });
  return replaceNames(text, edits);
}

type ColumnExpr = Extract<Expr, { kind: 'column' }>;

interface Names {
  /** Common tables: they have no schema. */
  readonly tables: ReadonlySet<string>;
  /** Stored relations by level and name there. */
  readonly relations: ReadonlyMap<Level, ReadonlyMap<string, Entry>>;
}

interface Entry {
  readonly relation: Relation;
  readonly item: RelationItem;
}

function namesOf(context: BindContext, query: Query, trace: Trace): Names {
  const tables = commonTables(query);
  const relations = new Map<Level, ReadonlyMap<string, Entry>>();
  for (const [select, level] of trace.levels) {
    const entries = select.from.flatMap(relationItems).flatMap((item): readonly [string, Entry][] => {
      const relation = findStored(context, item.relation);
      const isTable = item.relation.schema === null && tables.has(item.relation.name);
      return relation && !isTable
        ? [[item.alias?.name ?? writtenName(item.relation), { relation, item }]]
        : [];
    });
    relations.set(level, new Map(entries));
  }
  return { tables, relations };
}

/** Names that WITH gives. */
function commonTables(tree: unknown): ReadonlySet<string> {
  const tables = new Set<string>();
  eachPart(tree, (node) => {
    const clause = node.with as { tables?: readonly { name: string }[] } | null | undefined;
    for (const { name } of clause?.tables ?? []) tables.add(name);
  });
  return tables;
}

function relationItems(item: FromItem): readonly RelationItem[] {
  if (item.kind === 'join') return [item.left, item.right].flatMap(relationItems);
  return item.kind === 'relation' ? [item] : [];
}

/** A stored relation with its schema. */
function relationEdit(
  context: BindContext,
  now: Catalog,
  { node, tables }: { readonly node: TreePart; readonly tables: ReadonlySet<string> },
): TextEdit | undefined {
  if (!isRelationItem(node)) return undefined;
  const { relation: name } = node;
  if (name.schema === null && tables.has(name.name)) return undefined;
  const known = findStored(context, name);
  const relation = known && now.relations.get(known.oid);
  const schema = relation && namespaceName(now, relation.namespace);
  if (!relation || !schema || name.at === 0) return undefined;
  const own = quoteIdentifier(writtenName({ ...name, name: relation.name }));
  return { at: name.at, text: `${quoteIdentifier(schema)}.${own}` };
}

interface Place {
  readonly node: TreePart;
  readonly names: Names;
}

/** Entries of a select list: stars are spread out, and a column keeps its name in the result. */
function itemEdit(state: State, now: Catalog, { node, names }: Place): TextEdit | undefined {
  const item = node as unknown as SelectItem;
  const targets = state.trace?.targets.get(item);
  if (!targets || item.value.at === 0) return undefined;
  const { value } = item;
  if (value.kind === 'star') {
    const shown = targets.map(({ expression, name }) => {
      const renamed = newName(state, now, { bound: expression, names });
      return renamed ? asNamed(qualified(renamed), name) : quoteIdentifier(name);
    });
    return { at: value.at, text: shown.join(', ') };
  }
  if (value.kind !== 'column' || item.alias !== null) return undefined;
  const edit = columnEdit(state, now, { node: value as unknown as TreePart, names });
  return edit && { at: edit.at, text: `${edit.text} AS ${quoteIdentifier(value.path.at(-1) ?? '')}` };
}

const asNamed = (text: string, name: string): string =>
  text.endsWith(quoteIdentifier(name)) ? text : `${text} AS ${quoteIdentifier(name)}`;

interface NewName {
  readonly table: string;
  readonly column: string;
}

const qualified = ({ table, column }: NewName): string =>
  table === '' ? quoteIdentifier(column) : `${quoteIdentifier(table)}.${quoteIdentifier(column)}`;

function columnEdit(state: State, now: Catalog, { node, names }: Place): TextEdit | undefined {
  if (node.kind !== 'column' || !Array.isArray(node.path)) return undefined;
  const { at, path } = node as unknown as ColumnExpr;
  const bound = state.trace?.bound.get(node as unknown as Expr);
  const renamed = bound && newName(state, now, { bound, names });
  if (!renamed) return undefined;
  const { column, table } = renamed;
  if (column === path.at(-1) && (path.length === 1 || table === path.at(-2))) return undefined;
  return { at, text: path.length === 1 ? quoteIdentifier(column) : qualified(renamed) };
}

/** Present names of a column and its table. */
function newName(
  state: State,
  now: Catalog,
  { bound, names }: { readonly bound: Expression; readonly names: Names },
): NewName | undefined {
  const info = bound.kind === 'column' ? state.columns.get(bound.id) : undefined;
  if (!info) return undefined;
  const entry = names.relations.get(info.level)?.get(info.table);
  const relation = entry && now.relations.get(entry.relation.oid);
  if (!entry || !relation) return { table: info.table, column: info.name };
  const { alias } = entry.item;
  const table = alias?.name ?? writtenName({ ...entry.item.relation, name: relation.name });
  const attribute = columnByName(entry.relation, info.name)?.attribute ?? 0;
  const aliased = alias?.columns.includes(info.name) ?? false;
  return { table, column: (!aliased && columnByAttribute(relation, attribute)?.name) || info.name };
}

const STRING = /[eE]?'(?:[^'\\]|''|\\.)*'/uy;
const NAME =
  /(?:"(?:[^"]|"")*"|[\p{L}_][\p{L}\p{N}_$]*|\*)(?:\s*\.\s*(?:"(?:[^"]|"")*"|[\p{L}_][\p{L}\p{N}_$]*|\*))*/uy;

function replaceNames(text: string, edits: readonly TextEdit[]): string {
  const points = Array.from(text);
  let done = '';
  let from = 0;
  for (const edit of edits.toSorted((a, b) => a.at - b.at)) {
    const start = points.slice(0, edit.at - 1).join('').length;
    const found = matchAt(STRING, text, start) ?? matchAt(NAME, text, start);
    if (!found || start < from) continue;
    done += text.slice(from, start) + edit.text;
    from = start + found[0].length;
  }
  return done + text.slice(from);
}

function matchAt(pattern: RegExp, text: string, start: number): RegExpExecArray | null {
  pattern.lastIndex = start;
  return pattern.exec(text);
}
