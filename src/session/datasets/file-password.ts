/**
 * Passwords of encrypted files. One comes as `password` of a file's metadata and is taken out of it at once: what a
 * user reads, exports or dumps never has it. It is kept sealed in the dataset's `_passwords`, first under the handle
 * that brought it, and under the document itself once that job is done.
 */
import type { Query } from '../server-session.ts';
import { json, text } from './parameters.ts';
import { datasetSchema } from './relations.ts';
import { OID } from '../../types/oids.ts';

/** Seals bytes so that only this server opens them again, for the identity they were sealed for. */
export interface Seal {
  seal(plain: Uint8Array, identity: Uint8Array): Uint8Array;
  open(sealed: Uint8Array, identity: Uint8Array): Uint8Array;
}

/** Null: it is taken away. Undefined: nothing is said of it. */
type Given = string | null | undefined;

interface OfDocument {
  readonly dataset: string;
  readonly docId: string;
}

/** @param metadata jsonb text. */
export function withoutPassword(metadata: string): { readonly metadata: string; readonly password: Given } {
  const { password, ...others } = JSON.parse(metadata) as { readonly password?: string | number | null };
  if (password === undefined) return { metadata, password };
  const kept = json(others)[1] as string;
  return { metadata: kept, password: password === null ? null : String(password) };
}

const identityOf = ({ dataset, docId }: OfDocument): Uint8Array => Buffer.from(`${dataset}\0${docId}`);

/** Under the handle of the job that will settle it. */
export async function keepPassword(
  query: Query,
  seal: Seal,
  { dataset, docId, handle, password }: OfDocument & { readonly handle: string; readonly password: Given },
): Promise<void> {
  if (password === undefined) return;
  const sealed = password === null ? null : seal.seal(Buffer.from(password), identityOf({ dataset, docId }));
  await query(
    `INSERT INTO ${datasetSchema(dataset)}._passwords (doc_id, handle, sealed) VALUES ($1, $2, $3)
     ON CONFLICT (doc_id, handle) DO UPDATE SET sealed = excluded.sealed`,
    text(docId),
    text(handle),
    [OID.bytea, sealed],
  );
}

/** The document's own: no job has to settle it. */
export const SETTLED = '';

/** @param handle of a job that may have brought another one. */
export async function passwordOf(
  query: Query,
  seal: Seal,
  { dataset, docId, handle }: OfDocument & { readonly handle: string },
): Promise<string | undefined> {
  const [row] = await query(
    `SELECT sealed FROM ${datasetSchema(dataset)}._passwords WHERE doc_id = $1 AND handle IN ($2, '')
     ORDER BY handle DESC LIMIT 1`,
    text(docId),
    text(handle),
  );
  if (row === undefined || row.sealed === null) return undefined;
  const plain = seal.open(row.sealed as Uint8Array, identityOf({ dataset, docId }));
  return Buffer.from(plain).toString('utf8');
}

/** Hands the password that the job brought over to the document. */
export async function settlePassword(
  query: Query,
  { dataset, docId, handle }: OfDocument & { readonly handle: string },
): Promise<void> {
  const relation = `${datasetSchema(dataset)}._passwords`;
  const brought = await query(
    `DELETE FROM ${relation} WHERE doc_id = $1 AND handle = $2 RETURNING sealed`,
    text(docId),
    text(handle),
  );
  const [row] = brought;
  if (row === undefined) return;
  await query(
    `INSERT INTO ${relation} (doc_id, handle, sealed) VALUES ($1, '', $2)
     ON CONFLICT (doc_id, handle) DO UPDATE SET sealed = excluded.sealed`,
    text(docId),
    [OID.bytea, row.sealed ?? null],
  );
}

/** Removes the password that the job brought, and with the document also its own. */
export async function forgetPassword(
  query: Query,
  { dataset, docId, handle }: OfDocument & { readonly handle: string },
  which: 'of the job' | 'of the document',
): Promise<void> {
  await query(
    `DELETE FROM ${datasetSchema(dataset)}._passwords WHERE doc_id = $1 AND handle IN ($2, $3)`,
    text(docId),
    text(handle),
    text(which === 'of the job' ? handle : SETTLED),
  );
}
