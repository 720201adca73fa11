/** Statements of the server's own, which run within the transaction of the statement that needs them. */
import { present } from '../../assert.ts';
import { OWNER_ROLE_OID } from '../../catalog/oids.ts';
import { SqlError } from '../../errors.ts';
import type { ParsedStatement } from '../../sql/parse/parse.ts';
import type { Datum } from '../../types/datum.ts';
import type { Batch } from '../../types/column/vector.ts';
import type { Parameter, Row } from '../server-session.ts';
import type { Planned } from './planner.ts';
import type { Statement } from './statement.ts';
import type { PlanRun } from './plan-runner.ts';
import { lockTables } from './table-locks.ts';

export interface InternalRequest extends Omit<PlanRun, 'statistics' | 'stream'> {
  readonly parameters: readonly Datum[];
  /** OIDs of the parameters. */
  readonly types: readonly number[];
  /** Asks no index for candidates, or does so, whatever `quern.exact` says. */
  readonly exact?: boolean;
  /** Rows of all roles and keys: the server's own checks must not miss one. */
  readonly seesAll?: boolean;
  /** Only the first rows are wanted. */
  readonly rowsMax?: number;
  /** Name in EXPLAIN; absent: it shows nothing of it, and runs it. */
  readonly label?: string;
}

/** @returns the statement's rows. */
export async function runInternal(
  statement: Statement,
  text: string,
  request: InternalRequest,
): Promise<readonly Batch[]> {
  const parsed = await parsedInternal(statement, text);
  return (await withoutPlace(() => resultOf(statement, parsed, request))).batches;
}

type RowsRequest = Omit<InternalRequest, 'parameters' | 'types'> & {
  readonly parameters: readonly Parameter[];
};

/** As `runInternal`, for a few rows. */
export async function rowsOf(
  statement: Statement,
  text: string,
  request: RowsRequest,
): Promise<readonly Row[]> {
  const parsed = await parsedInternal(statement, text);
  return withoutPlace(() => rowsOfParsed(statement, parsed, request));
}

/** As `rowsOf`, of a statement that has been read. */
export async function rowsOfParsed(
  statement: Statement,
  parsed: ParsedStatement,
  { parameters, ...request }: RowsRequest,
): Promise<readonly Row[]> {
  const types = parameters.map(([type]) => type);
  const values = parameters.map(([, value]) => value);
  const { names, batches } = await resultOf(statement, parsed, { ...request, types, parameters: values });
  return batches.flatMap((batch) =>
    Array.from({ length: batch.length }, (_, row) =>
      Object.fromEntries(names.map((name, i) => [name, batch.columns[i]?.get(row) ?? null])),
    ),
  );
}

/** A place in our text is none in the client's statement. */
async function withoutPlace<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof SqlError) || error.fields.position === undefined) throw error;
    throw new SqlError(error.condition, error.message, { ...error.fields, position: undefined });
  }
}

interface Result {
  readonly names: readonly string[];
  readonly batches: readonly Batch[];
}

export async function parsedInternal(statement: Statement, text: string): Promise<ParsedStatement> {
  return present((await statement.session.environment.parser.parse(text))[0], 'an internal statement');
}

/** Its plan by what there is once its locks are had: who was waited for may have dropped what it names. */
export async function lockedInternal(
  statement: Statement,
  parsed: ParsedStatement,
  { types, parameters, exact, seesAll }: InternalRequest,
): Promise<Planned> {
  const { session } = statement;
  // What the server reads for a client is what the client may see.
  const rows = seesAll === true ? { rowRole: OWNER_ROLE_OID, rowKey: null } : {};
  const how = { ...(exact !== undefined && { exact }), ...rows };
  for (;;) {
    const planned = session.plan(parsed, types, { parameters, ...how });
    const locking = lockTables(session.block, planned, statement.signal);
    if (locking === null) return planned;
    await locking;
  }
}

async function resultOf(
  statement: Statement,
  parsed: ParsedStatement,
  request: InternalRequest,
): Promise<Result> {
  const planned = await lockedInternal(statement, parsed, request);
  const inner = request.label === undefined ? null : statement.innerPlans;
  if (planned.plan !== null) inner?.add(request.label ?? '', planned.plan);
  if (inner?.statistics === null) return { names: [], batches: [] };
  const running = await statement.run(planned, { ...request, statistics: inner?.statistics ?? null });
  const batches: Batch[] = [];
  let wanted = request.rowsMax ?? Number.POSITIVE_INFINITY;
  const next = () => running.next(wanted === Number.POSITIVE_INFINITY ? 0 : wanted);
  try {
    for (let batch = await next(); batch !== null; batch = wanted > 0 ? await next() : null) {
      batches.push(batch);
      wanted -= batch.length;
    }
  } finally {
    await running.close();
  }
  return { names: (running.columns ?? []).map(({ name }) => name), batches };
}
