/** Whose rows and work are that outlast sessions: plain data. */
import { OWNER_ROLE_OID } from '../catalog/oids.ts';
import { OID } from '../types/oids.ts';
import type { Parameter, Row } from './server-session.ts';
import type { KeyScope } from './sign-in/key-scope.ts';

/** Owner of a row that Quern keeps for whoever asked. */
export interface RowOwner {
  /** OID; null: nobody wrote it down, and only superusers see the row. */
  readonly role: number | null;
  /** Id of the key, where it limits rows: nobody else's session sees the row. */
  readonly key: string | null;
}

/** Before the name of a dropped dataset in rows that keep what it said: no name begins so. */
export const OF_DROPPED_DATASET = ' ';

/** By its columns `role` and `key`. */
export const ownerOfRow = ({ role, key }: Row): RowOwner => ({
  role: role == null ? null : Number(role),
  key: key == null ? null : String(key),
});

/** Values of its columns `role` and `key`. */
export const ownerParameters = ({ role, key }: RowOwner): readonly [Parameter, Parameter] => [
  [OID.oid, role],
  [OID.text, key],
];

/**
 * Who began work that goes on without its session: all that the session's statements went by, so that those of the work
 * see what these would, with rights and policies as they are by then.
 */
export interface Starter {
  /** OIDs of `session_user` and of the role that it acted as. */
  readonly session: number;
  readonly current: number;
  /** The key that it was opened with, and which of its texts; null: none. */
  readonly key: { readonly id: string; readonly secret: string; readonly scope: KeyScope } | null;
  readonly address: string | null;
  /** Its `system_user`. */
  readonly signedInAs: string | null;
  /** Policies may ask for any of them. */
  readonly settings: Readonly<Record<string, string>>;
}

/** Starter of what an earlier version began, which let nobody but superusers do so. */
export const OF_BEFORE: Starter = {
  ...{ session: OWNER_ROLE_OID, current: OWNER_ROLE_OID },
  ...{ key: null, address: null, signedInAs: null, settings: {} },
};
