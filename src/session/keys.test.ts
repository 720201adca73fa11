/** API keys: one owner key, known again after a restart, and nothing of it in the record. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type KeyRecord, Keys } from './keys.ts';

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
    const first = new Keys(kept, randomBytes);
    expect(await first.open('given')).toBeNull();
    expect(await first.verify('given')).toBe('owner');
    expect(await first.verify('given')).toBe('owner');
    expect(await first.verify('other')).toBeNull();
    expect(kept.text).not.toContain('given');
    const second = new Keys(kept, randomBytes);
    expect(await second.open('another')).toBeNull();
    expect(await second.verify('another')).toBeNull();
    expect(await second.verify('given')).toBe('owner');
  });

  it('without one a random key is made and given once', async () => {
    const kept = record();
    const made = await new Keys(kept, randomBytes).open(null);
    expect(made).toMatch(/^quern_[\w-]{43}$/);
    const again = new Keys(kept, randomBytes);
    expect(await again.open(null)).toBeNull();
    expect(await again.verify(made ?? '')).toBe('owner');
    const reset = await again.resetOwner();
    expect(await again.verify(made ?? '')).toBeNull();
    expect(await again.verify(reset)).toBe('owner');
  });
});
