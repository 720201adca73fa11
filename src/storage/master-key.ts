/**
 * The master key: from the configuration (QUERN_ENCRYPTION_KEY), else from a key file beside the data folder,
 * which the first start makes. A key is never made anew for data that is already there.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { SqlError } from '../errors.ts';

const KEY_BYTES = 32;

interface MasterKeyOptions {
  readonly dataFolder: string;
  /** 64 hexadecimal digits or base64 of 32 bytes; null: use the key file. */
  readonly configured: string | null;
}

/** `/var/lib/quern` has its key in `/var/lib/quern.key`. */
export function keyFilePath(dataFolder: string): string {
  return `${resolve(dataFolder)}.key`;
}

/** @throws SqlError config_file_error or undefined_file, with what to do about it. */
export function loadMasterKey(options: MasterKeyOptions): Uint8Array {
  if (options.configured !== null) return parseKey(options.configured, 'QUERN_ENCRYPTION_KEY');
  const path = keyFilePath(options.dataFolder);
  if (existsSync(path)) return parseKey(readFileSync(path, 'utf8'), `key file "${path}"`);
  if (existsSync(dataFilePath(options.dataFolder))) {
    throw new SqlError(
      'undefined_file',
      `key file "${path}" is missing, but there is data encrypted with it`,
      {
        hint: 'Put the key file back, or set QUERN_ENCRYPTION_KEY. Without the key the data cannot be read.',
      },
    );
  }
  return makeKeyFile(path);
}

/** The one file that holds everything. */
export function dataFilePath(dataFolder: string): string {
  return resolve(dataFolder, 'data.mdb');
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
  const file = openSync(path, 'wx', 0o600);
  try {
    writeSync(file, `${key.toString('hex')}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
  return new Uint8Array(key);
}
