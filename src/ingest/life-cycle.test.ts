/** Datasets, documents and jobs that come and go beside each other, at chosen moments. */
import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FaultyStore } from '../../sql-tests/fixtures/faulty-store.ts';
import { GatedModel, inferenceWith } from '../../sql-tests/fixtures/gated-model.ts';
import { TestIngestion } from '../../sql-tests/fixtures/ingestion.ts';
import { MemoryStore } from '../storage/memory-store.ts';

let model: GatedModel;
let store: FaultyStore;
let files: TestIngestion;

const CREATE = "CREATE DATASET notes WITH (embedding_model = 'gated')";
const DOCUMENTS = 'SELECT doc_id, status, version FROM notes.documents ORDER BY 1';
const CHUNKS = 'SELECT doc_id, text FROM notes.chunks ORDER BY 1, 2';
const STATES = 'SELECT action, state FROM quern.handles ORDER BY seq';
const LEFT =
  'SELECT (SELECT count(*) FROM notes._files f WHERE NOT EXISTS ' +
  '(SELECT 1 FROM notes.documents d WHERE d.file = f.file)), (SELECT count(*) FROM notes.chunks c WHERE ' +
  'NOT EXISTS (SELECT 1 FROM notes.documents d WHERE d.doc_id = c.doc_id AND d.version = c.version))';

beforeEach(async () => {
  model = new GatedModel();
  store = new FaultyStore(new MemoryStore(), null);
  files = await TestIngestion.open({ store, inference: await inferenceWith(model) });
  await files.session.rows(CREATE);
});

afterEach(async () => {
  model.open();
  await files[Symbol.asyncDispose]();
});

const rows = (query: string) => files.session.rows(query);

/** Result of a function that asks something of ingestion. */
async function ask(call: string): Promise<string> {
  const [row] = await rows(`SELECT quern.${call}`);
  return String(row?.[0]);
}

describe('a dataset is dropped', () => {
  it('while a file of it is parsed', async () => {
    await files.upload('w', 'The whale sings.');
    await files.until(STATES, ['upsert|parsing']);
    await rows(`DROP DATASET notes; ${CREATE}`);
    await files.wait(await files.upload('v', 'Bread.'));
    expect(await rows(CHUNKS)).toEqual([['v', 'Bread.']]);
    expect(await rows(LEFT)).toEqual([['0', '0']]);
  });

  it('while a file of it is embedded, and one of the same name with the same document is not touched', async () => {
    model.close();
    await files.upload('w', 'The whale sings.');
    await model.asked;
    const drop = rows('DROP DATASET notes');
    model.open();
    await drop;
    await rows(CREATE);
    await files.wait(await files.upload('w', 'Bread.'));
    expect(await rows(CHUNKS)).toEqual([['w', 'Bread.']]);
    expect(await rows(DOCUMENTS)).toEqual([['w', 'ready', '1']]);
    expect(await rows(LEFT)).toEqual([['0', '0']]);
    expect(files.logged).toEqual([]);
  });

  it('and made anew within one transaction, which a job waits for', async () => {
    const other = await files.database.session();
    await files.upload('w', 'The whale sings.');
    await files.until(STATES, ['upsert|parsing']);
    await other.rows(`BEGIN; DROP DATASET notes; ${CREATE}`);
    await files.upload('w', 'Bread.', {}, other);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await other.rows('COMMIT');
    await files.until(DOCUMENTS, ['w|ready|1']);
    expect(await rows(CHUNKS)).toEqual([['w', 'Bread.']]);
    expect(await rows(STATES)).toEqual([['upsert', 'ready']]);
  });

  it('and that is rolled back', async () => {
    model.close();
    const handle = await files.upload('w', 'The whale sings.');
    await model.asked;
    const other = await files.database.session();
    const dropped = other.rows('BEGIN; DROP DATASET notes');
    model.open();
    await dropped;
    await other.rows('ROLLBACK');
    await files.wait(handle);
    expect(await rows(DOCUMENTS)).toEqual([['w', 'ready', '1']]);
  });
});

