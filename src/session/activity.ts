/** A client's session as `pg_stat_activity` tells of it. */
import type { SessionFact } from '../catalog/system/context.ts';
import type { SessionState } from './session-state.ts';

/** CREATE ROLE, ALTER USER … with a password, which nobody is shown. */
const PASSWORD = /\bpassword\s*(?:e?'|\$|u&')/i;

interface Progress {
  readonly startedMicros: bigint;
  /** When its last statement began, by `nowMs`; null: there was none. */
  readonly queryMs: number | null;
  readonly query: string;
  readonly isActive: boolean;
}

export function sessionFact(state: SessionState, progress: Progress): SessionFact {
  const { block, settings, environment, processId } = state;
  const { queryMs, query, startedMicros, isActive } = progress;
  const sinceMs = queryMs === null ? null : environment.nowMs() - queryMs;
  const idle = { I: 'idle', T: 'idle in transaction', E: 'idle in transaction (aborted)' } as const;
  return {
    processId,
    role: state.identity.session,
    applicationName: settings.get('application_name'),
    clientAddress: state.clientAddress,
    startedMicros,
    transactionMicros: block.open ? block.startMicros : null,
    queryMicros: sinceMs === null ? null : environment.clockMicros() - BigInt(Math.round(1000 * sinceMs)),
    copy: isActive ? state.copying : null,
    state: isActive ? 'active' : idle[block.status()],
    query: PASSWORD.test(query) ? '<a statement with a password>' : query,
  };
}

/** As `pg_stat_progress_copy` and `pg_stat_progress_create_index` have it. */
export function progressOf({ copying, environment, directory, processId }: SessionState) {
  if (copying !== null) {
    const { command, bytes, bytesTotal, rows } = copying;
    return { command, bytes, bytes_total: bytesTotal, rows };
  }
  const builds = [...environment.engine.indexBuilds(), ...directory.embeddingBuilds.facts()];
  const build = builds.find((one) => one.processId === processId);
  if (build === undefined) return null;
  const { command, phase, tuplesDone, tuplesTotal } = build;
  return { command, phase, rows: tuplesDone, rows_total: tuplesTotal };
}
