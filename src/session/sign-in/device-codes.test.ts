/** Commands that sign in by a browser: one key for each, for whoever waits, by the rights of whoever approves. */
import { createSecretKey, randomBytes } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { KEY_ROLES } from '../../catalog/access/roles.ts';
import { emptyCatalog } from '../../catalog/edit/edit.ts';
import { OWNER_ROLE_OID } from '../../catalog/oids.ts';
import { DEVICE_CODE_MINUTES, DEVICE_CODES_COUNT_MAX } from '../../limits.ts';
import { DeviceCodes } from './device-codes.ts';
import { NO_SCOPE } from './key-scope.ts';
import { type HeldKey, Keys } from './keys.ts';

const address = '10.0.0.1';
const NOTHING = { name: null, expires: null };
const logged: unknown[] = [];
let nowMs: number;
let keys: Keys;
let codes: DeviceCodes;

beforeEach(async () => {
  nowMs = Date.UTC(2027, 0, 1);
  const record = { read: async () => null, write: async () => undefined };
  keys = new Keys(record, randomBytes, createSecretKey(randomBytes(32)), { nowMs: () => nowMs });
  await keys.open('owner key');
  const log = (event: string, fields: object): void => void logged.push({ event, ...fields });
  codes = new DeviceCodes({ keys, catalog: emptyCatalog, randomBytes, now: () => nowMs, log });
});

async function approver(wanted: Partial<Parameters<Keys['create']>[0]> = {}) {
  const { key } = await keys.create({
    name: null,
    role: OWNER_ROLE_OID,
    expiresMs: null,
    scope: NO_SCOPE,
    ...wanted,
  });
  const held = keys.known(key) as HeldKey;
  return { key: held, isLive: () => keys.isLive(held) };
}

type By = Awaited<ReturnType<typeof approver>>;
const approve = (
  code: string,
  by: By,
  wanted: { name: string | null; expires: string | null } | null = NOTHING,
) => codes.answer(code, by, { address, wanted });

