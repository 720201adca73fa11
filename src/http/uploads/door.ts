/**
 * `/uploads`: files that come in parts, and go on where they were cut off. Documented in docs/http.md. No right is decided
 * here: the statement that makes the document is asked, at each part (`upload-session.ts`).
 */
import { SqlError, sqlErrorOf } from '../../errors.ts';
import type { Bearer } from '../../session/protocol.ts';
import { pieces } from '../body.ts';
import { errorLine } from '../error-line.ts';
import { answerJson, type Exchange, type Method, type Route } from '../exchange.ts';
import { Refusal } from '../refusal.ts';
import { statusOf } from '../status.ts';
import type { BearerSignIn } from '../who.ts';
import { UploadSession } from './upload-session.ts';
import type { Upload, Uploads } from './uploads.ts';
import { readWanted } from './wanted.ts';

export interface UploadDoorOptions {
  readonly uploads: Uploads;
  readonly signIn: BearerSignIn;
  /** Hears of failures that are our bugs. */
  readonly report: (error: unknown) => void;
}

const PATH = '/uploads';
const UNDER = '/uploads/';
/** Memory of a part, beside what the socket holds. */
const PART_BYTES = 1024 * 1024;
const NEVER = new AbortController().signal;

/** @returns what is answered; null: nothing but that it went well. @param upload the path's; where it is one's own. */
type Work = (asked: { readonly bearer: Bearer; readonly exchange: Exchange }) => Promise<object | null>;
type UploadWork = (bearer: Bearer, upload: Upload, exchange: Exchange) => Promise<object | null>;

export class UploadDoor {
  readonly #options: UploadDoorOptions;

  constructor(options: UploadDoorOptions) {
    this.#options = options;
  }

  get routes(): readonly Route[] {
    const row = (method: Method, path: string, work: Work): Route => ({
      method,
      path,
      isShared: true,
      answer: (exchange) => this.#answer(exchange, work),
    });
    const of = (method: Method, work: UploadWork): Route =>
      row(method, UNDER, ({ bearer, exchange }) => {
        const upload = this.#options.uploads.find(bearer.id, tokenOf(exchange));
        return work(bearer, upload, exchange);
      });
    return [
      row('POST', PATH, ({ bearer, exchange }) => this.#begin(bearer, exchange)),
      row('GET', UNDER, async ({ bearer, exchange }) => this.#tell(bearer, tokenOf(exchange))),
      of('PUT', (bearer, upload, exchange) => this.#part(bearer, upload, exchange)),
      of('DELETE', (_, upload) => this.#takeBack(upload)),
      row('POST', UNDER, ({ bearer, exchange }) => this.#finish(bearer, tokenOf(exchange))),
    ];
  }

  /** Ends what is under way; what has come stays for the next start. */
  async close(): Promise<void> {
    const { uploads } = this.#options;
    const reason = 'terminating connection due to administrator command';
    await uploads.close(new SqlError('admin_shutdown', reason, { severity: 'FATAL' }));
    uploads[Symbol.dispose]();
  }

  async #answer(exchange: Exchange, work: Work): Promise<void> {
    const { request, response, caller } = exchange;
    const answer = await this.#options
      .signIn(request, caller)
      .then((bearer) => work({ bearer, exchange }))
      .then(
        (value) => ({ status: value === null ? 204 : 200, value }),
        (error: unknown) => this.#failure(error),
      );
    if (response.destroyed) return;
    // The rest of a request that is not read keeps no connection.
    const rest = request.complete ? {} : { connection: 'close' };
    if (answer.status === 401) response.setHeader('www-authenticate', 'Bearer');
    if (answer.value === null) response.writeHead(answer.status, rest).end();
    else answerJson(exchange, answer.value, { status: answer.status, headers: rest });
  }

  #failure(thrown: unknown) {
    if (thrown instanceof Refusal) {
      const { status, message, hint } = thrown;
      return { status, value: { error: { message, hint: hint ?? undefined } } };
    }
    const known = sqlErrorOf(thrown);
    if (known === null) this.#options.report(thrown);
    const error = known ?? new SqlError('internal_error', String(thrown));
    return { status: statusOf(error), value: { error: errorLine(error) } };
  }

  async #begin(bearer: Bearer, exchange: Exchange): Promise<object> {
    const wanted = await readWanted(exchange);
    await using session = new UploadSession(bearer, NEVER);
    await session.rehearse(wanted);
    return this.#shown(await this.#options.uploads.begin(bearer.id, wanted));
  }

  async #part(bearer: Bearer, upload: Upload, { request, query }: Exchange): Promise<object> {
    const from = offsetOf(query);
    if (upload.making !== null) throw busy();
    using turn = await upload.turns.take(takenOver());
    // Whoever waited may find it gone.
    const { file, about } = this.#options.uploads.find(bearer.id, upload.about.token);
    if (from !== file.size) throw otherOffset(file.size);
    const rest = about.size - file.size;
    if (Number(request.headers['content-length'] ?? 0) > rest) throw tooMuch(about.size);
    using account = bearer.openAccount();
    account.hold(PART_BYTES);
    await using session = new UploadSession(bearer, turn.signal);
    await session.rehearse(about);
    await file.append(upTo(rest, pieces(request, session.signal), tooMuch(about.size)));
    return this.#shown(upload);
  }

  async #takeBack(upload: Upload): Promise<null> {
    if (upload.making !== null) throw busy();
    using _ = await upload.turns.take(takenBack());
    await this.#options.uploads.remove(upload);
    return null;
  }

