/**
 * MERGE: source and target joined, each row with the number of the WHEN clause that takes it; the clauses are
 * INSERT, UPDATE and DELETE over their own rows. Follows PostgreSQL's parse_merge.c.
 */
import { PRIVILEGE } from '../../../catalog/access/privileges.ts';
import { unreachable } from '../../../assert.ts';
import { liveColumns, type Relation } from '../../../catalog/model.ts';
import { notSupported, SqlError } from '../../../errors.ts';
import type { CommonTableScan, Join } from '../../../plan/plan.ts';
import type { MergeClause, MergeStatement } from '../../ast.ts';
import { coerceBoolean } from '../expression/coerce.ts';
import {
  and,
  BOOLEAN,
  branch,
  type ChangeDraft,
  type Draft,
  type DraftColumn,
  type InsertDraft,
  type MergeDraft,
  type UpdateDraft,
  type Expression,
  FLOAT,
  idsOf,
  INTEGER,
  isNull,
  literal,
  type Plan,
  project,
  reference,
  TEXT,
  TRUE,
} from '../draft.ts';
import { bindExpression, type QueryScope } from '../context.ts';
import { bindFrom } from '../query/from.ts';
import { join } from '../query/from-item.ts';
import {
  combined,
  insertedValue,
  insertPlan,
  namedTargets,
  targetsFor,
  withoutOverridden,
} from './insert.ts';
import { bindReturning, newRowIds } from './returning.ts';
import { bindRowRules, bindTargetPolicies } from './row-rules.ts';
import { type Clause, type FromResult, inClause, type Level, newLevel } from '../level.ts';
import { bindSetItems } from './set-items.ts';
import { newId } from '../state.ts';
import { bindWith } from '../query/with.ts';
import { scanTarget, wantOnTarget, type WriteTarget, writeTarget } from './write-target.ts';

/** Context that all clauses share. */
interface Merging {
  readonly level: Level;
  readonly scope: QueryScope;
  readonly statement: MergeStatement;
  readonly relation: Relation;
  readonly into: WriteTarget;
  readonly source: FromResult;
  readonly target: FromResult;
  readonly rowNumberId: number;
  /** Ids of the target's live columns. */
  readonly targetIds: readonly number[];
  /** The id of a column that is TRUE in every row of the source. */
  readonly markId: number;
}

export function bindMerge(outer: QueryScope, statement: MergeStatement): Plan {
  const { state } = outer;
  const into = writeTarget(state, statement.relation, 'merge');
  const prepared = bindWith(outer, statement.with);
  const level = newLevel(state, null, prepared.scope.commonTables);
  const source = bindFrom(level, [statement.source]);
  const alias = statement.alias === null ? null : { name: statement.alias, columns: [] };
  const target = scanTarget(level, into, { name: statement.relation, alias, commands: ['select'] });
  checkNames(source, target);
  checkReachable(statement.clauses);
  const { rowNumberId } = target.scan;
  const merging: Merging = {
    level,
    scope: prepared.scope,
    statement,
    relation: into.relation,
    into,
    source,
    target,
    rowNumberId,
    targetIds: idsOf(target.scan),
    markId: newId(state),
  };
  return prepared.wrap(mergePlan(merging));
}

/** @throws SqlError 42712 when source and target have one name. */
function checkNames(source: FromResult, target: FromResult): void {
  const [own] = target.items;
  if (!own || !source.items.some((item) => item.alias === own.alias)) return;
  throw new SqlError('duplicate_alias', `name "${own.alias}" specified more than once`, {
    detail: 'The name is used both as MERGE target table and data source.',
  });
}

/** @throws SqlError 42601 for a clause after one of its kind that takes every row. */
function checkReachable(clauses: readonly MergeClause[]): void {
  const closed = new Set<string>();
  for (const { match, condition } of clauses) {
    if (closed.has(match)) {
      throw new SqlError('syntax_error', 'unreachable WHEN clause specified after unconditional WHEN clause');
    }
    if (!condition) closed.add(match);
  }
}

