/**
 * The worker thread of `service.ts`: parses one text after the other. Trees cross as JSON, because a structured clone
 * of a deep one overflows the stack of the thread that receives it, and the reply is then lost.
 */
import { SqlError } from '../../errors.ts';
import { answerCalls } from '../../worker-calls.ts';
import { STATEMENT_NODES_MAX } from '../../limits.ts';
import { loadParser, type ParsedStatement, parseStatements } from './parse.ts';

/** @returns each statement as JSON. */
async function parse(text: string): Promise<readonly string[]> {
  await loadParser();
  try {
    return parseStatements(text).map(asJson);
  } catch (error) {
    if (error instanceof RangeError)
      throw new SqlError('statement_too_complex', 'stack depth limit exceeded');
    if (error instanceof SqlError) throw error;
    throw new SqlError('internal_error', error instanceof Error ? error.message : String(error));
  }
}

/** @throws SqlError 54001 where binding what others wait for would take too long. */
function asJson(statement: ParsedStatement): string {
  const json = JSON.stringify(statement);
  if (weightOf(json) <= STATEMENT_NODES_MAX) return json;
  throw new SqlError('statement_too_complex', 'the statement has too many different expressions', {
    detail: `At most ${STATEMENT_NODES_MAX} parts of expressions fit into one statement.`,
    hint: 'Send it as several statements, pass an array, or use COPY.',
  });
}

const QUERY_WEIGHT = 5;

/** Nodes of the tree; constants that are kept by column are none. */
const weightOf = (json: string): number =>
  countOf(json, '"kind":') + QUERY_WEIGHT * countOf(json, '"kind":"select"');

/** Within texts quotes are escaped, so that none looks like this. */
function countOf(json: string, mark: string): number {
  let count = 0;
  for (let at = json.indexOf(mark); at >= 0; at = json.indexOf(mark, at + mark.length)) count++;
  return count;
}

answerCalls(parse);
