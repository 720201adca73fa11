/**
 * Result of binding: a plan with how it is answered, or a change of the catalog as plain data. Statements
 * that concern only the session (SET, BEGIN, PREPARE, cursors …) are not bound; `session/` reads their AST.
 */
import type { CatalogEdit } from '../catalog/edit/edit.ts';
import type { SequenceState } from '../catalog/sequences.ts';
import type { Condition, Notice } from '../errors.ts';
import type { Datum } from '../types/datum.ts';
import type { OutputColumn, Plan } from './plan.ts';
import type { Right } from './right.ts';

export type { CatalogEdit } from '../catalog/edit/edit.ts';

/** Work of a definition on rows that are there, as SQL over the catalog as it then is. */
export type FollowUp =
  | {
      readonly kind: 'statement';
      readonly sql: string;
      /** Raised when the query finds a row; null for a statement that changes rows. */
      readonly violated: {
        readonly condition: Condition;
        readonly message: string;
        readonly table: string;
        readonly column?: string;
        readonly constraint?: string;
        /** The row's first column tells which one it is: the error's detail. */
        readonly detailed?: true;
      } | null;
    }
  | { readonly kind: 'edits'; readonly edits: readonly CatalogEdit[] };

export interface SequenceValue extends SequenceState {
  readonly sequence: number;
}

/** Rights that are asked for each time that it begins; absent: nobody but a superuser runs it. */
interface Guarded {
  readonly rights?: readonly Right[];
}

export type BoundStatement = Guarded & Bound;

type Bound =
  | {
      readonly kind: 'plan';
      readonly plan: Plan;
      /** First word(s) of the command tag. */
      readonly tag: 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE' | 'MERGE';
      /** Null when no rows are returned. */
      readonly output: readonly OutputColumn[] | null;
      readonly writes: boolean;
      /** OIDs of `$1`, `$2`, … as inferred. */
      readonly parameters: readonly number[];
      /** Values, by index, of parameters that the plan was made for; undefined: it was made to be described. */
      readonly fixed: ReadonlyMap<number, Datum | undefined>;
      /** The catalog the plan was bound against. */
      readonly catalogVersion: number;
    }
  | {
      readonly kind: 'catalog';
      readonly tag: string;
      readonly edits: readonly CatalogEdit[];
      /** Notices of what IF [NOT] EXISTS skipped; what is no plain notice stands whole. */
      readonly notices: readonly (string | Notice)[];
      /** Done in order once the edits are made. */
      readonly followUps?: readonly FollowUp[];
      /** Where sequences stand from now on. */
      readonly sequenceValues?: readonly SequenceValue[];
    }
  | {
      readonly kind: 'truncate';
      readonly relations: readonly number[];
      readonly partitions?: readonly { readonly relation: number; readonly partition: string }[];
      /** Sequences that begin anew. */
      readonly sequences?: readonly number[];
    }
  | {
      readonly kind: 'drop partition';
      readonly relation: number;
      readonly partition: string;
      /** ALTER TABLE's answer where there is none; null: a DELETE of all its rows, of none then. */
      readonly absent: 'error' | 'notice' | null;
    };
