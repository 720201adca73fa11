/**
 * The worker thread of `service.ts`: parses one text after the other. Trees cross as JSON, because a structured clone
 * of a deep one overflows the stack of the thread that receives it, and the reply is then lost.
 */
import { SqlError } from '../../errors.ts';
import { answerCalls } from '../../worker-calls.ts';
import { loadParser, parseStatements } from './parse.ts';

/** @returns JSON of the statements. */
async function parse(text: string): Promise<string> {
  await loadParser();
  try {
    return JSON.stringify(parseStatements(text));
  } catch (error) {
    if (error instanceof RangeError)
      throw new SqlError('statement_too_complex', 'stack depth limit exceeded');
    if (error instanceof SqlError) throw error;
    throw new SqlError('internal_error', error instanceof Error ? error.message : String(error));
  }
}

answerCalls(parse);
