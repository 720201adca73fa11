/**
 * `/sql`: statements as JSON, answers as JSON lines. A request signs in, has a session of its own, and leaves nothing behind;
 * SQL is the session's, bytes are this folder's. Documented in docs/http.md.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { notSupported, SqlError } from '../../errors.ts';
import { HTTP_ANSWERS_COUNT_MAX, HTTP_REQUEST_BYTES_MAX } from '../../limits.ts';
import type { Bearer, Holding, OnceRequest, Session } from '../../session/protocol.ts';
import type { Caller } from '../caller.ts';
import { allowOrigin } from '../cors.ts';
import { Refusal } from '../refusal.ts';
import { Answer, type Asked } from './answer.ts';
import { readText } from './body.ts';
import { HEADERS, LINES, ResponseOutput } from './output.ts';
import { Streams } from './streams.ts';
import { RequestData } from './data.ts';
import { type KeptTransaction, KeptTransactions, type KeptTransactionsOptions } from './kept-transactions.ts';
import { NamedRequests } from './named-requests.ts';
import { wantedRaw } from './raw-sink.ts';
import { readQuery, readRequest, type SqlRequest } from './request.ts';

const ACCEPTED = 202;
const NO_CONTENT = 204;

export interface SqlDoorOptions extends KeptTransactionsOptions {
  /** Origins of other pages that may read answers. */
  readonly origins: readonly string[];
  /** Who asks. @throws Refusal 401, SqlError 28P01, 57P03. */
  readonly signIn: (request: IncomingMessage, caller: Caller) => Promise<Bearer>;
}

export class SqlDoor {
  readonly #options: SqlDoorOptions;
  readonly #answers = new Set<Answer>();
  readonly #named = new NamedRequests();
  readonly #transactions: KeptTransactions;
  readonly #streams: Streams;
  #idle = Promise.withResolvers<void>();

  constructor(options: SqlDoorOptions) {
    this.#options = options;
    this.#transactions = new KeptTransactions(options);
    this.#streams = new Streams(options.randomBytes);
  }

  /** A handler of requests (`../handler.ts`). */
  readonly handle = async (
    request: IncomingMessage,
    response: ServerResponse,
    caller: Caller,
  ): Promise<void> => {
    if (allowOrigin(request, response, this.#options.origins)) return;
    const raw = wantedRaw(request.headers.accept);
    const output = new ResponseOutput(response, { ...HEADERS, 'content-type': raw ?? LINES });
    const { report } = this.#options;
    const answer = new Answer(output, { raw: raw === null ? null : output, id: null, report });
    await this.#during(answer, async () => {
      const work = workOf(request);
      const bearer = await this.#options.signIn(request, caller);
      if (work.kind === 'stream') await this.#streams.serve(bearer.id, response);
      else if (work.kind === 'cancel') output.status = this.#cancel(bearer, work.id);
      else if (await this.#run(bearer, answer, request)) output.status = ACCEPTED;
    });
    // The rest of a request that is not read keeps no connection.
    if (!request.complete) output.headers.connection = 'close';
    output.end();
  };

  /** Counts it, and lets the answer tell what goes wrong. */
  async #during(answer: Answer, work: () => Promise<void>): Promise<void> {
    try {
      if (this.#answers.size >= HTTP_ANSWERS_COUNT_MAX) throw tooMany();
      this.#answers.add(answer);
      await work();
    } catch (error) {
      if (error instanceof Refusal) answer.refuse(error);
      else answer.fail(error);
    } finally {
      this.#over(answer);
    }
  }

  /** Ends all that runs, and waits for it. */
  async close(): Promise<void> {
    const reason = new SqlError('admin_shutdown', 'terminating connection due to administrator command', {
      severity: 'FATAL',
    });
    for (const answer of this.#answers) answer.cancel(reason);
    this.#streams.close();
    if (this.#answers.size > 0) await this.#idle.promise;
    await this.#transactions.close();
  }

  /** @returns the status. @throws Refusal 404. */
  #cancel(bearer: Bearer, id: string): number {
    const reason = new SqlError('query_canceled', 'canceling statement due to user request');
    if (this.#named.cancel(bearer.id, id, reason)) return NO_CONTENT;
    throw new Refusal(404, 'no request of this id is under way');
  }

  /** @returns true where the answer goes to a stream: it may just have begun. */
  async #run(bearer: Bearer, answer: Answer, request: IncomingMessage): Promise<boolean> {
    using held = new DisposableStack();
    const { asked, data } = await askedBy(request, held.use(bearer.openAccount()), answer.signal);
    const given = { asked, data, once: onceOf(bearer, asked) };
    if (asked.stream === null) {
      await this.#runNamed(bearer, answer, given);
      return false;
    }
    if (data !== null) throw notSupported('data of a request whose answer goes to a stream');
    const output = this.#streams.output(bearer.id, asked.stream);
    const streamed = new Answer(output, { raw: null, id: asked.requestId, report: this.#options.report });
    const kept = held.move();
    const running = this.#during(streamed, () => this.#runNamed(bearer, streamed, given));
    void running.finally(() => {
      output.end();
      kept.dispose();
    });
    return true;
  }

  async #runNamed(bearer: Bearer, answer: Answer, given: Given): Promise<void> {
    const { once, data } = given;
    if (once === null) return await this.#runIn(bearer, answer, given);
    if (data !== null) throw notSupported('the id of a request with data');
    using _ = await this.#named.enter(bearer.id, once.id, answer);
    const done = await bearer.doneBefore(once);
    if (done === null) await this.#runIn(bearer, answer, given);
    else answer.repeats(done);
  }

  #runIn(bearer: Bearer, answer: Answer, given: Given): Promise<void> {
    const { transaction } = given.asked;
    return transaction === null
      ? this.#begin(bearer, answer, given)
      : this.#goOn(bearer, answer, {
          ...given,
          transaction: this.#transactions.take(bearer.id, transaction),
        });
  }

