/**
 * Opening the embedded engine: checks that the folder is free, the format known and the key right, then reads
 * catalog, tables and heads. Segments are read when first needed, so that a start is fast.
 */
import { emptyCatalog } from '../../catalog/edit/edit.ts';
import type { Relation } from '../../catalog/model.ts';
import { FLOATS_SECTION } from '../../index/structure.ts';
import { lockFolder } from '../../storage/folder-lock.ts';
import { derivedRing, type KeyRing } from '../../storage/key-ring.ts';
import { openLmdbStore } from '../../storage/lmdb-store.ts';
import type { Store } from '../../storage/store.ts';
import { decodeCatalog } from './commit/catalog-record.ts';
import { decodeChunk } from './commit/chunk.ts';
import type { Append } from './commit/journal.ts';
import type { LinkChunk, LinkPart } from './commit/link.ts';
import { CommitQueue } from './commit/commit-queue.ts';
import { Database } from './database.ts';
import { EmbeddedEngine } from './embedded-engine.ts';
import { firstNumbers, storedStorages } from './merge/garbage.ts';
import { Head } from './head/head.ts';
import { Maintenance } from './merge/maintenance.ts';
import { Merger, type MergeRunner } from './merge/merger.ts';
import { TimeSlice } from '../../time-slice.ts';
import { Records, type TableRecord } from './commit/records.ts';
import { Segment } from './segment/segment.ts';
import type { Manifest } from './segment/manifest.ts';
import { DEFAULT_ENGINE_SETTINGS, type EngineSettings } from './settings.ts';
import { countBits } from '../../types/column/bitset.ts';
import { sortRuns, wholeRun } from './commit/slot-draft.ts';
import { structureSection } from './segment/names.ts';
import { type Run, structurePlans } from './head/source.ts';
import { Stager } from './transaction/stager.ts';
import { StorageEntries } from './commit/storage-entries.ts';
import { markDeleted, type Slot, type Storage } from './head/table.ts';

interface EmbeddedEngineOptions {
  /** 32 bytes of which all keys are derived; or the data keys, asked for once the folder is locked. */
  readonly masterKey: Uint8Array | (() => Promise<KeyRing>);
  /** Made when it is not there. Ignored when `store` is given. */
  readonly folder?: string;
  /** False: there has been data, so that none is an error. */
  readonly mayBeNew?: boolean;
  /** Another place for the data, for tests. */
  readonly store?: Store;
  readonly settings?: Partial<EngineSettings>;
  /** Format that new data is made in. Absent: the newest. */
  readonly newFormat?: number;
  /** Hears of background work that failed; the data is safe. */
  readonly report?: (error: unknown) => void;
  /** Handed in by simulations: when long work gives way, and who merges. Absent: by the clock, a worker. */
  readonly pause?: () => Promise<void>;
  readonly merger?: MergeRunner;
  /** Unix time in ms. Absent: the machine's. */
  readonly nowMs?: () => number;
}

/** One promise for all steps that need not give way. */
const NO_WAIT = Promise.resolve();

/** @throws SqlError: folder in use (F0001), wrong key or newer format (F0000), damage (XX001). */
export async function openEmbeddedEngine(options: EmbeddedEngineOptions): Promise<EmbeddedEngine> {
  if (options.store !== undefined) {
    const ring = await ringOf(options);
    return openOnStore(options.store, { ...options, ring }, async () => {});
  }
  const lock = await lockFolder(options.folder ?? '');
  try {
    const ring = await ringOf(options);
    const store = openLmdbStore(options.folder ?? '', options.mayBeNew);
    try {
      return await openOnStore(store, { ...options, ring }, () => lock.release());
    } catch (error) {
      await store.close();
      throw error;
    }
  } catch (error) {
    await lock.release();
    throw error;
  }
}

const ringOf = async ({ masterKey }: EmbeddedEngineOptions): Promise<KeyRing> =>
  masterKey instanceof Uint8Array ? derivedRing(masterKey) : await masterKey();

