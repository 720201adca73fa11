/** The sample of documents: two reports as a dataset, to ask and to get answers that cite their pages. */
import { run } from '../server/statement.ts';
import { type Progress, sampleFile } from './file.ts';

const REPORTS = ['borrowing-for-graduate-school', 'school-enrollment-projections'];

const UPLOAD = 'SELECT quern.upsert_file($1, $2, $3, $4::bytea)';

/** @throws StatementError 42P06 where there is a dataset `reports`. */
export async function loadReports(
  onProgress: (progress: Progress) => void,
  signal?: AbortSignal,
): Promise<void> {
  await run('CREATE DATASET reports', { signal });
  for (const [done, id] of REPORTS.entries()) {
    onProgress({ done, all: REPORTS.length });
    const bytes = new Uint8Array(await (await sampleFile(`${id}.pdf`, signal)).arrayBuffer());
    await run(UPLOAD, { params: ['reports', id, `${id}.pdf`, hexOf(bytes)], signal });
  }
  onProgress({ done: REPORTS.length, all: REPORTS.length });
}

const hexOf = (bytes: Uint8Array): string =>
  `\\x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
