/**
 * embed() and tokens() of the largest texts that they take, by both models: how long the thread that all clients share
 * computes without a turn for others, and that a time-out ends them.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createInference } from '../../src/inference/registry.ts';
import { DOCUMENT_BYTES_MAX, QUERY_TEXT_CHARACTERS_MAX } from '../../src/limits.ts';
import { TestDatabase, type TestSession } from '../fixtures/database.ts';
import { inTurns } from './turn-watch.ts';

const MODELS = ['all-minilm-l6-v2', 'bge-small-en-v1.5', 'multilingual-e5-small'];
/** Processor time of the shared thread; about 40 ms are what 70,000 tokens take. */
const TURN_MS_MAX = 250;

const SHAPES = ['abcdefgh', 'a whale of a time, ', '海很安静', '\u0301', '👩‍👩‍👧‍👦🏳️‍🌈', ' '];

let database: TestDatabase;
let session: TestSession;
beforeAll(async () => {
  const modelsFolder = join(import.meta.dirname, '../../models');
  database = await TestDatabase.open({ inference: await createInference({ modelsFolder, threads: 1 }) });
  session = await database.session();
  for (const model of MODELS) await session.rows(`SELECT embed('warm', '${model}')`);
});
afterAll(() => database.close());

/** @returns SQLSTATE, or `ok`. */
function run(sql: string): Promise<string> {
  return inTurns(TURN_MS_MAX, () =>
    session.rows(sql).then(
      () => 'ok',
      (error: { sqlstate?: string }) => error.sqlstate ?? String(error),
    ),
  );
}

it.each(MODELS)('%s lets others have their turns', async (model) => {
  for (const unit of SHAPES) {
    const bytes = Math.floor(DOCUMENT_BYTES_MAX / Buffer.byteLength(unit));
    expect(await run(`SELECT tokens(repeat('${unit}', ${bytes}), '${model}')`)).toBe('ok');
  }
  await session.rows("SET statement_timeout = '300ms'");
  for (const unit of SHAPES) {
    const characters = Math.floor(QUERY_TEXT_CHARACTERS_MAX / unit.length);
    const code = await run(`SELECT embed(repeat('${unit}', ${characters}), '${model}')`);
    expect(code).toMatch(/^(ok|57014|22023)$/);
  }
  await session.rows('RESET statement_timeout');
});
