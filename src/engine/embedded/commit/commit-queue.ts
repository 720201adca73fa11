/**
 * Commits, one round at a time: all transactions that wait go into one durable write of the store, then
 * become visible together. A round that cannot be written fails for all of them and changes nothing. Merges
 * put their results in by the same way.
 */
import { SqlError } from '../../../errors.ts';
import type { Catalog } from '../../../catalog/model.ts';
import type { Analysis } from '../../engine.ts';
import type { Operation } from '../../../storage/store.ts';
import { encodeCatalog } from './catalog-record.ts';
import { Chain, CHAIN_BEGIN } from './chain.ts';
import type { Database } from '../database.ts';
import type { RootChange } from './root.ts';
import type { LinkSequence } from './link.ts';
import { SlotDraft } from './slot-draft.ts';
import { storageChanges } from './storage-entries.ts';
import type { Slot } from '../head/table.ts';

/** One thing to commit. */
interface CommitWork {
  /**
   * Puts its changes into the round; nothing is published meanwhile. When it throws, it has put nothing.
   * @returns called when the round is published.
   */
  prepare(round: Round): (() => void) | Promise<() => void>;
}

interface Waiting {
  readonly work: CommitWork;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Rows of a commit that the journal takes, in bytes. */
const LINK_BYTES_MAX = 64 * 1024;

type Put = Extract<Operation, { kind: 'put' }>;

/** A round being put together. */
export class Round {
  readonly sequence: number;
  readonly operations: Operation[] = [];
  /** Results of ANALYZE, and dimensions of vectors, as far as the round has set them and nobody sees it yet. */
  readonly analyses = new Map<number, Analysis>();
  readonly dimensions = new Map<string, number>();
  /** Places of sequences to be stored. */
  readonly sequences = new Map<number, LinkSequence>();
  readonly #database: Database;
  readonly #drafts = new Map<Slot, SlotDraft>();
  #catalog: Catalog | null = null;
  #rootChange: RootChange | null = null;
  #chain: Chain | null = null;

  constructor(database: Database) {
    this.#database = database;
    this.sequence = database.sequence + 1;
  }

  get catalog(): Catalog {
    return this.#catalog ?? this.#database.catalog;
  }

