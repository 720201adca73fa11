/**
 * Pictures of pages at the HTTP port under attack: documents that a role does not see, keys that do not reach them, versions that
 * were replaced, pages of other sites, paths that are no names.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makePdf, text } from '../../src/ingest/formats/pdf/pdf-fixture.ts';
import { imageHeader } from '../../src/ingest/image/image-header.ts';
import { ConsoleServer } from './console-server.ts';
import { send } from './http-request.ts';

let server: ConsoleServer;

async function upload(docId: string, word: string): Promise<void> {
  const data = makePdf([{ content: text(72, 700, word) }]);
  const hex = Buffer.from(data).toString('hex');
  const [row] = await server.sql(
    `SELECT quern.upsert_file('notes', '${docId}', 'a.pdf', '\\x${hex}') AS handle`,
  );
  await server.sql(`SELECT quern.wait_for_handle('${row?.handle}', 600)`);
}

beforeAll(async () => {
  server = await ConsoleServer.start();
  for (const statement of [
    "CREATE DATASET notes WITH (embedding_model = 'hash')",
    "CREATE DATASET others WITH (embedding_model = 'hash')",
    'CREATE ROLE nobody',
    'ALTER TABLE notes.documents ENABLE ROW LEVEL SECURITY',
    "CREATE POLICY shown ON notes.documents USING (doc_id <> 'hidden' OR pg_has_role('admin', 'member'))",
  ]) {
    await server.sql(statement);
  }
  for (const docId of ['open', 'hidden', 'a/b ü', 'again']) await upload(docId, docId);
});

afterAll(() => server?.[Symbol.asyncDispose]());

const path = (docId: string, version = 1, page = 1): string =>
  `/pages/notes/${encodeURIComponent(docId)}/${version}/${page}`;
const get = (where: string, about: object = {}) => send({ port: server.httpPort, path: where, ...about });

it('are drawn for who is signed in, or brings a key', async () => {
  const browser = await server.signedIn('looks');
  const { status, headers } = await browser.ask(`${path('open')}?scale=1`);
  expect([status, headers['content-type'], headers['cache-control'], headers.vary]).toEqual([
    200,
    'image/png',
    'private, max-age=3600, immutable',
    'cookie, authorization',
  ]);
  const response = await fetch(`http://127.0.0.1:${server.httpPort}${path('a/b ü')}?scale=1`, {
    headers: { authorization: `Bearer ${server.key}` },
  });
  const { kind, width, height } = imageHeader(Buffer.from(await response.arrayBuffer()));
  expect([kind, width, height]).toEqual(['png', 612, 792]);
  const head = await browser.ask(path('open'), { method: 'HEAD', headers: { origin: browser.origin } });
  expect([head.status, head.body]).toEqual([200, '']);
});

it('of documents that a role does not see are of none that there are', async () => {
  const reader = await server.signedIn('reads', 'role = reader');
  expect((await reader.ask(path('open'))).status).toBe(200);
  const [hidden, missing] = [await reader.ask(path('hidden')), await reader.ask(path('missin'))];
  const again = await reader.ask(path('hidden', 7));
  expect([hidden.status, hidden.body.replaceAll('hidden', 'missin')]).toEqual([404, missing.body]);
  expect([again.status, again.body]).toEqual([404, hidden.body]);
  expect((await (await server.signedIn('sees')).ask(path('hidden'))).status).toBe(200);
});

it('are for keys that reach the dataset', async () => {
  for (const options of [
    'role = nobody',
    "role = reader, datasets = 'others'",
    "role = owner, collections = 'films'",
  ]) {
    const browser = await server.signedIn(`no ${options.length}`, options);
    const { status, body } = await browser.ask(path('open'));
    expect([options, status]).toEqual([options, 403]);
    expect(body).not.toContain('PNG');
  }
  const within = await server.signedIn('within', "role = reader, read_only, datasets = 'notes'");
  expect((await within.ask(path('open'))).status).toBe(200);
  expect((await get(path('open'))).status).toBe(401);
  expect((await get(path('open'), { key: 'wrong-key-0123456789', from: '127.0.9.1' })).status).toBe(401);
});

it('are not shown in pages of other sites', async () => {
  const browser = await server.signedIn('framed');
  for (const site of ['cross-site', 'same-site']) {
    const headers = { 'sec-fetch-site': site, 'sec-fetch-dest': 'image' };
    expect((await browser.ask(path('open'), { headers })).status, site).toBe(403);
  }
  const { headers } = await browser.ask(path('open'));
  expect(headers['cross-origin-resource-policy']).toBe('same-origin');
});

it('of a version that was replaced are gone', async () => {
  const browser = await server.signedIn('late');
  expect((await browser.ask(path('again'))).status).toBe(200);
  await upload('again', 'anew');
  expect((await browser.ask(path('again'))).status).toBe(410);
  expect((await browser.ask(path('again', 2))).status).toBe(200);
});

it.each([
  ['/pages/', 404],
  ['/pages/notes/open/1', 404],
  ['/pages/notes/open/1/1/', 404],
  ['/pages/notes/open/0/1', 404],
  ['/pages/notes/open/1/0', 404],
  ['/pages/notes/open/1/2', 404],
  ['/pages/notes/open/1/99999999999', 404],
  ['/pages/notes/open/-1/1', 404],
  ['/pages/nothing/open/1/1', 404],
  ['/pages/public/open/1/1', 404],
  ['/pages/quern/open/1/1', 404],
  ['/pages/notes%22.documents--/open/1/1', 404],
  ["/pages/notes/open'%20OR%201=1--/1/1", 404],
  ['/pages/notes/../../open/1/1', 404],
  ['/pages/notes/%00/1/1', 400],
  ['/pages/notes/%ff/1/1', 400],
  ['/pages/notes/%/1/1', 400],
  ['/pages/notes/open/1/1?scale=0', 400],
  ['/pages/notes/open/1/1?scale=1e9', 400],
  ['/pages/notes/open/1/1?scale=x', 400],
])('%s is answered by %d', async (where, status) => {
  const answered = await get(where, { key: server.key });
  expect([answered.status, answered.body]).toEqual([status, expect.not.stringMatching(/internal|SELECT/)]);
});

it('end with the client that wanted them, and others are drawn', async () => {
  const given = new AbortController();
  const asked = Array.from({ length: 80 }, () =>
    get(`${path('open')}?scale=8`, { key: server.key, signal: given.signal }),
  );
  const one = await Promise.any(
    asked.map(async (each) => ((await each).status === 503 ? 503 : Promise.reject(new Error('drawn')))),
  );
  expect(one).toBe(503);
  given.abort();
  await Promise.allSettled(asked);
  expect((await get(path('open'), { key: server.key })).status).toBe(200);
  expect(server.log()).not.toMatch(/HTTP request failed/);
});
