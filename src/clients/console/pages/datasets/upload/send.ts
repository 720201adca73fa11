/**
 * One file on its way to the server, streamed by the browser: no file is in memory here. Small ones go in one request, larger
 * ones in parts.
 */
import { sendData } from '../../../server/send-data.ts';
import { type Held, sendInParts } from './parts.ts';

export interface Sending {
  readonly dataset: string;
  readonly docId: string;
  /** Null: a document keeps what it had. */
  readonly metadata: object | null;
  /** Part of a large one that the server has, from one try to the next. */
  readonly held: Held;
  /** Told how many have been sent. */
  readonly onBytes: (sent: number) => void;
  readonly signal: AbortSignal;
}

/** The server holds what is a parameter. */
const WHOLE_BYTES_MAX = 8_000_000;

/** @returns its handle. @throws StatementError; the signal's reason */
export const sendFile = (file: File, sending: Sending): Promise<string> =>
  file.size <= WHOLE_BYTES_MAX ? sendWhole(file, sending) : sendInParts(file, sending);

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
