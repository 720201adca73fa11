/** Who may in: known keys at once, guesses slowly, and a right key with a wrong user as slowly as a wrong key. */
import { createSecretKey, randomBytes } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { emptyCatalog } from '../../catalog/edit/edit.ts';
import { Keys } from './keys.ts';
import { SignIn } from './sign-in.ts';

const remoteAddress = '10.0.0.1';
const who = { user: 'quern', remoteAddress };
let keys: Keys;

const OWNER = { role: 10, key: { name: 'owner' } };
const signInOf = (of: Keys, now: () => number): SignIn =>
  new SignIn({ keys: of, now, randomBytes, catalog: emptyCatalog });

beforeAll(async () => {
  keys = await keysOf('right');
});

async function keysOf(owner: string): Promise<Keys> {
  const record = { read: async () => null, write: async () => undefined };
  const made = new Keys(record, randomBytes, createSecretKey(randomBytes(32)));
  await made.open(owner);
  return made;
}

it('a known key comes in while a thousand guesses wait', async () => {
  const signIn = signInOf(keys, () => performance.now());
  expect(await signIn.check(who, 'right')).toMatchObject(OWNER);
  const guesses = Array.from({ length: 1000 }, (_, i) => Promise.resolve(signIn.check(who, `guess ${i}`)));
  for (const guess of guesses) guess.catch(() => undefined);
  expect(signIn.check(who, 'right')).toMatchObject(OWNER);
  const ended = await Promise.allSettled(guesses.slice(-100));
  expect(ended.every(({ status }) => status === 'rejected')).toBe(true);
});

it('one key tried by many at once is one try', async () => {
  const signIn = signInOf(await keysOf('pool'), () => performance.now());
  const pool = Array.from({ length: 50 }, () => signIn.check(who, 'pool'));
  expect((await Promise.all(pool)).map((who) => who?.role)).toEqual(pool.map(() => 10));
});

it('a wrong user with a right key is hashed, counted and refused as a wrong key is', async () => {
  const fresh = await keysOf('right');
  let checkedCount = 0;
  const verify = fresh.verify.bind(fresh);
  fresh.verify = (key) => {
    checkedCount++;
    return verify(key);
  };
  const signIn = signInOf(fresh, () => 0);
  expect(await signIn.check(who, 'right')).toMatchObject(OWNER);
  for (let i = 0; i < 3; i++)
    expect(await signIn.check({ user: 'nobody', remoteAddress }, 'right')).toBeNull();
  expect(checkedCount).toBe(4);
  const began = performance.now();
  expect(await signIn.check({ user: 'nobody', remoteAddress }, 'right')).toBeNull();
  expect(performance.now() - began).toBeGreaterThan(150);
});
