/** `SET quern.lsn = 'books:12'`: a statement waits until that state is there, for `quern.lsn_timeout` at most. */
import { findRelation } from '../../catalog/lookup.ts';
import type { Catalog } from '../../catalog/model.ts';
import { splitPartition } from '../../catalog/partition-names.ts';
import { splitName } from '../../catalog/services.ts';
import type { Engine } from '../../engine/engine.ts';
import { SqlError } from '../../errors.ts';
import { requireRead } from '../rights/of-session.ts';
import { refuseRelation } from '../scope/key-limits.ts';
import type { SessionState } from '../session-state.ts';
import type { Statement } from './statement.ts';

interface Names {
  readonly catalog: Catalog;
  readonly searchPath: readonly string[];
}

/** `books$acme` by the name itself, whatever is in it, or else as SQL writes it: `"My books$acme"`, `public.books`. */
export function numberedRelation(
  { catalog, searchPath }: Names,
  written: string,
): { readonly oid: number; readonly partition: string | null } | null {
  const parts = splitName(written);
  const schema = parts?.length === 2 ? (parts[0] ?? null) : null;
  for (const [within, whole] of [[null, written] as const, [schema, parts?.at(-1) ?? ''] as const]) {
    const { name, partition } = splitPartition(whole);
    const relation = findRelation(catalog, within, name, searchPath);
    if (relation !== undefined) return { oid: relation.oid, partition };
  }
  return null;
}

/** A number of a relation tells of its writes. @throws SqlError 42501. */
export function requireNumbered(session: SessionState, oid: number): void {
  const relation = session.catalog().relations.get(oid);
  if (relation !== undefined) requireRead(session, relation);
}

interface LsnWait extends Names {
  /** @throws SqlError 42501 for what the session's key does not reach. */
  readonly check: (oid: number, partition: string | null) => void;
  /** `collection:lsn`, as the setting has it. */
  readonly wanted: string;
  /** 0: as long as the statement may take. */
  readonly timeoutMs: number;
  readonly engine: Pick<Engine, 'waitForLsn' | 'lsn'>;
}

/** Resolves when the state is there that `quern.lsn` asks a statement to read. */
export function awaitedLsn({ session, signal }: Statement): Promise<void> {
  const { settings, environment } = session;
  const check = (oid: number, partition: string | null): void => {
    const relation = session.catalog().relations.get(oid);
    if (relation !== undefined) refuseRelation(session, relation, partition);
  };
  const wanted = settings.get('quern.lsn');
  const names = { catalog: session.catalog(), searchPath: session.searchPath() };
  const timeoutMs = Number(settings.get('quern.lsn_timeout'));
  const relation = numberedRelation(names, wanted.slice(0, wanted.lastIndexOf(':')));
  if (relation !== null) requireNumbered(session, relation.oid);
  return waitForLsn({ ...names, wanted, timeoutMs, engine: environment.engine, check }, signal);
}

/** @throws SqlError 42P01; 57014 `lsn_timeout`; the signal's reason. */
async function waitForLsn(
  { wanted, timeoutMs, engine, check, ...names }: LsnWait,
  signal: AbortSignal,
): Promise<void> {
  const colon = wanted.lastIndexOf(':');
  const [written, lsn] = [wanted.slice(0, colon), wanted.slice(colon + 1)];
  const found = numberedRelation(names, written);
  if (found === null) throw new SqlError('undefined_table', `relation "${written}" does not exist`);
  const { oid, partition } = found;
  check(oid, partition);
  if (timeoutMs === 0) return engine.waitForLsn(oid, partition, lsn, signal);
  const late = new AbortController();
  const timer = setTimeout(() => {
    const message = `LSN ${lsn} of "${splitName(written)?.at(-1) ?? written}" was not there within ${timeoutMs} ms`;
    const hint = `It is at ${engine.lsn(oid, partition)}; quern.lsn_timeout says how long a read waits.`;
    late.abort(new SqlError('query_canceled', message, { routine: 'lsn_timeout', hint }));
  }, timeoutMs);
  try {
    await engine.waitForLsn(oid, partition, lsn, AbortSignal.any([signal, late.signal]));
  } finally {
    clearTimeout(timer);
  }
}
