/** The columns of a new relation that a query describes: of a view, and of CREATE TABLE AS. */
import type { Column } from '../../../catalog/model.ts';
import { SqlError } from '../../../errors.ts';
import { findTypeByOid, formatType } from '../../../types/registry.ts';
import type { Query } from '../../ast.ts';
import { type BindContext, bindQuery } from '../context.ts';
import { settleColumns } from './convert-columns.ts';
import { withoutShapes } from '../expression/record.ts';
import { newState } from '../state.ts';

/**
 * @param names of the first columns; the others keep the query's.
 * @throws SqlError 42701 for a name given twice, 42601 for too many names, 42P02 for a parameter.
 */
export function queryColumns(
  context: BindContext,
  query: Query,
  names: readonly string[],
): readonly Column[] {
  const state = newState(context);
  const plan = settleColumns(state, bindQuery({ state, parent: null, commonTables: null }, query).plan);
  if (state.parameters.length > 0) throw new SqlError('undefined_parameter', 'there is no parameter $1');
  if (names.length > plan.output.length) {
    throw new SqlError('syntax_error', 'too many column names were specified');
  }
  const pseudo = plan.output.find(({ type }) => findTypeByOid(type.oid)?.pseudo);
  if (pseudo) {
    const message = `column "${pseudo.name}" has pseudo-type ${formatType(pseudo.type)}`;
    throw new SqlError('invalid_table_definition', message);
  }
  const columns = withoutShapes(plan.output).map((column, i): Column => {
    return {
      attribute: i + 1,
      name: names[i] ?? column.name,
      type: column.type,
      notNull: false,
      defaultText: null,
      identity: null,
      generatedText: null,
      undeclared: false,
      dropped: false,
    };
  });
  const twice = columns.find(({ name }, i) => columns.findIndex((other) => other.name === name) !== i);
  if (twice === undefined) return columns;
  throw new SqlError('duplicate_column', `column "${twice.name}" specified more than once`);
}
