/**
 * CREATE TABLE (LIKE source INCLUDING …): the source's columns and what is asked for of the rest, written out
 * and read again as if they had been declared. Source: transformTableLikeClause of PostgreSQL 18.
 */
import { assert } from '../../../assert.ts';
import { constraintDefinition } from '../../../catalog/definitions.ts';
import { type Column, type Constraint, liveColumns, type Relation } from '../../../catalog/model.ts';
import { definitionOf, ownedSequence } from '../../../catalog/sequences.ts';
import { notSupported, SqlError } from '../../../errors.ts';
import { quoteIdentifier } from '../../../types/text/quote.ts';
import { formatType } from '../../../types/registry.ts';
import type { CreateTable, LikeClause } from '../../ast.ts';
import type { BindContext } from '../context.ts';
import { parseStatements } from '../../parse/parse.ts';
import { storedRelation } from '../names.ts';

/** The statement with the columns of its LIKE clauses in their places. @throws SqlError 42P01, 42809. */
export function expandLikes(statement: CreateTable, context: BindContext): CreateTable {
  if (statement.likes.length === 0) return statement;
  const columns = [...statement.columns];
  const constraints = [...statement.constraints];
  for (const like of statement.likes.toReversed()) {
    const copied = declared(context, like);
    columns.splice(like.position, 0, ...copied.columns);
    constraints.push(...copied.constraints);
  }
  return { ...statement, columns, constraints, likes: [] };
}

function declared(context: BindContext, like: LikeClause): Pick<CreateTable, 'columns' | 'constraints'> {
  const source = storedRelation(context, like.relation);
  if (source.kind === 'sequence') {
    throw new SqlError('wrong_object_type', `relation "${source.name}" is invalid in LIKE clause`, {
      position: like.relation.at || undefined,
      detail: 'This operation is not supported for sequences.',
    });
  }
  const includes = (what: LikeClause['includes'][number]): boolean => like.includes.includes(what);
  const backed = new Set(source.constraints.map(({ index }) => index));
  if (includes('indexes') && source.indexes.some(({ oid }) => !backed.has(oid))) {
    throw notSupported('INCLUDING INDEXES of indexes that belong to no constraint', { position: like.at });
  }
  const parts = [
    ...liveColumns(source).map((column) => columnText(context, source, column, like)),
    ...source.constraints
      .filter(({ kind }) => (kind === 'check' ? includes('constraints') : isKey(kind) && includes('indexes')))
      .map((constraint) => constraintText(context, source, constraint)),
  ];
  const [parsed] = parseStatements(`CREATE TABLE t (${parts.join(', ')})`);
  assert(parsed?.statement.kind === 'create table', 'our own text is a CREATE TABLE');
  return parsed.statement;
}

const isKey = (kind: Constraint['kind']): boolean => kind === 'primary key' || kind === 'unique';

/** A CHECK keeps its name, keys get one of their new table's. */
function constraintText({ catalog }: BindContext, source: Relation, constraint: Constraint): string {
  const text = constraintDefinition(catalog, source, constraint);
  return constraint.kind === 'check' ? `CONSTRAINT ${quoteIdentifier(constraint.name)} ${text}` : text;
}

function columnText({ catalog }: BindContext, source: Relation, column: Column, like: LikeClause): string {
  const { name, type, notNull, identity, generatedText, defaultText } = column;
  const words = [quoteIdentifier(name), formatType(type)];
  if (generatedText !== null) {
    if (like.includes.includes('generated')) words.push(`GENERATED ALWAYS AS (${generatedText}) STORED`);
  } else if (identity !== null) {
    if (like.includes.includes('identity')) words.push(identityText(source, column, catalog));
  } else if (defaultText !== null && like.includes.includes('defaults')) words.push(`DEFAULT ${defaultText}`);
  if (notNull) words.push('NOT NULL');
  return words.join(' ');
}

function identityText(source: Relation, column: Column, catalog: BindContext['catalog']): string {
  const { start, increment, min, max, cache, cycle } = definitionOf(ownedSequence(catalog, source, column));
  const options = [
    `START ${start} INCREMENT ${increment} MINVALUE ${min} MAXVALUE ${max} CACHE ${cache}`,
    ...(cycle ? ['CYCLE'] : []),
  ];
  return `GENERATED ${column.identity} AS IDENTITY (${options.join(' ')})`;
}
