/** The console behind nginx, over TLS and below a path: all of it is there, and what is refused without a proxy still is. */
import { Client } from 'pg';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../attack/browser.ts';
import { makePdf, text } from '../../src/ingest/formats/pdf/pdf-fixture.ts';
import { type Console, hasBrowser, requireBrowser, signIn, startConsole } from './browser.ts';
import { hasProxy, type RunningProxy, requireProxy, startProxy } from './proxy.ts';

requireBrowser();
requireProxy();

const PREFIX = '/quern';

describe.skipIf(!hasBrowser || !hasProxy)('behind a proxy, the console', () => {
  let console_: Console;
  let proxy: RunningProxy;
  let context: BrowserContext;
  let page: Page;
  let sql: Client;
  /** Paths that the page has asked for outside of its own. */
  const astray: string[] = [];

  beforeAll(async () => {
    console_ = await startConsole({ flags: ['--trusted-proxies', '127.0.0.1'] });
    const { host, port, key, httpPort } = console_.server;
    sql = new Client({ host, port, user: 'quern', password: key, database: 'quern' });
    sql.on('error', () => undefined);
    await sql.connect();
    const files = `${console_.data}.tls`;
    const certificate = { cert: `${files}/server.crt`, key: `${files}/server.key` };
    proxy = await startProxy({ httpPort, certificate });
    context = await console_.browser.newContext({ ignoreHTTPSErrors: true });
    context.setDefaultTimeout(0);
    page = await context.newPage();
    page.on('request', (request) => {
      const { origin, pathname } = new URL(request.url());
      if (origin !== `https://127.0.0.1:${proxy.port}` || !pathname.startsWith(`${PREFIX}/`)) {
        astray.push(request.url());
      }
    });
  });
  afterAll(async () => {
    await sql?.end();
    await proxy?.[Symbol.asyncDispose]();
    await console_?.[Symbol.asyncDispose]();
  });

  const go = (path: string) => page.goto(`https://127.0.0.1:${proxy.port}${PREFIX}${path}`);

  it('signs in, with a cookie of its path', async () => {
    await go('/');
    await signIn(page, console_.server.key);
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    const cookies = await context.cookies();
    expect(
      cookies.map(({ name, path, secure, httpOnly, sameSite }) => ({
        name,
        path,
        secure,
        httpOnly,
        sameSite,
      })),
    ).toEqual([
      {
        name: `__Secure-quern_session_${proxy.port}`,
        path: `${PREFIX}/`,
        secure: true,
        httpOnly: true,
        sameSite: 'Strict',
      },
    ]);
  });

  it('goes to its pages by clicks, by the address, and back', async () => {
    await sql.query('CREATE TABLE films (_id text, title text INDEX keyword_index())');
    await sql.query(`INSERT INTO films (_id, title) VALUES ('a/b ü', 'Emma')`);
    await page.getByRole('link', { name: 'Collections' }).click();
    await page.getByRole('link', { name: 'films' }).click();
    await page.getByRole('grid').getByText('Emma').dblclick();
    await expect
      .poll(() => new URL(page.url()).pathname)
      .toBe(`${PREFIX}/collections/films/rows/a%2Fb%20%C3%BC`);
    await page.reload();
    await page.getByRole('complementary').getByText('a/b ü').first().waitFor();
    await page.goBack();
    await page.goBack();
    await expect.poll(() => new URL(page.url()).pathname).toBe(`${PREFIX}/collections`);
  });

  it('shows rows as they come, and ends at the server what is cancelled', async () => {
    await go(
      `/query?sql=${encodeURIComponent('SELECT g FROM generate_series(1, 50000) AS g; SELECT pg_sleep(600)')}`,
    );
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('gridcell', { name: '1', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    const running = `SELECT 1 FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%' AND pid <> pg_backend_pid()`;
    await expect.poll(async () => (await sql.query(running)).rowCount).toBe(0);
  });

  it('takes files, and draws their pages', async () => {
    await sql.query(`CREATE DATASET notes WITH (embedding_model = 'hash')`);
    await go('/datasets/notes');
    const buffer = Buffer.from(makePdf([{ content: text(72, 700, 'The board met in spring.') }]));
    await page
      .getByLabel('Upload files')
      .first()
      .setInputFiles({ name: 'a b.pdf', mimeType: 'application/pdf', buffer });
    await page.getByRole('region', { name: 'Uploads' }).getByRole('link', { name: 'a b.pdf' }).click();
    const drawn = page.getByRole('img', { name: 'Page 1' });
    await expect
      .poll(() => drawn.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth))
      .toBeGreaterThan(1000);
  });

  it('asks for nothing outside of its path', () => {
    expect(astray).toEqual([]);
    expect(console_.complaints).toEqual([]);
  });

  it('is asked by its own pages alone', async () => {
    const browser = new Browser(proxy.port, { tls: true });
    const at = `${PREFIX}/session`;
    const json = { key: console_.server.key };
    expect((await browser.ask(`${PREFIX}/sign-in`, { json })).status).toBe(200);
    expect((await browser.ask(at)).status).toBe(200);
    const evil = `evil.example:${proxy.port}`;
    for (const [headers, status] of [
      [{ origin: 'https://evil.example' }, 403],
      [{ origin: `http://127.0.0.1:${proxy.port}` }, 403],
      [{ origin: 'null' }, 403],
      [{ 'x-quern-console': '' }, 403],
      [{ 'sec-fetch-site': 'same-site' }, 403],
      [{ host: evil, origin: `https://${evil}` }, 421],
      [{ host: evil, origin: `https://${evil}`, 'x-forwarded-host': `127.0.0.1:${proxy.port}` }, 421],
    ] as const) {
      const about = { method: 'POST', headers };
      expect((await browser.ask(`${PREFIX}/sign-out`, about)).status, JSON.stringify(headers)).toBe(status);
    }
    expect((await browser.ask(at, { headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(403);
    // The proxy says who stands before it, whatever one says of oneself.
    const headers = {
      'x-forwarded-for': '203.0.113.9',
      'x-forwarded-prefix': '/"><script>',
      accept: 'text/html',
    };
    const answered = await browser.ask(`${PREFIX}/`, { headers });
    expect(answered.body).toContain(`<base href="${PREFIX}/"`);
    expect((await browser.ask(at)).status).toBe(200);
  });
});
