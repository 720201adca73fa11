/** API keys: one owner key, known again after a restart, and nothing of it in the record. */
import { createSecretKey, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { NO_SCOPE } from './key-scope.ts';
import { type HeldKey, type KeyRecord, Keys } from './keys.ts';

const OWNER = { role: 10, name: 'owner' };
const DIGEST_KEY = createSecretKey(new Uint8Array(32));

function record(): KeyRecord & { text: string | null } {
  return {
    text: null,
    async read() {
      return this.text;
    },
    async write(text) {
      this.text = text;
    },
  };
}

describe('keys', () => {
  it('a configured key becomes the owner key at the first start only', async () => {
    const kept = record();
    const first = new Keys(kept, randomBytes, DIGEST_KEY);
    expect(await first.open('given')).toBeNull();
    expect(await first.verify('given')).toMatchObject(OWNER);
    expect(await first.verify('given')).toMatchObject(OWNER);
    expect(await first.verify('other')).toBeNull();
    expect(kept.text).not.toContain('given');
    const second = new Keys(kept, randomBytes, DIGEST_KEY);
    expect(await second.open('another')).toBeNull();
    expect(await second.verify('another')).toBeNull();
    expect(await second.verify('given')).toMatchObject(OWNER);
  });

  it('without one a random key is made and given once', async () => {
    const kept = record();
    const made = await new Keys(kept, randomBytes, DIGEST_KEY).open(null);
    expect(made).toMatch(/^quern_[\w-]{43}$/);
    const again = new Keys(kept, randomBytes, DIGEST_KEY);
    expect(await again.open(null)).toBeNull();
    expect(await again.verify(made ?? '')).toMatchObject(OWNER);
    const reset = await again.resetOwner();
    expect(await again.verify(made ?? '')).toBeNull();
    expect(await again.verify(reset)).toMatchObject(OWNER);
    expect(kept.text).not.toContain(reset);
  });

  it('a made key is known from the start, a chosen one once it was right', async () => {
    const kept = record();
    const made = (await new Keys(kept, randomBytes, DIGEST_KEY).open(null)) as string;
    const again = new Keys(kept, randomBytes, DIGEST_KEY);
    await again.open(null);
    expect([again.known(made)?.role, again.known('other')]).toEqual([10, null]);
    const chosen = new Keys(record(), randomBytes, DIGEST_KEY);
    await chosen.open('given');
    expect(chosen.known('given')).toBeNull();
    await chosen.verify('given');
    expect(chosen.known('given')).toMatchObject(OWNER);
  });

  it('reads a record of before, and gives its keys verifiers at their next sign-in in clear', async () => {
    const digest = new Keys(record(), randomBytes, DIGEST_KEY).digest('made');
    const kept = { ...record(), text: JSON.stringify([{ role: 'owner', digest }]) };
    const keys = new Keys(kept, randomBytes, DIGEST_KEY);
    await keys.open(null);
    const held = keys.known('made') as HeldKey;
    expect(held).toMatchObject(OWNER);
    expect([...keys.live()].map(({ secret }) => secret.verifier)).toEqual([null]);
    await keys.used(held, 'made');
    expect([...keys.live()].map(({ secret }) => secret.verifier !== null)).toEqual([true]);
    expect(keys.isLive(held)).toBe(true);
    // As an older server reads it.
    expect(JSON.parse(kept.text)).toMatchObject([{ role: 'owner', digest }]);
    const again = new Keys(kept, randomBytes, DIGEST_KEY);
    await again.open(null);
    expect(again.salting).toEqual(keys.salting);
    expect([...again.live()][0]?.secret.verifier).toEqual([...keys.live()][0]?.secret.verifier);
  });

  it('of more than an owner are kept in a form of their own, and nothing changes where that fails', async () => {
    const kept = record();
    const keys = new Keys(kept, randomBytes, DIGEST_KEY);
    await keys.open('given');
    await keys.resetOwner();
    const { key } = await keys.create({ name: 'bi', role: 13_023, expiresMs: null, scope: NO_SCOPE });
    expect(kept.text).not.toContain(key);
    expect(JSON.parse(kept.text as string)).toMatchObject({ version: 2 });
    const again = new Keys(kept, randomBytes, DIGEST_KEY);
    await again.open(null);
    expect(again.known(key)).toMatchObject({ name: 'bi', role: 13_023 });
    await again.resetOwner();
    expect(again.all.map(({ name }) => name)).toEqual(['owner', 'bi']);
    const full = { read: () => kept.read(), write: () => Promise.reject(new Error('full')) };
    const unwritable = new Keys(full, randomBytes, DIGEST_KEY);
    await unwritable.open(null);
    await expect(unwritable.drop('bi')).rejects.toThrow('full');
    await expect(unwritable.rotate('owner', 1000)).rejects.toThrow('full');
    expect(unwritable.all).toHaveLength(2);
    expect(unwritable.find('owner')?.secrets).toHaveLength(1);
  });

  it('changes are made one after the other, and a record of a later version is not read', async () => {
    const keys = new Keys(record(), randomBytes, DIGEST_KEY);
    await keys.open('given');
    const wanted = { role: 13_023, expiresMs: null, scope: NO_SCOPE };
    const made = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) => keys.create({ ...wanted, name: `k${i % 10}` })),
    );
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    const later = { ...record(), text: JSON.stringify({ version: 3, keys: [] }) };
    await expect(new Keys(later, randomBytes, DIGEST_KEY).open(null)).rejects.toThrow('version 3');
  });
});
