/** Choices: each is one decision about one node, whose inputs are decided; it gives back what it leaves alone. */
import type { Catalog } from '../catalog/model.ts';
import type { PhysicalPlan } from './physical.ts';

export interface ChoiceContext {
  readonly catalog: Catalog;
  /** Names of choices that are switched off. */
  readonly disabled: ReadonlySet<string>;
}

export interface Choice {
  /** As `SET quern.disabled_rules` names it. */
  readonly name: string;
  readonly summary: string;
  readonly choose: (plan: PhysicalPlan, context: ChoiceContext) => PhysicalPlan;
}
