/** Rules for every row of a relation: generated columns and CHECK constraints, bound over the new row. */
import type { Relation } from '../../../catalog/model.ts';
import type { MetRows, RowRules } from '../../../plan/plan.ts';
import { parseExpression } from '../../parse/parse.ts';
import { coerceBoolean } from '../expression/coerce.ts';
import { bindExpression } from '../context.ts';
import { metRows, usingPolicies, writePolicies } from '../relation/row-security.ts';
import { relationItem } from '../query/from-relation.ts';
import { assigned } from './returning.ts';
import { type Level, newLevel } from '../level.ts';
import { inStored } from '../rights.ts';
import type { State } from '../state.ts';
import { asTarget, checkOptions, type WriteTarget } from './write-target.ts';
import type { Draft, Expression } from '../draft.ts';

/** @param rowIds ids of the live columns, in attribute order. @returns null when there is none. */
export function bindRowRules(
  state: State,
  target: WriteTarget,
  rowIds: readonly number[],
  written: { readonly command: 'insert' | 'update'; readonly reads: boolean },
): RowRules<Draft> | null {
  const { relation } = target;
  const generating = relation.columns.filter(
    ({ generatedText, dropped }) => generatedText !== null && !dropped,
  );
  const checking = relation.constraints.filter((constraint) => constraint.kind === 'check');
  const options = checkOptions(state, target, rowIds);
  const level = rowLevel(state, relation, rowIds);
  const policies = asTarget(state, target, () => writePolicies(level, relation, written));
  return inStored(state, () => boundRules(level, { generating, checking, options, policies }));
}

function boundRules(
  level: Level,
  {
    generating,
    checking,
    options,
    policies,
  }: {
    readonly generating: Relation['columns'];
    readonly checking: Relation['constraints'];
    readonly options: RowRules<Draft>['options'];
    readonly policies: RowRules<Draft>['policies'];
  },
): RowRules<Draft> {
  const { state } = level;
  const generated = generating.map((column) => {
    const value = bindExpression(level, parseExpression(column.generatedText ?? ''));
    return { column: column.attribute, value: assigned(state, value, column) };
  });
  const checks = checking
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, expression }) => ({ name, condition: condition(level, expression ?? 'true') }));
  return { generated, checks, options, policies };
}

/** Policies for rows that an INSERT meets; what is known of them is read. */
export const bindMetRows = (
  state: State,
  target: WriteTarget,
  rowIds: readonly number[],
): MetRows<Draft> | null =>
  asTarget(state, target, () => {
    const { relation, partition } = target;
    return metRows(rowLevel(state, relation, rowIds), relation, { partition, reads: true });
  });

/** Policies on rows that are there and that MERGE changes, over the ids of the relation's live columns. */
export const bindTargetPolicies = (
  state: State,
  target: WriteTarget,
  rowIds: readonly number[],
  command: 'update' | 'delete',
): RowRules<Draft>['policies'] =>
  asTarget(state, target, () =>
    usingPolicies(rowLevel(state, target.relation, rowIds), target.relation, command),
  );

function condition(level: Level, text: string): Expression {
  return coerceBoolean(level.state, bindExpression(level, parseExpression(text)), 'argument of CHECK');
}

function rowLevel(state: State, relation: Relation, rowIds: readonly number[]): Level {
  const level = newLevel(state, null, null);
  const name = { schema: null, name: relation.name, partition: null, at: 0 };
  const item = relationItem(level, { relation, scan: null, ids: rowIds, name, alias: null, use: undefined });
  level.items = [item];
  level.columns = item.columns;
  level.clause = 'check constraints';
  return level;
}
