/**
 * Ingestion: takes jobs from the queue, parses files in processes of their own, stores what came of them. It reaches
 * data only through sessions of its own, so a crash at any point leaves the old version and a job to do again.
 */
import { SqlError } from '../errors.ts';
import { Lanes, Withdrawn, type Work } from '../queue/lanes.ts';
import { isWaiting, reasonOf, refuseEndless, requeue } from '../queue/queue-table.ts';
import { forgetPassword, passwordOf, type Seal } from '../session/datasets/file-password.ts';
import { CELLS_AS, INDEXED_AS, INGEST_CHANNEL } from '../session/datasets/relations.ts';
import { END_RUNS } from '../session/evaluation/relations.ts';
import type { Query, ServerSession } from '../session/server-session.ts';
import { DocumentError } from './document-error.ts';
import { PARSE_LIMITS } from './parse/parse-limits.ts';
import { Parser } from './parse/parser.ts';
import type { ParsedFile } from './parse/parsed-file.ts';
import {
  begin,
  fail,
  forgetOldHandles,
  HANDLES,
  isAsked,
  type Job,
  leaseOf,
  readyJobs,
  succeed,
  tellEmbedding,
  tellProgress,
  tryLater,
} from './queue.ts';
import {
  addSubjects,
  addTables,
  changeMetadata,
  CHUNKS_A_STATEMENT,
  chunksToEmbed,
  deleteDocument,
  embedChunks,
  fileBytes,
  forgetFile,
  keepVersion,
  markStatus,
  storedDocument,
  type StoredDocument,
  storeVersion,
} from './store-document.ts';
import { makeServerRelations } from './server-relations.ts';
import { datasetNames, upgradeDataset } from './upgrade.ts';

export interface IngestionHost {
  openSession(): ServerSession;
  log(event: string, fields: Readonly<Record<string, unknown>>): void;
  nowMs(): number;
  /** Opens passwords of files. */
  readonly seal: Seal;
}

/** Progress is written down so often at most. */
const PROGRESS_MS = 500;

export class Ingestion implements AsyncDisposable {
  readonly #host: IngestionHost;
  readonly #count: number;
  readonly #lanes: Lanes<Job, OpenLane>;
  #listening: ServerSession | null = null;

