/** Names of locks that statements ask for, in PostgreSQL's words: tables have eight modes, rows four. */

export type TableLockMode =
  | 'access share'
  | 'row share'
  | 'row exclusive'
  | 'share update exclusive'
  | 'share'
  | 'share row exclusive'
  | 'exclusive'
  | 'access exclusive';

/** From the weakest to the strongest: each keeps away what the one before does, and more. */
export const ROW_LOCK_MODES = ['key share', 'share', 'no key update', 'update'] as const;
export type RowLockMode = (typeof ROW_LOCK_MODES)[number];

/** Policy where a lock is taken: wait, 55P03, or go on without the row. */
export type LockWait = 'block' | 'nowait' | 'skip locked';
