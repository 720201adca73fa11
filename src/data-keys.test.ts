/**
 * The encryption key and the data keys of a folder: folders of before get their file of data keys, the encryption key is
 * changed at once and the data keys after it, and wherever that is cut off, all is there, by one key.
 */
import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeBooks, titlesNow, upsert } from '../sql-tests/fixtures/engine.ts';
import { openDataFolder, rekey } from './data-folder.ts';
import { openEmbeddedEngine } from './engine/embedded/open.ts';
import { Keys } from './session/sign-in/keys.ts';
import { DataKeys, type KeyedData } from './storage/data-keys.ts';
import type { KeySource } from './storage/key-command.ts';
import { deriveKey, epochOf, Sealer } from './storage/seal.ts';
import { openLmdbStore } from './storage/lmdb-store.ts';
import { apiKeysPath, keyFilePath, loadMasterKey, makeNextKeyFile } from './storage/master-key.ts';
import { readRing, ringPath } from './storage/ring-file.ts';
import { SealedFile } from './storage/sealed-file.ts';
import { type Space, SPACES } from './storage/store.ts';

const OWNER = 'the-owner';
const SECRET = Buffer.from('a password of a file');
const PLACE = Buffer.from('its place');
const root = mkdtempSync(join(tmpdir(), 'quern-data-keys-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const dataOf = (installation: string): string => join(root, installation, 'data');
const ringOf = (installation: string): string => ringPath(dataOf(installation));
const copy = (from: string, to: string): void => {
  rmSync(join(root, to), { recursive: true, force: true });
  cpSync(join(root, from), join(root, to), { recursive: true });
};
const options = (installation: string, encryptionKey: KeySource | null = null) => ({
  folder: dataOf(installation),
  encryptionKey,
  randomBytes,
  report: (error: unknown) => {
    throw error;
  },
});
const open = (installation: string, encryptionKey: KeySource | null = null) =>
  openDataFolder({
    ...options(installation, encryptionKey),
    apiKey: OWNER,
    rollbackGuard: null,
    settings: { idleMs: 0, headRows: 20 },
    usualModel: { ofNewData: 'usual', unrecorded: 'before' },
  });
const keyIn = (installation: string): Uint8Array =>
  new Uint8Array(Buffer.from(readFileSync(keyFilePath(dataOf(installation)), 'utf8').trim(), 'hex'));

const listOf = (count: number, title: string) =>
  Array.from({ length: count }, (_, i) => ({ id: `id${i}`, title: `${title} ${i}` }));

/** All of it is there, by the owner's key. */
async function check(installation: string, encryptionKey: KeySource | null = null): Promise<void> {
  const { engine, keys, seal, close } = await open(installation, encryptionKey);
  try {
    const titles = await titlesNow(engine);
    expect(titles.size).toBe(51);
    expect(titles.get('id7')).toBe('first 7');
    expect(await keys.verify(OWNER)).toMatchObject({ role: 10 });
    const kept = readFileSync(join(root, installation, 'kept'));
    expect(Buffer.from(seal.open(kept, PLACE))).toEqual(SECRET);
  } finally {
    await close();
  }
}

async function make(installation: string, encryptionKey: KeySource | null = null): Promise<void> {
  const { engine, seal, close } = await open(installation, encryptionKey);
  await makeBooks(engine);
  await upsert(engine, listOf(50, 'first'));
  await engine.flush();
  await upsert(engine, [{ id: 'last', title: 'in the head' }]);
  writeFileSync(join(root, installation, 'kept'), seal.seal(SECRET, PLACE));
  await close();
}

/** As servers before data keys made it: all keys are derived from the encryption key. */
async function makeOlder(installation: string, format: number): Promise<void> {
  const folder = dataOf(installation);
  mkdirSync(folder, { recursive: true });
  const key = new Uint8Array(randomBytes(32));
  writeFileSync(keyFilePath(folder), `${Buffer.from(key).toString('hex')}\n`);
  const settings = { headRows: 20 };
  const engine = await openEmbeddedEngine({ masterKey: key, folder, newFormat: format, settings });
  const sealer = new Sealer(key, 'api-keys');
  const file = new SealedFile(apiKeysPath(folder), { sealer, pins: engine.pins, hint: '' });
  await new Keys(file, randomBytes, deriveKey(key, 'api-key-digests')).open(OWNER);
  await makeBooks(engine);
  await upsert(engine, listOf(50, 'first'));
  await engine.flush();
  await upsert(engine, [{ id: 'last', title: 'in the head' }]);
  writeFileSync(join(root, installation, 'kept'), new Sealer(key, 'kept-secrets').seal(SECRET, PLACE));
  await engine.close();
}

const formatOf = async (installation: string): Promise<string> => {
  const store = openLmdbStore(dataOf(installation));
  const format = Buffer.from(store.get('meta', Buffer.from('format')) ?? []).toString();
  await store.close();
  return format;
};

/** Epochs in which anything is sealed. */
async function epochs(installation: string): Promise<readonly number[]> {
  const store = openLmdbStore(dataOf(installation));
  const found = new Set<number>();
  for (const space of Object.keys(SPACES) as Space[]) {
    for (const { key, value } of store.scan(space, {})) {
      if (Buffer.from(key).toString() !== 'format') found.add(epochOf(value));
    }
  }
  await store.close();
  found.add(epochOf(readFileSync(apiKeysPath(dataOf(installation)))));
  return [...found];
}

/** The server runs until there is one data key. */
async function rollIn(installation: string): Promise<void> {
  const { close } = await open(installation);
  await oneKeyLeft(installation);
  await close();
}

async function oneKeyLeft(installation: string): Promise<void> {
  const read = () => readRing(ringOf(installation), [keyIn(installation)]);
  const count = async () => (await read())?.content.data.length;
  while ((await count()) !== 1) await new Promise((turn) => setTimeout(turn, 20));
}

const CUT = new Error('cut off');

/**
 * The engine and data keys of a folder, the way a command has them, until `cut` has come so often.
 * @returns false: it has come to its end.
 */
async function cutAt(
  installation: string,
  step: number,
  work: (opened: {
    readonly keys: DataKeys;
    readonly data: KeyedData;
    readonly cut: () => void;
    /** The file of API keys. */
    readonly writeAgain: () => Promise<void>;
  }) => Promise<void>,
): Promise<boolean> {
  const folder = dataOf(installation);
  const master = loadMasterKey({ dataFolder: folder, configured: null });
  const keys = new DataKeys(folder, master);
  const engine = await openEmbeddedEngine({ masterKey: () => keys.load(), mayBeNew: false, folder });
  let steps = 0;
  const cut = (): void => {
    if (steps++ === step) throw CUT;
  };
  const { keyed } = engine;
  const writeAgain = async (): Promise<void> => {
    const sealer = engine.sealer('api-keys');
    const file = new SealedFile(apiKeysPath(folder), { sealer, pins: engine.pins, hint: '' });
    await file.write((await file.read()) ?? '');
  };
  const data: KeyedData = {
    installation: keyed.installation,
    get generation() {
      return keyed.generation;
    },
    get epoch() {
      return keyed.epoch;
    },
    async pin(generation, epoch) {
      cut();
      await keyed.pin(generation, epoch);
      cut();
    },
    async sealAnew(epoch, signal) {
      cut();
      await keyed.sealAnew(epoch, signal);
      cut();
    },
  };
  try {
    await work({ keys, data, cut, writeAgain });
    return false;
  } catch (error) {
    if (error !== CUT) throw error;
    return true;
  } finally {
    await engine.close();
  }
}

describe('a folder of before', () => {
  test.each([5, 6, 7, 8])('of format %i gets its data keys, and everything is there', async (format) => {
    const name = `older${format}`;
    await makeOlder(name, format);
    expect(await formatOf(name)).toBe(String(format));
    await check(name);
    expect(await formatOf(name)).toBe('9');
    expect(existsSync(ringOf(name))).toBe(true);
    await rekey(options(name), null);
    await rollIn(name);
    await check(name);
  });

  test('that was cut off on its way is brought there by the next start', async () => {
    await makeOlder('cut', 7);
    for (let step = 0, isCut = true; isCut; step++) {
      copy('cut', 'half');
      isCut = await cutAt('half', step, async ({ keys, data, cut }) => {
        cut();
        await keys.settle(data);
      });
      await check('half');
      expect(await formatOf('half')).toBe('9');
    }
    copy('cut', 'half');
    writeFileSync(`${ringOf('half')}.new`, 'half of it');
    await check('half');
  });

  test('is refused with data keys that are not those that were made for it', async () => {
    await makeOlder('refused', 7);
    copy('refused', 'upgraded');
    await check('upgraded');
    await rekey(options('upgraded'), null);
    // An older data file in the place of the newer one: by its former key, and by the key of now.
    cpSync(join(dataOf('refused'), 'data.mdb'), join(dataOf('upgraded'), 'data.mdb'));
    rmSync(join(dataOf('upgraded'), 'data.mdb-size'), { force: true });
    await expect(open('upgraded')).rejects.toThrow(/data\.mdb" is older than file ".*data-keys\.sealed"/);
    cpSync(keyFilePath(dataOf('refused')), keyFilePath(dataOf('upgraded')));
    await expect(open('upgraded')).rejects.toThrow(/key does not fit file ".*data-keys\.sealed"/);
  });
});

describe('a change of the encryption key', () => {
  beforeAll(() => make('whole'));

  test('counts at once, and the former key opens nothing', async () => {
    copy('whole', 'changed');
    const former = keyIn('changed');
    await rekey(options('changed'), null);
    expect(keyIn('changed')).not.toEqual(former);
    copy('changed', 'former');
    writeFileSync(keyFilePath(dataOf('former')), `${Buffer.from(former).toString('hex')}\n`);
    await expect(open('former')).rejects.toMatchObject({ condition: 'config_file_error' });
    await expect(open('former')).rejects.toThrow(ringOf('former'));
    await check('changed');
  });

  test('cut off anywhere leaves the former key or the next, and all of the data', async () => {
    for (let step = 0, isCut = true; isCut; step++) {
      copy('whole', 'half');
      const former = keyIn('half');
      isCut = await cutAt('half', step, async ({ keys, data, cut }) => {
        await keys.settle(data);
        const next = makeNextKeyFile(dataOf('half'));
        cut();
        const settle = (): void => {
          cut();
          next.settle();
          cut();
        };
        await keys.rewrap(() => ({ bytes: next.bytes, settle }), data);
      });
      await check('half');
      expect(existsSync(`${keyFilePath(dataOf('half'))}.next`)).toBe(false);
      const isFormer = Buffer.from(keyIn('half')).equals(former);
      expect(isFormer).toBe(step === 0);
    }
  });

  test('whose next key was not whole is as if it had not been', async () => {
    copy('whole', 'torn');
    const former = keyIn('torn');
    writeFileSync(`${keyFilePath(dataOf('torn'))}.next`, 'abab');
    await check('torn');
    expect(keyIn('torn')).toEqual(former);
    expect(existsSync(`${keyFilePath(dataOf('torn'))}.next`)).toBe(false);
  });

  test('that finds no room changes nothing', async () => {
    copy('whole', 'full');
    mkdirSync(`${ringOf('full')}.new`);
    await expect(rekey(options('full'), null)).rejects.toMatchObject({ condition: 'io_error' });
    rmSync(`${ringOf('full')}.new`, { recursive: true });
    await check('full');
  });

  test('of a running server counts at once, for two who ask for it too', async () => {
    copy('whole', 'running');
    const former = keyIn('running');
    const { engine, rekey: change, close } = await open('running');
    await Promise.all([change(), change(), upsert(engine, [{ id: 'last', title: 'meanwhile' }])]);
    expect(keyIn('running')).not.toEqual(former);
    await upsert(engine, [{ id: 'last', title: 'after it' }]);
    await expect(readRing(ringOf('running'), [former])).rejects.toThrow(/key does not fit/);
    await oneKeyLeft('running');
    await close();
    await check('running');
    expect(Math.min(...(await epochs('running')))).toBeGreaterThan(3);
  });

  test('of a running server asks a command again, and nobody where a variable gives the key', async () => {
    const folder = join(root, 'asked');
    mkdirSync(folder);
    const service = join(folder, 'service');
    const serve = (): string => {
      const hex = randomBytes(32).toString('hex');
      writeFileSync(service, hex);
      return hex;
    };
    const command = {
      kind: 'command',
      command: `cat '${service}'`,
      name: '--encryption-key-command',
    } as const;
    serve();
    await make('asked', command);
    const asked = await open('asked', command);
    const text = serve();
    await asked.rekey();
    rmSync(service);
    await expect(asked.rekey()).rejects.toThrow(/--encryption-key-command gave no encryption key/);
    await asked.close();
    const variable = { kind: 'text', text, name: 'QUERN_ENCRYPTION_KEY' } as const;
    await check('asked', variable);
    const given = await open('asked', variable);
    await expect(given.rekey()).rejects.toMatchObject({ condition: 'object_not_in_prerequisite_state' });
    await given.close();
  });

  test('needs a stopped server', async () => {
    copy('whole', 'busy');
    const { close } = await open('busy');
    await expect(rekey(options('busy'), null)).rejects.toMatchObject({ condition: 'lock_file_exists' });
    await close();
    await check('busy');
  });

  test('to one from elsewhere takes the key file away', async () => {
    copy('whole', 'elsewhere');
    const hex = randomBytes(32).toString('hex');
    const next = { kind: 'text', text: hex, name: 'QUERN_NEW_ENCRYPTION_KEY' } as const;
    await rekey(options('elsewhere'), next);
    expect(existsSync(keyFilePath(dataOf('elsewhere')))).toBe(false);
    await check('elsewhere', { kind: 'text', text: hex, name: 'QUERN_ENCRYPTION_KEY' });
    await check('elsewhere', { kind: 'command', command: `echo ${hex}`, name: '--encryption-key-command' });
    await expect(open('elsewhere')).rejects.toMatchObject({ condition: 'undefined_file' });
    await expect(
      rekey(options('elsewhere', { kind: 'text', text: hex, name: 'a' }), { ...next, text: 'no key' }),
    ).rejects.toThrow(/QUERN_NEW_ENCRYPTION_KEY does not hold an encryption key/);
    await check('elsewhere', { kind: 'text', text: hex, name: 'QUERN_ENCRYPTION_KEY' });
  });
});

describe('data keys', () => {
  test('are changed after two changes of the encryption key, and the older ones are gone', async () => {
    await make('twice');
    const made = (await readRing(ringOf('twice'), [keyIn('twice')]))?.content.data[0]?.key as Uint8Array;
    await rekey(options('twice'), null);
    await rekey(options('twice'), null);
    expect((await readRing(ringOf('twice'), [keyIn('twice')]))?.content.data).toHaveLength(3);
    await rollIn('twice');
    const content = (await readRing(ringOf('twice'), [keyIn('twice')]))?.content;
    const [{ from = 0, key = made } = {}] = content?.data ?? [];
    expect(key).not.toEqual(made);
    expect(Math.min(...(await epochs('twice')))).toBe(from);
    await check('twice');
    await upsertOnce('twice');
    const { uploadSeal, close } = await open('twice');
    expect(Buffer.from(uploadSeal.open(uploadSeal.seal(SECRET, PLACE), PLACE))).toEqual(SECRET);
    await close();
    await check('twice');
  });

  test('that were cut off on their way are changed by the next start', async () => {
    await make('base');
    await rekey(options('base'), null);
    for (let step = 0, isCut = true; isCut; step++) {
      copy('base', 'half');
      isCut = await cutAt('half', step, async ({ keys, data, cut, writeAgain }) => {
        const files = async (): Promise<void> => {
          cut();
          await writeAgain();
          cut();
        };
        await keys.roll(data, files, new AbortController().signal);
        cut();
      });
      await rollIn('half');
      await check('half');
    }
  });

  test('older, newer, missing and foreign files of them are refused by name', async () => {
    const hex = randomBytes(32).toString('hex');
    const key = { kind: 'text', text: hex, name: 'QUERN_ENCRYPTION_KEY' } as const;
    await make('one', key);
    await make('other', key);
    copy('one', 'mixed');
    cpSync(ringOf('other'), ringOf('mixed'));
    await expect(open('mixed', key)).rejects.toThrow(/data-keys\.sealed" does not open data file/);
    copy('one', 'newer');
    const same = { ...key, name: 'QUERN_NEW_ENCRYPTION_KEY' } as const;
    await rekey(options('newer', key), same);
    await rekey(options('newer', key), same);
    copy('newer', 'mixed');
    cpSync(ringOf('one'), ringOf('mixed'));
    await expect(open('mixed', key)).rejects.toThrow(/data-keys\.sealed" does not open data file/);
    copy('one', 'mixed');
    cpSync(ringOf('newer'), ringOf('mixed'));
    await expect(open('mixed', key)).rejects.toThrow(/data\.mdb" is older than file ".*data-keys\.sealed"/);
    copy('one', 'mixed');
    rmSync(ringOf('mixed'));
    await expect(open('mixed', key)).rejects.toThrow(/data-keys\.sealed" is missing/);
    await check('newer', key);
  });

  test('before they were destroyed are refused, though they would open everything', async () => {
    await make('rolled');
    await rekey(options('rolled'), null);
    const before = readFileSync(ringOf('rolled'));
    await rollIn('rolled');
    writeFileSync(ringOf('rolled'), before);
    await expect(open('rolled')).rejects.toThrow(/data-keys\.sealed" is older than the data/);
  });
});

async function upsertOnce(installation: string): Promise<void> {
  const { engine, close } = await open(installation);
  await upsert(engine, [{ id: 'last', title: 'again' }]);
  await close();
}
