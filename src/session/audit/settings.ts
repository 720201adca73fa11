/** Settings of a server's audit. */
import type { WhenFull } from './auditor.ts';
import type { AuditSink } from './follow.ts';

export interface AuditSettings {
  /** Days for which entries are kept. */
  readonly days: number;
  readonly whenFull: WhenFull;
  /** A log outside of the database; null: none. */
  readonly sink: AuditSink | null;
}
