/**
 * `/sql`: statements as JSON, answers as JSON lines. A request signs in, has a session of its own, and leaves nothing behind;
 * SQL is the session's, bytes are this folder's. Documented in docs/http.md.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { notSupported, SqlError } from '../../errors.ts';
import { HTTP_ANSWERS_COUNT_MAX, HTTP_REQUEST_BYTES_MAX } from '../../limits.ts';
import type { Bearer, Holding, OnceRequest, Session } from '../../session/protocol.ts';
import { takeTurn } from '../../time-slice.ts';
import type { Exchange, Method, Route } from '../exchange.ts';
import { Refusal } from '../refusal.ts';
import type { BearerSignIn } from '../who.ts';
import { Answer, type Asked } from './answer.ts';
import { readText } from '../body.ts';
import { HEADERS, LINES, ResponseOutput } from './output.ts';
import { Streams } from './streams.ts';
import { RequestData, TOO_LARGE } from './data.ts';
import { type KeptTransaction, KeptTransactions, type KeptTransactionsOptions } from './kept-transactions.ts';
import { NamedRequests } from './named-requests.ts';
import { wantedRaw } from './raw-sink.ts';
import { readQuery, readRequest } from './request.ts';

const ACCEPTED = 202;
/** Hashed between two turns of the event loop. */
const CHARACTERS_PER_TURN = 256 * 1024;
const NO_CONTENT = 204;
/** A request is cancelled at its id behind it. */
const REQUESTS = '/sql/';

export interface SqlDoorOptions extends KeptTransactionsOptions {
  readonly signIn: BearerSignIn;
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

  get routes(): readonly Route[] {
    const row = (method: Method, path: string, work: Work): Route => ({
      method,
      path,
      isShared: true,
      answer: (exchange) => this.#answer(exchange, work),
    });
    return [
      row('POST', '/sql', (bearer, { answer, output }, { request }) =>
        this.#run(bearer, { answer, output }, request),
      ),
      row('POST', '/sql/stream', (bearer, _, { response }) => this.#streams.serve(bearer.id, response)),
      row('DELETE', REQUESTS, (bearer, { output }, { path }) => this.#cancel(bearer, output, path)),
    ];
  }

  async #answer(exchange: Exchange, work: Work): Promise<void> {
    const { request, response, caller } = exchange;
    const raw = wantedRaw(request.headers.accept);
    const output = new ResponseOutput(response, { ...HEADERS, 'content-type': raw ?? LINES });
    const { report, signIn } = this.#options;
    const answer = new Answer(output, { raw: raw === null ? null : output, id: null, report });
    await this.#during(answer, async () => work(await signIn(request, caller), { answer, output }, exchange));
    // The rest of a request that is not read keeps no connection.
    if (!request.complete) output.headers.connection = 'close';
    output.end();
  }

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

  /** @throws Refusal 404. */
  #cancel(bearer: Bearer, output: ResponseOutput, path: string): void {
    const id = decoded(path.slice(REQUESTS.length));
    const reason = new SqlError('query_canceled', 'canceling statement due to user request');
    if (id === null || !this.#named.cancel(bearer.id, id, reason)) {
      throw new Refusal(404, 'no request of this id is under way');
    }
    output.status = NO_CONTENT;
  }

  /** Where the answer goes to a stream, it may just have begun. */
  async #run(bearer: Bearer, { answer, output: own }: Answering, request: IncomingMessage): Promise<void> {
    using held = new DisposableStack();
    const { asked, data } = await askedBy(request, held.use(bearer.openAccount()), answer.signal);
    const given = { asked, data, once: onceOf(bearer, { asked, data }, answer.signal) };
    if (asked.stream === null) {
      await this.#runNamed(bearer, answer, given);
      return;
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
    own.status = ACCEPTED;
  }

  async #runNamed(bearer: Bearer, answer: Answer, given: Given): Promise<void> {
    const { once } = given;
    if (once === null) return await this.#runIn(bearer, answer, given);
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

interface Answering {
  readonly answer: Answer;
  readonly output: ResponseOutput;
}

/** The work of a route; its answer tells what goes wrong. */
type Work = (bearer: Bearer, answering: Answering, exchange: Exchange) => void | Promise<void>;

/** A request as one that is done once, too; null: it has no id. */
interface Given extends Asked {
  readonly once: OnceRequest | null;
}

function onceOf(bearer: Bearer, { asked, data }: Asked, signal: AbortSignal): OnceRequest | null {
  const { requestId: id, statement, params, settings } = asked;
  if (id === null) return null;
  const digest = async (): Promise<string> => {
    const hash = createHash('sha256');
    let left = CHARACTERS_PER_TURN;
    for (const part of [statement, [...settings].sort(), ...(params ?? [null])]) {
      const text = `${JSON.stringify(part)}\n`;
      hash.update(text);
      left -= text.length;
      if (left > 0) continue;
      left = CHARACTERS_PER_TURN;
      await takeTurn();
    }
    return hash.update(data === null ? '' : await data.digest(signal)).digest('base64');
  };
  return { owner: bearer.id, id, digest };
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
    const reading = { account, bytesMax: HTTP_REQUEST_BYTES_MAX, signal, hint: TOO_LARGE };
    return { asked: await readRequest(await readText(request, reading)), data: null };
  }
  const at = url.indexOf('?');
  if (at >= 0) {
    const asked = readQuery(url.slice(at + 1));
    return { asked, data: new RequestData(request, account, asked.requestId !== null) };
  }
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
