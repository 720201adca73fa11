/** Messages of a statement's answer, a line each: the shapes of `docs/http.md`. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

export interface Column {
  readonly name: string;
  /** As SQL writes it: `integer`, `text[]`, `vector(3)`. */
  readonly type: string;
}

export interface Notice {
  readonly severity: string;
  readonly message: string;
  readonly detail?: string;
  readonly hint?: string;
}

export interface Fault {
  readonly message: string;
  readonly sqlstate: string;
  readonly detail?: string;
  readonly hint?: string;
  /** 1-based, in characters of the statement. */
  readonly position?: number;
  readonly kind?: string;
  /** The column that it is about, where it is about one. */
  readonly column?: string;
}

export interface Done {
  /** `SELECT 3`. */
  readonly tag: string;
}

export type Row = readonly Json[];

export interface Message {
  readonly columns?: readonly Column[];
  readonly rows?: readonly Row[];
  readonly notice?: Notice;
  readonly done?: Done;
  readonly error?: Fault;
}

/** A statement that was refused or failed, with all that the server said of it. */
export class StatementError extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.message);
    this.fault = fault;
  }
}

/** SQLSTATE of what never reached the server, or of which no answer came. */
export const NOT_REACHED = '08006';
/** SQLSTATE of a session that is not signed in, or no longer. */
export const NOT_SIGNED_IN = '28000';
export const CANCELLED = '57014';

export function faultOf(error: unknown): Fault {
  if (error instanceof StatementError) return error.fault;
  const message = error instanceof Error ? error.message : String(error);
  return { message, sqlstate: 'XX000' };
}
