/** Statements of the server's own, which run within the transaction of the statement that needs them. */
import { present } from '../../assert.ts';
import type { Batch } from '../../types/column/vector.ts';
import type { Parameter, Row } from '../server-session.ts';
import type { ExecutionRequest, Runner } from './runner.ts';

export interface InternalRequest extends ExecutionRequest {
  /** OIDs of the parameters. */
  readonly types: readonly number[];
  /** Asks no index for candidates, or does so, whatever `quern.exact` says. */
  readonly exact?: boolean;
}

/** @returns the statement's rows. */
export async function runInternal(
  runner: Runner,
  text: string,
  request: InternalRequest,
): Promise<readonly Batch[]> {
  return (await resultOf(runner, text, request)).batches;
}

/** As `runInternal`, for a few rows. */
export async function rowsOf(
  runner: Runner,
  text: string,
  {
    parameters,
    ...request
  }: Omit<InternalRequest, 'parameters' | 'types'> & { readonly parameters: readonly Parameter[] },
): Promise<readonly Row[]> {
  const types = parameters.map(([type]) => type);
  const values = parameters.map(([, value]) => value);
  const { names, batches } = await resultOf(runner, text, { ...request, types, parameters: values });
  return batches.flatMap((batch) =>
    Array.from({ length: batch.length }, (_, row) =>
      Object.fromEntries(names.map((name, i) => [name, batch.columns[i]?.get(row) ?? null])),
    ),
  );
}

interface Result {
  readonly names: readonly string[];
  readonly batches: readonly Batch[];
}

async function resultOf(runner: Runner, text: string, request: InternalRequest): Promise<Result> {
  const parsed = present((await runner.environment.parser.parse(text))[0], 'an internal statement');
  const { types, parameters, exact } = request;
  const planned = runner.plan(parsed, types, { parameters, ...(exact !== undefined && { exact }) });
  const running = await runner.runPlanned(planned, request, null);
  const batches: Batch[] = [];
  try {
    for (let batch = await running.next(0); batch !== null; batch = await running.next(0))
      batches.push(batch);
  } finally {
    await running.close();
  }
  return { names: (running.columns ?? []).map(({ name }) => name), batches };
}
