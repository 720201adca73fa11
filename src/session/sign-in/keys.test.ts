/** API keys: one owner key, known again after a restart, and nothing of it in the record. */
import { createSecretKey, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type KeyRecord, Keys } from './keys.ts';

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
});
