/**
 * `/sql`: statements as JSON, answers as JSON lines. A request signs in, has a session of its own, and leaves nothing behind;
 * SQL is the session's, bytes are this folder's. Documented in docs/http.md.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { SqlError } from '../../errors.ts';
import { HTTP_ANSWERS_COUNT_MAX } from '../../limits.ts';
import type { Bearer, Session } from '../../session/protocol.ts';
import type { Caller } from '../caller.ts';
import { Refusal } from '../refusal.ts';
import { Answer } from './answer.ts';
import { readText } from './body.ts';
import { readRequest } from './request.ts';

export interface SqlDoorOptions {
  /** Who asks. @throws Refusal 401, SqlError 28P01, 57P03. */
  readonly signIn: (request: IncomingMessage, caller: Caller) => Promise<Bearer>;
  /** Hears of failures that are our bugs. */
  readonly report: (error: unknown) => void;
}

export class SqlDoor {
  readonly #options: SqlDoorOptions;
  readonly #answers = new Set<Answer>();
  #idle = Promise.withResolvers<void>();

  constructor(options: SqlDoorOptions) {
    this.#options = options;
  }

  /** A handler of requests (`../handler.ts`). */
  readonly handle = async (
    request: IncomingMessage,
    response: ServerResponse,
    caller: Caller,
  ): Promise<void> => {
    const [path] = (request.url ?? '').split('?');
    if (path !== '/sql') throw new Refusal(404, 'not found');
    if (request.method !== 'POST') throw new Refusal(405, 'statements are sent by POST');
    await this.#answer(request, response, caller);
  };

  /** Ends all that runs, and waits for it. */
  async close(): Promise<void> {
    const reason = new SqlError('admin_shutdown', 'terminating connection due to administrator command', {
      severity: 'FATAL',
    });
    for (const answer of this.#answers) answer.cancel(reason);
    if (this.#answers.size > 0) await this.#idle.promise;
  }

  async #answer(request: IncomingMessage, response: ServerResponse, caller: Caller): Promise<void> {
    const answer = new Answer(response, this.#options.report);
    try {
      if (this.#answers.size >= HTTP_ANSWERS_COUNT_MAX) throw tooMany();
      this.#answers.add(answer);
      await this.#run(answer, request, caller);
    } catch (error) {
      if (error instanceof Refusal) throw error;
      answer.fail(error);
    } finally {
      this.#over(answer);
    }
    // The rest of a request that is not read keeps no connection.
    if (!request.complete) answer.output.headers.connection = 'close';
    answer.output.end();
  }

  async #run(answer: Answer, request: IncomingMessage, caller: Caller): Promise<void> {
    const bearer = await this.#options.signIn(request, caller);
    using account = bearer.openAccount();
    requireJson(request);
    const asked = readRequest(await readText(request, account));
    await using session = bearer.open(asked.settings);
    endWith(session, answer);
    await answer.run(session, asked);
  }

  #over(answer: Answer): void {
    this.#answers.delete(answer);
    if (this.#answers.size > 0) return;
    this.#idle.resolve();
    this.#idle = Promise.withResolvers();
  }
}

/** Another session, or its key's end, ends it. */
function endWith(session: Session, answer: Answer): void {
  session.onTerminate((reason) => answer.cancel(reason));
}

/** Pages of other sites can send forms and plain text, unasked; this they cannot. @throws Refusal 415. */
function requireJson({ headers }: IncomingMessage): void {
  if (/^application\/json *(?:;|$)/i.test(headers['content-type'] ?? '')) return;
  throw new Refusal(415, 'a statement is sent as JSON', 'Send the header content-type: application/json.');
}

const tooMany = (): SqlError =>
  new SqlError('too_many_connections', 'too many requests are being answered', {
    hint: 'Try again in a few seconds.',
  });
