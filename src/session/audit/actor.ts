/** Who does what a session does, and refusals that its client is told. */
import { roleByOid } from '../../catalog/access/roles.ts';
import { SqlError } from '../../errors.ts';
import type { SessionState } from '../session-state.ts';
import type { AuditActor } from './entry.ts';

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
