/** PREPARE, EXECUTE and DEALLOCATE: prepared statements by SQL, in one name space with the protocol's. */
import { runPlan } from '../../execute/run.ts';
import { SqlError } from '../../errors.ts';
import type { OutputColumn, Values } from '../../plan/plan.ts';
import type { Expr } from '../../sql/ast.ts';
import { bindScalar, bindType } from '../../sql/bind/bind.ts';
import type { Datum } from '../../types/datum.ts';
import { typeByOid } from '../../types/registry.ts';
import type { PreparedStatement } from './prepared.ts';
import { column, FixedResult, type Running } from '../running/running.ts';
import type { StatementCall, StatementOf } from './statement-call.ts';
import type { Runner } from '../running/runner.ts';

export function prepareStatement({ runner, parsed, statement }: StatementCall<'prepare'>): Running {
  const names = { catalog: runner.catalog(), searchPath: runner.searchPath() };
  const types = statement.types.map((type) => bindType(type, names).oid);
  const inner = { ...parsed, statement: statement.statement };
  runner.statements.add(runner.prepare(statement.name, inner, types, true));
  return new FixedResult('PREPARE');
}

export function executeColumns(
  runner: Runner,
  statement: StatementOf<'execute'>,
): readonly OutputColumn[] | null {
  return runner.statements.get(statement.name).columns;
}

export async function executePrepared({
  runner,
  statement,
  request,
}: StatementCall<'execute'>): Promise<Running> {
  const { prepared, parameters } = await preparedExecution(runner, statement, request.signal);
  if (prepared.parsed === null) return new FixedResult('EXECUTE');
  return runner.run(prepared.parsed, { parameters, signal: request.signal, prepared });
}

/** Statement that EXECUTE names, and the values it gives. @throws SqlError 26000, 42601 for a wrong number of them. */
export async function preparedExecution(
  runner: Runner,
  statement: StatementOf<'execute'>,
  signal: AbortSignal,
): Promise<{ readonly prepared: PreparedStatement; readonly parameters: readonly Datum[] }> {
  const prepared = runner.statements.get(statement.name);
  const wanted = prepared.parameters.length;
  if (statement.args.length !== wanted) {
    throw new SqlError(
      'syntax_error',
      `wrong number of parameters for prepared statement "${statement.name}"`,
      { detail: `Expected ${wanted} parameters but got ${statement.args.length}.` },
    );
  }
  return { prepared, parameters: await evaluateArguments(runner, prepared, statement.args, signal) };
}

export function deallocate({ runner, statement }: StatementCall<'deallocate'>): Running {
  if (statement.name === null) {
    runner.statements.clear();
    return new FixedResult('DEALLOCATE ALL');
  }
  runner.statements.get(statement.name);
  runner.statements.remove(statement.name);
  return new FixedResult('DEALLOCATE');
}

/** Arguments are constant expressions, converted to the parameters' types as an assignment would. */
async function evaluateArguments(
  runner: Runner,
  prepared: PreparedStatement,
  args: readonly Expr[],
  signal: AbortSignal,
): Promise<Datum[]> {
  if (args.length === 0) return [];
  const expressions = args.map((arg, i) =>
    bindScalar(castTo(arg, prepared.parameters[i] as number), {
      catalog: runner.catalog(),
      searchPath: runner.searchPath(),
      parameterTypes: [],
      settings: runner.formatSettings(),
    }),
  );
  const plan: Values = {
    kind: 'values',
    rows: [expressions],
    output: expressions.map((_, i) => column(`column${i + 1}`, prepared.parameters[i] as number)),
  };
  const context = runner.executionContext({ parameters: [], signal }, null);
  using _snapshot = context.snapshot;
  using _account = context.account;
  const values: Datum[] = [];
  for await (const batch of runPlan(plan, context)) {
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
