/** Datasets from end to end: files in by SQL, parsed in processes of their own, passages out by SQL. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TestDatabase, type TestSession } from '../../sql-tests/fixtures/database.ts';
import { MemoryStore } from '../storage/memory-store.ts';
import { makePdf, text as line } from './formats/pdf/pdf-fixture.ts';
import { pictureOfRaster } from './image/raster.ts';
import { Ingestion } from './ingestion.ts';

let store: MemoryStore;
let database: TestDatabase;
let ingestion: Ingestion;
let session: TestSession;

async function start(): Promise<void> {
  database = await TestDatabase.open({ store });
  ingestion = await ingest();
  session = await database.session();
}

async function ingest(): Promise<Ingestion> {
  const started = new Ingestion(
    {
      openSession: () => database.openOwn(),
      log: () => undefined,
      nowMs: () => performance.now(),
      seal: database.environment.seal,
    },
    2,
  );
  await started.start();
  return started;
}

async function stop(): Promise<void> {
  await ingestion[Symbol.asyncDispose]();
  await session.session[Symbol.asyncDispose]();
  await database.close();
}

beforeAll(async () => {
  store = new MemoryStore();
  await start();
});

afterAll(stop);

beforeEach(async () => {
  await session.rows("CREATE DATASET notes WITH (description = 'of whales', embedding_model = 'hash')");
});

afterEach(async () => {
  await session.rows('ROLLBACK');
  await session.rows('DROP DATASET IF EXISTS notes, others');
});

async function upload(docId: string, text: string, metadata = 'null'): Promise<string> {
  const data = `convert_to('${text}', 'UTF8')`;
  const [row] = await session.rows(
    `SELECT quern.upsert_file('notes', '${docId}', '${docId}.txt', ${data}, ${metadata})`,
  );
  return String(row?.[0]);
}

const wait = (handle: string) => session.rows(`SELECT quern.wait_for_handle('${handle}', 600)`);

describe('a PDF', () => {
  it('keeps what its pages are called beside their numbers', async () => {
    const pages = [1, 2].map((page) => ({ content: line(72, 700, `What page ${page} says of whales`) }));
    const pdf = makePdf(pages, { catalog: '/PageLabels << /Nums [0 << /S /r >>] >>' });
    const data = `decode('${Buffer.from(pdf).toString('hex')}', 'hex')`;
    const [row] = await session.rows(`SELECT quern.upsert_file('notes', 'pages', 'pages.pdf', ${data})`);
    await wait(String(row?.[0]));
    const found = await session.rows("SELECT properties->'page_labels' FROM notes.documents");
    expect(found).toEqual([['["i", "ii"]']]);
  });
});

describe('an image', () => {
  it('is content of its own with its picture, until its document is deleted', async () => {
    const png = pictureOfRaster({ width: 40, height: 30, rgba: new Uint8ClampedArray(4800).fill(200) }).png(
      40,
      30,
    );
    const hex = Buffer.from(png).toString('hex');
    const put = `quern.upsert_file('notes', 'p', 'p.jpg', '\\x${hex}')`;
    await wait(String((await session.rows(`SELECT ${put}`))[0]?.[0]));
    expect(await session.rows('SELECT mime_type, pages, status FROM notes.documents')).toEqual([
      ['image/png', '1', 'ready'],
    ]);
    expect(await session.rows('SELECT content_id, kind, doc_pages FROM notes.chunks')).toEqual([
      ['doc#p#image#1', 'image', '{1}'],
    ]);
    const content = await session.rows(
      `SELECT c->>'kind', c->>'mime_type', c->>'data'
       FROM quern.get_content('notes', 'doc#p#image#1') c`,
    );
    const data = Buffer.from(png).toString('base64');
    expect(content).toEqual([['image', 'image/png', data]]);
    await wait(String((await session.rows("SELECT quern.delete_document('notes', 'p')"))[0]?.[0]));
    expect(await session.rows('SELECT count(*) FROM notes._pictures')).toEqual([['0']]);
  });
});

describe('a file', () => {
  it('becomes a document and chunks, after its handle was not ready at once', async () => {
    const handle = await upload('w', 'Whales sing.\n\nThey are large.', `'{"year": 1851, "tags": ["sea"]}'`);
    expect(await session.rows(`SELECT quern.check_handle('${handle}')`)).toEqual([['f']]);
    await wait(handle);
    expect(await session.rows(`SELECT quern.check_handle('${handle}')`)).toEqual([['t']]);
    expect(
      await session.rows('SELECT doc_id, name, mime_type, status, version, pages, year FROM notes.documents'),
    ).toEqual([['w', 'w.txt', 'text/plain', 'ready', '1', null, '1851']]);
    expect(await session.rows('SELECT content_id, kind, text, doc_pages FROM notes.chunks')).toEqual([
      ['doc#w#chunk#1', 'chunk', 'Whales sing.\nThey are large.', '{}'],
    ]);
    expect(await session.rows("SELECT encode(quern.get_file('notes', 'w'), 'escape')")).toEqual([
      ['Whales sing.\\012\\012They are large.'.replaceAll('\\012', '\n')],
    ]);
  });

  it('that is uploaded again replaces the old one in one step, and the same bytes do nothing', async () => {
    await wait(await upload('w', 'Whales sing.', `'{"year": 1851}'`));
    await wait(await upload('w', 'Whales dive.'));
    expect(await session.rows('SELECT version, year FROM notes.documents')).toEqual([['2', '1851']]);
    expect(await session.rows('SELECT version, text FROM notes.chunks')).toEqual([['2', 'Whales dive.']]);
    await wait(await upload('w', 'Whales dive.', `'{"year": 1852, "title": "x"}'`));
    expect(
      await session.rows("SELECT version, year, title, metadata->>'title' FROM notes.documents"),
    ).toEqual([['2', '1852', null, 'x']]);
    expect(await session.rows('SELECT count(*) FROM notes._files')).toEqual([['1']]);
    const error = await session.error("SELECT quern.get_content('notes', 'doc#w#chunk#1', 1)");
    expect(error.fields.routine).toBe('content_replaced');
  });

  it('of an unknown kind, or empty, is an error that says so', async () => {
    const handle = await upload('w', '');
    const error = await session.error(`SELECT quern.wait_for_handle('${handle}')`);
    expect(error.message).toBe('document "w" could not be ingested: the file is empty');
    expect(await session.rows('SELECT status, status_reason FROM notes.documents')).toEqual([
      ['error', 'the file is empty'],
    ]);
    expect(await session.rows('SELECT doc_id, reason FROM quern.ingest_failures')).toEqual([
      ['w', 'the file is empty'],
    ]);
    expect(await session.rows('SELECT count(*) FROM notes._files')).toEqual([['0']]);
  });

  it('is not there when its transaction rolls back', async () => {
    await session.rows('BEGIN');
    const handle = await upload('w', 'Whales sing.');
    const early = await session.error(`SELECT quern.wait_for_handle('${handle}')`);
    expect(early.sqlstate).toBe('55000');
    await session.rows('ROLLBACK');
    expect((await session.error(`SELECT quern.check_handle('${handle}')`)).fields.routine).toBe(
      'handle_not_found',
    );
    expect(await session.rows('SELECT count(*) FROM notes.documents')).toEqual([['0']]);
  });
});

/** A client that copies: what it sends, and what it was sent. */
async function copyFile(text: string, sent: readonly Uint8Array[] = []): Promise<Buffer> {
  const got: Uint8Array[] = [];
  await session.rows(text, {
    copyIn: async function* () {
      yield* sent;
    },
    copyOut: () => undefined,
    copyData: (bytes) => void got.push(Uint8Array.from(bytes)),
    copyDone: () => undefined,
  });
  return Buffer.concat(got);
}

