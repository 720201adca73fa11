/** A client of a simulation: transactions of a few statements each, some taken back, some canceled. */
import type { Index } from '../../src/catalog/model.ts';
import { SqlError } from '../../src/errors.ts';
import type { SessionLocks, Transaction } from '../../src/engine/engine.ts';
import { requireLookups, rowsOf, scan } from './laws.ts';
import { requireExpected, Violation } from './model.ts';
import {
  GROUP_KEY,
  groupIndex,
  hasGroupIndex,
  ITEMS,
  PARTITIONS,
  type Partition,
  type Row,
  withIndexes,
} from './schema.ts';
import { DEFERRING_STATEMENTS, SERIAL_STATEMENTS, STATEMENTS } from './statements.ts';
import { Canceled, type Work } from './work.ts';
import { chance, pick, type World } from './world.ts';

/** Conditions that a statement may end with, whatever it is. */
const ALLOWED = ['40P01', '55P03'];
/** The more often one is here, the more often it is chosen. */
const LEVELS = ['read committed', 'read committed', 'read committed', 'repeatable read'] as const;
const SERIAL_LEVELS = ['read committed', 'serializable', 'serializable', 'serializable'] as const;

export async function runClient(world: World, number: number, transactions: number): Promise<void> {
  const client = `c${number}`;
  const session = world.engine.sessionLocks({ processId: number, timeoutMs: () => 0 });
  for (let i = 1; i <= transactions; i++) {
    const name = `${client}.${i}`;
    if (chance(world, world.isSerial ? 0.02 : 0.1)) await defineIndex(world, session, name);
    else await runTransaction(world, session, name);
  }
  session.unlockAll();
  for (const [key, holder] of world.advisory) if (holder === client) world.advisory.delete(key);
}

async function runTransaction(world: World, session: SessionLocks, name: string): Promise<void> {
  const isolation = pick(world, world.isSerial ? SERIAL_LEVELS : LEVELS);
  const transaction = world.engine.begin({ isolation, readOnly: false, session });
  const model = world.model.begin(name);
  const client = name.split('.')[0] as string;
  const count = 1 + Math.floor(world.random() * 4);
  const fixed = isolation === 'repeatable read' ? await firstSight(world, transaction, name) : null;
  for (let i = 0; i < count; i++) {
    const controller = new AbortController();
    world.waiting.set(client, controller);
    const { signal } = controller;
    const work: Work = {
      world,
      client,
      transaction,
      session,
      isolation,
      model,
      signal,
      fixed,
      statement: '',
      proposed: [],
    };
    const goesOn = await runStatement(work);
    world.waiting.delete(client);
    if (!goesOn) return;
  }
  await endTransaction(world, transaction, { model, isolation });
}

async function firstSight(world: World, transaction: Transaction, name: string): Promise<Work['fixed']> {
  using snapshot = transaction.snapshot();
  const expectation = world.model.expect();
  const found = await scan(snapshot, name);
  requireExpected(rowsOf(found), expectation, name);
  requireLookups(snapshot, found, name);
  return found;
}

/** @returns false when the transaction has ended with the statement. */
async function runStatement(work: Work): Promise<boolean> {
  const { world, transaction, model } = work;
  const isSerial = world.isSerial && chance(world, 0.9);
  const usual = isSerial ? SERIAL_STATEMENTS : STATEMENTS;
  const statement = pick(world, world.defers && chance(world, 0.25) ? DEFERRING_STATEMENTS : usual);
  work.statement = `${model.name} (${work.isolation}) ${statement.name}`;
  const savepoint = transaction.savepoint();
  const [writes, shares] = [model.writes.length, model.shares.length];
  const since = ++world.model.clock;
  const rollBack = (): void => {
    transaction.rollbackTo(savepoint);
    world.model.rollBack(model, writes, shares);
  };
  try {
    await statement.run(work);
  } catch (error) {
    requireAllowed(work, error, since);
    // A statement of one step has left nothing.
    if (statement.isWhole === true && chance(world, 0.3)) return true;
    if (chance(world, 0.5)) {
      rollBack();
      return true;
    }
    world.model.end(model, 'gone');
    transaction.rollback();
    return false;
  }
  if (chance(world, 0.15)) rollBack();
  return true;
}

