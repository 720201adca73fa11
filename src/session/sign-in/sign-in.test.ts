/** Who may in: known keys at once, guesses slowly, and a right key with a wrong user as slowly as a wrong key. */
import { createSecretKey, randomBytes } from 'node:crypto';
import { beforeAll, expect, it, vi } from 'vitest';
import { ScramClient } from '../../../sql-tests/faults/scram-client.ts';
import type { Role } from '../../catalog/access/model.ts';
import { roleVerifier } from '../../catalog/access/scram.ts';
import type { Catalog } from '../../catalog/model.ts';
import { emptyCatalog } from '../../catalog/edit/edit.ts';
import { Keys } from './keys.ts';
import { SignIn } from './sign-in.ts';

const remoteAddress = '10.0.0.1';
const who = { user: 'quern', remoteAddress };
let keys: Keys;

/** Guesses that were hashed before. */
const hashed = new Map<string, Buffer>();

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

it('a chosen key is proved at once from elsewhere, however many networks have guesses that wait', async () => {
  const signIn = signInOf(await keysOf('right'), () => 0);
  let waiting = 0;
  for (let network = 0; network < 50; network++) {
    for (let guess = 0; guess < 8; guess++) {
      waiting++;
      const done = proved(signIn, 'quern', 'guess', `10.9.${network}.1`).finally(() => waiting--);
      done.catch(() => undefined);
    }
  }
  await proved(signIn, 'quern', 'guess', '10.8.0.1');
  expect(waiting).toBeGreaterThan(200);
  expect(await proved(signIn, 'quern', 'right', '10.8.0.2')).toBe(10);
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

const ROLE: Role = {
  oid: 20_000,
  name: 'app',
  superuser: false,
  inherit: true,
  createRole: false,
  createDatabase: false,
  login: true,
  replication: false,
  bypassRowSecurity: false,
  connectionLimit: -1,
  validUntil: null,
  verifier: roleVerifier('pass'),
};

const withRole = (role: Role): Catalog => ({ ...emptyCatalog(), roles: new Map([[role.oid, role]]) });

async function proved(
  signIn: SignIn,
  user: string,
  password: string,
  from = remoteAddress,
): Promise<number | null> {
  const exchange = signIn.exchange(
    { user, remoteAddress: from },
    { mechanism: 'SCRAM-SHA-256', binding: null },
  );
  const scram = new ScramClient(password, { hashed });
  const end = await exchange.end(scram.final(exchange.begin(scram.first)));
  return end?.who.role ?? null;
}

it("a role's own password serves its name alone, in clear and as a proof", async () => {
  const fresh = await keysOf('right');
  let role = ROLE;
  const of = { keys: fresh, now: () => 0, randomBytes, catalog: () => withRole(role) };
  const signIn = new SignIn(of);
  expect(await signIn.check({ user: 'app', remoteAddress }, 'pass')).toEqual({ role: 20_000, key: null });
  expect(await proved(signIn, 'app', 'pass')).toBe(20_000);
  expect(await proved(new SignIn(of), 'quern', 'pass')).toBeNull();
  expect(await proved(new SignIn(of), 'app', 'right')).toBeNull();
  for (const change of [{ login: false }, { validUntil: '2020-01-01 00:00:00+00' }, { validUntil: 'soon' }]) {
    role = { ...ROLE, ...change };
    expect(await proved(new SignIn(of), 'app', 'pass')).toBeNull();
  }
  role = { ...ROLE, validUntil: '2999-01-01 00:00:00+00' };
  expect(await proved(new SignIn(of), 'app', 'pass')).toBe(20_000);
});

it('a password that is changed, or whose role goes, while it is proved is right no more', async () => {
  const fresh = await keysOf('right');
  for (const change of [{ verifier: roleVerifier('pass') }, { oid: 20_001 }, { login: false }]) {
    let role = ROLE;
    const signIn = new SignIn({ keys: fresh, now: () => 0, randomBytes, catalog: () => withRole(role) });
    const user = { user: 'app', remoteAddress };
    const exchange = signIn.exchange(user, { mechanism: 'SCRAM-SHA-256', binding: null });
    const scram = new ScramClient('pass');
    const final = scram.final(exchange.begin(scram.first));
    role = { ...ROLE, ...change };
    expect(await exchange.end(final)).toBeNull();
    // In clear it is changed while its text is hashed.
    const catalogs = [ROLE, { ...ROLE, ...change }];
    const catalog = (): Catalog => withRole((catalogs.length > 1 ? catalogs.shift() : catalogs[0]) as Role);
    const inClear = new SignIn({ keys: fresh, now: () => 0, randomBytes, catalog });
    const checked = inClear.check(user, 'pass');
    expect(await checked).toBeNull();
  }
});

it('an unknown user is answered as one that is known, with the same salt, and as slowly', async () => {
  const signIn = signInOf(keys, () => 0);
  const salts = ['quern', 'owner', 'nobody'].map((user) => {
    const exchange = signIn.exchange({ user, remoteAddress }, { mechanism: 'SCRAM-SHA-256', binding: null });
    return exchange.begin(new ScramClient('x').first).replace(/^r=[^,]*/, '');
  });
  expect(new Set(salts).size).toBe(1);
  for (let i = 0; i < 3; i++) expect(await proved(signIn, 'nobody', 'right')).toBeNull();
  const began = performance.now();
  expect(await proved(signIn, 'nobody', 'right')).toBeNull();
  expect(performance.now() - began).toBeGreaterThan(150);
});

it("text is asked for while a live key has no verifier, and a proof of it is nobody's", async () => {
  const digest = createSecretKey(new Uint8Array(32));
  const old = JSON.stringify([
    { role: 'owner', digest: new Keys(NOWHERE, randomBytes, digest).digest('old') },
  ]);
  const of = new Keys({ ...NOWHERE, read: async () => old }, randomBytes, digest);
  await of.open(null);
  const signIn = signInOf(of, () => 0);
  expect(signIn.needsText).toBe(true);
  expect(await proved(signIn, 'quern', 'old')).toBeNull();
  expect(await signIn.check(who, 'old')).toMatchObject(OWNER);
  await vi.waitUntil(() => !signIn.needsText);
  expect(await proved(signIn, 'quern', 'old')).toBe(10);
});

const NOWHERE = { read: async () => null, write: async () => undefined };
