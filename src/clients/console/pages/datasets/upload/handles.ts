/** How far the server is with what was sent. */
import { rowsOf } from '../../../server/statement.ts';
import { WORDS } from '../../../words.ts';
import type { Upload } from './uploads.ts';

const HANDLES = `SELECT handle, state, reason, pages, pages_done FROM quern.handles WHERE handle = ANY($1::text[])`;
/** More are asked for later. */
const HANDLES_MAX = 1000;

interface HandleRow {
  readonly handle: string;
  readonly state: string;
  readonly reason: string | null;
  readonly pages: number | null;
  readonly pages_done: number | null;
}

export async function askHandles(reading: readonly Upload[]): Promise<void> {
  const asked = reading.slice(0, HANDLES_MAX);
  const rows = await rowsOf<HandleRow>(HANDLES, { params: [asked.map(({ handle }) => handle)] });
  const byHandle = new Map(rows.map((row) => [row.handle, row]));
  for (const upload of asked) tell(upload, byHandle.get(upload.handle ?? ''));
}

function tell(upload: Upload, row: HandleRow | undefined): void {
  if (row === undefined) {
    Object.assign(upload, { state: 'failed', reason: WORDS.datasets.upload.unknown });
    return;
  }
  upload.serverState = row.state;
  upload.pages = row.pages ?? 0;
  upload.pagesDone = row.pages_done ?? 0;
  if (row.state === 'ready') upload.state = 'ready';
  if (row.state === 'error') Object.assign(upload, { state: 'failed', reason: row.reason });
}
