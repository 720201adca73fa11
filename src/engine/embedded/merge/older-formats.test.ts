/** Structures that an older version stored in another format: answered as before, and made anew of their column. */
import { expect, test } from 'vitest';
import { MemoryStore } from '../../../storage/memory-store.ts';
import {
  BOOKS,
  MASTER_KEY,
  makeBooks,
  NEVER,
  TITLE_INDEX,
  upsert,
} from '../../../../sql-tests/fixtures/engine.ts';
import type { KeywordRequest } from '../../../index/keywords/query.ts';
import { WORD_SECTIONS } from '../../../index/keywords/words/writer.ts';
import type { EmbeddedEngine } from '../embedded-engine.ts';
import { openEmbeddedEngine } from '../open.ts';
import type { MergeJob, MergeResult } from './job.ts';
import type { MergeRunner } from './merger.ts';
import { Abandoned } from './run-merge.ts';
import { mergeRows } from './rows.ts';

const TEXTS = ['a man is running', 'runners run', null, 'they ran', 'the who', 'Runnin’ down a dream'];

/** Merges, and keeps of keywords what format 1 had: no words as written, and no number of a format. */
class OlderMerger implements MergeRunner {
  /** Merges that it does; others are given up. */
  #left: number;

  constructor(merges: number) {
    this.#left = merges;
  }

  async run(job: MergeJob): Promise<MergeResult> {
    if (this.#left <= 0) throw new Abandoned();
    this.#left--;
    const result = mergeRows(job);
    const isWords = (name: string): boolean => WORD_SECTIONS.some((own) => name.endsWith(`/keywords/${own}`));
    return {
      ...result,
      sections: new Map([...result.sections].filter(([name]) => !isWords(name))),
      structures: result.structures.map(({ format: _, ...structure }) => structure),
    };
  }

  stop(): void {}

  async close(): Promise<void> {}
}

const open = (store: MemoryStore, merger?: MergeRunner): Promise<EmbeddedEngine> =>
  openEmbeddedEngine({
    masterKey: MASTER_KEY,
    store,
    settings: { headRows: 100, idleMs: 0 },
    report: (error) => {
      throw error;
    },
    ...(merger && { merger }),
  });

async function found(
  engine: EmbeddedEngine,
  operator: KeywordRequest['operator'],
  query: string,
): Promise<number> {
  using snapshot = engine.snapshot();
  const request = {
    kind: 'keyword',
    indexes: [TITLE_INDEX],
    query,
    weight: 1,
    option: 0,
    b: 0.75,
    k1: 1.2,
  } as const;
  const arm = await snapshot.prepare(BOOKS, null, { ...request, operator });
  let count = 0;
  for (const part of snapshot.parts(BOOKS, null))
    count += (await arm.search(part, 100, null, NEVER)).rows.length;
  return count;
}

const states = (engine: EmbeddedEngine): readonly string[] =>
  [...engine.segments(BOOKS)].flatMap(({ indexes }) =>
    indexes.filter(({ kind }) => kind === 'keywords').map(({ state }) => state),
  );

test('keywords of format 1 find what they found, and words as written once they are made anew', async () => {
  const store = new MemoryStore();
  const older = await open(store, new OlderMerger(1));
  await makeBooks(older);
  for (let row = 0; row < 8; row++) {
    const titles = TEXTS.map((title, i) => ({ id: `${row}-${i}`, title }));
    await upsert(older, titles);
  }
  await older.flush();
  await older.close();

  const before = await open(store, new OlderMerger(0));
  expect(new Set(states(before))).toEqual(new Set(['building']));
  expect(await found(before, 'match', 'run')).toBe(16);
  expect(await found(before, 'prefix', 'runni')).toBe(16);

  await before.close();

  const after = await open(store);
  await after.flush();
  expect(new Set(states(after))).toEqual(new Set(['ready']));
  expect(await found(after, 'match', 'run')).toBe(16);
  expect(await found(after, 'prefix', 'runni')).toBe(16);
  expect(await found(after, 'match', 'the who')).toBe(8);
  await after.close();
});
