/** Steps of a run as told to those who wait for it: each when it begins and when it has ended. */
import type { Step } from './steps.ts';

export class ToldSteps {
  /** Steps that were under way when they were told of. */
  readonly #underWay = new Set<number>();
  #last = 0;
  #planned = 0;
  #searched = 0;

  /** The step from which on they are wanted next. */
  get after(): number {
    return Math.min(this.#last, ...[...this.#underWay].map((step) => step - 1));
  }

  /** @param steps those that come after `after`, in their order. */
  *updates(steps: readonly Step[]): Generator<string> {
    const plan = steps.filter(({ kind, step }) => kind === 'plan' && step > this.#last);
    if (plan.length > 0) {
      this.#planned = plan.length;
      yield `Plan: ${plan.length} ${plan.length === 1 ? 'question' : 'questions'}.`;
    }
    for (const step of steps) {
      const isNew = step.step > this.#last;
      const hasEnded = step.isFinished && (isNew || this.#underWay.has(step.step));
      if (isNew) yield* this.#begun(step);
      if (hasEnded) yield* ended(step);
      if (step.isFinished) this.#underWay.delete(step.step);
      else this.#underWay.add(step.step);
      this.#last = Math.max(this.#last, step.step);
    }
  }

  *#begun({ kind, question }: Step): Generator<string> {
    if (kind === 'plan') yield `– ${question}`;
    if (kind === 'search')
      yield `Searching (${Math.min(++this.#searched, this.#planned)} of ${this.#planned}): ${question}`;
  }
}

function* ended({ kind, question, text, reason }: Step): Generator<string> {
  if (kind === 'search') yield `${text}.`.replace(/\.\.$/, '.');
  if (kind === 'gap') yield `Gap: ${question} – ${reason}.`;
  if (kind === 'synthesis' && text !== null) yield `Answer: ${text}.`;
  if (kind === 'contradiction') yield `Contradiction: ${text}.`;
}
