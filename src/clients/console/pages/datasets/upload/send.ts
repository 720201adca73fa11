/**
 * One file on its way to the server, streamed by the browser: no file is in memory here. Small ones are told of in one request;
 * larger ones are copied, and their handle is looked up afterwards.
 */
import { quoteText } from '../../../server/names.ts';
import { sendData } from '../../../server/send-data.ts';
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

/** The server holds what is a parameter, and streams what is copied. */
const WHOLE_BYTES_MAX = 8_000_000;

/** @returns its handle. @throws StatementError; the signal's reason */
export const sendFile = (file: File, sending: Sending): Promise<string> =>
  file.size <= WHOLE_BYTES_MAX ? sendWhole(file, sending) : copy(file, sending);

const UPSERT = 'SELECT quern.upsert_file($2, $3, $4, $1::bytea)';
const UPSERT_WITH = 'SELECT quern.upsert_file($2, $3, $4, $1::bytea, $5::jsonb)';

async function sendWhole(
  file: File,
  { dataset, docId, metadata, onBytes, signal }: Sending,
): Promise<string> {
  const params = [dataset, docId, file.name, ...(metadata === null ? [] : [metadata])];
  const statement = metadata === null ? UPSERT : UPSERT_WITH;
  const messages = await sendData(file, { statement, params, onBytes, signal });
  return String(messages.find(({ rows }) => rows !== undefined)?.rows?.[0]?.[0]);
}

const HANDLE = `SELECT handle FROM quern.handles WHERE dataset = $1 AND doc_id = $2 ORDER BY seq DESC LIMIT 1`;

async function copy(file: File, { dataset, docId, metadata, onBytes, signal }: Sending): Promise<string> {
  const options = {
    dataset,
    doc_id: docId,
    name: file.name,
    ...(metadata !== null && { metadata: JSON.stringify(metadata) }),
  };
  const given = Object.entries(options).map(([name, value]) => `${name} ${quoteText(value)}`);
  const statement = `COPY quern.upload FROM STDIN WITH (FORMAT raw, ${given.join(', ')})`;
  await sendData(file, { statement, onBytes, signal });
  const [row] = await rowsOf<{ readonly handle: string }>(HANDLE, { params: [dataset, docId], signal });
  return row?.handle ?? '';
}
