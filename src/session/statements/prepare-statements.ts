/** PREPARE, EXECUTE and DEALLOCATE: prepared statements by SQL, in one name space with the protocol's. */
import { allBatches } from '../../execute/plan-rows.ts';
import { planRows } from '../../execute/run.ts';
import { physicalPlan } from '../../physical/make.ts';
import { SqlError } from '../../errors.ts';
import type { OutputColumn, Values } from '../../plan/plan.ts';
import type { Expr } from '../../sql/ast.ts';
import { bindScalar, bindType } from '../../sql/bind/bind.ts';
import type { Datum } from '../../types/datum.ts';
import { typeByOid } from '../../types/registry.ts';
import type { PreparedStatement } from './prepared.ts';
import { checkRights } from '../rights/check.ts';
import { column, FixedResult, type Running } from '../running/running.ts';
import type { StatementCall, StatementOf } from './statement-call.ts';
import type { Statement } from '../running/statement.ts';
import type { SessionState } from '../session-state.ts';

export async function prepareStatement({
  session,
  statement,
  parsed,
  tree,
  runner,
}: StatementCall<'prepare'>): Promise<Running> {
  const names = { catalog: session.catalog(), searchPath: session.searchPath() };
  const types = tree.types.map((type) => bindType(type, names).oid);
  const inner = { ...parsed, statement: tree.statement };
  await runner.look(statement.sink, inner, types);
  session.prepared.add(runner.prepare(tree.name, inner, types, true));
  return new FixedResult('PREPARE');
}

export function executeColumns(
  session: SessionState,
  tree: StatementOf<'execute'>,
): readonly OutputColumn[] | null {
  return session.prepared.get(tree.name).columns;
}

export async function executePrepared({
  statement,
  tree,
  runner,
}: StatementCall<'execute'>): Promise<Running> {
  const { prepared, parameters } = await preparedExecution(statement, tree);
  if (prepared.parsed === null) return new FixedResult('EXECUTE');
  return runner.run(statement.with({ parameters, prepared }), prepared.parsed);
}

/** Statement that EXECUTE names, and the values it gives. @throws SqlError 26000, 42601 for a wrong number of them. */
export async function preparedExecution(
  statement: Statement,
  tree: StatementOf<'execute'>,
): Promise<{ readonly prepared: PreparedStatement; readonly parameters: readonly Datum[] }> {
  const prepared = statement.session.prepared.get(tree.name);
  const wanted = prepared.parameters.length;
  if (tree.args.length !== wanted) {
    throw new SqlError('syntax_error', `wrong number of parameters for prepared statement "${tree.name}"`, {
      detail: `Expected ${wanted} parameters but got ${tree.args.length}.`,
    });
  }
  return { prepared, parameters: await evaluateArguments(statement, prepared, tree.args) };
}

export function deallocate({ session, tree }: StatementCall<'deallocate'>): Running {
  if (tree.name === null) {
    session.prepared.clear();
    return new FixedResult('DEALLOCATE ALL');
  }
  session.prepared.get(tree.name);
  session.prepared.remove(tree.name);
  return new FixedResult('DEALLOCATE');
}

/** Arguments are constant expressions, converted to the parameters' types as an assignment would. */
async function evaluateArguments(
  statement: Statement,
  prepared: PreparedStatement,
  args: readonly Expr[],
): Promise<Datum[]> {
  if (args.length === 0) return [];
  const { session } = statement;
  const bound = args.map((arg, i) =>
    bindScalar(castTo(arg, prepared.parameters[i] as number), {
      catalog: session.catalog(),
      searchPath: session.searchPath(),
      parameterTypes: [],
      settings: session.formatSettings(),
      role: session.identity.current,
    }),
  );
  const catalog = session.catalog();
  for (const { rights } of bound) checkRights(catalog, session.identity.current, rights);
  const expressions = bound.map(({ expression }) => expression);
  const plan: Values = {
    kind: 'values',
    rows: [expressions],
    output: expressions.map((_, i) => column(`column${i + 1}`, prepared.parameters[i] as number)),
  };
  const context = statement.context({ parameters: [] });
  using _snapshot = context.snapshot;
  using _account = context.account;
  const values: Datum[] = [];
  const physical = physicalPlan(plan, { catalog: session.catalog(), disabled: new Set() });
  for (const batch of await allBatches(planRows(physical, context))) {
    if (batch.length > 0) values.push(...batch.columns.map((vector) => vector.get(0)));
  }
  return values;
}

function castTo(input: Expr, oid: number): Expr {
  const type = {
    at: input.at,
    names: ['pg_catalog', typeByOid(oid).name],
    modifiers: [],
    dimensions: 0,
    setOf: false,
  };
  return { kind: 'cast', at: input.at, input, type };
}
