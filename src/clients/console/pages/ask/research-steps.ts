/** Steps of a piece of research as a tree: its questions, what each has found, kept and left out. */

export interface Step {
  readonly step: number;
  readonly parent: number | null;
  readonly kind: string;
  readonly question: string | null;
  readonly text: string | null;
  readonly reason: string | null;
  readonly dataset: string | null;
  readonly doc_id: string | null;
  readonly content_id: string | null;
  readonly score: number | null;
  readonly finished_at: string | null;
}

export const STEPS = `SELECT step, parent, kind, question, text, reason, dataset, doc_id, content_id, score,
    finished_at
  FROM quern.research_steps WHERE research_id::text = $1 ORDER BY step`;

export interface Part {
  /** A question of the plan, or what is done with all of them. */
  readonly step: Step;
  readonly searches: readonly Step[];
  readonly kept: readonly Step[];
  readonly rejected: readonly Step[];
  /** Gaps and contradictions. */
  readonly noted: readonly Step[];
}

export function stepTree(steps: readonly Step[]): readonly Part[] {
  const children = Map.groupBy(steps, ({ parent }) => parent);
  const below = (step: Step): readonly Step[] =>
    (children.get(step.step) ?? []).flatMap((child) => [child, ...below(child)]);
  const known = new Set(steps.map(({ step }) => step));
  const roots = steps.filter(({ parent }) => parent === null || !known.has(parent));
  return roots.map((step): Part => {
    const all = below(step);
    const of = (...kinds: readonly string[]): readonly Step[] =>
      all.filter(({ kind }) => kinds.includes(kind));
    return {
      step,
      searches: of('search'),
      kept: of('keep'),
      rejected: of('reject'),
      noted: all.filter(({ kind }) => !['search', 'keep', 'reject'].includes(kind)),
    };
  });
}
