/** One entry of the audit: what was done, by whom, from where. Its text is what the chain is over, and never changes. */
import { createHash } from 'node:crypto';
import { texts } from '../datasets/parameters.ts';
import type { Query } from '../server-session.ts';

/** The word that people look for, and programs filter by. */
export type AuditAction =
  | 'sign in'
  | 'sign in refused'
  | 'refusals left out'
  | 'entries lost'
  | 'denied'
  | 'create'
  | 'alter'
  | 'drop'
  | 'grant'
  | 'create key'
  | 'alter key'
  | 'rotate key'
  | 'drop key'
  | 'change encryption key'
  | 'export'
  | 'ask'
  | 'research'
  | 'call outside'
  | 'retention';

export interface AuditEvent {
  readonly action: AuditAction;
  /** `table public.films`: by kind and name, as of then. */
  readonly objects?: readonly string[] | undefined;
  /** Numbers, names and digests; texts of people are none of them. */
  readonly detail?: Readonly<Record<string, unknown>> | undefined;
}

/** Who did it; null where nobody is known. */
export interface AuditActor {
  readonly role: string | null;
  readonly key: string | null;
  readonly address: string | null;
  /** Process number of the session. */
  readonly pid: number | null;
}

/** The server's own deeds, and what nobody is known of. */
export const NOBODY: AuditActor = { role: null, key: null, address: null, pid: null };

/** Their numbers and hashes are the commit's. @param entries as `entryText` has them. */
export async function insertEntries(query: Query, entries: readonly string[]): Promise<void> {
  await query(
    'INSERT INTO quern.audit_entries (entry) SELECT e FROM unnest($1::text[]) AS u(e)',
    texts(entries),
  );
}

/** @param atMs Unix time. */
export function entryText(atMs: number, actor: AuditActor, event: AuditEvent): string {
  const { action, objects, detail } = event;
  return JSON.stringify({ at: new Date(atMs).toISOString(), action, ...actor, objects, detail });
}

/** A text that is kept apart. The salt goes with it: nobody can try what the text may have been. */
export interface ApartText {
  readonly digest: string;
  readonly salt: string;
  readonly text: string;
}

export function apart(text: string, randomBytes: (size: number) => Uint8Array): ApartText {
  const salt = Buffer.from(randomBytes(SALT_BYTES)).toString('hex');
  return { digest: createHash('sha256').update(`${salt} ${text}`).digest('hex'), salt, text };
}

const SALT_BYTES = 16;
