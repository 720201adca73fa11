/**
 * Keeps two servers off one data folder. The lock is a listening socket: the kernel gives it up when its
 * process dies, however it dies, so there is no stale lock to judge. On Linux its name is abstract and made
 * from the folder's device and inode (one folder has one lock under all its names); elsewhere it is a socket
 * file in the folder, which is stale when nobody answers.
 *
 * Not covered: two containers that mount one folder and have network namespaces of their own.
 */
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { resolve } from 'node:path';
import { SqlError } from '../errors.ts';
import { storageError } from './store.ts';

const OWNER_FOLDER = 0o700;
const OWNER_FILE = 0o600;

interface FolderLock {
  release(): Promise<void>;
}

/**
 * Makes the folder when it is not there, and what is in it its owner's alone.
 * @throws SqlError lock_file_exists (F0001) naming the holder, io_error (58030), disk_full (53100).
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  try {
    return await lock(folder);
  } catch (error) {
    throw storageError(error, folder);
  }
}

async function lock(folder: string): Promise<FolderLock> {
  mkdirSync(folder, { recursive: true, mode: OWNER_FOLDER });
  const { dev, ino } = statSync(folder);
  const abstract = process.platform === 'linux';
  const address = abstract ? `\0quern/${dev}/${ino}` : resolve(folder, 'lock.socket');
  const server = await listen(address, abstract).catch(() => null);
  const note = resolve(folder, 'lock.pid');
  if (server === null) throw lockedBy(folder, note);
  const release = (): Promise<void> => new Promise((done) => server.close(() => done()));
  try {
    writeFileSync(note, `${process.pid}\n`, { mode: OWNER_FILE });
    makePrivate(folder);
  } catch (error) {
    await release();
    throw storageError(error, note);
  }
  return {
    release() {
      rmSync(note, { force: true });
      return release();
    },
  };
}

/** Older versions let others read; one whose files belong to somebody else cannot change that. */
function makePrivate(folder: string): void {
  const tighten = (path: string, mode: number): void => {
    if ((statSync(path).mode & 0o777 & ~mode) !== 0) chmodSync(path, mode);
  };
  try {
    tighten(folder, OWNER_FOLDER);
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isFile()) tighten(resolve(folder, entry.name), OWNER_FILE);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
}

async function listen(address: string, abstract: boolean): Promise<Server> {
  if (!abstract && !(await answers(address))) rmSync(address, { force: true });
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((done, fail) => {
    server.once('error', fail);
    server.listen(address, done);
  });
  server.unref();
  return server;
}

function answers(address: string): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(address);
    socket.once('connect', () => {
      socket.destroy();
      done(true);
    });
    socket.once('error', () => done(false));
  });
}

function lockedBy(folder: string, note: string): SqlError {
  let holder = '';
  try {
    holder = ` (process ${readFileSync(note, 'utf8').trim()})`;
  } catch {
    // The holder has not written its note yet.
  }
  return new SqlError('lock_file_exists', `data folder "${folder}" is in use by another server${holder}`, {
    hint: 'Stop the other server, or give this one another folder with --data.',
  });
}
