/**
 * Starts over a damaged data folder: each of its files taken away, cut, emptied, older, another
 * installation's, or a folder in its place. It ends with an error that names the file, or everything is as it
 * was: never an empty database, never a new owner.
 */
import { randomBytes } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDataFolder, resetOwner } from './data-folder.ts';
import { makeBooks, titlesNow, upsert } from '../sql-tests/fixtures/engine.ts';
import { SqlError } from './errors.ts';

const OWNER = 'the-owner';
const STRANGER = 'somebody-else';
const root = mkdtempSync(join(tmpdir(), 'quern-folder-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** An installation is a folder with `data` and `data.key`. */
const dataOf = (installation: string): string => join(root, installation, 'data');

const open = (
  installation: string,
  {
    apiKey = STRANGER,
    guard = null,
    model = 'usual',
  }: { apiKey?: string; guard?: string | null; model?: string } = {},
) =>
  openDataFolder({
    folder: dataOf(installation),
    encryptionKey: null,
    apiKey,
    rollbackGuard: guard,
    randomBytes,
    report: () => {},
    settings: { idleMs: 0 },
    usualModel: { ofNewData: model, unrecorded: 'before' },
  });

/** Two rows in a segment, then one in the head. */
async function make(installation: string, apiKey: string): Promise<void> {
  const { engine, close } = await open(installation, { apiKey });
  await makeBooks(engine);
  await upsert(engine, [
    { id: 'a', title: 'one' },
    { id: 'b', title: 'two' },
  ]);
  await engine.flush();
  await upsert(engine, [{ id: 'c', title: 'three' }]);
  await close();
}

const copy = (from: string, to: string): void => {
  rmSync(join(root, to), { recursive: true, force: true });
  cpSync(join(root, from), join(root, to), { recursive: true });
};

let ownerKey = '';
beforeAll(async () => {
  await make('older', OWNER);
  copy('older', 'whole');
  const { engine, close } = await open('whole');
  await upsert(engine, [{ id: 'd', title: 'four' }]);
  await close();
  ownerKey = await resetOwner({
    folder: dataOf('whole'),
    encryptionKey: null,
    randomBytes,
    report: () => {},
  });
  await make('other', STRANGER);
});

const FILES = [
  'data.key',
  'data/data.mdb',
  'data/data.mdb-size',
  'data/data.mdb-lock',
  'data/keys.sealed',
  'data/data-keys.sealed',
];

const cutTo = (length: (size: number) => number) => (path: string) =>
  truncateSync(path, Math.max(0, Math.floor(length(statSync(path).size))));

const DAMAGES: Readonly<Record<string, (path: string, file: string) => void>> = {
  'taken away': (path) => rmSync(path),
  emptied: cutTo(() => 0),
  'cut to a byte': cutTo(() => 1),
  'cut to 100 bytes': cutTo((size) => Math.min(100, size - 1)),
  'cut to a half': cutTo((size) => size / 2),
  'cut by a page': cutTo((size) => size - 4096),
  'cut by a byte': cutTo((size) => size - 1),
  'replaced by an older one': (path, file) => cpSync(join(root, 'older', file), path),
  'replaced by another’s': (path, file) => cpSync(join(root, 'other', file), path),
  'turned into a folder': (path) => {
    rmSync(path);
    mkdirSync(path);
  },
};

/** Null: it started, and all was there. */
async function outcome(installation: string): Promise<SqlError | null> {
  let opened: Awaited<ReturnType<typeof open>>;
  try {
    opened = await open(installation);
  } catch (error) {
    expect(error).toBeInstanceOf(SqlError);
    return error as SqlError;
  }
  try {
    expect([...(await titlesNow(opened.engine)).keys()].sort()).toEqual(['a', 'b', 'c', 'd']);
    expect(await opened.keys.verify(ownerKey)).toMatchObject({ role: 10 });
    expect(await opened.keys.verify(STRANGER)).toBeNull();
    return null;
  } catch (error) {
    if (error instanceof SqlError && error.condition === 'data_corrupted') return error;
    throw error;
  } finally {
    await opened.close();
  }
}

describe.each(FILES)('%s', (file) => {
  test.each(Object.keys(DAMAGES))('%s: an error that names it, or nothing is lost', async (damage) => {
    copy('whole', 'damaged');
    DAMAGES[damage]?.(join(root, 'damaged', file), file);
    const before = existsSync(join(root, 'damaged/data/data.mdb')) && !damage.includes('folder');
    const bytes = before ? readFileSync(join(root, 'damaged/data/data.mdb')) : null;
    const error = await outcome('damaged');
    if (error === null) return;
    expect(['data_corrupted', 'config_file_error', 'undefined_file', 'io_error']).toContain(error.condition);
    expect(error.message).toContain(join(root, 'damaged'));
    expect(error.fields.hint).toBeDefined();
    if (bytes === null) return;
    expect(readFileSync(join(root, 'damaged/data/data.mdb')).equals(bytes)).toBe(true);
  });
});

test.each(Object.keys(DAMAGES))('the data file %s, without the note of its size', async (damage) => {
  copy('whole', 'unnoted');
  rmSync(join(root, 'unnoted/data/data.mdb-size'));
  DAMAGES[damage]?.(join(root, 'unnoted/data/data.mdb'), 'data/data.mdb');
  const error = await outcome('unnoted');
  if (error !== null) expect(error.message).toContain(join(root, 'unnoted'));
});

test.each(['cut after', 'of zeros'])(
  'the data file %s any page, without the note of its size',
  async (how) => {
    const whole = readFileSync(join(root, 'whole/data/data.mdb'));
    let damaged = 0;
    for (let at = 4096; at < whole.length; at += 4096) {
      copy('whole', 'cut');
      rmSync(join(root, 'cut/data/data.mdb-size'));
      const bytes = Buffer.from(whole);
      const left = how === 'of zeros' ? bytes.fill(0, at, at + 4096) : bytes.subarray(0, at);
      writeFileSync(join(root, 'cut/data/data.mdb'), left);
      const error = await outcome('cut');
      if (error !== null) expect(error.condition).toBe('data_corrupted');
      damaged += Number(error !== null);
    }
    expect(damaged).toBeGreaterThan(3);
  },
);

describe('the usual model', () => {
  const modelOf = async (installation: string, model: string): Promise<string> => {
    const opened = await open(installation, { model });
    await opened.close();
    return opened.usualModel;
  };

  test('is recorded when the data is made, and stays when a later version has another', async () => {
    expect(await modelOf('new', 'of one version')).toBe('of one version');
    expect(await modelOf('new', 'of the next')).toBe('of one version');
  });

  test('of data that was made before it was recorded is what it was then', async () => {
    copy('whole', 'unrecorded');
    const { engine, close } = await open('unrecorded');
    await engine.usualModel.record(undefined as never);
    await close();
    expect(await modelOf('unrecorded', 'of the next')).toBe('before');
    expect(await modelOf('unrecorded', 'of the next')).toBe('before');
  });
});

describe('a start', () => {
  test('without the file of API keys names the command for who means it', async () => {
    copy('whole', 'keyless');
    rmSync(join(root, 'keyless/data/keys.sealed'));
    const error = await outcome('keyless');
    expect(error?.message).toMatch(/keys\.sealed" is missing/);
    expect(error?.fields.hint).toContain(`quern key reset-owner --data ${dataOf('keyless')}`);
    ownerKey = await resetOwner({
      folder: dataOf('keyless'),
      encryptionKey: null,
      randomBytes,
      report: () => {},
    });
    expect(await outcome('keyless')).toBeNull();
    copy('keyless', 'whole');
  });

  test('without any file but the key is an error, and without the key too a new database', async () => {
    copy('whole', 'gone');
    rmSync(dataOf('gone'), { recursive: true });
    await expect(open('gone')).rejects.toMatchObject({ condition: 'data_corrupted' });
    await expect(
      resetOwner({ folder: dataOf('gone'), encryptionKey: null, randomBytes, report: () => {} }),
    ).rejects.toMatchObject({ condition: 'data_corrupted' });
    rmSync(`${dataOf('gone')}.key`);
    const { keys, close } = await open('gone');
    expect(await keys.verify(STRANGER)).toMatchObject({ role: 10 });
    await close();
  });

  test('that was interrupted is finished by the next', async () => {
    copy('whole', 'halfway');
    renameSync(`${dataOf('halfway')}.key`, `${dataOf('halfway')}.key.new`);
    expect(await outcome('halfway')).toBeNull();
    expect(existsSync(`${dataOf('halfway')}.key`)).toBe(true);
    mkdirSync(join(root, 'early'));
    writeFileSync(`${dataOf('early')}.key.new`, `${'ab'.repeat(32)}\n`);
    const { keys, close } = await open('early');
    expect(await keys.verify(STRANGER)).toMatchObject({ role: 10 });
    await close();
    mkdirSync(join(root, 'earlier'));
    writeFileSync(`${dataOf('earlier')}.key.new`, 'abab');
    await expect(open('earlier')).rejects.toThrow(/is not whole/);
  });

  test('makes files that only their owner can read', async () => {
    for (const file of FILES) expect(statSync(join(root, 'whole', file)).mode & 0o077).toBe(0);
    expect(statSync(dataOf('other')).mode & 0o777).toBe(0o700);
  });
});

describe('a rollback guard', () => {
  test('tells older data of newer', async () => {
    const guard = join(root, 'guard');
    copy('whole', 'guarded');
    const first = await open('guarded', { guard });
    await first.close();
    copy('guarded', 'yesterday');
    const second = await open('guarded', { guard });
    await upsert(second.engine, [{ id: 'e', title: 'five' }]);
    await second.close();
    copy('guarded', 'today');
    expect(statSync(guard).mode & 0o077).toBe(0);
    copy('yesterday', 'guarded');
    await expect(open('guarded', { guard })).rejects.toThrow(/the data was rolled back/);
    copy('today', 'guarded');
    await (await open('guarded', { guard })).close();
    for (const size of [0, 10, 50]) {
      const bytes = readFileSync(guard);
      writeFileSync(guard, bytes.subarray(0, size));
      await expect(open('guarded', { guard })).rejects.toThrow(/rollback guard .* is damaged/);
      writeFileSync(guard, bytes);
    }
    rmSync(guard);
    await expect(open('guarded', { guard })).rejects.toThrow(/rollback guard .* is missing/);
    // Who means it starts once without.
    copy('yesterday', 'guarded');
    await (await open('guarded')).close();
    await (await open('guarded', { guard })).close();
    await (await open('guarded', { guard })).close();
    await expect(open('other', { guard })).rejects.toThrow(/sealed with another key/);
  });
});
