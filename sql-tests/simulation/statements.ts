/** Statements of clients, as the session asks the engine for them, each with what the model says must come of it. */
import type { RowLockMode, TableLockMode } from '../../src/catalog/lock-modes.ts';
import { Canceled, type Work } from './work.ts';
import { type Found, requireLaws, requireLookups, rowsOf, scan } from './laws.ts';
import { placeOf, requireExpected, rowsText, Violation, type Write } from './model.ts';
import {
  ALL_ATTRIBUTES,
  GROUPS,
  hasGroupIndex,
  IDS,
  ITEMS,
  ITEMS_KEY,
  NUMBERS,
  newRows,
  PARTITIONS,
  type Partition,
  type Row,
  rowAt,
  TAGS,
  TURNS,
} from './schema.ts';
import { look, noteRead } from './serial-order.ts';
import { chance, pick, type World } from './world.ts';

interface Statement {
  readonly name: string;
  /** It is one call of the engine, which leaves nothing where it throws. */
  readonly isWhole?: true;
  readonly run: (work: Work) => Promise<void>;
}

/** The more often one is here, the more often it is chosen. */
export const STATEMENTS: readonly Statement[] = [
  { name: 'insert', isWhole: true, run: (work) => insert(work, 'error') },
  { name: 'insert', isWhole: true, run: (work) => insert(work, 'error') },
  { name: 'insert', isWhole: true, run: (work) => insert(work, 'error') },
  { name: 'upsert', isWhole: true, run: (work) => insert(work, 'replace') },
  { name: 'upsert', isWhole: true, run: (work) => insert(work, 'replace') },
  { name: 'update', run: (work) => update(work) },
  { name: 'update', run: (work) => update(work) },
  { name: 'update', run: (work) => update(work) },
  { name: 'delete', run: remove },
  { name: 'delete', run: remove },
  { name: 'lock', run: share },
  { name: 'lock', run: share },
  { name: 'read', run: read },
  { name: 'read own', run: readOwn },
  { name: 'read own', run: readOwn },
  { name: 'truncate', run: empty },
  { name: 'draw', run: draw },
  { name: 'advise', run: advise },
  { name: 'flush', run: flush },
  { name: 'reindex', run: reindex },
  { name: 'cancel', run: cancel },
];

/** Statements of simulations with a deferrable key, some of the time. */
export const DEFERRING_STATEMENTS: readonly Statement[] = [
  { name: 'check', run: check },
  { name: 'turn', run: (work) => update(work, 1) },
  { name: 'turn', run: (work) => update(work, 1) },
  { name: 'read own', run: readOwn },
];

/** Statements of simulations in which most transactions are serializable. */
export const SERIAL_STATEMENTS: readonly Statement[] = [
  { name: 'look', run: (work) => look(work, somePartition(work)) },
  { name: 'look', run: (work) => look(work, somePartition(work)) },
  { name: 'look', run: (work) => look(work, somePartition(work)) },
  ...['insert', 'upsert', 'update', 'update', 'delete'].flatMap((wanted) =>
    STATEMENTS.filter(({ name }) => name === wanted).slice(0, 1),
  ),
];

const somePartition = ({ world }: Work): Partition => (chance(world, 0.15) ? pick(world, PARTITIONS) : null);

/** Turns in which others go on. */
async function waitABit({ world }: Work, most = 8): Promise<void> {
  for (let turns = Math.floor(world.random() * most); turns > 0; turns--) await null;
}

async function lockItems({ transaction, signal }: Work, mode: TableLockMode): Promise<void> {
  const waiting = transaction.lockTable(ITEMS, { mode, wait: 'block', signal });
  if (waiting !== null) await waiting;
}

function someRow({ world, model }: Work, id: string): Row {
  const tag = chance(world, 0.5) ? pick(world, TAGS) : null;
  const value = `${model.name}:${++world.model.clock}`;
  const group = pick(world, GROUPS);
  const turn = world.defers && chance(world, 0.7) ? pick(world, TURNS) : null;
  return { id, value, tag, group, turn };
}

async function insert(work: Work, conflict: 'error' | 'replace'): Promise<void> {
  const { world, transaction, model, signal, statement } = work;
  const partition = somePartition(work);
  const count = chance(world, 0.6) ? 1 : 3;
  const ids = Array.from({ length: count }, () => pick(world, IDS));
  const rows = (conflict === 'error' ? [...new Set(ids)] : ids).map((id) => someRow(work, id));
  work.proposed.push(...rows);
  await lockItems(work, 'row exclusive');
  await transaction.insert(ITEMS, partition, newRows(rows), conflict, signal);
  for (const row of rows) {
    const place = placeOf(partition, row.id);
    const before = world.model.newest(place);
    world.model.requireHad(model, place);
    if (conflict === 'error' && before !== null && !isDoubtful(world)) {
      throw new Violation(`${statement}: took ${place}, where there is ${JSON.stringify(before)}`);
    }
    world.model.write(model, place, row);
  }
  requireUnique(work, partition);
}

