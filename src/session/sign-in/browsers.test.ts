/** Browsers that are signed in: what ends them, what is kept of them, and that a restart does not. */
import { createSecretKey, randomBytes } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { OWNER_ROLE_OID } from '../../catalog/oids.ts';
import { emptyCatalog } from '../../catalog/edit/edit.ts';
import { BROWSER_DAYS, BROWSER_IDLE_HOURS, BROWSERS_A_KEY_COUNT_MAX } from '../../limits.ts';
import { Browsers } from './browsers.ts';
import { NO_SCOPE } from './key-scope.ts';
import { type HeldKey, Keys } from './keys.ts';

const HOUR_MS = 3_600_000;
const DIGEST_KEY = createSecretKey(new Uint8Array(32));
const from = { address: '10.0.0.1', userAgent: 'Test' };

let text: string | null;
let nowMs: number;
let keys: Keys;
let browsers: Browsers;

const record = {
  read: async () => text,
  async write(written: string) {
    text = written;
  },
};

async function start(): Promise<void> {
  keys = new Keys(record, randomBytes, DIGEST_KEY, { nowMs: () => nowMs });
  await keys.open('owner key');
  browsers = new Browsers({ keys, catalog: emptyCatalog, randomBytes });
}

beforeEach(async () => {
  text = null;
  nowMs = Date.UTC(2027, 0, 1);
  await start();
});

async function made(name: string, expiresMs: number | null = null): Promise<HeldKey> {
  const { key } = await keys.create({ name, role: OWNER_ROLE_OID, expiresMs, scope: NO_SCOPE });
  return keys.known(key) as HeldKey;
}

const isIn = (token: string, address = from.address): boolean => browsers.find(token, address) !== null;

it('are known after a restart, and only by their tokens', async () => {
  const token = await browsers.add(await made('one'), from);
  expect(text).not.toContain(token.split('.')[1]);
  await start();
  expect(browsers.find(token, from.address)?.held.name).toBe('one');
  const [id, secret = ''] = token.split('.');
  for (const wrong of [
    '',
    '.',
    `${id}.`,
    `${id}.${'A'.repeat(43)}`,
    `${secret}.${secret}`,
    `owner.${secret}`,
    `__proto__.${secret}`,
    `${token}=`,
    ` ${token}`,
  ]) {
    expect(isIn(wrong), wrong).toBe(false);
  }
});

it('of the only owner key stay in the form that older servers read', async () => {
  const [owner] = [...keys.live()];
  const token = await browsers.add(owner?.held as HeldKey, from);
  expect(JSON.parse(text ?? '')).toMatchObject([{ role: 'owner' }]);
  await start();
  expect(isIn(token)).toBe(true);
});

it('end with their key', async () => {
  const endings: Readonly<Record<string, (name: string) => Promise<unknown>>> = {
    dropped: (name) => keys.drop(name),
    narrowed: (name) => keys.alter(name, { scope: { ...NO_SCOPE, readOnly: true } }),
    rotated: (name) => keys.rotate(name, 0),
    expired: (name) => keys.alter(name, { expiresMs: nowMs }),
  };
  for (const [how, end] of Object.entries(endings)) {
    const token = await browsers.add(await made(how), from);
    const browser = browsers.find(token, from.address);
    expect(browser?.isLive(), how).toBe(true);
    await end(how);
    expect([how, browser?.isLive(), isIn(token)]).toEqual([how, false, false]);
    await start();
    expect(isIn(token), how).toBe(false);
  }
  // An end that is put off brings nobody back.
  const token = await browsers.add(await made('back'), from);
  await keys.alter('back', { expiresMs: nowMs });
  await keys.alter('back', { expiresMs: null });
  expect(isIn(token)).toBe(false);
});

it('stay where the key is renamed, lives longer, or is rotated with an overlap', async () => {
  const token = await browsers.add(await made('stays', nowMs + HOUR_MS), from);
  await keys.alter('stays', { name: 'renamed' });
  await keys.alter('renamed', { expiresMs: nowMs + 3 * HOUR_MS });
  await keys.rotate('renamed', 2 * HOUR_MS);
  expect(browsers.find(token, from.address)?.held.name).toBe('renamed');
  nowMs += 2 * HOUR_MS;
  expect(isIn(token)).toBe(false);
});

it('are not added to a key that ended meanwhile', async () => {
  const held = await made('gone');
  const adding = [keys.drop('gone'), browsers.add(held, from)] as const;
  await adding[0];
  await expect(adding[1]).rejects.toMatchObject({ condition: 'admin_shutdown' });
});

it('end when they are not used, and after so long in all; a use is noted by the hour', async () => {
  const token = await browsers.add(await made('idle'), from);
  const written = text;
  isIn(token);
  expect(text).toBe(written);
  for (let hours = 0; hours < BROWSER_DAYS * 24; hours += BROWSER_IDLE_HOURS - 1) {
    expect(isIn(token), `${hours} hours`).toBe(true);
    await keys.alter('idle', {});
    nowMs += (BROWSER_IDLE_HOURS - 1) * HOUR_MS;
  }
  nowMs += HOUR_MS * BROWSER_IDLE_HOURS;
  expect(isIn(token)).toBe(false);
  const unused = await browsers.add(await made('unused'), from);
  nowMs += BROWSER_IDLE_HOURS * HOUR_MS;
  expect(isIn(unused)).toBe(false);
});

it('come from the addresses of their key, asked at each request', async () => {
  const scope = { ...NO_SCOPE, addresses: ['10.0.0.0/8'] };
  const { key } = await keys.create({ name: 'near', role: OWNER_ROLE_OID, expiresMs: null, scope });
  const token = await browsers.add(keys.known(key) as HeldKey, from);
  expect([isIn(token), isIn(token, '10.9.9.9'), isIn(token, '192.0.2.1')]).toEqual([true, true, false]);
});

it('are so many a key; the oldest go', async () => {
  const held = await made('many');
  const tokens: string[] = [];
  for (let i = 0; i <= BROWSERS_A_KEY_COUNT_MAX; i++) tokens.push(await browsers.add(held, from));
  expect(tokens.map((token) => isIn(token))).toEqual(tokens.map((_, i) => i > 0));
});

it('are signed out, one or all of a key', async () => {
  const held = await made('out');
  const other = await browsers.add(await made('other'), from);
  const [first, second, third] = [
    await browsers.add(held, from),
    await browsers.add(held, from),
    await browsers.add(held, from),
  ];
  const browser = browsers.find(third, from.address);
  await browsers.find(first, from.address)?.end(false);
  expect([first, second, third].map((token) => isIn(token))).toEqual([false, true, true]);
  await browsers.find(second, from.address)?.end(true);
  expect([second, third, other].map((token) => isIn(token))).toEqual([false, false, true]);
  expect(browser?.isLive()).toBe(false);
  await browser?.end(true);
});
