/** Threads and `quern.reverify()` over the sample documents, through a socket and by real uploads. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ServerProcess } from '../../scripts/server-process.ts';
import { startFreshServer } from './program.ts';

const SAMPLES = join(import.meta.dirname, '../../samples/documents');
const SCHOOLS = 'school-enrollment-projections';

let server: ServerProcess;
let client: pg.Client;

beforeAll(async () => {
  server = await startFreshServer();
  const { host, port, key } = server;
  client = new pg.Client({ host, port, user: 'quern', database: 'quern', password: key });
  await client.connect();
  await client.query('CREATE DATASET reports');
  for (const name of [SCHOOLS, 'borrowing-for-graduate-school'])
    await done('quern.upsert_file($1, $2, $3, $4)', [
      'reports',
      name,
      `${name}.pdf`,
      readFileSync(join(SAMPLES, `${name}.pdf`)),
    ]);
});

afterAll(async () => {
  await client?.end();
  await server?.[Symbol.asyncDispose]();
});

async function done(call: string, values: readonly unknown[]): Promise<void> {
  const { rows } = await client.query(`SELECT ${call} AS handle`, [...values]);
  await client.query('SELECT quern.wait_for_handle($1)', [rows[0].handle]);
}

/** Its facts, as one text. */
async function asked(question: string): Promise<string> {
  const sql = "SELECT fact FROM ask($1, ARRAY['reports'], thread => 'schools') WHERE kind = 'fact'";
  const { rows } = await client.query(sql, [question]);
  return rows.map(({ fact }) => fact).join('\n');
}

it('a follow-up keeps to what was asked before', async () => {
  expect(await asked('What was the total enrollment in public schools in 2010?')).toContain('49,484');
  expect(await asked('and in 2009?')).toMatch(/^.*2009/);
  expect(await asked('What about 2020?')).toMatch(/^.*2020/);
  const { rows } = await client.query(
    `SELECT understood, (SELECT array_agg(DISTINCT doc_id) FROM quern.citations c
       WHERE c.answer_id = a.answer_id AND fact_number = 1) AS documents
     FROM quern.answers a WHERE thread = 'schools' ORDER BY answer_id`,
  );
  expect(rows).toEqual(
    [null, '2009', '2020'].map((year) => ({
      understood: year && `What was the total enrollment in public schools in ${year}?`,
      documents: [SCHOOLS],
    })),
  );
});

it('a quote stands until its document goes', async () => {
  await asked('What was the total enrollment in public schools in 2010?');
  const { rows: last } = await client.query('SELECT quern.last_answer() AS id');
  const reasons = async (): Promise<unknown> => {
    const sql = 'SELECT DISTINCT stands, reason FROM quern.reverify($1) ORDER BY reason';
    return (await client.query(sql, [last[0].id])).rows;
  };
  expect(await reasons()).toEqual([{ stands: true, reason: 'in place' }]);
  await done('quern.delete_document($1, $2)', ['reports', SCHOOLS]);
  expect(await reasons()).toEqual([{ stands: false, reason: 'document deleted' }]);
  const file = readFileSync(join(SAMPLES, `${SCHOOLS}.pdf`));
  await done('quern.upsert_file($1, $2, $3, $4)', ['reports', SCHOOLS, `${SCHOOLS}.pdf`, file]);
  expect(await reasons()).toEqual([{ stands: true, reason: 'in place' }]);
});
