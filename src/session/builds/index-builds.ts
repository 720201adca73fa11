/**
 * Build that CREATE INDEX waits for after its transaction: the index answers exactly at once, but is quick only
 * when the rows that were there are in it. A plain CREATE INDEX that is canceled or fails takes its index
 * back; with CONCURRENTLY the index stays, and is built in the background.
 */
import { applyEdit, type CatalogEdit } from '../../catalog/edit/edit.ts';
import { isOrdinary } from '../../catalog/index-kinds.ts';
import { SqlError } from '../../errors.ts';
import type { Statement } from '../../sql/ast.ts';
import type { Environment } from '../environment.ts';
import { type EmbeddingBuilds, embeddedLater } from './embedding-builds.ts';
import type { Planned } from '../running/planner.ts';

interface Pending {
  readonly relation: number;
  readonly name: string;
  readonly concurrently: boolean;
}

/** @throws SqlError 25001. */
export function checkConcurrently(statement: Statement, inBlock: boolean): void {
  if (!inBlock || statement.kind !== 'create index' || !statement.concurrently) return;
  const message = 'CREATE INDEX CONCURRENTLY cannot run inside a transaction block';
  throw new SqlError('active_sql_transaction', message);
}

const NEVER = new AbortController().signal;

type Definition = Extract<Planned['bound'], { kind: 'catalog' }>;

export class IndexBuilds {
  readonly #environment: Pick<Environment, 'engine' | 'log'>;
  readonly #processId: number;
  readonly #embeddings: EmbeddingBuilds;
  #pending: Pending[] = [];
  #inBackground = false;

  constructor(
    environment: Pick<Environment, 'engine' | 'log'>,
    processId: number,
    embeddings: EmbeddingBuilds,
  ) {
    this.#embeddings = embeddings;
    this.#environment = environment;
    this.#processId = processId;
  }

  get empty(): boolean {
    return this.#pending.length === 0;
  }

  /** Outside of a transaction block, rows are embedded after the commit. */
  deferred(planned: Planned, bound: Definition): Planned & { readonly bound: Definition } {
    return { ...planned, bound: { ...bound, edits: embeddedLater(bound.edits) } };
  }

  /** A definition has made these, by itself or within another statement; it is waited for only where it stands alone. */
  addStandby(edits: readonly CatalogEdit[], standsAlone: boolean): void {
    const begun = edits.filter(
      (edit) => edit.edit === 'add index' && edit.index.standby?.state === 'building',
    );
    if (standsAlone) this.add(begun, true);
    else if (begun.length > 0) this.#inBackground = true;
  }

  /** After a commit: what a transaction block has begun is embedded in the background. */
  committed(): void {
    if (!this.#inBackground) return;
    this.#inBackground = false;
    this.#embeddings.resume();
  }

  /** A statement outside of a transaction block has made these. */
  add(edits: readonly CatalogEdit[], concurrently: boolean): void {
    for (const edit of edits) {
      if (edit.edit !== 'add index' || isOrdinary(edit.index.kind)) continue;
      const { relation, index } = edit;
      const others = this.#pending.filter((one) => one.relation !== relation || one.name !== index.name);
      this.#pending = [...others, { relation, name: index.name, concurrently }];
    }
  }

  /** Waits for those whose transaction was committed. @throws SqlError of the build, the signal's reason. */
  async finish(signal: AbortSignal): Promise<void> {
    const pending = this.#pending;
    this.#pending = [];
    for (const { relation, name, concurrently } of pending) {
      const indexes = this.#environment.engine.catalog().relations.get(relation)?.indexes;
      const index = indexes?.find((known) => known.name === name);
      if (index === undefined) continue;
      const command = concurrently ? 'CREATE INDEX CONCURRENTLY' : 'CREATE INDEX';
      const how = { command, processId: this.#processId, renews: false, stops: !concurrently, signal };
      try {
        if (index.standby !== undefined) {
          const request = { relation, index: index.oid, command, processId: this.#processId };
          await this.#embeddings.wait(request, signal, !concurrently);
        }
        await this.#environment.engine.buildIndexes(relation, { index: index.oid, ...how });
      } catch (error) {
        if (!concurrently) await this.#takeBack(relation, index.oid);
        throw error;
      }
    }
  }

  async #takeBack(relation: number, index: number): Promise<void> {
    await using transaction = this.#environment.engine.begin({
      isolation: 'read committed',
      readOnly: false,
    });
    try {
      const edit: CatalogEdit = { edit: 'drop index', relation, index };
      await transaction.changeCatalog((catalog) => applyEdit(catalog, edit), NEVER);
      await transaction.commit();
    } catch (error) {
      // Nothing can be written: the index stays and is built when that has changed.
      this.#environment.log('taking back an index failed', { index, message: String(error) });
    }
  }
}
