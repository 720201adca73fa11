/** `quern upload PATTERN… --dataset NAME`: files into a dataset, and what has become of each. */
import { rememberOriginals } from '../cache.ts';
import { EXIT, Interrupted } from '../errors.ts';
import { confirmed } from '../input.ts';
import type { Call } from '../running.ts';
import { asking, type ServerOptions } from '../server.ts';
import { countText } from '../table.ts';
import { Lines, print, printJson, ProgressLine, tell } from '../terminal.ts';
import { visible } from '../text.ts';
import { findFiles } from '../upload/files.ts';
import { progressText } from '../upload/progress.ts';
import { isOver } from '../upload/reading.ts';
import { type Upload, uploadAll } from '../upload/upload.ts';

interface UploadOptions extends ServerOptions {
  readonly dataset: string;
  readonly recursive?: boolean;
  readonly ids: 'name' | 'path';
  readonly concurrency: number;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  /** Milliseconds. */
  readonly wait?: number;
}

/** More than this is asked about first. */
const MANY_FILES = 100;

export const upload = (call: Call<UploadOptions>, patterns: readonly string[]): Promise<number | undefined> =>
  asking(call, async (client, signal) => {
    const { options } = call;
    const { files, skipped } = findFiles(patterns, {
      recursive: options.recursive ?? false,
      ids: options.ids,
    });
    for (const one of skipped) tell(`quern: skipped: ${one}`);
    const status = options.dryRun ? 'dry run' : 'not sent';
    const uploads = files.map(
      ({ id, path, size }): Upload => ({ doc_id: id, file: path, status, size, sent: 0 }),
    );
    if (options.dryRun) {
      report(uploads, options);
      return EXIT.ok;
    }
    if (files.length > MANY_FILES) await confirmed(`Upload ${files.length} files?`, options, signal);
    const line = new ProgressLine();
    const waitMs = options.wait ?? null;
    line.keep(() => progressText(uploads, waitMs !== null));
    try {
      await uploadAll(client, uploads, {
        dataset: options.dataset,
        lanes: options.concurrency,
        signal,
        waitMs,
      });
    } finally {
      line.show(progressText(uploads, waitMs !== null));
      line.clear();
      remember(uploads);
      if (uploads.some((one) => one.status !== 'not sent')) report(uploads, options);
      if (signal.reason instanceof Interrupted) tellInterrupted(uploads, options);
    }
    const isFine = uploads.every(
      ({ status: is }) => is === 'ready' || (is === 'uploaded' && waitMs === null),
    );
    return isFine ? EXIT.ok : EXIT.failed;
  });

/** Citations lead to files where they lie; without a folder to keep that in they lead to copies. */
function remember(uploads: readonly Upload[]): void {
  const sent = uploads.flatMap(({ file: path, sent: size, sha256 }) =>
    sha256 === undefined ? [] : [{ path, size, sha256 }],
  );
  try {
    rememberOriginals(sent);
  } catch (error) {
    tell(`quern: links of citations will lead to copies: ${(error as Error).message}`);
  }
}

function report(uploads: readonly Upload[], { output, wait }: UploadOptions): void {
  if (output === 'json') {
    printJson(
      uploads.map(({ doc_id, file, status, change, handle, reason, note }) => ({
        doc_id,
        file,
        status,
        change,
        handle,
        reason,
        note,
      })),
    );
    return;
  }
  const lines = new Lines(print);
  for (const one of uploads) lines.add(lineOf(one, wait !== undefined));
  lines.add(countText(uploads.length, 'file'));
  const counts = (['new', 'replaced', 'unchanged'] as const).flatMap((change) => {
    const count = uploads.filter((one) => one.change === change).length;
    return count === 0 ? [] : [`${count} ${change}`];
  });
  const sent = uploads.filter(({ handle }) => handle !== undefined).length;
  if (sent > 0) lines.add(`${sent} sent: ${counts.join(', ')}`);
  lines.end();
}

function lineOf({ status, doc_id: id, change, reason, note }: Upload, isAwaited: boolean): string {
  const replaced = change === 'replaced' ? ' (replaced)' : '';
  const why = reason === undefined ? '' : `: ${visible(reason)}`;
  const late = isAwaited && status === 'uploaded' ? ': not read yet; the server goes on' : '';
  return `${status.padEnd(8)} ${visible(id)}${replaced}${why}${late}${note === undefined ? '' : ` (${note})`}`;
}

function tellInterrupted(uploads: readonly Upload[], { wait, output }: UploadOptions): void {
  if (output === 'json') return;
  const sent = uploads.filter(({ handle }) => handle !== undefined).length;
  const read = uploads.filter(({ status }) => isOver(status)).length;
  const what =
    wait === undefined
      ? `${sent} of ${uploads.length} sent`
      : `${sent} sent and ${read} read of ${uploads.length}`;
  tell(`quern: interrupted: ${what}; what was sent is read by the server all the same`);
}