  #tell(bearer: Bearer, token: string): object {
    const handle = this.#options.uploads.handleOf(bearer.id, token);
    return handle === null ? this.#shown(this.#options.uploads.find(bearer.id, token)) : { handle };
  }

  /** Whoever asks again is answered as whoever asked first. */
  async #finish(bearer: Bearer, token: string): Promise<object> {
    const { uploads } = this.#options;
    const known = uploads.handleOf(bearer.id, token);
    if (known !== null) return { handle: known };
    const upload = uploads.find(bearer.id, token);
    upload.making ??= this.#make(bearer, upload).finally(() => {
      upload.making = null;
    });
    return { handle: await upload.making };
  }

  async #make(bearer: Bearer, upload: Upload): Promise<string> {
    using turn = await upload.turns.take(takenOver());
    const { uploads } = this.#options;
    const { about, file } = uploads.find(bearer.id, upload.about.token);
    if (file.size < about.size) throw notWhole(file.size, about.size);
    await using session = new UploadSession(bearer, turn.signal);
    const handle = await session.run(upload);
    await uploads.done(upload, handle);
    return handle;
  }

  #shown(upload: Upload): object {
    const { about, file } = upload;
    const expires = new Date(this.#options.uploads.expiresMs(upload)).toISOString();
    return { upload: { token: about.token, offset: file.size, size: about.size, expires } };
  }
}

const tokenOf = ({ path }: Exchange): string => path.slice(UNDER.length);

/** @throws SqlError 22023. */
function offsetOf(query: URLSearchParams): number {
  const from = query.get('from') ?? '';
  if (/^\d{1,15}$/.test(from)) return Number(from);
  throw new SqlError('invalid_parameter_value', '"from" is to be the offset of the part in the file');
}

/** @throws `error` behind so many bytes. */
async function* upTo(
  bytes: number,
  given: AsyncIterable<Uint8Array>,
  error: SqlError,
): AsyncGenerator<Uint8Array> {
  let left = bytes;
  for await (const piece of given) {
    if (left > 0) yield piece.subarray(0, left);
    left -= piece.length;
    if (left < 0) throw error;
  }
}

const takenOver = (): SqlError => new SqlError('object_in_use', 'another request goes on with this upload');

const takenBack = (): SqlError => new SqlError('query_canceled', 'the upload was taken back');

const busy = (): SqlError =>
  new SqlError('object_in_use', 'the file is whole, and a document is being made of it');

const otherOffset = (size: number): SqlError =>
  new SqlError('object_not_in_prerequisite_state', `the next part of the upload is from ${size}`, {
    hint: 'GET /uploads/TOKEN tells how far it is.',
  });

const tooMuch = (size: number): SqlError =>
  new SqlError('invalid_parameter_value', `the file has more than the ${size} bytes that were told`);

const notWhole = (size: number, all: number): SqlError =>
  new SqlError('object_not_in_prerequisite_state', `${size} of the ${all} bytes of the file are here`, {
    hint: 'Send the rest: PUT /uploads/TOKEN?from=OFFSET.',
  });
