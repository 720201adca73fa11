/** Who does what a session does; deeds that are no part of a commit, and refusals that its client is told. */
import { roleByOid } from '../../catalog/access/roles.ts';
import { SqlError } from '../../errors.ts';
import type { SessionState } from '../session-state.ts';
import type { AuditActor, AuditEvent } from './entry.ts';

export const actorOf = (session: SessionState): AuditActor => ({
  role: roleByOid(session.catalog(), session.identity.current)?.name ?? null,
  key: session.key?.held.name ?? null,
  address: session.clientAddress,
  pid: session.processId,
});

/** Writes down an error that tells that a right is missing. */
export function noteDenial(session: SessionState, error: unknown): void {
  if (!(error instanceof SqlError) || error.condition !== 'insufficient_privilege') return;
  const detail = { message: error.message };
  session.directory.audit.noteRefusal(actorOf(session), { action: 'denied', detail });
}

/**
 * Does what is no part of a commit, as changes of keys: it is written down before it is done, and if it was not, that too.
 *
 * @throws SqlError 53100 where it cannot be written down, and what `act` throws.
 */
export async function audited<Result>(
  session: SessionState,
  event: AuditEvent,
  act: () => Promise<Result>,
): Promise<Result> {
  const { audit } = session.directory;
  const actor = actorOf(session);
  await audit.noted(actor, event);
  try {
    return await act();
  } catch (error) {
    const failed = error instanceof SqlError ? error.sqlstate : 'XX000';
    audit.note(actor, { ...event, detail: { ...event.detail, failed } });
    throw error;
  }
}
