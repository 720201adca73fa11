/** The bytes of a document's file, as a download. */
import { rowsOf } from '../../server/statement.ts';

const FILE = `SELECT encode(quern.get_file($1, $2), 'base64') AS data`;

/** @throws StatementError */
export async function downloadFile(dataset: string, docId: string, name: string): Promise<void> {
  const [row] = await rowsOf<{ readonly data: string }>(FILE, { params: [dataset, docId] });
  // As bytes without a kind: whatever is in it, the browser only keeps it.
  save(Uint8Array.fromBase64(row?.data ?? ''), name);
}

function save(data: Uint8Array<ArrayBuffer>, name: string): void {
  const address = URL.createObjectURL(new Blob([data], { type: 'application/octet-stream' }));
  const link = Object.assign(document.createElement('a'), { href: address, download: name });
  link.click();
  URL.revokeObjectURL(address);
}