async function openOnStore(
  store: Store,
  options: EmbeddedEngineOptions & { readonly ring: KeyRing },
  unlock: () => Promise<void>,
): Promise<EmbeddedEngine> {
  const records = new Records(store, options.ring);
  await records.begin(options.mayBeNew ?? true, options.newFormat);
  const text = records.catalog();
  const catalog = text === null ? emptyCatalog() : decodeCatalog(text);
  const settings = { ...DEFAULT_ENGINE_SETTINGS, ...options.settings };
  const slice = new TimeSlice(() => performance.now());
  const report = options.report ?? (() => {});
  const database = new Database(records, settings, catalog, {
    pause: options.pause ?? (() => slice.yieldToOthers() ?? NO_WAIT),
    nowMs: options.nowMs ?? (() => Date.now()),
    report,
    relieve: () => maintenance.relieve(),
    retired: (source) => maintenance.retire(source),
    garbage: (storage) => maintenance.removeStorage(storage),
  });
  const segments = new Set<number>();
  const linked = readLinks(database);
  for (const table of records.tables()) {
    const slot = readTable(database, table, { segments, parts: linked.get(table.slot) ?? [] });
    if (catalog.relations.has(slot.relation)) database.addSlot(slot);
  }
  const queue = new CommitQueue(database, (slot) => maintenance.consider(slot));
  const maintenance = new Maintenance(database, queue, options.merger ?? new Merger());
  collectGarbage(database, segments, maintenance);
  for (const slot of database.allSlots()) maintenance.consider(slot);
  const closing = new AbortController();
  const warmed = indexHeads(database)
    .then(() => warmSegments(database, closing.signal))
    .catch(report);
  return new EmbeddedEngine({
    database,
    queue,
    maintenance,
    stager: new Stager(maintenance.surroundings),
    async close() {
      closing.abort();
      await warmed;
      await store.close();
      await unlock();
    },
  });
}

/** Changes of tables by the journal, by slot, the oldest first. */
function readLinks({ records, journal }: Database): ReadonlyMap<number, readonly LinkPart[]> {
  const linked = new Map<number, LinkPart[]>();
  for (const { key, size, parts, sequences } of records.links()) {
    journal.linked(key, size);
    for (const place of sequences) journal.noteSequence(place);
    for (const part of parts) {
      const known = linked.get(part.slot);
      if (known === undefined) linked.set(part.slot, [part]);
      else known.push(part);
    }
  }
  return linked;
}

interface Read {
  /** Takes the segments that tables name. */
  readonly segments: Set<number>;
  /** Changes of the table by the journal. */
  readonly parts: readonly LinkPart[];
}

function readTable(database: Database, table: TableRecord, { segments, parts }: Read): Slot {
  const { records, journal } = database;
  const entries = new StorageEntries();
  const storage: Storage = { id: table.storage, deletes: records.deletes(table.storage, entries), entries };
  const runs: Run[] = [];
  const manifests = records.manifests(table.storage, entries) as Manifest[];
  const chunks = records.chunks(table.storage, table.nextRow, entries);
  requireEntries(database, table, entries);
  const { appends, deleted, lsn, nextRow, changedMs } = joinParts(table, parts);
  for (const row of deleted) markDeleted(storage.deletes, row);
  for (const manifest of manifests.sort((a, b) => a.firstRow - b.firstRow)) {
    segments.add(manifest.segment);
    runs.push(wholeRun(new Segment(database, manifest), storage));
  }
  const heads = readHeads([...chunks.map(readChunk), ...appends], database.settings);
  for (const head of heads) runs.push(wholeRun(head, storage));
  sortRuns(runs);
  // Chunks of a commit that did not end are removed.
  for (const removal of records.removeChunks(table.storage, table.nextRow)) database.uncounted.push(removal);
  const newest = {
    sequence: 1,
    previous: null,
    exists: table.exists,
    storage,
    runs,
    lsn,
    nextRow,
    createdMs: table.createdMs,
    changedMs,
    rows: runs.reduce((sum, { visible, rowCount }) => sum + countBits(visible, rowCount), 0),
  };
  const { slot: id, relation, partition } = table;
  const slot = { id, relation, partition, newest, waiters: new Set<() => void>(), writers: new Map() };
  if (parts.length > 0) journal.noteRows(slot, appends, deleted);
  return slot;
}

