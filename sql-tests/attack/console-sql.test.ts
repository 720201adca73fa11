/** `/sql` for browsers that are signed in: the same statements as by a key, and none that another page sends. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Browser } from './browser.ts';
import { ConsoleServer } from './console-server.ts';

const OTHER = 'https://app.example';
let server: ConsoleServer;

beforeAll(async () => {
  server = await ConsoleServer.start('--http-origins', OTHER);
  await server.sql('CREATE TABLE films (id int PRIMARY KEY)');
});

afterAll(() => server?.[Symbol.asyncDispose]());

const INSERT = { statement: 'INSERT INTO films SELECT count(*) FROM films' };
const statusOf = async (browser: Browser, about: object = {}): Promise<number> =>
  (await browser.ask('/sql', { json: INSERT, ...about })).status;
const count = async (): Promise<number> =>
  Number((await server.sql('SELECT count(*) AS n FROM films'))[0]?.n);

it('runs what a page of its own sends, with the rights of the key', async () => {
  const browser = await server.signedIn('writes', 'role = owner');
  const { status, body } = await browser.ask('/sql', { json: { statement: 'SELECT current_user AS me' } });
  expect([status, body]).toEqual([200, expect.stringMatching(/"rows":\[\["quern"\]\]/)]);
  expect([await statusOf(browser), await count()]).toEqual([200, 1]);
  const reader = await server.signedIn('reads', 'role = reader');
  expect([await statusOf(reader), await count()]).toEqual([403, 1]);
});

it('runs nothing that a page of another site, port or origin sends', async () => {
  const browser = await server.signedIn('victim', 'role = owner');
  const before = await count();
  for (const about of [
    { page: 'http://127.0.0.1:1' },
    { page: OTHER },
    { page: OTHER, headers: { 'x-quern-console': '1' } },
    { page: 'null' },
    { headers: { 'x-quern-console': '' } },
    { headers: { 'sec-fetch-site': 'cross-site' } },
    { headers: { origin: OTHER } },
  ]) {
    expect(await statusOf(browser, about), JSON.stringify(about)).toBe(403);
  }
  expect(await count()).toBe(before);
});

it('lets no other origin send the header, or read by the cookie', async () => {
  const browser = await server.signedIn('read', 'role = owner');
  const headers = {
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type,x-quern-console',
  };
  const preflight = await browser.ask('/sql', { method: 'OPTIONS', page: OTHER, headers });
  expect(String(preflight.headers['access-control-allow-headers'])).not.toMatch(/x-quern|\*/);
  expect(preflight.headers).not.toHaveProperty('access-control-allow-credentials');
});

it('ends with the session', async () => {
  const browser = await server.signedIn('leaves', 'role = owner');
  const { cookies } = browser;
  const kept = [...cookies];
  expect(await statusOf(browser)).toBe(200);
  await browser.ask('/sign-out', { method: 'POST' });
  for (const [name, value] of kept) cookies.set(name, value);
  expect(await statusOf(browser)).toBe(401);
});