describe('COPY', () => {
  it('brings a file in pieces of any size, and gives it back byte for byte', async () => {
    const file = Buffer.from('The whale sings.\n\n'.repeat(40_000));
    const pieces = [file.subarray(0, 1), file.subarray(1, 300_000), file.subarray(300_000)];
    await copyFile(
      "COPY quern.upload FROM STDIN WITH (FORMAT raw, dataset 'notes', doc_id 'w', name 'w.bin')",
      pieces,
    );
    expect(await session.rows('SELECT count(*), sum(length(data)) FROM notes._files')).toEqual([
      ['3', String(file.length)],
    ]);
    const [row] = await session.rows('SELECT quern.last_handle()');
    const unread = await session.error(`SELECT quern.wait_for_handle('${row?.[0]}')`);
    expect(unread.message).toContain('a .bin file is not read; accepted are pdf, ');
  });

  it('gives back what answers now', async () => {
    await wait(await upload('w', 'Whales sing.'));
    const given = await copyFile("COPY quern.download TO STDOUT WITH (dataset 'notes', doc_id 'w')");
    expect(given.toString()).toBe('Whales sing.');
  });

  it.each([
    ["COPY quern.upload FROM STDIN WITH (dataset 'notes', doc_id 'w')", 'needs the option name'],
    ["COPY quern.upload FROM STDIN WITH (FORMAT csv, dataset 'notes')", 'COPY format "csv" not recognized'],
    [
      "COPY quern.upload FROM '/etc/passwd' WITH (dataset 'notes', doc_id 'w', name 'w')",
      'a file of the server',
    ],
    ["COPY quern.download TO '/tmp/w' WITH (dataset 'notes', doc_id 'w')", 'a file of the server'],
    ["SELECT quern.wait_for_handle('none', 'NaN')", 'a timeout is a number of seconds'],
    ["SELECT quern.wait_for_handle('none', -1)", 'a timeout is a number of seconds'],
    ["COPY quern.download TO STDOUT WITH (dataset 'notes', page '1')", 'option "page" not recognized'],
    ["COPY quern.download TO STDOUT WITH (dataset 'notes', doc_id 'no')", 'has no document "no"'],
    ["COPY quern.download TO STDOUT WITH (dataset 'nope', doc_id 'no')", 'dataset "nope" does not exist'],
  ])('refuses %s', async (text, message) => {
    await expect(copyFile(text)).rejects.toThrow(message);
  });
});

