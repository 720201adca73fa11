/** The answer of a run: facts in the order of the plan, what contradicts among them, and how sure it is. */
import type { AskRow } from '../../functions/services.ts';
import type { Query } from '../../session/server-session.ts';
import { saysTheSame } from '../facts.ts';
import type { Fact, Passage } from '../passage.ts';
import { References } from '../refs.ts';
import type { Question } from '../question.ts';
import { noDocumentOf, sentence, whyNothing } from '../why-nothing.ts';
import { whoseOf } from '../naming/whose.ts';
import { contradict, describeContradiction, type Figure } from './figure.ts';
import type { Run } from './run.ts';
import type { SubQuestion } from './sub-question.ts';

export interface KeptFact {
  readonly fact: Fact;
  readonly figures: readonly Figure[];
  readonly sub: SubQuestion;
}

interface Asked {
  readonly sub: SubQuestion;
  /** 0 to 100. */
  readonly confidence: number;
}

interface Conclusion {
  readonly run: Run;
  readonly question: Question;
  readonly asked: readonly Asked[];
  /** In the order of the plan. */
  readonly facts: readonly KeptFact[];
  readonly contradictions: Contradictions;
  /** Something was found, whatever became of it. */
  readonly hasEvidence: boolean;
  /** A language model's text from the facts' passages; null where none did. */
  readonly written: Written | null;
}

export interface Written {
  readonly facts: readonly Fact[];
  readonly model: string;
}

export interface Concluded {
  /** Facts, and the answer; before them, why there are none. */
  readonly rows: readonly AskRow[];
  readonly confidence: number;
}

const FACTS_MAX = 30;
const CONTRADICTIONS_MAX = 20;
/** A contradiction takes so much of the confidence of the part that it is in. */
const CONTRADICTED = 0.5;

export interface Contradictions {
  /** Each pair once, in words. */
  readonly told: readonly string[];
  readonly figures: ReadonlySet<Figure>;
}

export function contradictionsOf(facts: readonly KeptFact[]): Contradictions {
  const told = new Set<string>();
  const contrary = new Set<Figure>();
  const figures = facts.flatMap((one) => one.figures);
  for (const alike of Map.groupBy(figures, ({ entity, year }) => `${entity}\n${year}`).values()) {
    const compared = alike.slice(0, COMPARED_MAX);
    for (const [i, a] of compared.entries()) {
      for (const b of compared.slice(i + 1)) {
        if (told.size >= CONTRADICTIONS_MAX || !contradict(a, b)) continue;
        told.add(describeContradiction(a, b));
        contrary.add(a).add(b);
      }
    }
  }
  return { told: [...told], figures: contrary };
}

/** The most figures of one entity and year that are compared, each with each. */
const COMPARED_MAX = 150;

export async function conclude(query: Query, conclusion: Conclusion): Promise<Concluded> {
  const { facts, written } = conclusion;
  const given = inOrder(facts, written?.facts ?? []);
  if (given.length === 0) {
    const update = await whyNone(query, conclusion);
    return { rows: [{ kind: 'progress', update }, NO_ANSWER], confidence: 0 };
  }
  const references = new References();
  const rows: AskRow[] = given.map((fact) => references.add(fact));
  const confidence = confidenceOfAll(conclusion);
  const model = written === null ? {} : { model: written.model };
  rows.push({ kind: 'answer', refs: await references.refs(query), confidence, ...model });
  return { rows, confidence };
}

const NO_ANSWER: AskRow = { kind: 'answer', refs: {}, confidence: 0 };

async function whyNone(query: Query, { run, question, asked, hasEvidence }: Conclusion): Promise<string> {
  if (asked.length === 0) return 'The question has no word to look for.';
  if (hasEvidence) return 'Nothing that was found supports an answer well enough: no facts are given.';
  const { missing } = await whoseOf(query, question, run.datasets);
  return missing.length > 0 ? sentence(noDocumentOf(missing, run)) : whyNothing(run, query);
}

/**
 * Order of facts: computed ones first, then what a model wrote, then the rest: each once, though several sub-questions found it, and
 * nothing of a passage of which the model wrote.
 */
function inOrder(facts: readonly KeptFact[], written: readonly Fact[]): readonly Fact[] {
  const given: Fact[] = [];
  const all = facts.map(({ fact }) => fact);
  const told = new Set(written.flatMap(({ citations }) => citations.map(({ passage }) => keyOf(passage))));
  const rest = all.filter(
    ({ isComputed, citations }) => !isComputed && !citations.every(({ passage }) => told.has(keyOf(passage))),
  );
  for (const fact of [...all.filter(({ isComputed }) => isComputed), ...written, ...rest]) {
    if (given.length < FACTS_MAX && !given.some((other) => saysTheSame(other, fact))) given.push(fact);
  }
  return given;
}

const keyOf = ({ dataset, contentId }: Passage): string => `${dataset}\n${contentId}`;

/** The mean of what the question asks for itself: what was not found counts 0. */
function confidenceOfAll({ asked, facts, contradictions }: Conclusion): number {
  const own = asked.filter(({ sub }) => sub.origin !== 'aspect');
  const counted = own.length > 0 ? own : asked;
  const sum = counted.reduce(
    (total, { sub, confidence }) => total + confidence * trust(sub, facts, contradictions.figures),
    0,
  );
  return Math.round(sum / Math.max(1, counted.length));
}

function trust(sub: SubQuestion, facts: readonly KeptFact[], contrary: ReadonlySet<Figure>): number {
  const own = facts.filter((one) => one.sub.text === sub.text);
  return own.some(({ figures }) => figures.some((figure) => contrary.has(figure))) ? CONTRADICTED : 1;
}
