/**
 * The worker thread of `parse-service.ts`: parses one text after the other. Errors cross as data, because a
 * structured clone would lose their class.
 */
import { parentPort } from 'node:worker_threads';
import { assert } from '../assert.ts';
import { type Condition, type ErrorFields, SqlError } from '../errors.ts';
import { loadParser, type ParsedStatement, parseStatements } from './parse.ts';

export type ParseReply =
  | { readonly id: number; readonly parsed: readonly ParsedStatement[] }
  | {
      readonly id: number;
      readonly parsed: null;
      readonly condition: Condition;
      readonly message: string;
      readonly fields: ErrorFields;
    };

function reply(id: number, text: string): ParseReply {
  try {
    return { id, parsed: parseStatements(text) };
  } catch (error) {
    if (error instanceof SqlError) {
      const { cause: _, ...fields } = error.fields;
      return { id, parsed: null, condition: error.condition, message: error.message, fields };
    }
    const message = error instanceof Error ? error.message : String(error);
    return { id, parsed: null, condition: 'internal_error', message, fields: {} };
  }
}

const port = parentPort;
assert(port !== null, 'this file is the entry of a worker thread');
port.on('message', ({ id, text }: { id: number; text: string }) => {
  void loadParser().then(() => port.postMessage(reply(id, text)));
});
