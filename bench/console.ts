/**
 * `./scripts/bench console`: what the console costs a real browser, by Chromium's own tracing: the first load, scrolling and
 * jumping in a million rows, a key in an editor of 2,000 lines, the first fact of an answer. `--quick`: 100,000 rows. The console
 * has to be built (`build/console`).
 */
import type { Page } from 'playwright-core';
import { Client } from 'pg';
import { type Console, startConsole } from '../sql-tests/console/browser.ts';
import { busyBetween, traced } from './console/tracing.ts';
import { options } from './options.ts';
import { median, percentile, report } from './statistics.ts';

const ROWS = options.quick ? 100_000 : 1_000_000;
const LOADS = 7;
const WHEELS = 120;
const JUMPS = [0.5, 0.31, 0.77, 0.12, 0.64, 0.43, 0.9];
const LINES = 2_000;
const KEYS = 60;
const QUESTIONS = 7;

const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`;
const ms = (value: number): string => `${value.toFixed(1)} ms`;

/** With an empty cache, signed in: until the page's own content can be used. */
async function firstLoad({ open, origin }: Console): Promise<void> {
  const page = await open('/');
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  const types = new Map<string, string>();
  let bytes: Record<string, number> = {};
  session.on('Network.responseReceived', ({ requestId, type }) => types.set(requestId, type));
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const type = types.get(requestId) ?? '';
    bytes[type] = (bytes[type] ?? 0) + encodedDataLength;
  });
  const times: number[] = [];
  for (let i = 0; i < LOADS; i++) {
    bytes = {};
    const start = performance.now();
    await page.goto(`${origin}/`, { waitUntil: 'commit' });
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    times.push(performance.now() - start);
    await page.waitForLoadState('networkidle');
  }
  const { Script: script = 0, Stylesheet: style = 0 } = bytes;
  report('first load, kB of compressed script', script / 1000, { bar: '250', styles: kilobytes(style) });
  report('usable, ms', median(times), { bar: '1000', slowest: ms(Math.max(...times)) });
  await page.close();
}

async function rows({ open }: Console): Promise<void> {
  await client.query(
    'CREATE TABLE rows_of_bench (id int PRIMARY KEY, name text, price float8, made date, note text)',
  );
  await client.query(`INSERT INTO rows_of_bench SELECT g, 'name ' || g, g / 7.0, DATE '2020-01-01' + g % 1000, md5(g::text)
    FROM generate_series(1, ${ROWS}) AS g`);
  const page = await open('/collections/rows_of_bench/rows');
  const grid = page.getByRole('grid');
  await grid.getByText('name 1', { exact: true }).waitFor();
  await grid.hover();
  const trace = await traced(page, async () => {
    for (let i = 0; i < WHEELS; i++) {
      await page.mouse.wheel(0, 180);
      await page.waitForTimeout(16);
    }
  });
  const work = busyBetween(trace, trace.frames);
  report('scrolling, ms of main thread a frame, p95', percentile(work, 0.95), {
    bar: '8',
    p50: ms(median(work)),
    frames: String(work.length),
  });
  const times: number[] = [];
  for (const share of JUMPS) times.push(await jump(page, share));
  report('rows there after a jump, ms', median(times), { bar: '200', slowest: ms(Math.max(...times)) });
  await page.close();
}

/** Milliseconds, by the page's clock, until the rows in sight of a place are drawn. */
function jump(page: Page, share: number): Promise<number> {
  return page.evaluate(`(async () => {
    const box = document.querySelector('[role=grid]');
    const cells = () => [...box.querySelectorAll('[role=gridcell]')].map((cell) => cell.textContent);
    const before = cells().join();
    const start = performance.now();
    box.scrollTop = ${share} * (box.scrollHeight - box.clientHeight);
    while (performance.now() - start < 20000) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const now = cells();
      if (now.length > 0 && !now.includes('') && now.join() !== before) return performance.now() - start;
    }
    return NaN;
  })()`);
}

async function editing({ open }: Console): Promise<void> {
  const page = await open('/query');
  const text = Array.from(
    { length: LINES },
    (_, i) => `SELECT ${i} AS n, 'text ${i}' AS t FROM films WHERE id = ${i};`,
  );
  await page.evaluate((sql) => localStorage.setItem('quern.draft', sql), text.join('\n'));
  await page.reload();
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+End');
  const trace = await traced(page, async () => {
    for (let i = 0; i < KEYS; i++) {
      await page.keyboard.press('x');
      await page.waitForTimeout(80);
    }
  });
  const work = busyBetween(trace, trace.keys);
  report('a key with 2,000 lines, ms of main thread, p95', percentile(work, 0.95), {
    bar: '16',
    p50: ms(median(work)),
    keys: String(work.length),
  });
  await page.close();
}

/** Where a chunk of an answer has its first fact is noted as it comes, before anything reads it. */
const NOTE_FACTS = `(() => {
  const plain = window.fetch;
  window.fetch = async (...request) => {
    const response = await plain(...request);
    if (response.body === null || !String(request[0]).endsWith('sql')) return response;
    const noting = new TransformStream({
      transform(chunk, controller) {
        const isFact = new TextDecoder().decode(chunk).includes('["fact"');
        if (isFact) window.factCame ??= performance.now();
        controller.enqueue(chunk);
      },
    });
    return new Response(response.body.pipeThrough(noting), response);
  };
  new MutationObserver(() => {
    if (window.factShown === undefined && document.querySelector('li[class*=fact]') !== null)
      requestAnimationFrame(() => setTimeout(() => { window.factShown ??= performance.now(); }));
  }).observe(document, { childList: true, subtree: true });
})()`;

async function answers({ open, origin }: Console): Promise<void> {
  await client.query('CREATE DATASET harbours');
  const lines = Array.from(
    { length: 40 },
    (_, i) => `Harbour ${i} had ${1_000 + i} ships in 2023 and was built of stone ${i}.`,
  );
  const upload = `SELECT quern.upsert_file('harbours', 'harbours', 'harbours.txt', convert_to($1, 'UTF8')) AS handle`;
  const {
    rows: [uploaded],
  } = await client.query(upload, [lines.join('\n\n')]);
  await client.query('SELECT quern.wait_for_handle($1, 120)', [uploaded?.handle]);
  const page = await open('/ask');
  await page.addInitScript(NOTE_FACTS);
  const times: number[] = [];
  for (let i = 0; i < QUESTIONS; i++) {
    await page.goto(`${origin}/ask?q=${encodeURIComponent(`How many ships had Harbour ${i} in 2023?`)}`);
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    while ((await page.evaluate('window.factShown === undefined')) === true) await page.waitForTimeout(50);
    times.push(Number(await page.evaluate('window.factShown - window.factCame')));
  }
  report('a fact shown after it came, ms', median(times), { bar: '150', slowest: ms(Math.max(...times)) });
  await page.close();
}

await using console_ = await startConsole();
const { host, port, key } = console_.server;
const client = new Client({ host, port, user: 'quern', password: key, database: 'quern' });
await client.connect();
try {
  for (const [name, measure] of Object.entries({ firstLoad, editing, rows, answers })) {
    if (options.only === undefined || options.only === name) await measure(console_);
  }
} finally {
  await client.end();
}
