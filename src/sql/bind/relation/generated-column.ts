/** A generated column's expression, bound once when it is declared, so that a wrong one is refused there. */
import type { Column } from '../../../catalog/model.ts';
import { SqlError } from '../../../errors.ts';
import { functionById } from '../../../functions/registry.ts';
import type { ColumnDefinition } from '../../ast.ts';
import { type BindContext, bindExpression } from '../context.ts';
import { writeExpression } from '../../deparse/write-expression.ts';
import { coerce } from '../expression/coerce.ts';
import { columnsLevel } from './columns-level.ts';
import { eachReference, type Expression } from '../draft.ts';

/**
 * The expression as it is stored; null for a column that is not generated.
 * @param columns the relation's, the generated ones included.
 * @throws SqlError 42703, 42601, 42804, 42P17 as PostgreSQL words them.
 */
export function generatedText(
  context: BindContext,
  definition: ColumnDefinition,
  relation: { readonly table: string; readonly columns: readonly Column[] },
): string | null {
  const { generated, name } = definition;
  if (!generated) return null;
  const { table, columns } = relation;
  const what = definition.defaultValue ? 'default' : definition.identity ? 'identity' : null;
  if (what !== null) {
    throw new SqlError(
      'syntax_error',
      `both ${what} and generation expression specified for column "${name}" of table "${table}"`,
      { position: generated.at || undefined },
    );
  }
  const level = columnsLevel(context, table, columns);
  level.clause = 'column generation expressions';
  const bound = bindExpression(level, generated.expression);
  const own = columns.find((column) => column.name === name);
  if (own) {
    const fail = (from: string, to: string): SqlError =>
      new SqlError(
        'datatype_mismatch',
        `column "${name}" is of type ${to} but default expression is of type ${from}`,
        { hint: 'You will need to rewrite or cast the expression.' },
      );
    coerce(level.state, bound, { type: own.type, context: 'assignment', fail });
  }
  eachReference(bound, ({ id, at }) => {
    const attribute = level.state.columns.get(id)?.attribute;
    const used = columns.find((column) => column.attribute === attribute);
    if (!used || used.generatedText === null) return;
    throw new SqlError(
      'invalid_object_definition',
      `cannot use generated column "${used.name}" in column generation expression`,
      { position: at || undefined, detail: 'A generated column cannot reference another generated column.' },
    );
  });
  if (!isImmutable(bound)) {
    throw new SqlError('invalid_object_definition', 'generation expression is not immutable');
  }
  return writeExpression(level, generated.expression);
}

/** True when nothing in the expression depends on the time, the session or other rows. */
export function isImmutable(draft: unknown): boolean {
  if (typeof draft !== 'object' || draft === null) return true;
  if (Array.isArray(draft)) return draft.every(isImmutable);
  const node = draft as Partial<Expression>;
  if (node.kind === 'literal') return true;
  if (node.kind === 'call' && node.function && !isPure(functionById(node.function).volatility)) return false;
  return Object.entries(draft).every(([field, value]) => field === 'type' || isImmutable(value));
}

const isPure = (volatility: string | undefined): boolean =>
  volatility === undefined || volatility === 'immutable';
