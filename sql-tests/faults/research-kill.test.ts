/**
 * A server that is killed in the middle of research over real documents, several times: the run goes on from its stored
 * steps, and ends with the answer that it has when nobody is killed. All that it cites stands in the documents.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { expect, it } from 'vitest';
import { startServer } from '../../scripts/server-process.ts';
import { whyNot } from '../fixtures/stands.ts';
import { connectOwner, until } from './watched-server.ts';

const KEY = 'owner-key-of-the-research-kill-test';
const SAMPLES = join(import.meta.dirname, '../../samples/documents');
const FILES = ['borrowing-for-graduate-school.pdf', 'school-enrollment-projections.pdf'];
const QUESTION =
  'How many students are enrolled, how many graduate students borrow, and why did enrollment change between 2010 and 2012?';
const PATIENCE = { everyMs: 5, times: 100_000 };

interface Row {
  readonly kind: string;
  readonly fact: string | null;
  readonly refs: Readonly<
    Record<
      string,
      {
        readonly content: { readonly text: string };
        readonly quotes: readonly { readonly text: string; readonly start: number; readonly end: number }[];
      }
    >
  > | null;
  readonly confidence: number | null;
}

async function answer(client: pg.Client, id: string): Promise<readonly Row[]> {
  const sql =
    "SELECT kind, fact, ref_ids, refs, confidence FROM quern.research_result($1) WHERE kind <> 'progress'";
  return (await client.query<Row>(sql, [id])).rows;
}

const start = async (client: pg.Client): Promise<string> => {
  const sql = "SELECT quern.start_research($1, ARRAY['reports']) AS id";
  return (await client.query<{ id: string }>(sql, [QUESTION])).rows[0]?.id ?? '';
};

it('ends with the same answer', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quern-research-kill-'));
  const data = join(folder, 'data');
  let server = await startServer({ data, key: KEY });
  let client = await connectOwner(server);
  await client.query("CREATE DATASET reports WITH (embedding_model = 'hash')");
  for (const name of FILES) {
    const sql = "SELECT quern.upsert_file('reports', $1, $1, $2) AS handle";
    await client.query(sql, [name, readFileSync(join(SAMPLES, name))]);
  }
  await client.query('SELECT quern.wait_for_handle(handle, 600) FROM quern.handles');
  const expected = await answer(client, await start(client));
  expect(expected.filter(({ kind }) => kind === 'fact').length).toBeGreaterThan(3);
  for (const { content, quotes } of Object.values(expected.at(-1)?.refs ?? {})) {
    for (const { text, start: from, end } of quotes)
      expect(whyNot({ quote: text, content: content.text, start: from, end })).toBeNull();
  }
  const id = await start(client);
  const steps = (count: number, kind: string): string =>
    `SELECT 1 FROM quern.research_steps WHERE research_id = '${id}' AND kind IN ('synthesis', '${kind}')
     HAVING count(*) >= ${count} OR bool_or(kind = 'synthesis')`;
  for (const point of [steps(1, 'plan'), steps(3, 'search')]) {
    await until(client, point, PATIENCE);
    await server.stop('SIGKILL');
    await client.end().catch(() => undefined);
    server = await startServer({ data, key: KEY });
    client = await connectOwner(server);
  }
  expect(await answer(client, id)).toEqual(expected);
  const [run] = (
    await client.query('SELECT state, attempts FROM quern.research WHERE research_id = $1', [id])
  ).rows;
  expect(run).toMatchObject({ state: 'done' });
  await client.end();
  await server.stop();
  rmSync(folder, { recursive: true });
});
