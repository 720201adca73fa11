/** `quern upload PATTERN… --dataset NAME`: files into a dataset, several at a time. */
import { globSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import type { Client } from '../../typescript/src/client.ts';
import { QuernError } from '../../typescript/src/errors.ts';
import { asking, type ServerOptions, UsageError } from '../session.ts';
import { barText, countText, print, printJson, ProgressLine } from '../terminal.ts';
import { confirmed } from './datasets.ts';

interface UploadOptions extends ServerOptions {
  readonly dataset: string;
  readonly recursive?: boolean;
  readonly concurrency: string;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly wait?: boolean;
}

interface Upload {
  readonly doc_id: string;
  readonly file: string;
  handle?: string;
  status: 'uploaded' | 'ready' | 'error' | 'dry run';
  reason?: string;
}

/** More than this is asked about first. */
const MANY_FILES = 100;

export const upload = (patterns: readonly string[], options: UploadOptions): Promise<number> =>
  asking(options, async (client, signal) => {
    const lanes = Number(options.concurrency);
    if (!Number.isInteger(lanes) || lanes < 1)
      throw new UsageError('--concurrency is a number of at least 1');
    const files = filesOf(patterns, options.recursive ?? false);
    const uploads = files.map(([id, file]): Upload => ({ doc_id: id, file, status: 'dry run' }));
    if (!options.dryRun) {
      if (files.length > MANY_FILES) await confirmed(`Upload ${files.length} files?`, options);
      await client.datasets().get(options.dataset);
      await uploadAll(client, uploads, options, { lanes, signal });
    }
    if (options.output === 'json') printJson(uploads);
    else printUploads(uploads);
    return uploads.some(({ status }) => status === 'error') ? 1 : 0;
  });

function printUploads(uploads: readonly Upload[]): void {
  for (const { status, doc_id: id, reason } of uploads) {
    print(`${status.padEnd(8)} ${id}${reason === undefined ? '' : `: ${reason}`}`);
  }
  print(countText(uploads.length, 'file'));
}

interface Lanes {
  readonly lanes: number;
  readonly signal: AbortSignal;
}

async function uploadAll(
  client: Client,
  uploads: readonly Upload[],
  { dataset, wait }: UploadOptions,
  { lanes, signal }: Lanes,
): Promise<void> {
  const target = client.dataset(dataset);
  const line = new ProgressLine();
  let [next, done] = [0, 0];
  const lane = async (): Promise<void> => {
    for (let one = uploads[next++]; one !== undefined && !signal.aborted; one = uploads[next++]) {
      try {
        one.handle = await target.upsertFile(one.doc_id, { path: one.file });
        one.status = 'uploaded';
        if (wait) {
          await target.waitForHandle(one.handle, { frequencySecs: 1, timeoutSecs: 86_400 });
          one.status = 'ready';
        }
      } catch (error) {
        if (!(error instanceof QuernError)) throw error;
        one.status = 'error';
        one.reason = error.message;
      }
      done++;
      line.show(`${barText(done, uploads.length)} ${one.doc_id}`);
    }
  };
  try {
    await Promise.all(Array.from({ length: lanes }, lane));
    signal.throwIfAborted();
  } finally {
    line.clear();
  }
}

/** Files by the id that each gets: its name, or below a folder its path there. */
function filesOf(patterns: readonly string[], recursive: boolean): [string, string][] {
  const found = new Map<string, string>();
  for (const pattern of patterns) {
    const matched = globSync(pattern);
    if (matched.length === 0) throw new UsageError(`no file matches ${pattern}`);
    for (const file of matched.sort()) {
      for (const [id, path] of statSync(file).isDirectory()
        ? filesIn(file, recursive)
        : [[basename(file), file]]) {
        found.set(id as string, path as string);
      }
    }
  }
  if (found.size === 0) throw new UsageError('no files; add -r to go into folders');
  return [...found];
}

function filesIn(folder: string, recursive: boolean): [string, string][] {
  if (!recursive) throw new UsageError(`${folder} is a folder; add -r to upload what is in it`);
  return globSync(join(folder, '**/*'))
    .filter((file) => statSync(file).isFile())
    .sort()
    .map((file) => [relative(folder, file), file]);
}
