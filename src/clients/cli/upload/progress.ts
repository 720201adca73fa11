/** How far an upload is, by bytes that are sent and pages that are read, as one line. */
import { visible } from '../text.ts';
import { isOver } from './reading.ts';
import type { Reading, Upload } from './upload.ts';

const BAR_WIDTH = 24;
const MEGABYTE = 1e6;

/** A file's way from 0 to 1: half of it is being sent where it is read as well. */
function shareOf({ status, size, sent, reading }: Upload, isAwaited: boolean): number {
  if (isOver(status)) return 1;
  const sending = status === 'uploaded' ? 1 : Math.min(1, size === 0 ? 0 : sent / size);
  return isAwaited ? sending / 2 + (reading === undefined ? 0 : readShare(reading) / 2) : sending;
}

/** Pages are half of reading, passages the other half. */
const readShare = ({ pages, pagesDone, pending, passages }: Reading): number =>
  pending === null
    ? (pages === 0 ? 0 : pagesDone / pages) / 2
    : 0.5 + (passages === 0 ? 0 : 1 - pending / passages) / 2;

/** @param isAwaited whether the server's reading is waited for. */
export function progressText(uploads: readonly Upload[], isAwaited: boolean): string {
  const share = uploads.reduce((sum, one) => sum + shareOf(one, isAwaited), 0) / uploads.length;
  const done = uploads.filter(({ status }) => isOver(status) || (!isAwaited && status === 'uploaded')).length;
  const filled = Math.floor(share * BAR_WIDTH);
  const bar = `${'█'.repeat(filled)}${'·'.repeat(BAR_WIDTH - filled)}`;
  return `[${bar}] ${done}/${uploads.length} ${detailOf(uploads)}`;
}

function detailOf(uploads: readonly Upload[]): string {
  const [sent, all] = [sumOf(uploads, 'sent'), sumOf(uploads, 'size')];
  if (uploads.some(({ status }) => status === 'not sent')) return `${inMb(sent)} of ${inMb(all)} MB sent`;
  const busy = uploads.find(
    ({ status, reading }) => status === 'uploaded' && reading !== undefined && reading.state !== 'queued',
  );
  const waiting = busy ?? uploads.find(({ status }) => status === 'uploaded');
  return waiting === undefined
    ? `${inMb(sent)} MB`
    : `${visible(waiting.doc_id)}, ${stageOf(waiting.reading)}`;
}

function stageOf(reading: Reading | undefined): string {
  if (reading === undefined || reading.state === 'queued') return 'waits to be read';
  const { pages, pagesDone, pending, passages } = reading;
  if (pending !== null) return passages === 0 ? 'being indexed' : `${pending} passages to embed`;
  return pages === 0 ? 'being read' : `page ${pagesDone} of ${pages}`;
}

const sumOf = (uploads: readonly Upload[], name: 'sent' | 'size'): number =>
  uploads.reduce((sum, one) => sum + one[name], 0);

const inMb = (bytes: number): string => (bytes / MEGABYTE).toFixed(1);
