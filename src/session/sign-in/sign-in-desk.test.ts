/** The HTTP port's way to keys: the link of the first start, what a key is shown as, and that a password is no key. */
import { createSecretKey, randomBytes } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { emptyCatalog } from '../../catalog/edit/edit.ts';
import { LINK_MINUTES } from '../../limits.ts';
import { Keys } from './keys.ts';
import { SignIn } from './sign-in.ts';
import { SignInDesk } from './sign-in-desk.ts';

const from = { address: '10.0.0.1', userAgent: 'Test' };
const REFUSED = { condition: 'invalid_password' };
let nowMs: number;
let logged: string;
let keys: Keys;
let key: string;
let desk: SignInDesk;

beforeEach(async () => {
  nowMs = Date.UTC(2027, 0, 1);
  logged = '';
  const record = { read: async () => null, write: async () => undefined };
  keys = new Keys(record, randomBytes, createSecretKey(randomBytes(32)), { nowMs: () => nowMs });
  key = (await keys.open(null)) ?? '';
  const parts = { keys, catalog: emptyCatalog, randomBytes };
  const log = (event: string, fields: object): void => {
    logged += JSON.stringify({ event, ...fields });
  };
  desk = new SignInDesk({ ...parts, signIn: new SignIn({ ...parts, now: () => nowMs }), log });
});

it('a link signs in once, with the key that it was made of', async () => {
  const link = desk.makeLink(key) ?? '';
  const { token, key: held } = await desk.signIn({ link }, from);
  expect(held.name).toBe('owner');
  expect(desk.byToken(token, from.address)?.key.name).toBe('owner');
  await expect(desk.signIn({ link }, from)).rejects.toMatchObject(REFUSED);
  expect(logged).not.toContain(link);
  expect(logged).not.toContain(token);
});

it('a link is good for some minutes, while its key is, and a wrong one takes it from nobody', async () => {
  const late = desk.makeLink(key) ?? '';
  nowMs += LINK_MINUTES * 60_000;
  await expect(desk.signIn({ link: late }, from)).rejects.toMatchObject(REFUSED);
  const link = desk.makeLink(key) ?? '';
  for (const wrong of ['', late, `${link}A`, key]) {
    await expect(desk.signIn({ link: wrong }, { ...from, address: '10.0.0.2' })).rejects.toMatchObject(
      REFUSED,
    );
    nowMs += 20_000;
  }
  await desk.signIn({ link }, from);
  const ended = desk.makeLink(key) ?? '';
  await keys.rotate('owner', 0);
  await expect(desk.signIn({ link: ended }, from)).rejects.toMatchObject(REFUSED);
  expect([desk.makeLink(null), desk.makeLink('no key')]).toEqual([null, null]);
});

it('shows a key without its text, and one that has ended not at all', async () => {
  const { key: held } = await desk.byKey(key, from.address);
  const shown = desk.describe(held);
  expect(shown).toMatchObject({ key: { name: 'owner', prefix: key.slice(0, 12), expires: null } });
  expect(JSON.stringify(shown)).not.toContain(key);
  await keys.rotate('owner', 0);
  expect(() => desk.describe(held)).toThrow('no longer valid');
  await expect(desk.byKey(key, from.address)).rejects.toMatchObject(REFUSED);
});