/** A commit that failed may be in the model still: its client has not heard. */
const isDoubtful = ({ fails, model }: World): boolean => fails && model.isEnding;

/** After a write: of the newest rows no two have one key. */
function requireUnique({ world, statement }: Work, partition: Partition): void {
  if (isDoubtful(world)) return;
  const rows = world.model.rows(partition);
  const keys = rows.map(({ tag }) => tag).filter((tag) => tag !== null);
  if (hasGroupIndex(world.engine.catalog())) keys.push(...rows.map(({ group }) => group));
  if (new Set(keys).size < keys.length) {
    throw new Violation(`${statement}: a unique key is there twice: ${JSON.stringify(rows)}`);
  }
}

interface Locked {
  readonly place: string;
  readonly row: Row;
  readonly numbers: Float64Array;
}

/** With deferrable keys often that of a row which the transaction has written: it may be doubtful. */
function someId({ world, model }: Work, partition: Partition): string {
  const own = world.defers && chance(world, 0.5) ? model.writes.at(-1)?.row : null;
  return own && placeOf(partition, own.id) === model.writes.at(-1)?.place ? own.id : pick(world, IDS);
}

/** Locks the row of a key as it is when the lock is had. Null: there is none. */
async function lockRow(work: Work, partition: Partition, mode: RowLockMode): Promise<Locked | null> {
  const { world, transaction, model, signal, statement } = work;
  const id = someId(work, partition);
  const place = placeOf(partition, id);
  for (;;) {
    using snapshot = transaction.snapshot();
    const address = snapshot.lookup(ITEMS, partition, ITEMS_KEY, [id]);
    if (address === null) noteRead(work, place, null);
    if (address === null) return null;
    const columns = await address.part.read(ALL_ATTRIBUTES, address.row, address.row + 1);
    const numbers = Float64Array.of(address.rowNumber);
    const wait = chance(world, 0.8) ? 'block' : pick(world, ['nowait', 'skip locked'] as const);
    const [there] = await transaction.lock(ITEMS, partition, numbers, { mode, wait, signal });
    if (there === -1) return null;
    if (there !== address.rowNumber) continue;
    const row = rowAt(columns, 0);
    noteRead(work, place, row);
    const newest = world.model.newest(place);
    // Others may change what is no key.
    if (mode === 'key share' && newest !== null) return { place, row, numbers };
    world.model.requireHad(model, place);
    if (JSON.stringify(newest) !== JSON.stringify(row) && !isDoubtful(world)) {
      throw new Violation(
        `${statement}: locked ${JSON.stringify(row)}, the newest is ${JSON.stringify(newest)}`,
      );
    }
    return { place, row, numbers };
  }
}

/** @param turns how often a new version has another turn at least. */
async function update(work: Work, turns = 0.4): Promise<void> {
  const { world, transaction, model, signal } = work;
  const partition = somePartition(work);
  const changesKeys = chance(world, turns);
  await lockItems(work, 'row exclusive');
  const locked = await lockRow(work, partition, changesKeys ? 'update' : 'no key update');
  if (locked === null) return;
  const { row, place, numbers } = locked;
  const { value, tag, group, turn } = someRow(work, row.id);
  const id = changesKeys && chance(world, 0.3) ? pick(world, IDS) : row.id;
  const next: Row = changesKeys ? { id, value, tag, group, turn } : { ...row, value };
  transaction.delete(ITEMS, partition, numbers);
  const rows = newRows([next], numbers);
  const changed = new Set(changesKeys ? [1, 2, 3, 4, 5] : [2]);
  await transaction.insert(ITEMS, partition, { ...rows, changed }, 'error', signal);
  if (id !== row.id) world.model.write(model, place, null);
  const nextPlace = placeOf(partition, id);
  if (id !== row.id && world.model.newest(nextPlace) !== null && !isDoubtful(world)) {
    throw new Violation(`${work.statement}: ${place} became ${nextPlace}, which is there`);
  }
  world.model.write(model, nextPlace, next);
  requireUnique(work, partition);
}

async function remove(work: Work): Promise<void> {
  const { world, transaction, model } = work;
  const partition = somePartition(work);
  await lockItems(work, 'row exclusive');
  const locked = await lockRow(work, partition, 'update');
  if (locked === null) return;
  transaction.delete(ITEMS, partition, locked.numbers);
  world.model.write(model, locked.place, null);
}

