/** Rules for the rows of a relation: which are there for whoever asks, and what rows have to be to be written. */
import type { Expression, PlanForm, Settled } from './expression.ts';
import type { Assignment } from './plan.ts';

/** The rows of a relation that its policies show, as a plan over another scan of it; its last output is the row number. */
export interface RowRule<F extends PlanForm = Settled> {
  readonly plan: F['plan'];
  /** Mark of that scan. */
  readonly mark: number;
}

/** Rules for every new row; expressions are over the relation's live columns in attribute order. */
export interface RowRules<F extends PlanForm = Settled> {
  readonly generated: readonly Assignment<F>[];
  /** CHECK constraints in the order they are tested. */
  readonly checks: readonly { readonly name: string; readonly condition: Expression<F> }[];
  /** WITH CHECK OPTION of the views that are written through, in the order they are tested: TRUE passes. */
  readonly options: readonly { readonly view: string; readonly condition: Expression<F> }[];
  /** Policies of the relation, tested before all others: TRUE passes. */
  readonly policies: readonly PolicyCheck<F>[];
}

export interface PolicyCheck<F extends PlanForm = Settled> {
  /** A restrictive policy; null: all permissive ones together. */
  readonly name: string | null;
  readonly condition: Expression<F>;
}

/** Policies for rows that an INSERT meets and changes. */
export interface MetRows<F extends PlanForm = Settled> {
  /** Shows those that may be changed. */
  readonly rule: RowRule<F>;
  /** Tested of their new versions, over the relation's live columns. */
  readonly policies: readonly PolicyCheck<F>[];
}

/** Policies that a row of the target has to pass that MERGE changes. */
export interface MergeGuards {
  /** Position in the input's output of the number of the policy that a row does not pass; NULL where it may be changed. */
  readonly violated: number;
  /** By that number: a restrictive policy; null: all permissive ones together. */
  readonly policies: readonly (string | null)[];
}
