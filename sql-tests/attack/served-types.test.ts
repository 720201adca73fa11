/**
 * Files that a browser would run, if anything were to serve them as what they are: each way to their bytes gives bytes, text or
 * lines, and says so in a way that no browser guesses about. The pages of a PDF are drawn without its script.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makePdf, text } from '../../src/ingest/formats/pdf/pdf-fixture.ts';
import { imageHeader } from '../../src/ingest/image/image-header.ts';
import type { Browser } from './browser.ts';
import type { Answered } from './http-request.ts';
import { ConsoleServer } from './console-server.ts';

const SCRIPT = '<script>alert(document.cookie)</script>';
const FILES: Readonly<Record<string, string | Uint8Array>> = {
  'a.html': `<!doctype html><html><body><p>The board met in spring.</p>${SCRIPT}</body></html>`,
  'a.xhtml': `<html xmlns="http://www.w3.org/1999/xhtml"><body><p>The board met.</p>${SCRIPT}</body></html>`,
  'a.svg': `<svg xmlns="http://www.w3.org/2000/svg"><text>The board met.</text>${SCRIPT}</svg>`,
  'a.js': 'alert(document.cookie)',
  'a.pdf': makePdf([{ content: text(72, 700, 'The board met in spring.') }], {
    catalog: '/OpenAction << /S /JavaScript /JS (app.alert\\("ran"\\)) >>',
  }),
};

const WANTED = [
  'text/html',
  'image/svg+xml',
  'application/xhtml+xml',
  'application/pdf',
  '*/*',
  'text/plain',
  'text/html, text/csv',
  'application/octet-stream',
];

const RUN = /html|svg|xml|pdf|javascript/;

let server: ConsoleServer;
let browser: Browser;

beforeAll(async () => {
  server = await ConsoleServer.start();
  await server.sql("CREATE DATASET notes WITH (embedding_model = 'hash')");
  for (const [name, data] of Object.entries(FILES)) {
    const hex = Buffer.from(data).toString('hex');
    const [row] = await server.sql(
      `SELECT quern.upsert_file('notes', '${name}', '${name}', '\\x${hex}') AS handle`,
    );
    // Kinds that are not read keep no file.
    await server.sql(`SELECT quern.wait_for_handle('${row?.handle}', 600)`).catch(() => undefined);
  }
  browser = await server.signedIn('looks');
});

afterAll(() => server?.[Symbol.asyncDispose]());

/** Every way to a file's bytes, or to words of it. */
const ways = (name: string): Readonly<Record<string, Parameters<Browser['ask']>>> => ({
  'as one value': ['/sql', { json: { statement: `SELECT quern.get_file('notes', '${name}')` } }],
  'as a copy': ['/sql', { json: { statement: `COPY quern.download FROM 'notes' TO STDOUT` } }],
  'as a text': ['/sql', { json: { statement: `COPY (SELECT text FROM notes.chunks) TO STDOUT` } }],
  'as a row': ['/sql', { json: { statement: `SELECT '${SCRIPT}'::text` } }],
  'as an error': ['/sql', { json: { statement: `SELECT '${SCRIPT}'::int` } }],
  'by the address': [`/sql?statement=${encodeURIComponent(`SELECT '${SCRIPT}'`)}`, { method: 'GET' }],
  'as a page': [`/pages/notes/${name}/1/1?scale=1`, {}],
});

/** Null where a browser need not guess, and runs nothing. */
const faultOf = ({ status, headers }: Answered): string | null => {
  const type = String(headers['content-type']);
  const isSaid = headers['x-content-type-options'] === 'nosniff';
  return RUN.test(type) || !isSaid ? `${status} ${type} ${isSaid}` : null;
};

it.each(Object.keys(FILES))('%s is never served as what a browser runs', async (name) => {
  const wrong: string[] = [];
  for (const [how, [path, about = {}]] of Object.entries(ways(name))) {
    for (const accept of WANTED) {
      // A page of the console is one at any address.
      if (about.json === undefined && how !== 'as a page' && /html/.test(accept)) continue;
      const fault = faultOf(await browser.ask(path, { ...about, headers: { accept } }));
      if (fault !== null) wrong.push(`${how} (${accept}): ${fault}`);
    }
  }
  expect(wrong).toEqual([]);
});

it.each([
  `/pages/${encodeURIComponent(SCRIPT)}/a/1/1`,
  `/device/${encodeURIComponent(SCRIPT)}`,
  `/sql/${encodeURIComponent(SCRIPT)}`,
  `/${encodeURIComponent(SCRIPT)}`,
  '/healthz',
])('what is answered at %s is text', async (path) => {
  expect(faultOf(await browser.ask(path, { headers: { accept: 'image/svg+xml' } }))).toBeNull();
  expect(faultOf(await browser.ask(path, { method: 'POST' }))).toBeNull();
});

it('a PDF with script is drawn as it looks', async () => {
  const drawn = await fetch(`http://127.0.0.1:${server.httpPort}/pages/notes/a.pdf/1/1?scale=1`, {
    headers: { authorization: `Bearer ${server.key}` },
  });
  const { kind, width, height } = imageHeader(Buffer.from(await drawn.arrayBuffer()));
  expect([drawn.status, kind, width, height]).toEqual([200, 'png', 612, 792]);
  expect(drawn.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
});