function mergePlan(merging: Merging): Plan {
  const { scope, level, statement, relation, source, target, rowNumberId, markId } = merging;
  const { state } = scope;
  const condition = inView(merging, 'matched', 'JOIN conditions', () =>
    coerceBoolean(state, bindExpression(level, statement.on), 'argument of JOIN/ON'),
  );
  const marked = withColumn(source.plan, source.plan.output, column(markId, 'source', BOOLEAN), TRUE);
  const joined = join(joinKind(statement.clauses), marked, target.plan, condition);
  const actionId = newId(state);
  const rows = [...joined.output, column(rowNumberId, 'row number', FLOAT)];
  const chosen = withColumn(joined, rows, column(actionId, 'action', INTEGER), actionNumber(merging));
  const { input, guards } = withGuards(merging, chosen, reference(actionId, INTEGER));
  const rowIds = newRowIds(state, liveColumns(relation).length);
  const id = state.nextCommonTable++;
  const scan: CommonTableScan<Draft> = { kind: 'cte', id, output: input.output };
  const { actions, words } = bindActions(merging, { scan, rowIds });
  const returned = newLevel(state, null, scope.commonTables);
  returned.mergeAction = actionWord(reference(actionId, INTEGER), words);
  const row = {
    target: merging.into,
    name: statement.relation,
    alias: statement.alias,
    rowIds,
    undeclared: [],
  };
  const { returning, output } = bindReturning(returned, statement.returning, { row, before: source.items });
  return {
    kind: 'merge',
    relation: relation.oid,
    partition: merging.into.partition,
    id,
    input,
    rowNumberId,
    actionId,
    guards,
    actions,
    returning,
    output,
    rowIds,
  };
}

function column(id: number, name: string, type: DraftColumn['type']): DraftColumn {
  return { id, name, type, relation: 0, attribute: 0 };
}

/** The plan's columns under their own ids, and one more. */
function withColumn(
  input: Plan,
  columns: readonly DraftColumn[],
  added: DraftColumn,
  value: Expression,
): Plan {
  const kept = columns.map(({ id, type }) => reference(id, type));
  return project(input, [...kept, value], [...columns, added]);
}

/** Source on the left: rows of either side stay that some clause is for. */
function joinKind(clauses: readonly MergeClause[]): Join['join'] {
  const keepsSource = clauses.some(({ match }) => match === 'not matched by target');
  const keepsTarget = clauses.some(({ match }) => match === 'not matched by source');
  if (keepsSource) return keepsTarget ? 'full' : 'left';
  return keepsTarget ? 'right' : 'inner';
}

/** Binds with the names of these sides alone in sight. */
function inView<T>(
  { level, source, target }: Merging,
  match: MergeClause['match'],
  clause: Clause,
  bind: () => T,
): T {
  const all = [source, target];
  const sides = match === 'matched' ? all : match === 'not matched by target' ? [source] : [target];
  level.items = sides.flatMap((side) => side.items);
  level.hidden = all.flatMap((side) => side.items).filter((item) => !level.items.includes(item));
  level.columns = sides.flatMap((side) => side.columns);
  return inClause(level, clause, bind);
}

/** The number of the clause that takes a row, counted without those that do nothing; NULL for none. */
function actionNumber(merging: Merging): Expression {
  const { statement, rowNumberId, markId } = merging;
  const row = reference(rowNumberId, FLOAT);
  const mark = reference(markId, BOOLEAN);
  let number = 0;
  const branches = statement.clauses.map((clause) => {
    const { match, condition, action } = clause;
    const fits = and([
      ...(match === 'not matched by source' ? [] : [isNull(mark, true)]),
      ...(match === 'not matched by target' ? [] : [isNull(row, true)]),
      ...(match === 'not matched by source' ? [isNull(mark)] : []),
      ...(match === 'not matched by target' ? [isNull(row)] : []),
      ...(condition ? [bindCondition(merging, { ...clause, condition })] : []),
    ]);
    return branch(fits, literal(action === 'nothing' ? null : number++, INTEGER));
  });
  return { kind: 'case', branches, otherwise: null, type: INTEGER };
}

function bindCondition(
  merging: Merging,
  clause: MergeClause & { readonly condition: NonNullable<MergeClause['condition']> },
): Expression {
  return inView(merging, clause.match, 'MERGE WHEN conditions', () =>
    coerceBoolean(merging.scope.state, bindExpression(merging.level, clause.condition), 'argument of WHEN'),
  );
}

/** `merge_action()`. */
function actionWord(action: Expression, words: readonly string[]): Expression {
  const branches = words.map((word, i) => branch(isNumber(action, i), literal(word, TEXT)));
  return { kind: 'case', branches, otherwise: null, type: TEXT };
}

const isNumber = (input: Expression, number: number): Expression => ({
  kind: 'in',
  input,
  items: [literal(number, INTEGER)],
  negated: false,
  equals: '=(int4,int4)',
  type: BOOLEAN,
});

/**
 * The rows with the number of the first policy that does not let the row of the target be changed as its clause says:
 * an error, unlike in UPDATE and DELETE, for which such a row is not there.
 */
