/**
 * Filters of `search()`: text that comes from who knows where. One is a single expression as in WHERE, over fields of
 * metadata and columns of `documents`, and nothing else: no parameters, subqueries or volatile functions. It is bound
 * as a tree, so that no text can end it and begin something else.
 */
import { assert } from '../../assert.ts';
import { findRelation } from '../../catalog/lookup.ts';
import { columnByName, liveColumns, type Relation } from '../../catalog/model.ts';
import { notSupported, SqlError } from '../../errors.ts';
import { FILTER_CHARACTERS_MAX } from '../../limits.ts';
import { isVolatile } from '../../plan/volatile.ts';
import type { Expr } from '../../sql/ast.ts';
import { type ParsedStatement, parseExpression } from '../../sql/parse/parse.ts';
import { quoteIdentifier, quoteLiteral } from '../../types/text/quote.ts';
import { parsedInternal, rowsOf, rowsOfParsed } from '../running/internal-statement.ts';
import type { Statement } from '../running/statement.ts';
import { findFields } from '../rights/find-fields.ts';
import { unknownDataset } from './definitions.ts';
import { text as textParameter } from './parameters.ts';
import { datasetSchema, DOCUMENT_COLUMNS } from './relations.ts';

/** As it was written, and how errors call it. */
interface FilterText {
  readonly text: string;
  readonly name: string;
}

/** A filter that has been read. */
export interface Filter extends FilterText {
  readonly condition: Expr;
  /** Fields that it reads by one name alone. */
  readonly fields: readonly Field[];
}

interface Field {
  readonly name: string;
  readonly at: number;
}

const REST = { hint: 'Ask for it in WHERE beside search().' };

/** @throws SqlError 42601, 54000, 0A000; placed in the filter. */
export function readFilter(given: FilterText): Filter {
  const { text, name } = given;
  if (text.length > FILTER_CHARACTERS_MAX) {
    const message = `${name} of ${text.length} characters is longer than the maximum of ${FILTER_CHARACTERS_MAX}`;
    throw new SqlError('program_limit_exceeded', message, {
      hint: 'Put what it asks for into the metadata, or filter in WHERE beside search().',
    });
  }
  return insideFilter(given, () => {
    if (text.trim() === '') {
      const hint = "A filter is a condition as in WHERE: 'year >= 2022'; NULL is none.";
      throw new SqlError('syntax_error', `${name} is empty`, { hint });
    }
    const condition = parseExpression(text);
    const fields: Field[] = [];
    rewritten(condition, (node) => {
      refuseBeyond(node, name);
      const field = fieldOf(node);
      if (field !== null) fields.push({ name: field, at: node.at });
      return null;
    });
    return { text, name, condition, fields };
  });
}

/** @throws SqlError 42P02, 0A000 for what is of no row of documents. */
function refuseBeyond(node: Expr, name: string): void {
  if (node.kind === 'parameter') {
    throw new SqlError('undefined_parameter', `there is no parameter $${node.number}`, { position: node.at });
  }
  if (node.kind === 'subquery') throw notSupported(`a subquery in ${name}`, { ...REST, position: node.at });
}

const fieldOf = (node: Expr): string | null =>
  node.kind === 'column' && node.path.length === 1 ? (node.path[0] ?? null) : null;

/** Filters of one search. */
export class FilteredDocuments {
  readonly #statement: Statement;
  /** A field that one of them has is NULL in the others. */
  readonly #datasets: readonly string[];

  constructor(statement: Statement, datasets: readonly string[]) {
    this.#statement = statement;
    this.#datasets = datasets;
  }

