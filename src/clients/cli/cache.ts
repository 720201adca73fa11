/**
 * Files that the command keeps for a while, for their owner alone: copies of cited files, which go after a day, and
 * where files lay that this user uploaded, by the digest of their bytes.
 */
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  createReadStream,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';

const OWNER_FOLDER = 0o700;
const OWNER_FILE = 0o600;
const DAY_MS = 86_400_000;
/** Copies of cited files that nobody asked for so long are removed. */
const CITATION_DAYS = 1;
/** Then the older half is forgotten. */
const ORIGINALS_BYTES_MAX = 16e6;

const cacheFolder = (): string => join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'quern');

/** Makes a folder that its owner alone can enter. @throws Error where it is somebody else's */
function ownFolder(path: string): string {
  mkdirSync(path, { recursive: true, mode: OWNER_FOLDER });
  const about = lstatSync(path);
  if (!about.isDirectory() || about.uid !== process.getuid?.()) {
    throw new Error(`${path} is not a folder of this user: cited files go to --output-dir FOLDER`);
  }
  if ((about.mode & 0o077) !== 0) chmodSync(path, OWNER_FOLDER);
  return path;
}

const KEY_LETTERS = 16;

/** A folder for the copies of one cited file. @param digest of its bytes, in hexadecimal digits. */
export function citationFolder(digest: string): string {
  ownFolder(cacheFolder());
  return ownFolder(join(ownFolder(join(cacheFolder(), 'citations')), digest.slice(0, KEY_LETTERS)));
}

/** Removes copies that nobody has asked for lately. */
export function forgetOldCitations(): void {
  const folder = join(cacheFolder(), 'citations');
  if (!existsSync(folder)) return;
  const oldest = Date.now() - CITATION_DAYS * DAY_MS;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (lstatSync(path).mtimeMs < oldest) rmSync(path, { recursive: true, force: true });
  }
}

interface Original {
  readonly sha256: string;
  readonly size: number;
  /** From the root. */
  readonly path: string;
}

const originalsFile = (): string => join(cacheFolder(), 'uploaded.jsonl');

/** Where uploaded files lie, so that citations can lead to them. */
export function rememberOriginals(originals: readonly Original[]): void {
  if (originals.length === 0) return;
  ownFolder(cacheFolder());
  const file = originalsFile();
  if (existsSync(file) && statSync(file).size > ORIGINALS_BYTES_MAX) {
    const lines = readFileSync(file, 'utf8').split('\n');
    writeFileSync(file, lines.slice(lines.length / 2).join('\n'), { mode: OWNER_FILE });
  }
  const lines = originals.map(({ path, ...rest }) => JSON.stringify({ ...rest, path: resolve(path) }));
  appendFileSync(file, `${lines.join('\n')}\n`, { mode: OWNER_FILE });
}

/** A file of this machine that has these bytes now, or null. */
export async function originalOf(sha256: string): Promise<string | null> {
  if (!existsSync(originalsFile())) return null;
  const known = readFileSync(originalsFile(), 'utf8')
    .split('\n')
    .filter((line) => line.includes(sha256))
    .map((line) => JSON.parse(line) as Original)
    .reverse();
  for (const { path, size } of known) {
    if (isFileOf(path, size) && (await digestOf(path)) === sha256) return path;
  }
  return null;
}

function isFileOf(path: string, size: number): boolean {
  const about = statSync(path, { throwIfNoEntry: false });
  return about?.isFile() === true && about.size === size;
}

async function digestOf(path: string): Promise<string | null> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path), hash);
  } catch {
    return null;
  }
  return hash.digest('hex');
}