  /** The newest catalog from this round on; rows of relations it lacks go. */
  setCatalog(catalog: Catalog): void {
    for (const relation of this.catalog.relations.keys()) {
      if (catalog.relations.has(relation)) continue;
      for (const slot of this.#database.slots(relation)) this.draft(slot).drop();
    }
    this.#catalog = catalog;
  }

  draft(slot: Slot): SlotDraft {
    const known = this.#drafts.get(slot);
    if (known !== undefined) return known;
    const draft = new SlotDraft(this.#database, slot);
    this.#drafts.set(slot, draft);
    return draft;
  }

  /** The round's draft of a slot so far. */
  drafted(slot: Slot): SlotDraft | undefined {
    return this.#drafts.get(slot);
  }

  /** Entries of the audit, as far as the round has them. */
  get chain(): Chain {
    this.#chain ??= new Chain(this.#database.records.root.record.chain ?? CHAIN_BEGIN);
    return this.#chain;
  }

  get #chained(): RootChange {
    const chain = this.#chain?.added ?? null;
    return chain === null ? {} : { chain };
  }

  /** The root is written by this round, whatever else is. */
  changeRoot(change: RootChange): void {
    this.#rootChange = { ...this.#rootChange, ...change };
  }

  /** Data keys of this generation belong to the data from this round on, and none of an epoch before is used. */
  pinKeys(generation: number, epoch: number): void {
    this.operations.push(...this.#database.records.keyedMarks);
    this.changeRoot({ ring: generation, epoch });
  }

  /**
   * Stores and publishes. @param published called when all of it can be seen, before anyone else has a turn.
   * @throws SqlError when the store cannot; then nothing has changed.
   */
  async run(published: () => void): Promise<void> {
    const database = this.#database;
    database.records.root.requireKnown();
    if (database.uncounted.length > 0 && this.#drafts.size > 0) {
      await database.records.store.write(database.uncounted);
      database.uncounted = [];
    }
    const link = this.#link();
    if (link !== null) await this.#storeLink(link);
    else if (!this.#isEmpty) await this.#storeAll();
    database.uncounted = [];
    const versions = [];
    for (const [slot, draft] of this.#drafts) {
      const relation = this.catalog.relations.get(slot.relation);
      versions.push({ slot, version: await draft.version(relation, this.sequence) });
    }
    for (const { slot, version } of versions) database.publish(slot, version);
    database.indexAges.published(database.catalog, this.catalog, this.sequence);
    database.catalog = this.catalog;
    database.sequence = this.sequence;
    published();
    database.settle(this.#drafts.keys());
  }

  get #isEmpty(): boolean {
    const isSame = this.#catalog === null && this.#rootChange === null;
    return isSame && this.operations.length + this.#drafts.size + this.sequences.size === 0;
  }

  /** All that it changes, as a link of the journal; null: it is more than a link says, or the journal is full. */
  #link(): Put | null {
    const { records, journal, usedIds } = this.#database;
    const isMore = this.operations.length > 0 || this.#catalog !== null || this.#rootChange !== null;
    if (isMore || this.#isEmpty || !records.hasJournal) return null;
    if (journal.isFull || records.root.isShort(usedIds)) return null;
    for (const draft of this.#drafts.values()) if (!draft.isSmall) return null;
    let bytes = 0;
    const parts = [];
    for (const [slot, draft] of this.#drafts) {
      const part = draft.linkPart(this.catalog.relations.get(slot.relation));
      for (const { plain } of part.chunks) bytes += plain.length;
      parts.push(part);
    }
    if (bytes > LINK_BYTES_MAX) return null;
    return records.putLink({ parts, sequences: [...this.sequences.values()] });
  }

  async #storeLink(link: Put): Promise<void> {
    const { records, journal, usedIds } = this.#database;
    await records.root.commit([link], usedIds, this.#chained);
    journal.linked(link.key, link.value.length);
    for (const draft of this.#drafts.values()) draft.linked();
    for (const place of this.sequences.values()) journal.noteSequence(place);
  }

  /** Records of all that it changes, and of all that the journal holds, which is empty then. */
  async #storeAll(): Promise<void> {
    const { records, journal, usedIds } = this.#database;
    const { operations } = this;
    for (const slot of journal.slots) this.draft(slot);
    for (const [slot, draft] of this.#drafts) {
      await draft.operations(this.catalog.relations.get(slot.relation), operations);
    }
    for (const place of journal.sequences) {
      if (!this.sequences.has(place[0])) this.sequences.set(place[0], place);
    }
    for (const place of this.sequences.values()) {
      if (this.catalog.relations.has(place[0])) operations.push(records.putSequence(place));
    }
    for (const key of journal.keys) operations.push({ kind: 'remove', space: 'journal', key });
    const staged = [...this.#drafts.values()].flatMap((draft) => draft.stagedOperations);
    const changes = storageChanges(
      records.cipher,
      staged.length === 0 ? operations : [...staged, ...operations],
    );
    for (const [slot, draft] of this.#drafts) {
      const relation = this.catalog.relations.get(slot.relation);
      operations.push(draft.record(relation, changes.get(draft.storage.id)));
    }
    if (this.#catalog !== null) operations.push(records.putCatalog(encodeCatalog(this.#catalog)));
    await records.root.commit(operations, usedIds, { ...this.#rootChange, ...this.#chained });
    for (const draft of this.#drafts.values()) draft.stored();
    journal.clear();
  }

  get slots(): Iterable<Slot> {
    return this.#drafts.keys();
  }
}

export class CommitQueue {
  readonly #database: Database;
  readonly #published: (slot: Slot) => void;
  #waiting: Waiting[] = [];
  #running: Promise<void> | null = null;
  #closed = false;

  /** @param published called for every slot that a round has changed. */
  constructor(database: Database, published: (slot: Slot) => void) {
    this.#database = database;
    this.#published = published;
  }

  /** Resolves when durable and visible. @throws SqlError 53100, 58030 or what `prepare` throws. */
  submit(work: CommitWork): Promise<void> {
    if (this.#closed) return Promise.reject(new SqlError('admin_shutdown', 'the server is shutting down'));
    const done = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ work, resolve, reject });
    });
    this.#running ??= this.#drain();
    return done;
  }

  /** Writes the root, with the numbers and seals that are used by now. */
  changeRoot(change: RootChange): Promise<void> {
    return this.submit({
      prepare: (round) => {
        round.changeRoot(change);
        return () => {};
      },
    });
  }

  /** Durable when it resolves. */
  pinKeys(generation: number, epoch: number): Promise<void> {
    return this.submit({
      prepare: (round) => {
        round.pinKeys(generation, epoch);
        // Some of the keys before may be destroyed.
        return () => this.#database.records.forgetBefore(epoch);
      },
    });
  }

  /** Resolves when nothing waits any more; later commits are refused. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const waiting = this.#waiting;
      this.#waiting = [];
      await this.#runRound(waiting);
    }
    this.#running = null;
  }

  async #runRound(waiting: readonly Waiting[]): Promise<void> {
    const round = new Round(this.#database);
    const accepted: { published: () => void; resolve: () => void; reject: (error: unknown) => void }[] = [];
    for (const { work, resolve, reject } of waiting) {
      try {
        accepted.push({ published: await work.prepare(round), resolve, reject });
      } catch (error) {
        reject(error);
      }
    }
    if (accepted.length === 0) return;
    try {
      await round.run(() => {
        for (const { published } of accepted) published();
      });
    } catch (error) {
      for (const { reject } of accepted) reject(error);
      return;
    }
    for (const { resolve } of accepted) resolve();
    for (const slot of round.slots) this.#published(slot);
  }
}
