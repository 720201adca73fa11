/** Pages and images of documents as pictures, by SQL from end to end. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestDatabase, type TestSession } from '../../sql-tests/fixtures/database.ts';
import { makePdf, rule, text } from './formats/pdf/pdf-fixture.ts';
import { imageHeader } from './image/image-header.ts';
import { pictureOfRaster } from './image/raster.ts';
import { Ingestion } from './ingestion.ts';
import { PageDrawer } from './page-drawer.ts';

let drawer: PageDrawer;
let database: TestDatabase;
let ingestion: Ingestion;
let session: TestSession;

beforeAll(async () => {
  drawer = new PageDrawer();
  database = await TestDatabase.open({ drawPage: drawer.draw });
  const host = {
    openSession: () => database.openOwn(),
    log: () => undefined,
    nowMs: () => performance.now(),
    seal: database.environment.seal,
  };
  ingestion = new Ingestion(host, 1);
  await ingestion.start();
  session = await database.session();
  await session.rows("CREATE DATASET shown WITH (embedding_model = 'hash')");
  const page = { content: text(72, 700, 'Hello') };
  await upload('two', 'two.pdf', makePdf([page, { ...page, content: chart() }]));
  await upload('words', 'words.txt', Buffer.from('no pages here'));
  const rgba = new Uint8ClampedArray(4 * 300 * 200).fill(255);
  await upload('blank', 'blank.png', pictureOfRaster({ width: 300, height: 200, rgba }).png(300, 200));
  await upload('wide', 'wide.pdf', makePdf([{ ...page, width: 10_000, height: 10_000 }]));
});

afterAll(async () => {
  await ingestion[Symbol.asyncDispose]();
  await session.session[Symbol.asyncDispose]();
  await database.close();
  drawer[Symbol.dispose]();
});

async function upload(id: string, name: string, bytes: Uint8Array): Promise<void> {
  const data = `'\\x${Buffer.from(bytes).toString('hex')}'`;
  const [row] = await session.rows(`SELECT quern.upsert_file('shown', '${id}', '${name}', ${data})`);
  await session.rows(`SELECT quern.wait_for_handle('${row?.[0]}', 600)`);
}

/** Curves with a caption: what the file has no picture of. */
function chart(): string {
  const curve = (y: number): string => `100 ${y} m 150 ${y + 80} 250 ${y - 60} 400 ${y + 50} c S\n`;
  const axes = rule(100, 400, 100, 600) + rule(100, 400, 400, 400);
  return axes + [420, 450, 480, 510, 540].map(curve).join('') + text(100, 380, 'Figure 1: Sales by region');
}

async function page(args: string): Promise<readonly [number, number]> {
  const [row] = await session.rows(`SELECT quern.get_page(${args})`);
  const { kind, width, height } = imageHeader(Buffer.from(String(row?.[0]).slice(2), 'hex'));
  expect(kind).toBe('png');
  return [width, height];
}

describe('a page', () => {
  it.each([
    ["'shown', 'two', 1", [1275, 1650]],
    ["'shown', 'two', 2, dpi => 36", [306, 396]],
    ["'shown', 'blank', 1, dpi => 72", [300, 200]],
    ["'shown', 'blank', 1, dpi => 144", [600, 400]],
  ])('%s is drawn', async (args, size) => {
    expect(await page(args)).toEqual(size);
  });

  it.each([
    ["'shown', 'two', 3", 'invalid_parameter_value', 'page 3 does not exist: there are 2 pages'],
    ["'shown', 'two', 0", 'invalid_parameter_value', 'page 0 does not exist: there are 2 pages'],
    ["'shown', 'blank', 2", 'invalid_parameter_value', 'page 2 does not exist: there is 1 page'],
    [
      "'shown', 'two', 1, dpi => 601",
      'invalid_parameter_value',
      'a page is drawn at 10 to 600 dots an inch, not 601',
    ],
    [
      "'shown', 'two', 1, dpi => -1",
      'invalid_parameter_value',
      'a page is drawn at 10 to 600 dots an inch, not -1',
    ],
    ["'shown', 'words', 1", 'feature_not_supported', 'pages of txt files cannot be drawn'],
    [
      "'shown', 'wide', 1, dpi => 600",
      'program_limit_exceeded',
      'at most 16 million are drawn: ask for at most 28 dots an inch',
    ],
    ["'shown', 'none', 1", 'invalid_parameter_value', 'dataset "shown" has no document "none"'],
    ["'none', 'two', 1", 'undefined_object', 'dataset "none" does not exist'],
  ])('%s is refused', async (args, condition, message) => {
    await expect(session.rows(`SELECT quern.get_page(${args})`)).rejects.toMatchObject({
      condition,
      message: expect.stringContaining(message),
    });
  });

  it('whose time is up is given up, and the next one is drawn', async () => {
    await session.rows('SET statement_timeout = 20');
    try {
      await expect(
        session.rows("SELECT quern.get_page('shown', 'two', 1, dpi => 290)"),
      ).rejects.toMatchObject({
        condition: 'query_canceled',
      });
    } finally {
      await session.rows('SET statement_timeout = 0');
    }
    expect(await page("'shown', 'two', 1, dpi => 72")).toEqual([612, 792]);
  });

  it('is nothing of nothing', async () => {
    expect(await session.rows('SELECT quern.get_page(NULL, NULL, NULL)')).toEqual([[null]]);
  });
});

describe('an image that the page shows', () => {
  it('is drawn when it is asked for', async () => {
    const [row] = await session.rows(
      `SELECT c->>'kind', c->>'mime_type', c->>'data', c->>'text' FROM shown.chunks,
         quern.get_content('shown', content_id) c WHERE chunks.kind = 'image' AND doc_id = 'two'`,
    );
    const [kind, mimeType, data, caption] = row ?? [];
    expect([kind, mimeType, caption]).toEqual(['image', 'image/png', 'Figure 1: Sales by region']);
    const { width, height } = imageHeader(Buffer.from(String(data), 'base64'));
    expect(width).toBeGreaterThan(600);
    expect(height).toBeGreaterThan(400);
  });
});