describe('documents', () => {
  it('of ids that begin alike do not touch each other, and go with all that came of them', async () => {
    for (const id of ['doc-01', 'doc-010']) await wait(await upload(id, `Text of ${id}.`));
    const [row] = await session.rows("SELECT quern.delete_document('notes', 'doc-01')");
    await wait(String(row?.[0]));
    expect(await session.rows('SELECT doc_id FROM notes.chunks')).toEqual([['doc-010']]);
    expect(await session.rows('SELECT doc_id FROM notes.documents')).toEqual([['doc-010']]);
    expect(await session.rows('SELECT count(*) FROM notes._files')).toEqual([['1']]);
    const [absent] = await session.rows("SELECT quern.delete_document('notes', 'nowhere')");
    await wait(String(absent?.[0]));
  });

  it('take metadata field by field, and a null takes one away', async () => {
    await wait(await upload('w', 'Whales sing.', `'{"year": 1851, "author": "M"}'`));
    const [row] = await session.rows(
      `SELECT quern.update_metadata('notes', 'w', '{"year": 1852, "author": null, "ok": true}')`,
    );
    await wait(String(row?.[0]));
    expect(await session.rows('SELECT year, author, ok FROM notes.documents')).toEqual([['1852', null, 't']]);
    expect(await session.rows('SELECT metadata FROM notes.chunks')).toEqual([['{"ok": true, "year": 1852}']]);
    expect(await session.rows("SELECT quern.get_metadata('notes', ARRAY['w', 'no'], ARRAY['year'])")).toEqual(
      [['{"w": {"year": 1852}}']],
    );
  });

  it('are exported as one text', async () => {
    const data = "convert_to(E'# Sea\\n\\nWhales sing.\\n\\n- one\\n- two', 'UTF8')";
    const [row] = await session.rows(`SELECT quern.upsert_file('notes', 'm', 'm.md', ${data})`);
    await wait(String(row?.[0]));
    expect(await session.rows("SELECT quern.export('notes', 'm')")).toEqual([
      ['## Sea\n\nWhales sing.\n• one\n• two'],
    ]);
    const [json] = await session.rows(
      "SELECT quern.export('notes', 'm', format => 'json')::jsonb -> 'chunks' ->> 0",
    );
    expect(JSON.parse(String(json?.[0]))).toMatchObject({ content_id: 'doc#m#chunk#1', heading: 'Sea' });
    expect((await session.error("SELECT quern.export('notes', 'm', 'pdf')")).sqlstate).toBe('22023');
    expect((await session.error("SELECT quern.export('notes', 'no')")).fields.routine).toBe(
      'document_not_found',
    );
  });

  it.each([
    [`'{"_x": 1}'`, 'reserved'],
    [`'{"a.b": 1}'`, 'may not contain'],
    [`'{"a": {"b": 1}}'`, 'strings, numbers'],
    [`'[1]'`, 'must be a JSON object'],
  ])('refuse metadata %s', async (metadata, message) => {
    const error = await session.error(`SELECT quern.upsert_file('notes', 'a', 'a.txt', 'x', ${metadata})`);
    expect(error.sqlstate).toBe('22023');
    expect(error.message).toContain(message);
  });
});