function withGuards(
  { scope: { state }, statement, into, targetIds }: Merging,
  input: Plan,
  action: Expression,
): { readonly input: Plan; readonly guards: MergeDraft['guards'] } {
  const policies: (string | null)[] = [];
  const branches = statement.clauses
    .filter((clause) => clause.action !== 'nothing')
    .flatMap((clause, number) => {
      if (clause.action !== 'update' && clause.action !== 'delete') return [];
      const asked = bindTargetPolicies(state, into, targetIds, clause.action);
      if (asked.length === 0) return [];
      const failing = asked.map(({ name, condition: input }) =>
        branch(
          { kind: 'is', input, test: 'true', negated: true, type: BOOLEAN },
          literal(policies.push(name) - 1, INTEGER),
        ),
      );
      const first: Expression = { kind: 'case', branches: failing, otherwise: null, type: INTEGER };
      return [branch(isNumber(action, number), first)];
    });
  if (branches.length === 0) return { input, guards: null };
  const violatedId = newId(state);
  const number: Expression = { kind: 'case', branches, otherwise: null, type: INTEGER };
  const added = column(violatedId, 'violated', INTEGER);
  return { input: withColumn(input, input.output, added, number), guards: { violatedId, policies } };
}

// ───────────────────────────── actions ─────────────────────────────

interface ActionRows {
  /** The rows of one action: the input's columns under their own ids. */
  readonly scan: CommonTableScan<Draft>;
  /** Ids of the written row's live columns. */
  readonly rowIds: readonly number[];
}

function bindActions(
  merging: Merging,
  rows: ActionRows,
): { readonly actions: readonly ChangeDraft[]; readonly words: readonly string[] } {
  const actions = merging.statement.clauses.flatMap((clause): readonly ChangeDraft[] => {
    switch (clause.action) {
      case 'update':
        return [bindUpdateAction(merging, clause, rows)];
      case 'insert':
        return [bindInsertAction(merging, clause, rows)];
      case 'delete':
        wantOnTarget(merging.into, PRIVILEGE.delete);
        return [changeNode('delete', merging, rows)];
      case 'nothing':
        return [];
      default:
        return unreachable(clause);
    }
  });
  return { actions, words: actions.map(({ kind }) => kind.toUpperCase()) };
}

/** Common part of UPDATE and DELETE. */
function changeNode<K extends 'update' | 'delete'>(
  kind: K,
  { into, relation, rowNumberId }: Merging,
  { scan, rowIds }: ActionRows,
) {
  const live = liveColumns(relation);
  return {
    kind,
    relation: relation.oid,
    partition: into.partition,
    input: scan,
    mark: rowNumberId,
    others: [],
    returning: live.map(({ type }, i) => reference(rowIds[i] ?? 0, type)),
    output: live.map(({ name, type }, i) => column(rowIds[i] ?? 0, name, type)),
    rowIds,
    existingIds: [],
    proposedIds: [],
  };
}

function bindUpdateAction(
  merging: Merging,
  clause: MergeClause & { readonly action: 'update' },
  rows: ActionRows,
): UpdateDraft {
  const { level, into } = merging;
  const sets = inView(merging, clause.match, 'UPDATE', () => bindSetItems(level, into, clause.set));
  const set = sets.map(({ column: assigned, value }) => {
    if (!assigned) throw notSupported('MERGE that writes undeclared columns');
    return { column: assigned.attribute, value };
  });
  const rules = bindRowRules(level.state, into, rows.rowIds, { command: 'update', reads: true });
  return { ...changeNode('update', merging, rows), set, undeclared: [], rules };
}

function bindInsertAction(
  merging: Merging,
  clause: MergeClause & { readonly action: 'insert' },
  { scan }: ActionRows,
): InsertDraft {
  const { scope, level, statement, relation, into } = merging;
  const { columns, overriding, values } = clause;
  const named = namedTargets(into, { columns });
  const extra = values?.[named?.length ?? into.columns.length];
  const targets = values === null ? [] : targetsFor({ into, named }, values.length, extra?.at ?? 0);
  if (targets.some((target) => !target.column || target.column.undeclared)) {
    throw notSupported('MERGE that writes undeclared columns');
  }
  const given = inView(merging, clause.match, 'VALUES', () =>
    targets.map((target, i) => insertedValue(level, values?.[i] ?? NULL, target, { overriding })),
  );
  const whole = combined(level, targets, given);
  const output = whole.map(({ target, value }) => column(newId(level.state), target.name, value.type));
  const source = {
    plan: project(
      scan,
      whole.map(({ value }) => value),
      output,
    ),
    targets: whole.map(({ target }) => target),
  };
  const plan = insertPlan(
    scope,
    {
      kind: 'insert',
      at: statement.at,
      with: null,
      relation: statement.relation,
      alias: statement.alias,
      columns,
      source: null,
      overriding,
      conflict: null,
      returning: null,
    },
    into,
    withoutOverridden(level.state, source, { overriding }),
    statement.returning !== null,
  );
  const live = liveColumns(relation);
  return {
    ...plan,
    conflict: { action: 'error' },
    returning: live.map(({ type }, i) => reference(plan.rowIds[i] ?? 0, type)),
    output: live.map(({ name, type }, i) => column(plan.rowIds[i] ?? 0, name, type)),
  };
}

const NULL = { kind: 'null', at: 0 } as const;
