/** Files that come in parts: nothing that was acknowledged is lost, wherever they are cut off, and nothing else is taken for theirs. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HeldFiles, type HeldFileSystem } from './held-files.ts';
import { Sealer } from './seal.ts';

const MASTER_KEY = new Uint8Array(32).fill(7);
const ABOUT = JSON.stringify({ name: 'großer Bericht.pdf' });

let folder: string;
let files: HeldFiles;

const held = (system?: HeldFileSystem): HeldFiles =>
  new HeldFiles(folder, new Sealer(MASTER_KEY, 'uploads'), system);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quern-held-'));
  files = held();
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function* of(...pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

const bytes = (size: number, seed = 1): Uint8Array =>
  Uint8Array.from({ length: size }, (_, i) => (i * 31 + (i >> 8) + seed) & 255);

const whole = async (file: { pieces(): AsyncIterable<Uint8Array> }): Promise<Buffer> =>
  Buffer.concat(await Array.fromAsync(file.pieces()));

const pathOf = (): string => join(folder, readdirSync(folder)[0] as string);

/** The system, where writing ends with an error behind so many bytes of all. */
function full(bytesMax: number): HeldFileSystem {
  let left = bytesMax;
  return {
    mkdir: async () => undefined,
    readdir: async (path) => readdirSync(path),
    unlink,
    open: async (path) => {
      const file = await open(path, 'r+').catch(() => open(path, 'w+'));
      return {
        write: async (from, start, length, position) => {
          if (left === 0) throw new Error('ENOSPC: no space left on device');
          const written = await file.write(from, start, Math.min(length, left), position);
          left -= written.bytesWritten;
          return written;
        },
        read: (to, start, length, position) => file.read(to, start, length, position),
        stat: () => file.stat(),
        datasync: () => file.datasync(),
        close: () => file.close(),
      };
    },
  };
}

describe('a held file', () => {
  it('is what came, in parts of any size, also after a restart between any of them', async () => {
    const sizes = fc.array(fc.constantFrom(0, 1, 1000, 262_143, 262_144, 262_145, 700_000), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(sizes, fc.boolean(), async (parts, isRestarted) => {
        let file = await files.make(ABOUT);
        const all: Uint8Array[] = [];
        for (const [i, size] of parts.entries()) {
          all.push(bytes(size, i));
          await file.append(of(bytes(size, i).subarray(0, size >> 1), bytes(size, i).subarray(size >> 1)));
          if (isRestarted) file = (await held().load())[0] as typeof file;
          expect([file.about, file.size]).toEqual([ABOUT, all.reduce((sum, { length }) => sum + length, 0)]);
        }
        expect((await whole(file)).equals(Buffer.concat(all))).toBe(true);
        await file.remove();
        expect(readdirSync(folder)).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });

  it('keeps what came before its pieces failed', async () => {
    const file = await files.make(ABOUT);
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield bytes(300_000);
      throw new Error('cut off');
    }
    await expect(file.append(failing())).rejects.toThrow('cut off');
    expect(file.size).toBe(300_000);
    const [again] = await held().load();
    expect((await whole(again as typeof file)).equals(bytes(300_000))).toBe(true);
  });

  it('is sealed: names and bytes stand nowhere', async () => {
    const file = await files.make(ABOUT);
    await file.append(of(Buffer.from('a secret that is long enough')));
    const stored = readFileSync(pathOf());
    expect([stored.includes('Bericht'), stored.includes('secret')]).toEqual([false, false]);
    expect(readdirSync(folder)[0]).toMatch(/^[0-9a-f]{24}\.upload$/);
  });

  it('is read again up to the last record that is whole, wherever its end was lost', async () => {
    const parts = [bytes(100), bytes(300_000), bytes(50)];
    const file = await files.make(ABOUT);
    for (const part of parts) await file.append(of(part));
    const stored = readFileSync(pathOf());
    const all = Buffer.concat(parts);
    for (let end = stored.length; end >= 0; end -= end > stored.length - 200 ? 1 : 10_007) {
      truncateSync(pathOf(), end);
      const [again] = await held().load();
      if (again === undefined) continue;
      expect(all.subarray(0, again.size).equals(await whole(again)), String(end)).toBe(true);
      writeFileSync(pathOf(), stored);
    }
  });

  it('that nobody can read is taken away', async () => {
    for (const content of ['', 'x', '\0\0\0\0', 'x'.repeat(5000)]) {
      writeFileSync(join(folder, 'a.upload'), content);
      expect(await files.load()).toEqual([]);
      expect(readdirSync(folder)).toEqual([]);
    }
    writeFileSync(join(folder, 'a.spilled'), 'not ours');
    await files.load();
    expect(readdirSync(folder)).toEqual(['a.spilled']);
  });

  it('that was changed, moved to another, or put into another order tells of it', async () => {
    const file = await files.make(ABOUT);
    for (const seed of [1, 2, 3]) await file.append(of(bytes(1000, seed)));
    const stored = readFileSync(pathOf());
    const changed = Buffer.from(stored);
    changed[stored.length - 1500] = (changed[stored.length - 1500] as number) ^ 1;
    const size = 4 + 32 + 1000;
    const first = stored.length - 3 * size;
    const swapped = Buffer.concat([
      stored.subarray(0, first),
      stored.subarray(first + size, first + 2 * size),
      stored.subarray(first, first + size),
      stored.subarray(first + 2 * size),
    ]);
    for (const wrong of [changed, swapped]) {
      writeFileSync(pathOf(), wrong);
      await expect(whole(file)).rejects.toMatchObject({ condition: 'data_corrupted' });
    }
    writeFileSync(pathOf(), stored);
    const other = join(folder, '000000000000000000000000.upload');
    writeFileSync(other, stored);
    expect((await held().load()).length).toBe(1);
  });

  it('goes on once a full disk has room again, from what it could keep', async () => {
    const system = full(600_000);
    const file = await held(system).make(ABOUT);
    const all = bytes(1_000_000);
    await expect(file.append(of(all))).rejects.toMatchObject({ condition: 'disk_full' });
    expect(file.size).toBe(2 * 262_144);
    await expect(file.append(of(all.subarray(file.size)))).rejects.toMatchObject({ condition: 'disk_full' });
    const [again] = (await held().load()) as [typeof file];
    expect(again.size).toBe(2 * 262_144);
    await again.append(of(all.subarray(again.size)));
    expect((await whole(again)).equals(all)).toBe(true);
    await expect(held(full(0)).make(ABOUT)).rejects.toMatchObject({ condition: 'disk_full' });
  });
});
