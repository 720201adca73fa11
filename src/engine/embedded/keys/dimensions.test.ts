/** Vectors of a column without a declared dimension have one all the same, whoever was first. */
import { expect, test } from 'vitest';
import { MemoryStore } from '../../../storage/memory-store.ts';
import type { EmbeddedEngine } from '../embedded-engine.ts';
import {
  BOOKS,
  begin,
  books,
  MASTER_KEY,
  NEVER,
  rowsOf,
  titlesNow,
  withRelation,
} from '../../../../sql-tests/fixtures/engine.ts';
import { openEmbeddedEngine } from '../open.ts';

const EMB = 4;
const three = { id: 'three', emb: [1, 2, 3] };
const four = { id: 'four', emb: [1, 2, 3, 4] };

async function withUndeclared(
  work: (engine: EmbeddedEngine) => Promise<void>,
  store = new MemoryStore(),
): Promise<void> {
  const engine = await openEmbeddedEngine({ masterKey: MASTER_KEY, store });
  const columns = books.columns.map((column) =>
    column.attribute === EMB ? { ...column, type: { ...column.type, modifier: -1 } } : column,
  );
  await using transaction = begin(engine);
  await transaction.changeCatalog((catalog) => withRelation(catalog, { ...books, columns }), NEVER);
  await transaction.commit();
  await work(engine);
  await engine.close();
}

test('two who both were first: the second to commit hears of it, in one round and in two', () =>
  withUndeclared(async (engine) => {
    const [one, two, late] = [begin(engine), begin(engine), begin(engine)];
    await one.insert(BOOKS, null, rowsOf([three]), 'error', NEVER);
    await two.insert(BOOKS, null, rowsOf([four]), 'error', NEVER);
    await late.insert(BOOKS, null, rowsOf([{ ...four, id: 'late' }]), 'error', NEVER);
    const commits = await Promise.allSettled([one.commit(), two.commit()]);
    expect(commits.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    await expect(late.commit()).rejects.toMatchObject({
      sqlstate: '22000',
      message: 'expected 3 dimensions, not 4',
    });
    expect([...(await titlesNow(engine)).keys()]).toEqual(['three']);
  }));

test('a transaction’s own rows', () =>
  withUndeclared(async (engine) => {
    await using transaction = begin(engine);
    await transaction.insert(BOOKS, null, rowsOf([three]), 'error', NEVER);
    const savepoint = transaction.savepoint();
    await transaction.insert(BOOKS, null, rowsOf([four]), 'error', NEVER);
    transaction.rollbackTo(savepoint);
    await transaction.insert(BOOKS, null, rowsOf([{ ...three, id: 'again' }]), 'error', NEVER);
    await transaction.commit();
    await using mixed = begin(engine);
    await mixed.insert(BOOKS, 'acme', rowsOf([three]), 'error', NEVER);
    await mixed.insert(BOOKS, 'acme', rowsOf([four]), 'error', NEVER);
    await expect((async () => mixed.commit())()).rejects.toMatchObject({ sqlstate: '22000' });
  }));

test('rows of before a restart, of which no query has made a search structure yet', async () => {
  const store = new MemoryStore();
  const bare = { id: 'bare', emb: null };
  await withUndeclared(async (engine) => {
    await using transaction = begin(engine);
    await transaction.insert(BOOKS, null, rowsOf([bare, three]), 'error', NEVER);
    await transaction.commit();
  }, store);
  const engine = await openEmbeddedEngine({ masterKey: MASTER_KEY, store });
  await using transaction = begin(engine);
  const refused = transaction.insert(BOOKS, null, rowsOf([four]), 'error', NEVER);
  await expect(refused).rejects.toMatchObject({ sqlstate: '22000' });
  await transaction.insert(BOOKS, null, rowsOf([{ ...three, id: 'again' }]), 'error', NEVER);
  await engine.close();
});
