/** The files that patterns name, and the document id that each gets. */
import { existsSync, globSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { UsageError } from '../errors.ts';
import { visible } from '../text.ts';

export interface FoundFile {
  readonly id: string;
  /** As written, or as the pattern found it. */
  readonly path: string;
  /** Bytes when it was found. */
  readonly size: number;
}

interface Finding {
  readonly recursive: boolean;
  /** `name`: the file's name, below a folder its path there; `path`: the path as it is written. */
  readonly ids: 'name' | 'path';
}

interface Found {
  readonly files: readonly FoundFile[];
  /** Paths that are no files, with why. */
  readonly skipped: readonly string[];
}

/** @throws UsageError where nothing is found, or two files would be one document. */
export function findFiles(patterns: readonly string[], { recursive, ids }: Finding): Found {
  const walk = new Walk();
  for (const pattern of patterns) {
    // A name with brackets is a pattern too: what is there is meant as it is.
    const matched = existsSync(pattern) ? [pattern] : globSync(pattern).sort();
    if (matched.length === 0) throw new UsageError(`no file matches ${visible(pattern)}`);
    for (const path of matched) walk.take(path, recursive);
  }
  const files = walk.files.map(({ id, path, size }) => ({ id: ids === 'path' ? path : id, path, size }));
  if (files.length === 0) throw new UsageError('no files there', 'add -r to go into folders');
  return { files: distinct(files), skipped: walk.skipped };
}

/** Each file once, each id for one file. */
function distinct(files: readonly FoundFile[]): FoundFile[] {
  const byId = new Map<string, FoundFile>();
  const others: [FoundFile, FoundFile][] = [];
  for (const file of files) {
    const first = byId.get(file.id);
    if (first === undefined) byId.set(file.id, file);
    else if (realpathSync(first.path) !== realpathSync(file.path)) others.push([first, file]);
  }
  const [clash] = others;
  if (clash === undefined) return [...byId.values()];
  const [one, other] = clash.map(({ path }) => visible(path));
  const more = others.length > 1 ? `, and ${others.length - 1} more files have the id of another` : '';
  throw new UsageError(
    `${one} and ${other} would both be document ${visible(clash[0].id)}: the later one would replace the other${more}`,
    '--ids path makes the path as it is written the id',
  );
}

/** Status of a path; null: a link that leads nowhere. */
function about(path: string): Stats | null {
  try {
    return statSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new UsageError((error as Error).message);
  }
}

/** Folders with all below them, each once: links may lead in circles. Names that begin with a dot are left out. */
class Walk {
  readonly files: FoundFile[] = [];
  readonly skipped: string[] = [];
  readonly #seen = new Set<string>();
  /** Links to folders, which wait until the folders themselves have been seen. */
  #links: [folder: string, below: string][] = [];

  take(path: string, recursive: boolean): void {
    const stats = about(path);
    if (stats?.isDirectory() !== true) {
      this.#file(basename(path), path, stats);
      return;
    }
    if (!recursive) {
      throw new UsageError(`${visible(path)} is a folder`, 'add -r to upload what is in it');
    }
    const first = this.files.length;
    this.#folder(path, '');
    for (let link = this.#links.shift(); link !== undefined; link = this.#links.shift())
      this.#folder(...link);
    this.#seen.clear();
    const found = this.files.splice(first);
    this.files.push(...found.sort((one, other) => (one.path < other.path ? -1 : 1)));
  }

  /** @param below its path below the folder that was named. */
  #folder(folder: string, below: string): void {
    const real = realpathSync(folder);
    if (this.#seen.has(real)) return;
    this.#seen.add(real);
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.name.startsWith('.')) continue;
      const [path, id] = [join(folder, entry.name), join(below, entry.name)];
      const stats = about(path);
      if (stats?.isDirectory() !== true) this.#file(id, path, stats);
      else if (entry.isSymbolicLink()) this.#links.push([path, id]);
      else this.#folder(path, id);
    }
  }

  #file(id: string, path: string, stats: Stats | null): void {
    if (stats?.isFile()) this.files.push({ id, path, size: stats.size });
    else this.skipped.push(`${visible(path)} ${stats === null ? 'leads nowhere' : 'is no file'}`);
  }
}
