/** The columns of a bound query in other types: what INSERT, UNION and functions need of one. */
import { type DraftColumn, type Expression, type Plan, project, reference } from '../draft.ts';
import { isUnknown, settleUnknown } from '../expression/coerce.ts';
import { newId, type State } from '../state.ts';

/**
 * The query with each column put through `convert`: in its own projection where it ends in one (so that an
 * unknown literal is still a literal), else in one on top.
 */
export function convertColumns(
  state: State,
  plan: Plan,
  convert: (expression: Expression, position: number) => Expression,
): Plan {
  const columns = plan.output;
  if (plan.kind === 'project' && plan.sets.length === 0) {
    return projectAs(state, plan.input, plan.expressions.map(convert), columns);
  }
  const converted = columns.map((column, i) => convert(reference(column.id, column.type), i));
  const changed = converted.some((expression, i) => {
    return expression.kind !== 'column' || expression.id !== columns[i]?.id;
  });
  return changed ? projectAs(state, plan, converted, columns) : plan;
}

function projectAs(
  state: State,
  input: Plan,
  expressions: readonly Expression[],
  columns: readonly DraftColumn[],
): Plan {
  const output = columns.map((column, i): DraftColumn => {
    return { ...column, id: newId(state), type: expressions[i]?.type ?? column.type };
  });
  return project(input, expressions, output);
}

/** Unknown columns as text. */
export function settleColumns(state: State, plan: Plan): Plan {
  if (!plan.output.some((column) => isUnknown(reference(column.id, column.type)))) return plan;
  return convertColumns(state, plan, (expression) => settleUnknown(state, expression));
}
