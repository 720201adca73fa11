/**
 * The statement that makes a document of a file that has come in parts. It is rehearsed at each part: run up to where it asks for
 * data, and taken back. So a part is refused for whatever would refuse the whole, and no right is asked for in two ways.
 */
import { SqlError } from '../../errors.ts';
import type { Bearer, OnceRequest, Session } from '../../session/protocol.ts';
import { ValueSink } from '../value-sink.ts';
import type { Upload, Wanted } from './uploads.ts';

export class UploadSession implements AsyncDisposable {
  readonly #bearer: Bearer;
  readonly #session: Session;
  readonly #ended = new AbortController();
  /** Aborted when whoever opened it, or the server, ends it: its key has ended, say. */
  readonly signal: AbortSignal;

  /** @param signal ends it. */
  constructor(bearer: Bearer, signal: AbortSignal) {
    this.#bearer = bearer;
    this.#session = bearer.open(new Map());
    this.signal = AbortSignal.any([signal, this.#ended.signal]);
    this.#session.onTerminate((reason) => this.#ended.abort(reason));
    this.signal.addEventListener('abort', () => this.#session.cancel(this.signal.reason));
  }

  /** @throws SqlError as the statement would before it reads anything. */
  async rehearse(wanted: Wanted): Promise<void> {
    this.signal.throwIfAborted();
    let isAsked = false;
    const next = (): Promise<never> => {
      isAsked = true;
      return Promise.reject(new SqlError('query_canceled', 'this was a rehearsal'));
    };
    const sink = new ValueSink({ [Symbol.asyncIterator]: () => ({ next }) });
    try {
      await this.#session.simpleQuery(statementOf(wanted), sink);
    } catch (error) {
      if (!isAsked) throw error;
    }
    this.signal.throwIfAborted();
  }

  /** Once, however often it is asked for. @returns the handle. @throws SqlError. */
  async run({ about, file }: Upload): Promise<string> {
    this.signal.throwIfAborted();
    const once = { owner: about.owner, id: `upload ${about.token}`, digest: () => about.token };
    if ((await this.#bearer.doneBefore(once)) !== null) return this.#value(lastHandleOf(about));
    this.signal.throwIfAborted();
    await this.#copy(once, statementOf(about), file.pieces());
    return this.#value('SELECT quern.last_handle()');
  }

  async #copy(once: OnceRequest, statement: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
    const sink = new ValueSink(pieces);
    this.#session.doOnce(once);
    try {
      await this.#session.simpleQuery(statement, sink);
    } finally {
      const isStored = this.#session.doOnce(null);
      if (isStored) await this.#bearer.noteEnd(once, { tag: sink.tag, lsn: this.#session.lastLsn() });
    }
  }

  async #value(statement: string): Promise<string> {
    const sink = new ValueSink();
    await this.#session.simpleQuery(statement, sink);
    return sink.value;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session[Symbol.asyncDispose]();
  }
}

const statementOf = ({ dataset, docId, name, metadata, size }: Wanted): string => {
  const options = {
    dataset,
    doc_id: docId,
    name,
    size: String(size),
    ...(metadata !== null && { metadata }),
  };
  const given = Object.entries(options).map(([option, value]) => `${option} ${quoted(value)}`);
  return `COPY quern.upload FROM STDIN WITH (FORMAT raw, ${given.join(', ')})`;
};

const lastHandleOf = ({ dataset, docId }: Wanted): string =>
  `SELECT handle FROM quern.handles WHERE dataset = ${quoted(dataset)} AND doc_id = ${quoted(docId)}
   ORDER BY seq DESC LIMIT 1`;

/** Whatever a role's settings say of backslashes. */
const quoted = (text: string): string => `E'${text.replaceAll(/['\\]/g, '\\$&')}'`;
