/** Statements of the server's own, which run within the transaction of the statement that needs them. */
import { present } from '../../assert.ts';
import { SqlError } from '../../errors.ts';
import type { ParsedStatement } from '../../sql/parse/parse.ts';
import type { Batch } from '../../types/column/vector.ts';
import type { Parameter, Row } from '../server-session.ts';
import type { Planned } from './planner.ts';
import type { ExecutionRequest, Runner } from './runner.ts';
import { lockTables } from './table-locks.ts';

export interface InternalRequest extends ExecutionRequest {
  /** OIDs of the parameters. */
  readonly types: readonly number[];
  /** Asks no index for candidates, or does so, whatever `quern.exact` says. */
  readonly exact?: boolean;
  /** Only the first rows are wanted. */
  readonly rowsMax?: number;
  /** Name in EXPLAIN; absent: it shows nothing of it, and runs it. */
  readonly label?: string;
}

/** @returns the statement's rows. */
export async function runInternal(
  runner: Runner,
  text: string,
  request: InternalRequest,
): Promise<readonly Batch[]> {
  const parsed = await parsedInternal(runner, text);
  return (await withoutPlace(() => resultOf(runner, parsed, request))).batches;
}

type RowsRequest = Omit<InternalRequest, 'parameters' | 'types'> & {
  readonly parameters: readonly Parameter[];
};

/** As `runInternal`, for a few rows. */
export async function rowsOf(runner: Runner, text: string, request: RowsRequest): Promise<readonly Row[]> {
  const parsed = await parsedInternal(runner, text);
  return withoutPlace(() => rowsOfParsed(runner, parsed, request));
}

/** As `rowsOf`, of a statement that has been read. */
export async function rowsOfParsed(
  runner: Runner,
  parsed: ParsedStatement,
  { parameters, ...request }: RowsRequest,
): Promise<readonly Row[]> {
  const types = parameters.map(([type]) => type);
  const values = parameters.map(([, value]) => value);
  const { names, batches } = await resultOf(runner, parsed, { ...request, types, parameters: values });
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

export async function parsedInternal(runner: Runner, text: string): Promise<ParsedStatement> {
  return present((await runner.environment.parser.parse(text))[0], 'an internal statement');
}

/** Its plan by what there is once its locks are had: who was waited for may have dropped what it names. */
export async function lockedInternal(
  runner: Runner,
  parsed: ParsedStatement,
  { types, parameters, exact, signal }: InternalRequest,
): Promise<Planned> {
  for (;;) {
    const planned = runner.plan(parsed, types, { parameters, ...(exact !== undefined && { exact }) });
    const locking = lockTables(runner.block, planned, signal);
    if (locking === null) return planned;
    await locking;
  }
}

async function resultOf(runner: Runner, parsed: ParsedStatement, request: InternalRequest): Promise<Result> {
  const planned = await lockedInternal(runner, parsed, request);
  const inner = request.label === undefined ? null : runner.innerPlans;
  if (inner !== null && planned.plan !== null) inner.add(request.label ?? '', planned.plan);
  if (inner?.statistics === null) return { names: [], batches: [] };
  const running = await runner.runPlanned(planned, request, inner?.statistics ?? null);
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
