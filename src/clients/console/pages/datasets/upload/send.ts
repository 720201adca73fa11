/** One file on its way to the server. */
import { rowsOf } from '../../../server/statement.ts';

export interface Sending {
  readonly dataset: string;
  readonly docId: string;
  /** Null: a document keeps what it had. */
  readonly metadata: object | null;
  /** Told how many have been sent. */
  readonly onBytes: (sent: number) => void;
  readonly signal: AbortSignal;
}

const UPSERT = `SELECT quern.upsert_file($1, $2, $3, decode($4, 'base64'), $5::jsonb) AS handle`;
const UPSERT_KEEPING = `SELECT quern.upsert_file($1, $2, $3, decode($4, 'base64')) AS handle`;

/** @returns its handle. @throws StatementError */
export async function sendFile(file: File, { dataset, docId, metadata, onBytes, signal }: Sending): Promise<string> {
  const base64 = await base64Of(file);
  const params = [dataset, docId, file.name, base64, ...(metadata === null ? [] : [JSON.stringify(metadata)])];
  const [row] = await rowsOf<{ readonly handle: string }>(metadata === null ? UPSERT_KEEPING : UPSERT, { params, signal });
  onBytes(file.size);
  return row?.handle ?? '';
}

async function base64Of(file: File): Promise<string> {
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
  return url.slice(url.indexOf(',') + 1);
}