  /** Ids of documents that all of the filters let through; null without one. @throws SqlError of the filters. */
  async allOf(dataset: string, filters: readonly Filter[]): Promise<readonly string[] | null> {
    let ids: readonly string[] | null = null;
    for (const filter of filters) {
      const found: ReadonlySet<string> = new Set(await this.#idsOf(dataset, filter));
      ids = ids === null ? [...found] : ids.filter((id) => found.has(id));
    }
    return ids;
  }

  async #idsOf(dataset: string, filter: Filter): Promise<readonly string[]> {
    const values = new Map<string, Expr | null>();
    await this.#lookForFields();
    for (const field of filter.fields) {
      if (values.has(field.name)) continue;
      values.set(field.name, await this.#meaning(dataset, field, filter));
    }
    const where = rewritten(filter.condition, (node) => {
      const field = fieldOf(node);
      const value = field === null ? null : (values.get(field) ?? null);
      return value && { ...value, at: node.at };
    });
    const parsed = await this.#parsed(dataset, where);
    const request = { parameters: [], label: `Filter of ${dataset}` };
    const rows = await insideFilterLater(filter, () => {
      const { plan } = this.#statement.session.plan(parsed, []);
      if (plan !== null && isVolatile(plan))
        throw notSupported(`a volatile function in ${filter.name}`, REST);
      return rowsOfParsed(this.#statement, parsed, request);
    });
    return rows.map(({ _id }) => String(_id));
  }

  /** Fields of metadata are undeclared columns of documents. */
  async #lookForFields(): Promise<void> {
    const { fields } = this.#statement.session;
    if (!fields.isNarrowed) return;
    const relations = this.#datasets.map((dataset) => this.#documents(dataset).oid);
    await fields.look(findFields(this.#statement), relations);
  }

  async #parsed(dataset: string, where: Expr): Promise<ParsedStatement> {
    const sql = `SELECT _id FROM ${datasetSchema(dataset)}.documents`;
    const parsed = await parsedInternal(this.#statement, sql);
    const { statement } = parsed;
    assert(statement.kind === 'query' && statement.query.kind === 'select', 'the statement is a SELECT');
    return { ...parsed, statement: { ...statement, query: { ...statement.query, where } } };
  }

  /**
   * Meaning of a name; null: the column of that name. Metadata comes before a column of `documents`.
   * @throws SqlError 42703 for a field that no document of the search has.
   */
  async #meaning(dataset: string, field: Field, filter: Filter): Promise<Expr | null> {
    const { name, at } = field;
    const schema = datasetSchema(dataset);
    if (!Object.hasOwn(DOCUMENT_COLUMNS, name)) {
      if (columnByName(this.#documents(dataset), name) !== undefined) return null;
      await this.#checkField(field, filter);
      return { kind: 'null', at };
    }
    const isField = `SELECT FROM ${schema}.documents WHERE metadata ? $1 LIMIT 1`;
    const found = await this.#rows(isField, textParameter(name));
    if (found.length === 0) return null;
    return parseExpression(DOCUMENT_COLUMNS[name]?.startsWith('text') ? textOver(name) : valueOver(name));
  }

  /** @throws SqlError 42703 where there are documents, and none of them has it. */
  async #checkField({ name, at }: Field, filter: Filter): Promise<void> {
    const known = new Set<string>();
    let isEmpty = true;
    for (const dataset of this.#datasets) {
      const relation = this.#documents(dataset);
      for (const column of liveColumns(relation)) if (column.undeclared) known.add(column.name);
      if (known.has(name)) return;
      const found = await this.#rows(`SELECT FROM ${datasetSchema(dataset)}.documents LIMIT 1`);
      if (found.length > 0) isEmpty = false;
    }
    if (isEmpty) return;
    throw atFilter(
      new SqlError('undefined_column', `column "${name}" does not exist`, {
        position: at,
        hint: `Neither a column of documents nor a field of their metadata${listed([...known])}.`,
      }),
      filter,
    );
  }

  #documents(dataset: string): Relation {
    const catalog = this.#statement.session.fields.catalog();
    const relation = findRelation(catalog, dataset, 'documents', []);
    if (relation === undefined) throw unknownDataset(catalog, dataset);
    return relation;
  }

  #rows(sql: string, ...parameters: readonly ReturnType<typeof textParameter>[]) {
    return rowsOf(this.#statement, sql, { parameters });
  }
}

const IN_METADATA = 'OPERATOR(pg_catalog.?)';

/** A field over the column of its name where the document has it. */
function textOver(name: string): string {
  const key = quoteLiteral(name);
  const field = `documents.metadata OPERATOR(pg_catalog.->>) ${key}`;
  const column = `documents.${quoteIdentifier(name)}`;
  return `CASE WHEN documents.metadata ${IN_METADATA} ${key} THEN ${field} ELSE ${column} END`;
}

/** The same as a path, which goes by the class of each value. */
function valueOver(name: string): string {
  const key = quoteLiteral(name);
  const own = `pg_catalog.jsonb_build_object(${key}, documents.${quoteIdentifier(name)})`;
  return `(${own} OPERATOR(pg_catalog.||) documents.metadata) OPERATOR(pg_catalog.->) ${key}`;
}

const NAMES_LISTED_MAX = 20;

function listed(names: readonly string[]): string {
  if (names.length === 0) return ', which have none';
  const some = names.toSorted().slice(0, NAMES_LISTED_MAX);
  return `, which are ${some.join(', ')}${names.length > NAMES_LISTED_MAX ? ', …' : ''}`;
}

/** A tree with other nodes in the places that `change` gives one for; null: it stays, and what is in it is asked. */
function rewritten(node: Expr, change: (node: Expr) => Expr | null): Expr {
  const changed = change(node);
  if (changed !== null) return changed;
  const fields = Object.entries(node).map(([name, value]) => [name, within(value, change)] as const);
  return Object.fromEntries(fields) as unknown as Expr;
}

function within(value: unknown, change: (node: Expr) => Expr | null): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => within(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return rewritten(value as Expr, change);
}

function insideFilter<T>(filter: FilterText, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof SqlError ? atFilter(error, filter) : error;
  }
}

async function insideFilterLater<T>(filter: FilterText, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof SqlError ? atFilter(error, filter) : error;
  }
}

/** Errors tell where in the filter they are: a place in the client's statement would be another text's. */
function atFilter(error: SqlError, { text, name }: FilterText): SqlError {
  const { position = 0, ...fields } = error.fields;
  const place = position > 0 ? { internalPosition: position } : {};
  return new SqlError(error.condition, error.message, {
    where: name,
    ...fields,
    ...place,
    internalQuery: text,
  });
}