/** A table's record with what the journal says on top of it. */
function joinParts(table: TableRecord, parts: readonly LinkPart[]) {
  const newest = parts.at(-1) ?? table;
  return {
    appends: parts.flatMap(({ chunks }) => chunks.map(readChunk)),
    deleted: parts.flatMap(({ deleted }) => deleted),
    lsn: newest.lsn,
    nextRow: newest.nextRow,
    changedMs: newest.changedMs,
  };
}

const readChunk = ({ firstRow, plain }: LinkChunk): Append => ({ batch: decodeChunk(plain), firstRow });

const ENTRY_NAMES = { chunks: 'newest rows', deletes: 'deleted rows', segments: 'segments' } as const;

/** @throws SqlError XX001 when what is stored of a table is not what its record says. */
function requireEntries({ records, catalog }: Database, table: TableRecord, entries: StorageEntries): void {
  const name = catalog.relations.get(table.relation)?.name ?? table.relation;
  const partition = table.partition === null ? '' : `$${table.partition}`;
  for (const space of ['chunks', 'deletes', 'segments'] as const) {
    if (entries[space].mark === table.entries[space]) continue;
    throw records.incomplete(`${ENTRY_NAMES[space]} of table "${name}${partition}"`);
  }
}

function readHeads(appends: readonly Append[], settings: EngineSettings): readonly Head[] {
  const heads: Head[] = [];
  for (const { firstRow, batch } of appends) {
    let head = heads[heads.length - 1];
    if (head === undefined || !head.isFollowedBy(firstRow) || !head.takes(batch, settings)) {
      head = new Head();
      heads.push(head);
    }
    head.append(batch, firstRow);
  }
  for (const head of heads.slice(0, -1)) head.frozen = true;
  return heads;
}

/**
 * Removes in the background what no table refers to. By now all that has to be there has been found, and
 * numbers are not used again.
 */
function collectGarbage(database: Database, segments: ReadonlySet<number>, maintenance: Maintenance): void {
  const { store } = database.records;
  const live = new Set([...database.allSlots()].map((slot) => slot.newest.storage.id));
  const storages = [...storedStorages(store)];
  const stored = firstNumbers(store, 'blocks');
  maintenance.collect(
    storages.filter((storage) => !live.has(storage)),
    stored.filter((segment) => !segments.has(segment)),
  );
}

/** Search structures of large segments, before the first query, for as long as nothing has to go for them. */
async function warmSegments(database: Database, signal: AbortSignal): Promise<void> {
  for (const slot of database.allSlots()) {
    const relation = database.catalog.relations.get(slot.relation);
    for (const { source } of relation === undefined ? [] : slot.newest.runs) {
      if (source instanceof Segment && source.rowCount >= database.settings.headRows) {
        await warmSegment(database, relation as Relation, source, signal).catch((error: unknown) => {
          if (slot.newest.runs.some((run) => run.source === source)) throw error;
        });
      }
    }
  }
}

async function warmSegment(
  { memory }: Database,
  relation: Relation,
  segment: Segment,
  signal: AbortSignal,
): Promise<void> {
  for (const { index, kind } of structurePlans(relation)) {
    let bytes = 0;
    for (const [name, size] of segment.sections.sizes(structureSection(index.oid, kind, ''))) {
      if (name !== FLOATS_SECTION) bytes += size;
    }
    if (signal.aborted || bytes === 0 || bytes > memory.free) continue;
    await segment.loadStructure(relation, index, kind);
  }
}

/** Search structures of the heads, before the first query needs them; small ones are made by that query. */
async function indexHeads(database: Database): Promise<void> {
  for (const slot of database.allSlots()) {
    const relation = database.catalog.relations.get(slot.relation);
    for (const { source } of slot.newest.runs) {
      if (source instanceof Head && !source.isSmall && relation !== undefined) {
        await source.catchUp(relation, database.records.names, database.pause);
      }
    }
  }
}