describe('search', () => {
  it('finds passages of several datasets, with filters on metadata before columns', async () => {
    await session.rows("CREATE DATASET others WITH (embedding_model = 'hash')");
    await wait(await upload('w', 'The whale sings in the deep sea.', `'{"year": 1851, "name": "whales"}'`));
    await wait(await upload('b', 'Bread is made of flour and water.', `'{"year": 1900, "name": "bread"}'`));
    const [row] = await session.rows(`SELECT quern.upsert_file('others', 'w', 'w.txt', 'A whale, a whale!')`);
    await wait(String(row?.[0]));
    const found = await session.rows(
      "SELECT dataset, doc_id, content_id FROM search('whale', ARRAY['notes', 'others'], top_k => 2) ORDER BY 1",
    );
    expect(found.map(([dataset]) => dataset)).toEqual(['notes', 'others']);
    expect(
      await session.rows(`SELECT doc_id FROM search('whale', ARRAY['notes'], filter => 'year >= 1900')`),
    ).toEqual([['b']]);
    expect(
      await session.rows(
        `SELECT doc_id FROM search('flour', '[{"dataset": "notes", "filter": "name = ''whales''"}]'::jsonb)`,
      ),
    ).toEqual([['w']]);
  });

  it.each([
    ["search('x', ARRAY[]::text[])", 'provide at least one dataset'],
    ["search('x', ARRAY['nope'])", 'dataset "nope" does not exist'],
    ["search('x', ARRAY['notes'], top_k => 0)", 'top_k must be between 1 and 1000'],
    ["search('x', ARRAY['notes'], top_k => 1001)", 'top_k must be between 1 and 1000'],
    ["search(repeat('x', 8193), ARRAY['notes'])", 'longer than 8192'],
  ])('refuses %s', async (call, message) => {
    expect((await session.error(`SELECT * FROM ${call}`)).message).toContain(message);
  });
});

describe('a dataset', () => {
  it.each([
    "INSERT INTO notes.chunks (_id) VALUES ('x')",
    'DELETE FROM notes.documents',
    'UPDATE quern.handles SET state = NULL',
    'TRUNCATE notes.chunks',
    'DROP TABLE notes.chunks',
    'DROP SCHEMA notes CASCADE',
    'CREATE TABLE notes.more (a int)',
    'CREATE VIEW notes.more AS SELECT 1 AS a',
    'ALTER TABLE notes.documents ADD COLUMN x int',
    'CREATE INDEX ON notes.documents (name)',
    'BEGIN; LOCK TABLE notes.documents IN EXCLUSIVE MODE',
  ])('is only read by its users: %s', async (text) => {
    expect((await session.error(text)).sqlstate).toBe('42501');
  });

  it('is made, changed and dropped once', async () => {
    expect((await session.error('CREATE DATASET notes')).sqlstate).toBe('42710');
    expect(await session.tags('CREATE DATASET IF NOT EXISTS notes')).toEqual(['CREATE DATASET']);
    const elsewhere = await session.error("CREATE DATASET far WITH (region = 'eu')");
    expect(elsewhere.message).toBe('this server holds region "local", not "eu"');
    await session.rows("ALTER DATASET notes SET (description = 'x')");
    expect(await session.rows('SELECT name, description, document_count FROM quern.datasets')).toEqual([
      ['notes', 'x', '0'],
    ]);
    await session.rows('DROP DATASET notes');
    expect((await session.error('DROP DATASET notes')).sqlstate).toBe('42704');
    expect(await session.tags('DROP DATASET IF EXISTS notes')).toEqual(['DROP DATASET']);
    expect(await session.rows('SELECT count(*) FROM quern.handles')).toEqual([['0']]);
  });

  it('goes while a file of it waits, and nothing stays', async () => {
    await upload('w', 'Whales sing.');
    await session.rows("DROP DATASET notes; CREATE DATASET notes WITH (embedding_model = 'hash')");
    await wait(await upload('v', 'Bread.'));
    expect(await session.rows('SELECT doc_id FROM notes.chunks')).toEqual([['v']]);
  });
});

describe('a restart', () => {
  it('goes on with what was begun', async () => {
    await ingestion[Symbol.asyncDispose]();
    const handle = await upload('w', 'Whales sing.');
    await session.rows('SELECT 1');
    await stop();
    await start();
    await wait(handle);
    expect(await session.rows('SELECT doc_id, version FROM notes.documents')).toEqual([['w', '1']]);
  });
});
