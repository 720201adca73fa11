/** The link that the first start prints: it signs in once, and is printed where it is good for something alone. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { Browser } from './browser.ts';
import { FirstStart } from './first-start.ts';

const STRANGER = '127.0.0.3';
const folder = mkdtempSync(join(tmpdir(), 'quern-link-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('signs in once', async () => {
  await using first = await FirstStart.begin(join(folder, 'first'));
  const link = /^console: http:\/\/localhost:(\d+)\/#link=([\w-]{43})$/m.exec(first.output);
  expect(link, first.output).not.toBeNull();
  const [, port = '', token = ''] = link ?? [];
  expect(first.errors).not.toContain(token);
  const tries = await Promise.all(
    Array.from({ length: 3 }, () => new Browser(Number(port)).signIn({ link: token })),
  );
  expect(tries.sort()).toEqual([200, 401, 401]);
  const late = new Browser(Number(port), { from: STRANGER });
  expect(await late.signIn({ link: token })).toBe(401);
});

it('is printed of no later start, where a key is given, or without a console', async () => {
  await using again = await FirstStart.begin(join(folder, 'first'));
  expect(again.output).toMatch(/^ready [^\n]+\n$/);
  await using given = await FirstStart.begin(join(folder, 'given'), {
    QUERN_API_KEY: 'a-key-that-was-given',
  });
  expect(given.output).toMatch(/^ready [^\n]+\n$/);
  await using none = await FirstStart.begin(join(folder, 'none'), {}, ['--no-console']);
  expect(none.output).not.toMatch(/console:|#link/);
  const port = Number(/http=.*:(\d+)$/m.exec(none.output)?.[1]);
  const browser = new Browser(port);
  expect((await browser.ask('/session')).status).toBe(404);
  expect(await browser.signIn({ key: 'anything' })).toBe(405);
  expect((await browser.ask('/', { headers: { accept: 'text/html' } })).status).toBe(404);
});
