/** The answer of a run: facts in the order of the plan, what contradicts among them, and how sure it is. */
import type { AskRow } from '../../functions/services.ts';
import type { Query } from '../../session/server-session.ts';
import { chunkKey, type Fact } from '../passage.ts';
import { References } from '../refs.ts';
import { noDocumentOf, sentence, whyNothing } from '../why-nothing.ts';
import { contradict, describeContradiction, type Figure, sameFigure } from './figure.ts';
import { isSame, type Kept } from './look.ts';
import type { Run } from './run.ts';
import type { SubQuestion } from './sub-question.ts';

export interface KeptFact extends Kept {
  readonly sub: SubQuestion;
}

interface Asked {
  readonly sub: SubQuestion;
  /** 0 to 100. */
  readonly confidence: number;
}

interface Conclusion {
  readonly run: Run;
  /** Names of the question that no document carries. */
  readonly missing: readonly string[];
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

async function whyNone(query: Query, { run, missing, asked, hasEvidence }: Conclusion): Promise<string> {
  if (asked.length === 0) return 'The question has no word to look for.';
  if (hasEvidence) return 'Nothing that was found supports an answer well enough: no facts are given.';
  return missing.length > 0 ? sentence(noDocumentOf(missing, run)) : whyNothing(run, query);
}

/**
 * Order of facts: those of the question as it was asked, as `ask()` gives them, then computed ones, then the rest, each
 * once, with all places that say it. Where a model wrote, computed ones come first, then what it wrote, and nothing else
 * of a passage of which it did.
 */
function inOrder(facts: readonly KeptFact[], written: readonly Fact[]): readonly Fact[] {
  const own = facts.filter(({ sub, isFurther }) => sub.origin === 'whole' && isFurther !== true);
  const computed = facts.filter(({ fact }) => fact.isComputed);
  const further = (one: KeptFact): number =>
    Number(one.isFurther === true) + Number(one.sub.origin === 'aspect');
  const rest = facts.toSorted((a, b) => further(a) - further(b));
  if (written.length === 0) return merged(own, [...computed, ...rest]);
  const told = new Set(written.flatMap(({ citations }) => citations.map(({ passage }) => chunkKey(passage))));
  const isTold = ({ fact }: Kept): boolean =>
    fact.citations.every(({ passage }) => told.has(chunkKey(passage)));
  const made = written.map((fact): Kept => ({ fact, entity: null, figures: [] }));
  const untold = [...own, ...rest].filter((one) => !one.fact.isComputed && !isTold(one));
  return merged([], [...computed, ...made, ...untold]);
}

/** @param first stay as they are, but for further places that say the same. */
function merged(first: readonly Kept[], others: readonly Kept[]): readonly Fact[] {
  const given = [...first];
  const isFull = (i: number, more: number): boolean =>
    i < first.length && placesOf(given.slice(0, first.length)) + more > FIRST_PLACES_MAX;
  for (const one of others) {
    if (first.includes(one)) continue;
    const same = given.findIndex((other) => isSame(other, one) || statesOf(other, one));
    const known = given[same];
    if (known === undefined) {
      if (given.length < FACTS_MAX) given.push(one);
      continue;
    }
    const fact = withPlaces(known.fact, one.fact);
    if (!isFull(same, fact.citations.length - known.fact.citations.length)) given[same] = { ...known, fact };
  }
  return given.map(({ fact }) => fact);
}

/** True where it was told by its numbers that another one says it. */
const statesOf = ({ figures }: Kept, one: Kept): boolean =>
  one.isSaid === true && one.figures.some((a) => figures.some((b) => sameFigure(a, b)));

/** Places of one fact. */
const PLACES_MAX = 8;
/** Places of the first answer's facts: all of these stand among the first pages that are cited, whatever is added. */
const FIRST_PLACES_MAX = 10;

const placesOf = (facts: readonly Kept[]): number =>
  facts.reduce((sum, { fact }) => sum + fact.citations.length, 0);

/** A computed fact has its operands' places, and no others. */
function withPlaces(fact: Fact, { citations, isComputed }: Fact): Fact {
  if (fact.isComputed || isComputed) return fact;
  const known = new Set(fact.citations.map(({ passage }) => chunkKey(passage)));
  const more = citations.filter(({ passage }) => !known.has(chunkKey(passage)));
  return { ...fact, citations: [...fact.citations, ...more].slice(0, Math.max(PLACES_MAX, known.size)) };
}

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
