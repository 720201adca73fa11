/**
 * The files of the console as they were built: found once, at the start, by names that are compared and never joined to a path.
 * Each is read, and compressed, when it is first asked for. Names in `assets/` carry a hash of what is in the file.
 */
import { createHash } from 'node:crypto';
import { type Dirent, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};
/** They gain nothing by it. */
const COMPRESSED: ReadonlySet<string> = new Set(['.png', '.webp', '.woff2']);
/** A fourteenth less by 11 takes twenty times as long. */
const BROTLI_QUALITY = 9;
const FILES_COUNT_MAX = 2000;

export type Encoding = 'br' | 'gzip' | 'identity';

export interface ConsoleFile {
  readonly type: string;
  /** Its name changes with it. */
  readonly isHashed: boolean;
  /** @throws Error where it cannot be read. */
  load(): Promise<LoadedFile>;
}

interface LoadedFile {
  readonly etag: string;
  readonly bodies: Readonly<Partial<Record<Encoding, Buffer>> & { identity: Buffer }>;
}

/** By path of a request: `/assets/index-1a2b.js`; empty where nothing was built. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>;

export function findConsoleFiles(folder: string): ConsoleFiles {
  const found = entriesOf(folder).filter((entry) => entry.isFile() && !entry.name.startsWith('.'));
  return new Map(
    found.slice(0, FILES_COUNT_MAX).map((entry) => {
      const file = join(entry.parentPath, entry.name);
      const path = `/${relative(folder, file).split(sep).join('/')}`;
      return [path, consoleFile(file, path)];
    }),
  );
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function consoleFile(file: string, path: string): ConsoleFile {
  const extension = extname(file);
  let loaded: Promise<LoadedFile> | null = null;
  return {
    type: TYPES[extension] ?? 'application/octet-stream',
    isHashed: path.startsWith('/assets/'),
    load() {
      loaded ??= loadFile(file, !COMPRESSED.has(extension)).catch((error: unknown) => {
        loaded = null;
        throw error;
      });
      return loaded;
    },
  };
}

async function loadFile(file: string, isCompressed: boolean): Promise<LoadedFile> {
  const identity = await readFile(file);
  const etag = createHash('sha256').update(identity).digest('base64url').slice(0, 22);
  if (!isCompressed) return { etag, bodies: { identity } };
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  const [br, zipped] = await Promise.all([
    promisify(brotliCompress)(identity, { params }),
    promisify(gzip)(identity),
  ]);
  return { etag, bodies: { identity, br, gzip: zipped } };
}
