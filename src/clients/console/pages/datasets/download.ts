/** The bytes of a document's file, as a download. */
import { saveFile } from '../../parts/save-file.ts';
import { request } from '../../server/request.ts';

const FILE = 'SELECT quern.get_file($1, $2)';

/** @throws StatementError */
export async function downloadFile(dataset: string, docId: string, name: string): Promise<void> {
  const json = { statement: FILE, params: [dataset, docId] };
  const response = await request('sql', { method: 'POST', json, accept: 'application/octet-stream' });
  // As bytes without a kind: whatever is in it, the browser only keeps it.
  saveFile(new Blob([await response.blob()], { type: 'application/octet-stream' }), name);
}
