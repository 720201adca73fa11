/**
 * What binding gives: a plan with how it is answered, or a change of the catalog as plain data. Statements
 * that concern only the session (SET, BEGIN, PREPARE, cursors …) are not bound; `session/` reads their AST.
 */
import type { Column, Constraint, Index, Relation } from '../catalog/model.ts';
import type { OutputColumn, Plan } from './plan.ts';

export type BoundStatement =
  | {
      readonly kind: 'plan';
      readonly plan: Plan;
      /** First word(s) of the command tag. */
      readonly tag: 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE';
      /** Null when no rows are returned. */
      readonly output: readonly OutputColumn[] | null;
      readonly writes: boolean;
      /** OIDs of `$1`, `$2`, … as inferred. */
      readonly parameters: readonly number[];
      /** The catalog the plan was bound against. */
      readonly catalogVersion: number;
    }
  | {
      readonly kind: 'catalog';
      readonly tag: string;
      readonly edits: readonly CatalogEdit[];
      /** What IF [NOT] EXISTS skipped, said in a NOTICE. */
      readonly notices: readonly string[];
    }
  | { readonly kind: 'truncate'; readonly relations: readonly number[] }
  | { readonly kind: 'drop partition'; readonly relation: number; readonly partition: string };

/** A change of the catalog. New objects have OID 0; `catalog/edit.ts` numbers them and applies the edit. */
export type CatalogEdit =
  | { readonly edit: 'create relation'; readonly relation: Relation }
  | { readonly edit: 'drop relation'; readonly relation: number }
  | { readonly edit: 'rename relation'; readonly relation: number; readonly name: string }
  | { readonly edit: 'create namespace'; readonly name: string }
  | { readonly edit: 'drop namespace'; readonly namespace: number }
  | { readonly edit: 'add column'; readonly relation: number; readonly column: Column }
  | { readonly edit: 'alter column'; readonly relation: number; readonly column: Column }
  | { readonly edit: 'drop column'; readonly relation: number; readonly attribute: number }
  | { readonly edit: 'add index'; readonly relation: number; readonly index: Index }
  | { readonly edit: 'drop index'; readonly relation: number; readonly index: number }
  | { readonly edit: 'add constraint'; readonly relation: number; readonly constraint: Constraint }
  | { readonly edit: 'drop constraint'; readonly relation: number; readonly constraint: number }
  | {
      readonly edit: 'comment';
      readonly classOid: number;
      readonly oid: number;
      readonly column: number;
      readonly text: string | null;
    };