describe('of one document', () => {
  it('a deletion that is asked for while its upload is parsed comes after it', async () => {
    await files.upload('w', 'The whale sings.');
    await files.until(STATES, ['upsert|parsing']);
    await files.wait(await ask("delete_document('notes', 'w')"));
    expect(await rows(STATES)).toEqual([
      ['upsert', 'ready'],
      ['delete', 'ready'],
    ]);
    expect(await rows(DOCUMENTS)).toEqual([]);
    expect(await rows(CHUNKS)).toEqual([]);
    expect(await rows('SELECT count(*) FROM notes._files')).toEqual([['0']]);
  });

  it('two uploads at once are two versions, and the last one asked for stays', async () => {
    const other = await files.database.session();
    await rows('BEGIN');
    const first = await files.upload('w', 'The whale sings.');
    const asked = files.upload('w', 'The whale dives.', {}, other);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await rows('COMMIT');
    await files.wait(first);
    await files.wait(await asked);
    expect(await rows(DOCUMENTS)).toEqual([['w', 'ready', '2']]);
    expect(await rows(CHUNKS)).toEqual([['w', 'The whale dives.']]);
    expect(await rows(LEFT)).toEqual([['0', '0']]);
  });

  it('metadata that is changed while it is embedded is there in the end', async () => {
    model.close();
    await files.upload('w', 'The whale sings.', { metadata: '{"year": 1851, "ok": true}' });
    await model.asked;
    const handle = await ask(`update_metadata('notes', 'w', '{"year": 1852}')`);
    model.open();
    await files.wait(handle);
    const both =
      'SELECT d.year, d.metadata, c.metadata FROM notes.documents d JOIN notes.chunks c USING (doc_id)';
    const metadata = '{"ok": true, "year": 1852}';
    expect(await rows(both)).toEqual([['1852', metadata, metadata]]);
    expect(await rows('SELECT count(*) FROM notes.chunks WHERE embedding(passage) IS NULL')).toEqual([['0']]);
  });

  it('a damaged version leaves the old one as it was, with the reason beside it', async () => {
    await files.wait(await files.upload('w', 'The whale sings.'));
    const handle = await files.uploadBytes('w', Buffer.from('%PDF-1.7 no more'), { name: 'w.pdf' });
    const error = await files.session.error(`SELECT quern.wait_for_handle('${handle}')`);
    expect(error.message).toContain('document "w" could not be ingested: the PDF');
    expect(await rows(DOCUMENTS)).toEqual([['w', 'error', '1']]);
    expect(await rows("SELECT doc_id FROM search('whale', ARRAY['notes'])")).toEqual([['w']]);
    expect(await rows(LEFT)).toEqual([['0', '0']]);
  });
});

describe('an upload within a transaction', () => {
  it('goes with its savepoint', async () => {
    await rows('BEGIN');
    const kept = await files.upload('w', 'The whale sings.');
    await rows('SAVEPOINT s');
    const gone = await files.upload('v', 'Bread.');
    await rows('ROLLBACK TO s; COMMIT');
    await files.wait(kept);
    expect(await rows(DOCUMENTS)).toEqual([['w', 'ready', '1']]);
    const error = await files.session.error(`SELECT quern.check_handle('${gone}')`);
    expect(error.fields.routine).toBe('handle_not_found');
    expect(await rows(LEFT)).toEqual([['0', '0']]);
  });
});

/** Processes that this one has started to parse files. */
function parsers(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const isOwn = readFileSync(`/proc/${name}/stat`, 'utf8').includes(` ${process.pid} `);
        return isOwn && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes('parse-worker')
          ? [Number(name)]
          : [];
      } catch {
        return [];
      }
    });
}

it('a parser that is killed from outside is started anew, and its file tried again', async () => {
  const handle = await files.upload('w', 'The whale sings.');
  await files.until(STATES, ['upsert|parsing']);
  let killed: readonly number[] = [];
  for (let step = 0; killed.length === 0 && step < 1_000; step++) {
    killed = parsers();
    for (const pid of killed) process.kill(pid, 'SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await files.wait(handle);
  expect(await rows('SELECT attempts, state FROM quern.handles')).toEqual([['2', 'ready']]);
  expect(await rows(CHUNKS)).toEqual([['w', 'The whale sings.']]);
});

it('a full disk is told to who uploads, and a job goes on when there is room', async () => {
  model.close();
  await files.upload('w', 'The whale sings.');
  await model.asked;
  store.setFault({ kind: 'error', at: store.writes, count: 6, code: 'ENOSPC' });
  expect((await files.session.error("SELECT quern.upsert_file('notes', 'v', 'v.txt', 'x')")).sqlstate).toBe(
    '53100',
  );
  model.open();
  await files.until('SELECT attempts, state FROM quern.handles', ['2|ready']);
  expect(await rows(DOCUMENTS)).toEqual([['w', 'ready', '1']]);
  expect(await rows(LEFT)).toEqual([['0', '0']]);
});

describe('handles', () => {
  const age = (days: number) =>
    files.database
      .openOwn()
      .transaction(
        (query) => query(`UPDATE quern.handles SET updated_at = updated_at - interval '${days} days'`),
        new AbortController().signal,
      );

  it('leave a week after they are done, failed ones later, and what is asked of them says so', async () => {
    await files.wait(await files.upload('w', 'The whale sings.'));
    const failed = await files.upload('v', '');
    await files.until(STATES, ['upsert|ready', 'upsert|error']);
    await age(8);
    await files.stop();
    await files.start();
    await files.until(STATES, ['upsert|error']);
    expect((await files.session.error(`SELECT quern.check_handle('${failed}')`)).message).toContain('empty');
    await age(23);
    await files.stop();
    await files.start();
    await files.until(STATES, []);
    const old = '01900000-0000-7000-8000-000000000000';
    const error = await files.session.error(`SELECT quern.check_handle('${old}')`);
    expect([error.message, error.fields.routine]).toEqual([`handle "${old}" has expired`, 'handle_expired']);
    expect(error.fields.hint).toContain('7 days');
    expect(await rows(DOCUMENTS)).toEqual([
      ['v', 'error', '0'],
      ['w', 'ready', '1'],
    ]);
  });
});

it('tells the languages of a file that says nothing of them', async () => {
  await files.wait(await files.upload('de', 'Die Hunde liefen schnell durch die alten Straßen der Stadt.'));
  const rows = await files.session.rows("SELECT languages FROM notes.documents WHERE doc_id = 'de'");
  expect(rows).toEqual([['{de}']]);
});
