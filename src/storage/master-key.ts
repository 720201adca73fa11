/**
 * The encryption key, which wraps the data keys (`ring-file.ts`): from the configuration (QUERN_ENCRYPTION_KEY, a
 * command), else from a key file beside the data folder, which the first start makes. A key is never made anew for
 * data that is already there.
 *
 * Until the first start has come to its end the key file has another name (`.key.new`): a key file in its
 * place says that there is data. While the key is changed the next one lies beside it (`.key.next`): which of the two
 * counts is told by the file of data keys, that one of them opens.
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
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { SqlError } from '../errors.ts';
import { storageError } from './store.ts';

const KEY_BYTES = 32;

interface MasterKeyOptions {
  readonly dataFolder: string;
  readonly configured: ConfiguredKey | null;
}

/** A key from elsewhere than the key file. */
export interface ConfiguredKey {
  /** 64 hexadecimal digits or base64 of 32 bytes. */
  readonly text: string;
  /** Where it comes from, for messages. */
  readonly source: string;
}

export interface MasterKey {
  readonly bytes: Uint8Array;
  /** One that a change of the key left beside it, which may be in use already; null: none is there. */
  readonly next: Uint8Array | null;
  /** False: an earlier start has come to its end, so that there is data. */
  readonly mayBeNew: boolean;
  /** The first start has come to its end. */
  settle(): void;
  /** The key that counts is known: the other one goes, where a change of the key left two. */
  choose(key: Uint8Array): void;
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
  const alone = { next: null, settle: () => {}, choose: () => {} };
  if (configured !== null) return { ...alone, bytes: parseKey(configured), mayBeNew: !isData };
  const path = keyFilePath(dataFolder);
  if (existsSync(path)) return { ...alone, ...keyFiles(path), mayBeNew: false };
  const draft = `${path}.new`;
  const settle = (): void => putInPlace(draft, path);
  if (existsSync(draft)) {
    return { ...alone, bytes: readDraft(draft, dataFolder), mayBeNew: !isData, settle };
  }
  if (isData || existsSync(dataFilePath(dataFolder))) throw missingKey(path);
  const bytes = new Uint8Array(randomBytes(KEY_BYTES));
  writeKeyFile(draft, bytes);
  return { ...alone, bytes, mayBeNew: true, settle };
}

const nextPath = (path: string): string => `${path}.next`;

/** The key file, and what a change of the key left beside it. */
function keyFiles(path: string): Pick<MasterKey, 'bytes' | 'next' | 'choose'> {
  const bytes = readKeyFile(path);
  const beside = nextPath(path);
  const next = existsSync(beside) ? readNext(beside) : null;
  const choose = (key: Uint8Array): void => {
    if (next !== null && Buffer.from(key).equals(next)) putInPlace(beside, path);
    else rmSync(beside, { force: true });
  };
  return { bytes, next, choose };
}

/** Null: it was not whole when the change of the key ended, so that nothing is wrapped with it. */
function readNext(path: string): Uint8Array | null {
  try {
    return readKeyFile(path);
  } catch (error) {
    if (error instanceof SqlError && error.condition === 'config_file_error') return null;
    throw error;
  }
}

/** A key that is to take the place of another one. */
export interface NextKey {
  readonly bytes: Uint8Array;
  /** Data keys are wrapped with it: durable from now on. */
  settle(): void;
}

/** One that is given from elsewhere: a key file, where there is one, holds nothing any more. */
export function configuredNext(dataFolder: string, configured: ConfiguredKey): NextKey {
  const settle = (): void => rmSync(keyFilePath(dataFolder), { force: true });
  return { bytes: parseKey(configured), settle };
}

/** A new one, which lies beside the key file until it counts. @throws SqlError 53100, 58030. */
export function makeNextKeyFile(dataFolder: string): NextKey {
  const path = keyFilePath(dataFolder);
  const bytes = new Uint8Array(randomBytes(KEY_BYTES));
  rmSync(nextPath(path), { force: true });
  writeKeyFile(nextPath(path), bytes);
  return { bytes, settle: () => putInPlace(nextPath(path), path) };
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
    return parseKey({ text: readFileSync(path, 'utf8'), source: `key file "${path}"` });
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

function parseKey({ text, source }: ConfiguredKey): Uint8Array {
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

function writeKeyFile(path: string, key: Uint8Array): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    const file = openSync(path, 'wx', 0o600);
    try {
      writeSync(file, `${Buffer.from(key).toString('hex')}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    flushFolder(dirname(path));
  } catch (error) {
    throw storageError(error, path);
  }
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
