/**
 * The worker thread of `service.ts`: parses one text after the other. Trees cross as JSON, because a
 * structured clone of a deep one overflows the stack of the thread that receives it, and the reply is then
 * lost; errors cross as data, because a clone would lose their class.
 */
import { parentPort } from 'node:worker_threads';
import { assert } from '../../assert.ts';
import { type Condition, type ErrorFields, SqlError } from '../../errors.ts';
import { loadParser, parseStatements } from './parse.ts';

export type ParseReply =
  /** `parsed` is JSON of the statements. */
  | { readonly parsed: string }
  | {
      readonly parsed: null;
      readonly condition: Condition;
      readonly message: string;
      readonly fields: ErrorFields;
    };

function reply(text: string): ParseReply {
  try {
    return { parsed: JSON.stringify(parseStatements(text)) };
  } catch (error) {
    if (error instanceof SqlError) {
      const { cause: _, ...fields } = error.fields;
      return { parsed: null, condition: error.condition, message: error.message, fields };
    }
    if (error instanceof RangeError) {
      const message = 'stack depth limit exceeded';
      return { parsed: null, condition: 'statement_too_complex', message, fields: {} };
    }
    const message = error instanceof Error ? error.message : String(error);
    return { parsed: null, condition: 'internal_error', message, fields: {} };
  }
}

const port = parentPort;
assert(port !== null, 'this file is the entry of a worker thread');
port.on('message', (text: string) => {
  void loadParser().then(() => port.postMessage(reply(text)));
});
