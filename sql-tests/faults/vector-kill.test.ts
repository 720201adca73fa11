/**
 * A vector index with a graph whose process is killed again and again while it writes and merges, until more
 * than half of the rows were replaced or deleted: what was committed is there, nothing that was deleted is
 * found, and the index finds what a look at every row finds, also while writes go on.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { TestFolders } from '../fixtures/engine.ts';
import {
  namesOf,
  openVectors,
  recall,
  snapshotRecall,
  type VectorModel,
  visibleNames,
  visibleVectors,
} from '../fixtures/vector-engine.ts';
import { openLmdbStore } from '../../src/storage/lmdb-store.ts';
import { applyBatch, commitBatch, FILL_BATCHES, ROWS, vectorBatch } from './vector-batches.ts';

/** The process is killed when so many batches are committed, and a while later. */
const KILLS = [FILL_BATCHES - 1, 10, 17, 26] as const;
const WHILE_MS = [0, 90, 40, 150] as const;
/** Batches written while the index is asked. */
const BATCHES_BESIDE = 12;

const folders = new TestFolders();
afterAll(() => folders.remove());

/** Runs the writer from a batch on and kills it. @returns how many batches were acknowledged in all. */
async function writeUntilKilled(
  folder: string,
  from: number,
  until: number,
  whileMs: number,
): Promise<number> {
  const program = join(import.meta.dirname, 'vector-batches.ts');
  const writer = fork(program, [folder, String(from)], { execArgv: [] });
  const ended = once(writer, 'exit');
  let committed = from;
  await new Promise<void>((resolve, reject) => {
    writer.on('message', (number: number) => {
      committed = number + 1;
      if (committed >= until) resolve();
    });
    writer.once('exit', (code, signal) => reject(new Error(`the writer ended: ${code} ${signal}`)));
  });
  await new Promise((done) => setTimeout(done, whileMs));
  writer.kill('SIGKILL');
  await ended;
  return committed;
}

const open = (folder: string) => openVectors(openLmdbStore(folder), { headRows: 1_000 });

test('recall stays, and what was deleted is gone, through kill -9, merges and restarts', async () => {
  const folder = folders.make();
  const model: VectorModel = new Map();
  const changed = new Set<string>();
  let committed = 0;
  const apply = (number: number): void => {
    const batch = vectorBatch(number);
    applyBatch(model, batch);
    if (number >= FILL_BATCHES) for (const id of [...batch.rows.keys(), ...batch.gone]) changed.add(id);
  };
  for (const [i, until] of KILLS.entries()) {
    const acknowledged = await writeUntilKilled(folder, committed, until, WHILE_MS[i] as number);
    while (committed < acknowledged) apply(committed++);
    const engine = await open(folder);
    // The batch that was on its way is there as a whole, or not at all.
    const found = await visibleNames(engine);
    const next = new Map(model);
    applyBatch(next, vectorBatch(committed));
    if (found.length === next.size && found.join() === namesOf(next).join()) apply(committed++);
    expect(found).toEqual(namesOf(model));
    const after = await recall(engine, model, 20);
    expect(after.recall).toBeGreaterThanOrEqual(0.95);
    expect(after.strangers).toEqual([]);
    await engine.close();
  }
  expect(changed.size).toBeGreaterThan(ROWS / 2);

  const engine = await open(folder);
  const writer = (async () => {
    for (let i = 0; i < BATCHES_BESIDE; i++) {
      await commitBatch(engine, vectorBatch(committed));
      apply(committed++);
    }
  })();
  let writing = true;
  void writer.finally(() => {
    writing = false;
  });
  while (writing) {
    // The reader waits for nothing that is not at hand: the writer must get turns.
    await setImmediate();
    const allowed = new Set([...model.keys(), ...vectorBatch(committed).rows.keys()]);
    using snapshot = engine.snapshot();
    const rows = await visibleVectors(snapshot);
    expect([...rows.keys()].filter((id) => !allowed.has(id))).toEqual([]);
    const asked = await snapshotRecall(snapshot, rows, 5);
    expect(asked.recall).toBeGreaterThanOrEqual(0.95);
    expect(asked.strangers).toEqual([]);
  }
  await writer;
  await engine.flush();
  const merged = await recall(engine, model, 30);
  expect(merged.recall).toBeGreaterThanOrEqual(0.95);
  expect(merged.strangers).toEqual([]);
  expect(merged.strategies.join()).toContain('graph');
  expect(await visibleNames(engine)).toEqual(namesOf(model));
  await engine.close();
});
