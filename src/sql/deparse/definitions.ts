/**
 * Definitions as PostgreSQL writes them out: a view's query, and the expression of a default, a generated
 * column, a CHECK or an index.
 */
import type { DefinitionTexts } from '../../catalog/services.ts';
import { liveColumns, type Relation } from '../../catalog/model.ts';
import { namespaceName } from '../../catalog/lookup.ts';
import { SqlError } from '../../errors.ts';
import { EVENT, NO_REFERENCES, NOT_UPDATABLE, type Updatability } from '../../functions/function.ts';
import type { Query } from '../ast.ts';
import { type BindContext, bindExpression, bindQuery } from '../bind/context.ts';
import { columnsLevel } from '../bind/relation/columns-level.ts';
import { settleColumns } from '../bind/query/convert-columns.ts';
import { newState } from '../bind/state.ts';
import { newTrace } from '../bind/trace.ts';
import { viewTarget } from '../bind/write/write-target.ts';
import { parseExpression, parseStatements } from '../parse/parse.ts';
import { printQuery } from './printer.ts';
import { expressionReferences, statementReferences, viewReferences } from './references.ts';
import { newPrinter, writeExpression, type WriteOptions } from './write-expression.ts';

/** ` SELECT a\n   FROM t`, without a semicolon. @throws SqlError what binding the query throws. */
function writeQuery(context: BindContext, query: Query, options: WriteOptions): string {
  const state = newState({ ...context, parameterTypes: [] }, newTrace());
  settleColumns(state, bindQuery({ state, parent: null, commonTables: null }, query).plan);
  const shown = { ...context, searchPath: options.searchPath ?? context.searchPath };
  const { layout, printer } = newPrinter(state, shown, options);
  printQuery(printer, query, { columns: options.columns ?? null, visible: true });
  return layout.text;
}

/** Texts of stored definitions for catalog functions, in the form and for the search path asked for. */
export function definitionTexts(context: BindContext): DefinitionTexts {
  return {
    view: (relation, options) => {
      const [parsed] = parseStatements(relation.definition ?? '');
      const { statement } = parsed ?? {};
      if (statement?.kind !== 'query') return relation.definition ?? '';
      const columns = liveColumns(relation).map(({ name }) => name);
      const written = { ...options, columns, searchPath: context.searchPath };
      return orStored(relation.definition, () =>
        writeQuery(withSchema(context, relation), statement.query, written),
      );
    },
    updatability: (view) => updatability(withSchema(context, view), view),
    viewReferences: (view) => viewReferences(withSchema(context, view), view),
    expressionReferences: (stored) => expressionReferences(context, stored),
    functionReferences: ({ form, body }) => {
      if (form === 'string') return NO_REFERENCES;
      return form === 'return' ? expressionReferences(context, body) : statementReferences(context, body);
    },
    expression: (relation, stored, options) =>
      orStored(stored, () => {
        const columns = relation ? liveColumns(relation) : [];
        const level = columnsLevel(context, relation?.name ?? '', columns);
        const expr = parseExpression(stored);
        bindExpression(level, expr);
        return writeExpression(level, expr, options);
      }),
  };
}

function updatability(context: BindContext, view: Relation): Updatability {
  try {
    const { columns } = viewTarget(newState({ ...context, parameterTypes: [] }), view, 'delete');
    const free = columns.flatMap(({ column }, i) => (column ? [liveColumns(view)[i]?.attribute ?? 0] : []));
    const events = free.length === 0 ? EVENT.delete : EVENT.insert | EVENT.update | EVENT.delete;
    return { events, columns: new Set(free) };
  } catch (error) {
    if (error instanceof SqlError) return NOT_UPDATABLE;
    throw error;
  }
}

/** An old definition may name what is gone: it is shown as it is stored. */
function orStored(stored: string | null, write: () => string): string {
  try {
    return write();
  } catch (error) {
    if (error instanceof SqlError) return stored ?? '';
    throw error;
  }
}

/** Definitions stored without schemas find their names in the relation's own, too. */
function withSchema(context: BindContext, relation: Relation): BindContext {
  const own = namespaceName(context.catalog, relation.namespace);
  return own === null ? context : { ...context, searchPath: [...context.searchPath, own] };
}