it('one gets a key, once, as its approver has one', async () => {
  const { secret, code } = codes.begin('quern on here', '10.0.0.2');
  expect(code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
  const by = await approver({ role: KEY_ROLES.admin, expiresMs: nowMs + 86_400_000 });
  expect(await codes.find(code.toLowerCase().replace('-', ' '), by, address)).toEqual({
    code,
    client: 'quern on here',
    address: '10.0.0.2',
    expires_s: DEVICE_CODE_MINUTES * 60,
  });
  expect(await codes.fetch(secret)).toEqual({ state: 'waiting' });
  expect(await approve(code, by, { name: 'laptop', expires: '1 hour' })).toBe(true);
  const [one, two] = await Promise.all([codes.fetch(secret), codes.fetch(secret)]);
  expect([one, two]).toMatchObject([{ state: 'approved', name: 'laptop' }, { state: 'over' }]);
  const { key = '' } = one as { key?: string };
  expect(keys.known(key)).toMatchObject({ name: 'laptop', role: KEY_ROLES.admin, scope: NO_SCOPE });
  expect(keys.find('laptop')?.expiresMs).toBe(nowMs + 3_600_000);
  expect(JSON.stringify(logged)).not.toContain(secret);
  expect(JSON.stringify(logged)).not.toContain(key);
});

it('one that nobody fetches, or that is refused, makes no key', async () => {
  const count = keys.all.length;
  const [unfetched, refused] = [codes.begin('a', address), codes.begin('b', address)];
  const by = await approver();
  await approve(unfetched.code, by);
  await approve(refused.code, by, null);
  expect(await codes.fetch(refused.secret)).toEqual({ state: 'denied' });
  expect(await codes.fetch(refused.secret)).toEqual({ state: 'over' });
  nowMs += DEVICE_CODE_MINUTES * 60_000;
  expect(await codes.fetch(unfetched.secret)).toEqual({ state: 'over' });
  expect(keys.all.length).toBe(count + 1);
});

it('is answered once: of two at a time the first', async () => {
  const { secret, code } = codes.begin('a', address);
  const [one, two] = [await approver(), await approver()];
  expect(await Promise.all([approve(code, one, null), approve(code, two)])).toEqual([true, false]);
  expect(await approve(code, two)).toBe(false);
  expect(await codes.find(code, two, address)).toBeNull();
  expect(await codes.fetch(secret)).toEqual({ state: 'denied' });
});

it('is approved by nobody who may make no such key, and then still waits', async () => {
  const { secret, code } = codes.begin('a', address);
  const brief = { expiresMs: nowMs + 3_600_000 };
  const wrong: [By, typeof NOTHING | { name: string | null; expires: string | null }, string][] = [
    [await approver({ role: KEY_ROLES.reader }), NOTHING, 'insufficient_privilege'],
    [await approver({ role: KEY_ROLES.writer }), NOTHING, 'insufficient_privilege'],
    [await approver({ scope: { ...NO_SCOPE, readOnly: true } }), NOTHING, 'insufficient_privilege'],
    [await approver({ scope: { ...NO_SCOPE, addresses: ['10.0.0.1'] } }), NOTHING, 'insufficient_privilege'],
    [await approver(brief), { name: null, expires: '2 hours' }, 'insufficient_privilege'],
    [await approver(brief), { name: null, expires: 'never' }, 'insufficient_privilege'],
    [await approver(), { name: 'owner', expires: null }, 'duplicate_object'],
    [await approver(), { name: 'reader', expires: null }, 'duplicate_object'],
    [await approver(), { name: 'quern_key', expires: null }, 'reserved_name'],
    [await approver(), { name: null, expires: '2020-01-01' }, 'invalid_parameter_value'],
  ];
  for (const [by, wanted, condition] of wrong) {
    await expect(approve(code, by, wanted), condition).rejects.toMatchObject({ condition });
  }
  expect(await codes.fetch(secret)).toEqual({ state: 'waiting' });
  const by = await approver(brief);
  await approve(code, by);
  const fetched = await codes.fetch(secret);
  expect(keys.find(fetched.state === 'approved' ? fetched.name : '')?.expiresMs).toBe(brief.expiresMs);
});

it('gives nothing once its approver has ended, whenever that is', async () => {
  for (const end of [
    (by: By) => keys.drop(by.key.name),
    (by: By) => keys.alter(by.key.name, { scope: { ...NO_SCOPE, collections: [] } }),
    (by: By) => keys.rotate(by.key.name, 0),
  ]) {
    const { secret, code } = codes.begin('a', address);
    const by = await approver();
    await approve(code, by);
    await end(by);
    const count = keys.all.length;
    await expect(codes.fetch(secret)).rejects.toMatchObject({ condition: 'admin_shutdown' });
    expect([await codes.fetch(secret), keys.all.length]).toEqual([{ state: 'over' }, count]);
    await expect(codes.find(code, by, address)).rejects.toMatchObject({ condition: 'admin_shutdown' });
  }
});

it('is guessed slowly', async () => {
  const by = await approver();
  const guesses = Array.from({ length: 20 }, (_, i) => codes.find(`BBBB-BB${i}`, by, '10.0.7.1'));
  const ended = await Promise.allSettled(guesses.slice(-2));
  for (const one of ended) expect(one).toMatchObject({ reason: { condition: 'cannot_connect_now' } });
  for (const guess of guesses) guess.catch(() => undefined);
  expect(await codes.fetch('')).toEqual({ state: 'over' });
});

it('are so many: of one address the oldest goes, and others are sent away when all places are taken', async () => {
  const first = codes.begin('a', address);
  for (let i = 0; i < 10; i++) codes.begin('a', address);
  expect(await codes.fetch(first.secret)).toEqual({ state: 'over' });
  const begun = (i: number): unknown => codes.begin('a', `10.1.${i >> 8}.${i & 255}`);
  for (let i = 0; i < DEVICE_CODES_COUNT_MAX - 10; i++) begun(i);
  expect(() => begun(999)).toThrow('too many commands wait');
  nowMs += DEVICE_CODE_MINUTES * 60_000;
  begun(999);
});

it('says who waits in words that change no line', async () => {
  const { code } = codes.begin(`a\r\nset-cookie: b\u202E${'x'.repeat(200)}`, address);
  const shown = await codes.find(code, await approver(), address);
  expect(shown?.client).toMatch(/^a {2}set-cookie: b x+$/);
  expect(shown?.client.length).toBe(100);
});
