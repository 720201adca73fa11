/**
 * Whose rights the statements of a session have: OIDs of roles. One thing to know: the three differ after SET ROLE and
 * SET SESSION AUTHORIZATION, and only `current` is asked for privileges.
 */
export interface Identity {
  /** Who signed in. */
  readonly authenticated: number;
  /** `session_user`. */
  readonly session: number;
  /** `current_user`. */
  readonly current: number;
}

/** A session whose three roles are one. */
export const identityOf = (role: number): Identity => ({ authenticated: role, session: role, current: role });
