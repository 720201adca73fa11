/** Temporary files: what is written is read again, nothing of them stays, and every call of the system may fail. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FileSystem, TemporaryFiles } from './temporary-file.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quern-temporary-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

type Step = 'mkdir' | 'open' | 'unlink' | 'write' | 'read';

/** The system, where a step fails with an error, and reads and writes may be short. */
function faulty({ failing, code, bytes }: { failing?: Step; code?: string; bytes?: number }): FileSystem {
  const step = <T>(name: Step, done: () => Promise<T>): Promise<T> =>
    name === failing ? Promise.reject(new Error(`${code}: it fails`)) : done();
  const short = (length: number): number => Math.min(length, bytes ?? length);
  return {
    mkdir: () => step('mkdir', async () => undefined),
    readdir: async (path) => readdirSync(path),
    unlink: (path) => step('unlink', () => unlink(path)),
    open: (path) =>
      step('open', async () => {
        const file = await open(path, 'wx+');
        return {
          write: (from, start, length, position) =>
            step('write', () => file.write(from, start, short(length), position)),
          read: (to, start, length, position) =>
            step('read', () => file.read(to, start, short(length), position)),
          close: () => file.close(),
        };
      }),
  };
}

describe('a temporary file', () => {
  it('gives its blocks back, in any order, and is nowhere to be found', async () => {
    const files = new TemporaryFiles(join(folder, 'tmp'));
    using file = await files.open();
    expect(readdirSync(join(folder, 'tmp'))).toEqual([]);
    const sizes = [0, 1, 1000, 3_000_000];
    const blocks = sizes.map((size, i) => new Uint8Array(size).fill(i + 1));
    for (const [i, block] of blocks.entries()) expect(await file.write(block)).toBe(i);
    for (const i of [3, 0, 2, 1]) expect(Buffer.compare(await file.read(i), blocks[i] as Uint8Array)).toBe(0);
    expect(files.written).toEqual({ files: 1, bytes: file.size });
  });

  it('goes on after short writes and reads', async () => {
    using file = await new TemporaryFiles(folder, faulty({ bytes: 7 })).open();
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 100 }), async (plain) => {
        const back = await file.read(await file.write(plain));
        expect(Buffer.compare(back, plain)).toBe(0);
        expect(back.byteOffset % 8).toBe(0);
      }),
      { numRuns: 20 },
    );
  });

  const failures: readonly [Step, string, string][] = [
    ['mkdir', 'EROFS', 'disk_full'],
    ['mkdir', 'ENOSPC', 'disk_full'],
    ['open', 'EACCES', 'disk_full'],
    ['open', 'EMFILE', 'disk_full'],
    ['open', 'ENOSPC', 'disk_full'],
    ['open', 'EIO', 'io_error'],
    ['write', 'ENOSPC', 'disk_full'],
    ['write', 'EDQUOT', 'disk_full'],
    ['write', 'EIO', 'io_error'],
    ['read', 'EIO', 'io_error'],
  ];
  it.each(failures)('says so when %s fails with %s', async (failing, code, condition) => {
    const files = new TemporaryFiles(folder, faulty({ failing, code }));
    const used = async (): Promise<void> => {
      using file = await files.open();
      await file.read(await file.write(Uint8Array.of(1, 2, 3)));
    };
    await expect(used()).rejects.toMatchObject({ condition });
  });

  it('is full where writing gets nowhere', async () => {
    using file = await new TemporaryFiles(folder, faulty({ bytes: 0 })).open();
    await expect(file.write(Uint8Array.of(1))).rejects.toMatchObject({ condition: 'disk_full' });
  });

  it('goes when it is closed, or at the next start, where it could not be unlinked at once', async () => {
    writeFileSync(join(folder, 'not-ours'), '');
    const files = new TemporaryFiles(folder, faulty({ failing: 'unlink', code: 'EBUSY' }));
    using file = await files.open();
    await file.write(Uint8Array.of(1));
    expect(readdirSync(folder)).toHaveLength(2);
    await new TemporaryFiles(folder).sweep();
    expect(readdirSync(folder)).toEqual(['not-ours']);
    await new TemporaryFiles(join(folder, 'absent')).sweep();
  });

  it('holds nothing that can be read, and nothing that was changed', async () => {
    const files = new TemporaryFiles(folder, faulty({ failing: 'unlink', code: 'EBUSY' }));
    using file = await files.open();
    const plain = Buffer.from('a secret that is long enough to be found');
    await file.write(plain);
    const [name] = readdirSync(folder);
    const path = join(folder, name ?? '');
    const sealed = readFileSync(path);
    expect(sealed.includes('secret')).toBe(false);
    sealed[40] = (sealed[40] ?? 0) ^ 1;
    writeFileSync(path, sealed);
    await expect(file.read(0)).rejects.toMatchObject({ condition: 'data_corrupted' });
    writeFileSync(path, sealed.subarray(0, 20));
    await expect(file.read(0)).rejects.toMatchObject({ condition: 'data_corrupted' });
  });
});
