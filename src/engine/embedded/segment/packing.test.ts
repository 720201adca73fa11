/** Sections made smaller for the disk, and data of the format before, in which none was. */
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BOOKS, MASTER_KEY, makeBooks, titlesNow, upsert } from '../../../../sql-tests/fixtures/engine.ts';
import { MemoryStore } from '../../../storage/memory-store.ts';
import { BLOCK_BYTES } from '../../../limits.ts';
import type { EmbeddedEngine } from '../embedded-engine.ts';
import { openEmbeddedEngine } from '../open.ts';
import { type PackedSection, packSection, unpackBlock } from './packing.ts';

function unpacked({ bytes, ends, as }: PackedSection, size: number): Buffer {
  const blocks = [...ends].map((end, i) => {
    const stored = bytes.slice(ends[i - 1] ?? 0, end);
    const wanted = Math.min(BLOCK_BYTES, size - i * BLOCK_BYTES);
    return stored.length < wanted ? unpackBlock(stored, wanted, as) : stored;
  });
  return Buffer.concat(blocks);
}

describe('a section', () => {
  test('comes back as it was, whatever is in it', () => {
    const part = fc.record({ byte: fc.nat(255), count: fc.nat(90_000), random: fc.nat(3_000) });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        const section = Buffer.concat(
          parts.flatMap(({ byte, count, random }) => [Buffer.alloc(count, byte), randomBytes(random)]),
        );
        const packed = packSection(section);
        if (packed !== null) expect(unpacked(packed, section.length).equals(section)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  test('of offsets comes back, and takes next to nothing where lengths repeat', () => {
    const lengths = fc.array(fc.record({ length: fc.nat(70_000), count: fc.nat(20_000) }), { maxLength: 6 });
    fc.assert(
      fc.property(lengths, (runs) => {
        const offsets = [0];
        for (const { length, count } of runs) {
          for (let i = 0; i < count; i++) offsets.push((offsets.at(-1) as number) + length);
        }
        const section = new Uint8Array(Uint32Array.from(offsets).buffer);
        const packed = packSection(section, 'deltas');
        if (packed === null) return;
        expect(unpacked(packed, section.length).equals(section)).toBe(true);
        expect(packed.bytes.length).toBeLessThan(1_000 + section.length / 50);
      }),
      { numRuns: 50 },
    );
  });

  test('stays as it is where it would be little smaller', () => {
    expect(packSection(randomBytes(100_000))).toBeNull();
    expect(packSection(new Uint8Array(100))).toBeNull();
  });

  test('is not read beyond its size', () => {
    const packed = packSection(new Uint8Array(10_000)) as PackedSection;
    expect(() => unpackBlock(new Uint8Array(packed.bytes), 9_999)).toThrow();
  });
});

async function filled(store: MemoryStore, newFormat?: number): Promise<EmbeddedEngine> {
  const settings = { headRows: 100, idleMs: 0 };
  const engine = await openEmbeddedEngine({
    masterKey: MASTER_KEY,
    store,
    settings,
    ...(newFormat !== undefined && { newFormat }),
  });
  await makeBooks(engine);
  await upsert(
    engine,
    Array.from({ length: 500 }, (_, i) => ({ id: `book-${i}`, title: `the same old title ${i % 7}` })),
  );
  await engine.flush();
  return engine;
}

test('data of format 5 is written on in it, and new data takes less', async () => {
  const older = new MemoryStore();
  const made = await filled(older, 5);
  const plainBytes = made.size(BOOKS).bytes;
  await made.close();
  const again = await openEmbeddedEngine({ masterKey: MASTER_KEY, store: older });
  await upsert(again, [{ id: 'another', title: 'another title' }]);
  await again.flush();
  expect((await titlesNow(again)).size).toBe(501);
  expect(again.size(BOOKS).bytes).toBeGreaterThan(plainBytes);
  await again.close();
  expect(Buffer.from(older.get('meta', Buffer.from('format')) as Uint8Array).toString()).toBe('5');

  const engine = await filled(new MemoryStore());
  expect(engine.size(BOOKS).bytes).toBeLessThan(plainBytes / 2);
  expect((await titlesNow(engine)).size).toBe(500);
  await engine.close();
});

test('a format that data was not made in is damage', async () => {
  const store = new MemoryStore();
  await (await filled(store)).close();
  await store.write([{ kind: 'put', space: 'meta', key: Buffer.from('format'), value: Buffer.from('5') }]);
  const opened = openEmbeddedEngine({ masterKey: MASTER_KEY, store });
  await expect(opened).rejects.toThrow('record meta/format');
});
