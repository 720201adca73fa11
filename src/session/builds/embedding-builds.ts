/**
 * Builds of semantic indexes over rows that are there: one a time for each index, in the background of the
 * whole server. Statements wait for them or not; what an earlier process left unfinished goes on at the start.
 */
import { applyEdit, type CatalogEdit } from '../../catalog/edit/edit.ts';
import type { IndexBuildFact } from '../../catalog/system/context.ts';
import { type BuildProgress, embedOlderRows } from '../../execute/embedding/build.ts';
import type { Sender } from '../../inference/sender.ts';
import type { Environment } from '../environment.ts';

type Host = Pick<Environment, 'engine' | 'inference' | 'log'> & {
  /** As the owner of the relation. */
  sender(relation: number): Sender;
};

/** Who asks for a build. */
export interface EmbeddingBuildRequest {
  readonly relation: number;
  readonly index: number;
  /** For `pg_stat_progress_create_index`. */
  readonly command: string;
  readonly processId: number;
}

interface Running extends EmbeddingBuildRequest {
  readonly progress: BuildProgress;
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

const NEVER = new AbortController().signal;

export class EmbeddingBuilds {
  readonly #host: Host;
  readonly #running = new Map<number, Running>();
  #closed = false;

  constructor(host: Host) {
    this.#host = host;
  }

  /** Goes on with what was begun before the server started, or by a transaction of several statements. */
  resume(): void {
    for (const { oid: relation, indexes } of this.#host.engine.catalog().relations.values()) {
      for (const { oid: index, standby } of indexes) {
        if (standby?.state !== 'building' || this.#running.has(index) || this.#closed) continue;
        this.#start({ relation, index, command: 'CREATE INDEX CONCURRENTLY', processId: 0 });
      }
    }
  }

  /**
   * Resolves when the index answers queries.
   * @param stops the build ends with the signal, and the index goes; else it goes on in the background.
   * @throws SqlError of the build, which has taken the index away; the signal's reason.
   */
  async wait(request: EmbeddingBuildRequest, signal: AbortSignal, stops: boolean): Promise<void> {
    const running = this.#running.get(request.index) ?? this.#start(request);
    const aborted = Promise.withResolvers<never>();
    const abort = (): void => {
      if (stops) running.controller.abort(signal.reason);
      else aborted.reject(signal.reason);
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    try {
      await Promise.race([running.done, aborted.promise]);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  *facts(): Generator<IndexBuildFact> {
    for (const { relation, index, command, processId, progress } of this.#running.values()) {
      const { rowsTotal: tuplesTotal, rowsDone: tuplesDone, partitionsTotal, partitionsDone } = progress;
      const partitions = { partitionsTotal, partitionsDone };
      const counts = { blocksTotal: 0, blocksDone: 0, tuplesTotal, tuplesDone, ...partitions };
      yield { relation, index, command, processId, phase: 'embedding', ...counts };
    }
  }

  /** Closes; unfinished builds go on at the next start. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const { controller } of this.#running.values()) controller.abort(new Error('closing'));
    await Promise.allSettled([...this.#running.values()].map(({ done }) => done));
  }

  #start(request: EmbeddingBuildRequest): Running {
    const progress = { rowsTotal: 0, rowsDone: 0, partitionsTotal: 0, partitionsDone: 0 };
    const controller = new AbortController();
    const build = { ...request, progress, signal: controller.signal };
    const done = embedOlderRows(build, this.#host)
      .then(() => this.#change({ edit: 'promote index', ...place(request) }))
      .catch((error: unknown) => this.#failed(request, error))
      .finally(() => this.#running.delete(request.index));
    // Nobody may be waiting; who is hears of it all the same.
    done.catch(() => {});
    const running = { ...request, progress, controller, done };
    this.#running.set(request.index, running);
    return running;
  }

  async #failed(request: EmbeddingBuildRequest, error: unknown): Promise<never> {
    if (!this.#closed) {
      this.#host.log('embedding of stored rows failed', { index: request.index, message: String(error) });
      // Where nothing can be written, the index stays and is built after the next start.
      await this.#change({ edit: 'drop index', ...place(request) }).catch((also: unknown) => {
        this.#host.log('taking back an index failed', { index: request.index, message: String(also) });
      });
    }
    throw error;
  }

  async #change(edit: CatalogEdit & { readonly relation: number; readonly index: number }): Promise<void> {
    await using transaction = this.#host.engine.begin({ isolation: 'read committed', readOnly: false });
    await transaction.changeCatalog((catalog) => {
      const relation = catalog.relations.get(edit.relation);
      const index = relation?.indexes.find(({ oid }) => oid === edit.index);
      return index?.standby?.state === 'building' ? applyEdit(catalog, edit) : catalog;
    }, NEVER);
    await transaction.commit();
  }
}

const place = ({ relation, index }: EmbeddingBuildRequest) => ({ relation, index });

/** Semantic indexes that begin by standing by, for rows that are there to be embedded after the transaction. */
export function embeddedLater(edits: readonly CatalogEdit[]): readonly CatalogEdit[] {
  return edits.map((edit) => {
    if (edit.edit !== 'add index' || edit.index.kind !== 'semantic' || edit.index.standby) return edit;
    return { ...edit, index: { ...edit.index, standby: { state: 'building', of: 0 } } };
  });
}