  /** In a session of its own, which is kept where it leaves a transaction open. */
  async #begin(bearer: Bearer, answer: Answer, given: Given): Promise<void> {
    await using stack = new AsyncDisposableStack();
    const session = stack.use(bearer.open(given.asked.settings));
    endWith(session, answer);
    await runOnce(bearer, { answer, session }, given);
    if (session.status() === 'I' || answer.signal.aborted) return;
    answer.keeps(this.#transactions.keep(bearer.id, session), session.status());
    stack.move();
  }

  async #goOn(
    bearer: Bearer,
    answer: Answer,
    { transaction, ...given }: Given & { readonly transaction: KeptTransaction },
  ): Promise<void> {
    const { session, token } = transaction;
    const ended = endWith(session, answer);
    try {
      await runOnce(bearer, { answer, session }, given);
    } catch (error) {
      answer.fail(error);
    }
    const status = session.status();
    if (status === 'I' || ended.aborted) await this.#transactions.end(transaction);
    else {
      answer.keeps(token, status);
      this.#transactions.giveBack(transaction);
    }
  }

  #over(answer: Answer): void {
    this.#answers.delete(answer);
    if (this.#answers.size > 0) return;
    this.#idle.resolve();
    this.#idle = Promise.withResolvers();
  }
}

/** A request as one that is done once, too; null: it has no id. */
interface Given extends Asked {
  readonly once: OnceRequest | null;
}

function onceOf(
  bearer: Bearer,
  { requestId: id, statement, params, settings }: SqlRequest,
): OnceRequest | null {
  if (id === null) return null;
  const whole = JSON.stringify([statement, params, [...settings].sort()]);
  return { owner: bearer.id, id, digest: createHash('sha256').update(whole).digest('base64') };
}

/** Runs it, and notes how it ended where its id was stored: before the client is told. */
async function runOnce(
  bearer: Bearer,
  { answer, session }: { readonly answer: Answer; readonly session: Session },
  { once, ...asked }: Given,
): Promise<void> {
  session.doOnce(once);
  try {
    await answer.run(session, asked);
  } finally {
    if (session.doOnce(null) && once !== null) await bearer.noteEnd(once, answer.ended);
  }
}

/** Another session, a time-out, or the end of its key, ends it. @returns aborted once that is so. */
function endWith(session: Session, answer: Answer): AbortSignal {
  const ended = new AbortController();
  session.onTerminate((reason) => {
    ended.abort(reason);
    answer.cancel(reason);
  });
  return ended.signal;
}

type Work = { readonly kind: 'run' | 'stream' } | { readonly kind: 'cancel'; readonly id: string };

/** @throws Refusal 404, 405. */
function workOf({ url = '', method }: IncomingMessage): Work {
  const [path = ''] = url.split('?');
  if (path === '/sql') {
    if (method === 'POST') return { kind: 'run' };
    throw new Refusal(405, 'statements are sent by POST');
  }
  if (path === '/sql/stream' && method === 'POST') return { kind: 'stream' };
  const id = decoded(path.slice('/sql/'.length));
  if (id === null || id === '') throw new Refusal(404, 'not found');
  if (method === 'DELETE') return { kind: 'cancel', id };
  throw new Refusal(405, 'a request is cancelled by DELETE');
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/**
 * Pages of other sites can send forms and plain text, unasked; JSON and an address with a statement beside a key they cannot.
 * @throws Refusal 415, SqlError 22023, 22021, 22032, 54000.
 */
async function askedBy(request: IncomingMessage, account: Holding, signal: AbortSignal): Promise<Asked> {
  const { url = '', headers } = request;
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') throw new Refusal(415, `bodies are not read as ${encoding}`);
  if (/^application\/json *(?:;|$)/i.test(headers['content-type'] ?? '')) {
    const reading = { account, bytesMax: HTTP_REQUEST_BYTES_MAX, signal };
    return { asked: readRequest(await readText(request, reading)), data: null };
  }
  const at = url.indexOf('?');
  if (at >= 0) return { asked: readQuery(url.slice(at + 1)), data: new RequestData(request, account) };
  throw new Refusal(
    415,
    'a statement is sent as JSON',
    'Send the header content-type: application/json, or the statement in the address and its data as the body.',
  );
}

const tooMany = (): SqlError =>
  new SqlError('too_many_connections', 'too many requests are being answered', {
    hint: 'Try again in a few seconds.',
  });
