/**
 * The one file that knows the npm package `lmdb`: opens the data file for the main thread, which reads, and
 * for the writer thread.
 *
 * Traps: `getBinaryFast` reuses a buffer of false length, `getBinary` copies. `encryptionKey` must not be
 * used (measurements.md). An asynchronous write that fails rejects a promise that nobody can reach, which
 * ends the process, so writes are `transactionSync`, in a thread of their own.
 */
import { existsSync } from 'node:fs';
import { type Database, open } from 'lmdb';

/** Mode of files that are made. The package's types do not know the option. */
const OWNER_ONLY = { permissionsMode: 0o600 };

export type LmdbFile = Database<Buffer, Uint8Array>;

export function openLmdbFile(path: string): LmdbFile {
  return open<Buffer, Uint8Array>({
    path,
    encoding: 'binary',
    keyEncoding: 'binary',
    noSubdir: true,
    overlappingSync: false,
    maxDbs: 1,
    ...OWNER_ONLY,
    ...(existsSync(path) ? {} : { pageSize: 4096 }),
  });
}

/**
 * Copies what is in use to a file of its own, in a thread of libuv's. The file's mode is the process's default.
 * When it is opened under one name and then renamed, whoever opens it under the other shares what is open.
 */
export function copyInUse(file: LmdbFile, to: string): Promise<void> {
  return file.backup(to, true);
}

interface Tree {
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}

/** Bytes of the file as LMDB counts them, and of the pages that are in use. */
export function bytesInUse(file: LmdbFile): { total: number; used: number } {
  const { pageSize, lastPageNumber, root, free } = file.getStats() as {
    readonly pageSize: number;
    readonly lastPageNumber: number;
    readonly root: Tree;
    readonly free: Tree;
  };
  const pages = (tree: Tree): number =>
    tree.treeBranchPageCount + tree.treeLeafPageCount + tree.overflowPages;
  return {
    total: pageSize * (lastPageNumber + 1),
    used: pageSize * (HEADER_PAGES + pages(root) + pages(free)),
  };
}

const HEADER_PAGES = 2;

/** The value in the package's own buffer, which the next read overwrites. */
export function borrowBinary(file: LmdbFile, key: Uint8Array): Uint8Array | undefined {
  const shared = file.getBinaryFast(key);
  const { lastSize } = file as LmdbFile & { readonly lastSize: number };
  return shared === undefined ? undefined : new Uint8Array(shared.buffer, shared.byteOffset, lastSize);
}