  /** @param count files at a time. */
  constructor(host: IngestionHost, count: number) {
    this.#host = host;
    this.#count = count;
    this.#lanes = new Lanes(this.#work(), {
      nowMs: () => host.nowMs(),
      report: (event, error, job) => this.#report(event, error, job),
    });
  }

  /** Makes the relations that all datasets share, and goes on with what was begun. */
  async start(): Promise<void> {
    const { signal } = this.#lanes;
    const session = this.#host.openSession();
    this.#listening = session;
    await session.transaction((query) => makeServerRelations(query), signal);
    await session.transaction((query) => query(END_RUNS), signal);
    await session.transaction((query) => requeue(query, HANDLES), signal);
    await this.#upgrade(session);
    session.listen(INGEST_CHANNEL, () => this.#lanes.wake());
    this.#lanes.start(this.#count);
  }

  /** A dataset that cannot be brought up to date fails by itself. */
  async #upgrade(session: ServerSession): Promise<void> {
    const { signal } = this.#lanes;
    for (const dataset of await session.transaction(datasetNames, signal)) {
      try {
        const documents = await session.transaction(
          (query) => upgradeDataset(query, dataset, this.#host.seal),
          signal,
        );
        if (documents > 0) this.#host.log('documents are indexed anew', { dataset, documents });
      } catch (error) {
        this.#report(`dataset "${dataset}" cannot be brought up to date`, error, null);
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lanes[Symbol.asyncDispose]();
    const listening = this.#listening;
    this.#listening = null;
    await listening?.[Symbol.asyncDispose]();
  }

  #work(): Work<Job, OpenLane> {
    const transaction = <Result>({ session }: OpenLane, work: (query: Query) => Promise<Result>) =>
      session.transaction(work, this.#lanes.signal);
    return {
      name: 'ingestion',
      open: () => new OpenLane(this.#host.openSession()),
      keyOf: documentOf,
      ready: (lane) => transaction(lane, readyJobs),
      claim: (lane, job) => transaction(lane, (query) => begin(query, job)),
      run: (lane, job) => this.#run(lane, job),
      fail: (lane, job, error) => this.#fail({ session: lane.session, job }, error),
      isReported: (error) => !(error instanceof DocumentError || isGone(error)),
      forget: (lane) => transaction(lane, forgetOldHandles),
    };
  }

  /** Whatever becomes of it, the old version goes on answering until the new one is there. */
  async #run({ session, parser }: OpenLane, job: Job): Promise<void> {
    refuseEndless(HANDLES, leaseOf(job));
    if (isOfFile(job)) await this.#upsert({ session, parser, job });
    else if (job.action === 'read tables') await this.#readTables({ session, parser, job });
    else if (job.action === 'read subjects') await this.#readSubjects({ session, parser, job });
    else await this.#step({ session, job }, (query) => this.#small(query, job));
  }

  async #small(query: Query, job: Job): Promise<void> {
    if (job.action === 'delete') await deleteDocument(query, job);
    else if (!(await changeMetadata(query, job))) {
      throw new DocumentError('damaged', `document "${job.docId}" does not exist`);
    }
    await this.#done(query, job, null);
  }

  async #done(query: Query, job: Job, version: number | null): Promise<void> {
    if (!(await succeed(query, job, version))) throw new Withdrawn();
  }

  /**
   * A transaction of a job; nothing of it stays where its dataset was dropped, though one of its name is there.
   * @param work asks for the dataset's relations before it writes the handle: DROP DATASET takes them in this order.
   */
  #step<Result>(
    { session, job }: Pick<Lane, 'session' | 'job'>,
    work: (query: Query) => Promise<Result>,
    how?: { readonly embedding: 'later' },
  ): Promise<Result> {
    const whole = async (query: Query): Promise<Result> => {
      const result = await work(query);
      if (!(await isAsked(query, job))) throw new Withdrawn();
      return result;
    };
    return session.transaction(whole, this.#lanes.signal, how);
  }

  async #upsert(lane: Lane): Promise<void> {
    const { job } = lane;
    const begun = await this.#step(lane, async (query) => {
      const stored = await storedDocument(query, job);
      if (isNeedless(job, stored)) {
        await this.#done(query, job, stored?.version ?? null);
        return null;
      }
      if (stored?.file === job.handle) return { file: null };
      const isSame =
        job.action === 'upsert' &&
        stored !== null &&
        stored.sha256 === job.sha256 &&
        stored.name === job.name;
      if (isSame) {
        await keepVersion(query, job, stored);
        return { file: null };
      }
      await markStatus(query, job, 'parsing', null);
      const password = await passwordOf(query, this.#host.seal, job);
      return { file: { bytes: await fileBytes(query, job, stored), password } };
    });
    if (begun === null) return;
    if (begun.file !== null) {
      const parsed = await this.#parse(lane, begun.file);
      if (await this.#store(lane, parsed)) return;
    }
    await this.#embed(lane);
  }

  /** Nothing but its tables is new of a document, whose status stays. */
  async #readTables(lane: Lane): Promise<void> {
    const { job } = lane;
    const file = await this.#step(lane, async (query) => {
      const stored = await storedDocument(query, job);
      if (stored !== null && stored.file !== null && stored.cellsAs !== CELLS_AS) {
        const password = await passwordOf(query, this.#host.seal, job);
        return { bytes: await fileBytes(query, job, stored), password, of: stored.file };
      }
      await this.#done(query, job, stored?.version ?? null);
      return null;
    });
    if (file === null) return;
    const parsed = await this.#parse(lane, file);
    await this.#step(lane, async (query) => {
      const stored = await storedDocument(query, job);
      if (stored?.file === file.of) await addTables(query, { job, parsed, version: stored.version });
      await this.#done(query, job, stored?.version ?? null);
    });
  }

  /** Nothing but its subjects is new of a document. */
  async #readSubjects({ session, job }: Lane): Promise<void> {
    const domains = await this.#step({ session, job }, async (query) => {
      const spoken = await addSubjects(query, job);
      await this.#done(query, job, (await storedDocument(query, job))?.version ?? null);
      return spoken;
    });
    await session.noteDomains(job.dataset, domains, this.#lanes.signal);
  }

  /** Embeds what is stored without embeddings, a few chunks a commit. */
  async #embed(lane: Lane): Promise<void> {
    const { job } = lane;
    let waiting = await this.#step(lane, (query) => chunksToEmbed(query, job));
    while (waiting.length > 0) {
      const [now, later] = [waiting.slice(0, CHUNKS_A_STATEMENT), waiting.slice(CHUNKS_A_STATEMENT)];
      await this.#step(lane, async (query) => {
        await embedChunks(query, job, now);
        await tellEmbedding(query, job, later.length);
      });
      waiting = later;
    }
    await this.#step(lane, async (query) => {
      const stored = await storedDocument(query, job);
      if (stored === null) throw new Withdrawn();
      await markStatus(query, job, 'ready', null);
      await this.#done(query, job, stored.version);
    });
  }

  async #parse(
    { session, parser, job }: Lane,
    file: { readonly bytes: Uint8Array; readonly password: string | undefined },
  ): Promise<ParsedFile> {
    const { signal } = this.#lanes;
    const progress = this.#progress(session, job, 'parsing');
    try {
      return await parser.parse({
        bytes: file.bytes,
        password: file.password,
        name: job.name,
        limits: PARSE_LIMITS,
        onProgress: progress.tell,
        signal,
      });
    } finally {
      await progress.end();
    }
  }

  /** @returns whether that is all: a first version's chunks wait to be embedded. */
  async #store({ session, job }: Lane, parsed: ParsedFile): Promise<boolean> {
    await using telling = this.#host.openSession();
    const isFirst = await this.#step({ session: telling, job }, async (query) => {
      await markStatus(query, job, 'embedding', null);
      await tellProgress(query, job, {
        stage: 'embedding',
        pages: parsed.pageCount || null,
        done: parsed.pageCount,
      });
      return (await storedDocument(query, job))?.version === 0;
    });
    const status = isFirst ? 'embedding' : 'ready';
    const store = async (query: Query): Promise<void> => {
      const old = await storedDocument(query, job);
      if (old === null) throw new Withdrawn();
      const version = await storeVersion(query, { job, parsed, old, status });
      if (!isFirst) await this.#done(query, job, version);
      else await tellEmbedding(query, job, parsed.chunks.length);
    };
    await session.noteDomains(job.dataset, parsed.domains, this.#lanes.signal);
    await this.#step({ session, job }, store, isFirst ? { embedding: 'later' } : undefined);
    return !isFirst;
  }

  /** Writes progress down now and then, one statement at a time. */
  #progress(session: ServerSession, job: Job, stage: 'parsing') {
    let writing: Promise<void> = Promise.resolve();
    let isWriting = false;
    let toldMs = this.#host.nowMs();
    const write = async (pages: number | null, done: number): Promise<void> => {
      try {
        await session.transaction(
          (query) => tellProgress(query, job, { stage, pages, done }),
          this.#lanes.signal,
        );
      } catch (error) {
        this.#report('progress was not written down', error, job);
      } finally {
        isWriting = false;
      }
    };
    return {
      tell: (done: number, total: number): void => {
        const nowMs = this.#host.nowMs();
        if (isWriting || nowMs - toldMs < PROGRESS_MS) return;
        toldMs = nowMs;
        isWriting = true;
        writing = write(total === 0 ? null : total, done);
      },
      end: () => writing,
    };
  }

  async #fail(lane: Pick<Lane, 'session' | 'job'>, error: unknown): Promise<void> {
    const { job } = lane;
    const reason = reasonOf(error);
    const write = async (query: Query): Promise<void> => {
      const waits = isWaiting(error);
      if (!(error instanceof DocumentError) && (await tryLater(query, job, { reason, waits }))) return;
      if (isOfFile(job)) {
        await markStatus(query, job, 'error', reason);
        await forgetFile(query, job);
      }
      await forgetPassword(query, job, 'of the job');
      await fail(query, job, reason);
    };
    try {
      await this.#step(lane, write);
    } catch (also) {
      if (!isGone(also)) throw also;
    }
  }

  #report(event: string, error: unknown, job: Job | null): void {
    if (this.#lanes.signal.aborted) return;
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#host.log(event, { message, ...(job && { dataset: job.dataset, document: job.docId }) });
  }
}

class OpenLane implements AsyncDisposable {
  readonly session: ServerSession;
  readonly parser = new Parser();

  constructor(session: ServerSession) {
    this.session = session;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.parser[Symbol.dispose]();
    await this.session[Symbol.asyncDispose]();
  }
}

interface Lane extends Pick<OpenLane, 'session' | 'parser'> {
  readonly job: Job;
}

const documentOf = ({ dataset, docId }: Job): string => `${dataset}\0${docId}`;

/** A document that has been deleted, or uploaded, since it was to be made anew. */
const isNeedless = ({ action }: Job, stored: StoredDocument | null): boolean =>
  action === 'rebuild' && (stored === null || stored.file === null || stored.indexedAs === INDEXED_AS);

const isOfFile = ({ action }: Job): boolean => action === 'upsert' || action === 'rebuild';

/** The dataset has been dropped. */
const isGone = (error: unknown): boolean =>
  error instanceof SqlError && ['undefined_table', 'invalid_schema_name'].includes(error.condition);
