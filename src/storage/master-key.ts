/**
 * The master key: from the configuration (QUERN_ENCRYPTION_KEY), else from a key file beside the data folder,
 * which the first start makes. A key is never made anew for data that is already there.
 *
 * Until the first start has come to its end the key file has another name (`.key.new`): a key file in its
 * place says that there is data.
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { SqlError } from '../errors.ts';
import { storageError } from './store.ts';

const KEY_BYTES = 32;

interface MasterKeyOptions {
  readonly dataFolder: string;
  /** 64 hexadecimal digits or base64 of 32 bytes; null: use the key file. */
  readonly configured: string | null;
}

interface MasterKey {
  readonly bytes: Uint8Array;
  /** False: an earlier start has come to its end, so that there is data. */
  readonly mayBeNew: boolean;
  /** The first start has come to its end. */
  settle(): void;
}

/** `/var/lib/quern` has its key in `/var/lib/quern.key`. */
export function keyFilePath(dataFolder: string): string {
  return `${resolve(dataFolder)}.key`;
}

/** The file of API keys. */
export function apiKeysPath(dataFolder: string): string {
  return resolve(dataFolder, 'keys.sealed');
}

/** The one file that holds everything. */
export function dataFilePath(dataFolder: string): string {
  return resolve(dataFolder, 'data.mdb');
}

/** @throws SqlError config_file_error or undefined_file, with what to do about it. */
export function loadMasterKey({ dataFolder, configured }: MasterKeyOptions): MasterKey {
  const isData = existsSync(apiKeysPath(dataFolder));
  if (configured !== null) {
    const bytes = parseKey(configured, 'QUERN_ENCRYPTION_KEY');
    return { bytes, mayBeNew: !isData, settle: () => {} };
  }
  const path = keyFilePath(dataFolder);
  if (existsSync(path)) return { bytes: readKeyFile(path), mayBeNew: false, settle: () => {} };
  const draft = `${path}.new`;
  const settle = (): void => putInPlace(draft, path);
  if (existsSync(draft)) return { bytes: readDraft(draft, dataFolder), mayBeNew: !isData, settle };
  if (isData || existsSync(dataFilePath(dataFolder))) throw missingKey(path);
  return { bytes: makeKeyFile(draft), mayBeNew: true, settle };
}

function missingKey(path: string): SqlError {
  return new SqlError(
    'undefined_file',
    `key file "${path}" is missing, but there is data encrypted with it`,
    {
      hint: 'Put the key file back, or set QUERN_ENCRYPTION_KEY. Without the key the data cannot be read.',
    },
  );
}

function readKeyFile(path: string): Uint8Array {
  try {
    return parseKey(readFileSync(path, 'utf8'), `key file "${path}"`);
  } catch (error) {
    throw storageError(error, path);
  }
}

/** The key of a first start that did not come to its end. */
function readDraft(draft: string, dataFolder: string): Uint8Array {
  try {
    return readKeyFile(draft);
  } catch (error) {
    if (existsSync(dataFilePath(dataFolder))) throw error;
    throw new SqlError('config_file_error', `key file "${draft}" is not whole`, {
      hint: 'The first start was interrupted before there was any data. Remove the file and start again.',
      cause: error,
    });
  }
}

function parseKey(text: string, source: string): Uint8Array {
  const trimmed = text.trim();
  const bytes = /^[0-9a-fA-F]{64}$/.test(trimmed)
    ? Buffer.from(trimmed, 'hex')
    : /^[A-Za-z0-9+/_-]{43}=?$/.test(trimmed)
      ? Buffer.from(trimmed, 'base64')
      : null;
  if (bytes?.length === KEY_BYTES) return new Uint8Array(bytes);
  throw new SqlError('config_file_error', `${source} does not hold an encryption key`, {
    hint: 'A key is 32 bytes, written as 64 hexadecimal digits or in base64.',
  });
}

function makeKeyFile(path: string): Uint8Array {
  const key = randomBytes(KEY_BYTES);
  try {
    mkdirSync(dirname(path), { recursive: true });
    const file = openSync(path, 'wx', 0o600);
    try {
      writeSync(file, `${key.toString('hex')}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    flushFolder(dirname(path));
  } catch (error) {
    throw storageError(error, path);
  }
  return new Uint8Array(key);
}

function putInPlace(draft: string, path: string): void {
  try {
    renameSync(draft, path);
    flushFolder(dirname(path));
  } catch (error) {
    throw storageError(error, path);
  }
}

function flushFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
