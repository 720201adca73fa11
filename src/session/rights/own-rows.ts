/** Whose rows are that Quern keeps for whoever asked: those of a role, and of those some of one of its limited keys alone. */
import { OID } from '../../types/oids.ts';
import type { Parameter } from '../server-session.ts';
import type { SessionState } from '../session-state.ts';

export interface RowOwner {
  /** OID; null: nobody wrote it down, and only superusers see the row. */
  readonly role: number | null;
  /** Id of the key, where it limits rows. */
  readonly key: string | null;
}

/** Owner of what the session writes down now. */
export const rowOwner = ({ identity, key }: SessionState): RowOwner & { readonly role: number } => ({
  role: identity.current,
  key: key?.rowKey?.id ?? null,
});

/** Values of its columns `role` and `key`. */
export const ownerParameters = ({ role, key }: RowOwner): readonly [Parameter, Parameter] => [
  [OID.oid, role],
  [OID.text, key],
];
