/** Expressions over the columns of one relation: defaults, constraints, generated columns, indexes. */
import type { Column } from '../../../catalog/model.ts';
import type { BindContext } from '../context.ts';
import { reference } from '../draft.ts';
import { type Level, newLevel } from '../level.ts';
import { newId, newState } from '../state.ts';
import { newTrace } from '../trace.ts';

/** A level where a relation's columns are in sight, though it does not exist yet. */
export function columnsLevel(context: BindContext, table: string, columns: readonly Column[]): Level {
  const state = newState(context, newTrace());
  const level = newLevel(state, null, null);
  const visible = columns.filter((column) => !column.dropped && !column.hidden);
  const scope = visible.map((column) => {
    const id = newId(state);
    const { name, type, attribute } = column;
    const info = { level, table, name, undeclared: false, relation: 0, attribute, scan: null };
    state.columns.set(id, info);
    return { name, expression: reference(id, type), undeclared: false, relation: 0, attribute };
  });
  level.columns = scope;
  level.items = [
    { alias: table, schema: null, columns: scope, relation: null, scan: null, oid: 0, originalName: null },
  ];
  return level;
}
