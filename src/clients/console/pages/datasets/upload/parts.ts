/**
 * A large file sent in parts. What has come stays at the server: whatever cuts it off (the network, the end of the session, a
 * restart), it goes on from there, by the token that `held` keeps meanwhile.
 */
import { faultOf } from '../../../server/messages.ts';
import { request } from '../../../server/request.ts';
import { sendBytes } from '../../../server/send-data.ts';
import type { Sending } from './send.ts';

/** The token of what the server holds; null: nothing yet. */
export interface Held {
  token: string | null;
}

/** How far it is: with a handle, it is done. */
interface Far {
  readonly upload?: { readonly token: string; readonly offset: number };
  readonly handle?: string;
}

/** Proxies bound bodies; rights are asked for anew with each. */
const PART_BYTES = 8 * 1024 * 1024;
/** Where another connection of ours, that the server has not yet seen end, is further than we know. */
const ASKED_AGAIN_MAX = 5;
const OTHER_OFFSET = '55000';

/** @returns the handle. @throws StatementError; the signal's reason */
export async function sendInParts(file: File, sending: Sending): Promise<string> {
  const { held, onBytes } = sending;
  const isNew = held.token === null;
  try {
    let far = isNew ? await begin(file, sending) : await ask(`uploads/${held.token}`, 'GET', sending);
    for (let again = 0; far.upload !== undefined && far.upload.offset < file.size; ) {
      held.token = far.upload.token;
      onBytes(far.upload.offset);
      const next = await put(file, far.upload, sending);
      if (next === null && ++again > ASKED_AGAIN_MAX) throw new Error('the server is at another offset');
      far = next ?? (await ask(`uploads/${held.token}`, 'GET', sending));
    }
    held.token = far.upload?.token ?? held.token;
    const { handle } = far.handle === undefined ? await ask(`uploads/${held.token}`, 'POST', sending) : far;
    return handle ?? '';
  } catch (error) {
    if (isNew || faultOf(error).kind !== 'upload_not_found') throw error;
    held.token = null;
    return sendInParts(file, sending);
  }
}

/** Gives its room back; where nobody hears of it, the server does so by itself. */
export function takeBack(held: Held): void {
  const { token } = held;
  held.token = null;
  if (token !== null) void request(`uploads/${token}`, { method: 'DELETE' }).catch(() => undefined);
}

function begin(file: File, { dataset, docId, metadata, signal }: Sending): Promise<Far> {
  const json = { dataset, doc_id: docId, name: file.name, metadata, size: file.size };
  return request('uploads', { method: 'POST', json, signal }).then(farOf);
}

const ask = (path: string, method: 'GET' | 'POST', { signal }: Sending): Promise<Far> =>
  request(path, { method, signal }).then(farOf);

/** Null: the server is at another offset. */
async function put(
  file: File,
  { token, offset }: NonNullable<Far['upload']>,
  { onBytes, signal }: Sending,
): Promise<Far | null> {
  const part = file.slice(offset, offset + PART_BYTES);
  const options = { method: 'PUT', onBytes: (sent: number) => onBytes(offset + sent), signal } as const;
  try {
    return await farOf(await sendBytes(`uploads/${token}?from=${offset}`, part, options));
  } catch (error) {
    if (faultOf(error).sqlstate === OTHER_OFFSET) return null;
    throw error;
  }
}

const farOf = async (response: Response): Promise<Far> => (await response.json()) as Far;