async function share(work: Work): Promise<void> {
  const mode = pick(work.world, ['share', 'key share'] as const);
  await lockItems(work, 'row share');
  const locked = await lockRow(work, somePartition(work), mode);
  if (locked === null) return;
  work.model.shares.push({ place: locked.place, mode });
  // Long enough for others to change it once and again.
  await waitABit(work, 100);
}

async function read(work: Work): Promise<void> {
  const { world, statement } = work;
  await requireLaws(world.engine, world.model, statement, () => waitABit(work));
}

/**
 * True when a row was written where others have changed something since the snapshot: then the old one is seen
 * beside it, as in PostgreSQL.
 */
function isBesideUnseen(writes: readonly Write[], fixed: ReadonlyMap<string, Found>): boolean {
  const firsts = new Map(writes.toReversed().map((write) => [write.place, write]));
  return [...firsts.values()].some(
    ({ place, before }) => JSON.stringify(fixed.get(place)?.row ?? null) !== JSON.stringify(before),
  );
}

async function readOwn(work: Work): Promise<void> {
  const { world, transaction, model, statement, fixed, isolation } = work;
  if (isolation === 'serializable') return;
  using snapshot = transaction.snapshot();
  const expectation = world.model.expect(model);
  const own = [...model.writes];
  if (fixed !== null && isBesideUnseen(own, fixed)) return;
  await waitABit(work);
  const found = await scan(snapshot, statement);
  if (fixed === null) requireLookups(snapshot, found, statement);
  if (fixed === null) return requireExpected(rowsOf(found), expectation, statement);
  const rows = new Map(rowsOf(fixed));
  for (const { place, row } of own) {
    if (row === null) rows.delete(place);
    else rows.set(place, row);
  }
  if (rowsText(rows) !== rowsText(rowsOf(found))) {
    throw new Violation(`${statement}: ${rowsText(rowsOf(found))} instead of ${rowsText(rows)}`);
  }
}

/** Under repeatable read it would remove rows that the transaction does not see. */
async function empty(work: Work): Promise<void> {
  const { world, transaction, model, isolation } = work;
  if (isolation !== 'read committed' || chance(world, 0.6)) return;
  const partition = pick(world, PARTITIONS);
  await lockItems(work, 'access exclusive');
  // The session says 55006.
  if (transaction.hasDoubtfulKeys(ITEMS)) return;
  if (partition === null) transaction.truncate(ITEMS, null);
  else transaction.dropPartition(ITEMS, partition);
  for (const id of IDS) {
    const place = placeOf(partition, id);
    if (world.model.newest(place) !== null) world.model.write(model, place, null);
  }
}

/** Checks that the end of a statement, or SET CONSTRAINTS, asks for. */
async function check({ world, transaction, signal }: Work): Promise<void> {
  await transaction.checkKeys(() => true, signal);
  if (transaction.hasDoubtfulKeys(ITEMS)) throw new Violation('a key is doubtful after its check');
  if (chance(world, 0.3)) await null;
}

async function draw({ world, transaction, statement, model }: Work): Promise<void> {
  const value = transaction.nextValue(NUMBERS);
  if (value === null || world.drawn.has(value)) throw new Violation(`${statement}: ${value} again`);
  world.drawn.add(value);
  model.drawn.push(value);
}

async function advise(work: Work): Promise<void> {
  const { world, session, client, signal, statement } = work;
  const low = Math.floor(world.random() * 2);
  const key = { high: 0, low, part: 1 } as const;
  const isHad = await session.lock(key, { mode: 'exclusive', wait: 'block', signal }, 'session');
  const requireHolder = (): void => {
    const holder = world.advisory.get(low) ?? client;
    if (holder !== client) throw new Violation(`${statement}: ${holder} has ${low}`);
  };
  requireHolder();
  world.advisory.set(low, client);
  await waitABit(work);
  requireHolder();
  world.advisory.delete(low);
  if (!isHad || !session.unlock(key, 'exclusive')) throw new Violation(`${statement}: nothing to unlock`);
}

/** Background work meets what the store does. */
async function mayFail({ world }: Work, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(world.fails && (error as { sqlstate?: string }).sqlstate === '53100')) throw error;
  }
}

async function flush(work: Work): Promise<void> {
  await mayFail(work, work.world.engine.flush());
}

async function reindex(work: Work): Promise<void> {
  const { world, signal } = work;
  const renews = chance(world, 0.5);
  const request = { index: 0, command: 'REINDEX', processId: 0, renews, stops: chance(world, 0.5), signal };
  await mayFail(work, world.engine.buildIndexes(ITEMS, request));
}

/** Aborts what another client does. */
async function cancel({ world, client }: Work): Promise<void> {
  const others = [...world.waiting].filter(([name]) => name !== client);
  if (others.length > 0) pick(world, others)[1].abort(new Canceled());
}