function requireAllowed(work: Work, error: unknown, since: number): void {
  const { world, isolation, model, statement, proposed, signal } = work;
  if (error instanceof Canceled && signal.aborted) return;
  if (!(error instanceof SqlError)) throw error;
  if (ALLOWED.includes(error.sqlstate)) return;
  if (error.sqlstate === '40001' && isolation !== 'read committed') return;
  // Rows written ahead of the commit.
  if (error.sqlstate === '53100' && world.fails) return;
  const [, column, value] =
    /^Key \("?(\w+)"?\)=\((.*)\) already exists/.exec(error.fields.detail ?? '') ?? [];
  const isKey = ({ id, tag, group }: Row): boolean => ({ _id: id, tag, group })[column ?? ''] === value;
  const isThere = proposed.filter(isKey).length > 1 || world.model.wasThere(model, since, isKey);
  if (error.sqlstate === '23505' && column !== 'turn' && isThere) return;
  if (isTurnTwice(work, error, since)) return;
  const detail = error.fields.detail ?? '';
  throw new Violation(`${statement}: ${error.sqlstate} ${error.message} ${detail}\n${world.model.text()}`);
}

/** True when two rows can have had the turn that a check of deferred keys found twice. */
function isTurnTwice(
  { world, model }: Pick<Work, 'world' | 'model'>,
  error: SqlError,
  since: number,
): boolean {
  const [, value] = /^Key \(turn\)=\((.*)\) already exists/.exec(error.fields.detail ?? '') ?? [];
  return error.sqlstate === '23505' && world.model.wereTwo(model, since, ({ turn }) => turn === value);
}

/** Errors that a commit may fail with. */
function isRefusal(
  work: Pick<Work, 'world' | 'model' | 'isolation'>,
  error: unknown,
  since: number,
): boolean {
  if (!(error instanceof SqlError)) return false;
  if (error.sqlstate === '40001') return work.isolation === 'serializable';
  if (error.sqlstate === '53100') return work.world.fails;
  return work.world.defers && (error.sqlstate === '40P01' || isTurnTwice(work, error, since));
}

async function endTransaction(
  world: World,
  transaction: Transaction,
  { model, isolation }: Pick<Work, 'model' | 'isolation'>,
): Promise<void> {
  if (chance(world, 0.2)) {
    world.model.end(model, 'gone');
    transaction.rollback();
    return;
  }
  world.model.end(model, 'ending');
  const since = world.model.clock;
  let isRefused = false;
  try {
    // Others who waited for it may go on before its client does.
    const commit = Promise.resolve(transaction.commit()).catch((error: unknown) => {
      isRefused = isRefusal({ world, model, isolation }, error, since);
      world.model.end(model, 'gone');
      throw error;
    });
    const lsns = await commit;
    world.model.end(model, 'committed');
    for (const value of model.drawn) world.stored.add(value);
    for (const [name, lsn] of lsns) {
      const known = world.lsns.get(name) ?? [];
      world.lsns.set(name, known);
      known.push(Number(lsn));
    }
  } catch (error) {
    if (!isRefused) throw error;
  }
}

/** Makes the unique index of the groups, or drops it. */
async function defineIndex(world: World, session: SessionLocks, name: string): Promise<void> {
  const transaction = world.engine.begin({ isolation: 'read committed', readOnly: false, session });
  const { signal } = new AbortController();
  const drops = hasGroupIndex(transaction.catalog());
  const mode = drops ? 'access exclusive' : 'share';
  let refused = false;
  try {
    const waiting = transaction.lockTable(ITEMS, { mode, wait: 'block', signal });
    if (waiting !== null) await waiting;
    refused = !drops && PARTITIONS.some((partition) => hasEqualGroups(world, partition));
    if (hasGroupIndex(transaction.catalog()) !== drops) return transaction.rollback();
    await transaction.changeCatalog((catalog) => withIndexes(catalog, changed(drops)), signal);
    await transaction.commit();
  } catch (error) {
    transaction.rollback();
    if (!(error instanceof SqlError)) throw error;
    if (error.sqlstate === '40P01' || (world.fails && error.sqlstate === '53100')) return;
    // A commit that failed may be in the model still: its client has not heard.
    if (error.sqlstate !== '23505' || !(refused || world.fails)) throw error;
    return;
  }
  if (refused && !world.fails) throw new Violation(`${name}: a unique index over equal groups`);
}

function changed(drops: boolean): (indexes: readonly Index[]) => readonly Index[] {
  return (indexes) => {
    const others = indexes.filter(({ oid }) => oid !== GROUP_KEY);
    return drops ? others : [...others, groupIndex];
  };
}

function hasEqualGroups({ model }: World, partition: Partition): boolean {
  const groups = model.rows(partition).map(({ group }) => group);
  return new Set(groups).size < groups.length;
}
