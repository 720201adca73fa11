/**
 * How well the sentences and table rows of passages answer a question: the share of its terms that each holds, rare
 * ones counting more, with what the surroundings say counting less. Nothing is made up here: units are chosen.
 */
import { foreignUnits, type Similar } from './across.ts';
import type { Passage } from '../passage.ts';
import type { Question, Reader } from '../question.ts';
import type { ReadPassage } from '../reading.ts';
import { SecondLook } from './second-look.ts';
import type { Sentence } from '../sentences.ts';
import type { Row } from '../cells/row.ts';
import type { Turns } from '../turns.ts';
import { WEIGHTS } from '../weights.ts';

export interface Evidence {
  readonly passage: Passage;
  readonly unit:
    | { readonly kind: 'sentence'; readonly sentence: Sentence }
    | { readonly kind: 'row'; readonly row: Row };
  /** 0..1. */
  readonly score: number;
  /** Share of the question's terms that it or its surroundings hold: 0..1. */
  readonly coverage: number;
}

/** Greatest sum of the weights that words alone give. */
const FIRST_LOOK = WEIGHTS.coverage + WEIGHTS.precision + WEIGHTS.strength;

export interface Unit {
  readonly passage: Passage;
  readonly of: Evidence['unit'];
  /** Terms of the sentence, or of the row's name. */
  readonly own: ReadonlySet<string>;
  /** Words of its columns' names. */
  readonly headers: ReadonlySet<string>;
  /** Words of headings, section, and the rest of the passage. */
  readonly around: ReadonlySet<string>;
  /** Terms by which it is named, for precision: a row's label; a sentence's own terms. */
  readonly named: readonly string[];
  readonly text: string;
}

interface EvidenceRequest {
  readonly question: Question;
  readonly passages: readonly ReadPassage[];
  readonly reader: Reader;
  /** False for what words alone tell: a bench measures what the second look adds. */
  readonly looksTwice: boolean;
  /** Compares with units of another language; null: they are read by their words. */
  readonly similar: Similar | null;
}

/** Best first. */
export async function evidenceOf(request: EvidenceRequest, turns: Turns): Promise<readonly Evidence[]> {
  const { question, passages, reader, looksTwice, similar } = request;
  const units: Unit[] = [];
  for (const passage of passages) {
    const pause = turns.next();
    if (pause !== null) await pause;
    units.push(...unitsOf(passage, question, reader));
  }
  const items = question.concepts.flatMap(({ items: all }) =>
    all.map((item) => reader.terms(item, question.language)),
  );
  const wanted = { weights: weightsOf(question, units), items };
  const across =
    similar === null ? new Map<Unit, number>() : await foreignUnits(question, passages, units, similar);
  const second = looksTwice ? new SecondLook(question, wanted.weights, passages, reader) : null;
  const scored: Evidence[] = [];
  for (const unit of units) {
    const pause = turns.next();
    if (pause !== null) await pause;
    scored.push(score(unit, wanted, second, across.get(unit) ?? 0));
  }
  return scored.sort((a, b) => b.score - a.score);
}

/** A footnote's mark, or a short form of what stands before it. */
const ABBREVIATION = /\((?:\w{1,2}|[\p{Lu}&]{2,6})\)/gu;
const NONE: ReadonlySet<string> = new Set();

function unitsOf(
  { passage, sentences, rows }: ReadPassage,
  question: Question,
  reader: Reader,
): readonly Unit[] {
  const terms = (text: string): readonly string[] => reader.terms(text, question.language);
  const heading = terms(`${passage.heading ?? ''} ${passage.docName.replace(/[_-]+|\.\w+$/g, ' ')}`);
  const all = new Set([...heading, ...sentences.flatMap(({ text }) => terms(text))]);
  const ofSentences = sentences.map((sentence): Unit => {
    const own = terms(`${sentence.text} ${sentence.lead}`);
    return {
      passage,
      of: { kind: 'sentence', sentence },
      own: new Set(own),
      headers: NONE,
      around: all,
      named: own,
      text: sentence.text,
    };
  });
  const ofRows = rows.map((row): Unit => {
    const named = terms(row.label.replace(ABBREVIATION, ' '));
    const around = new Set([...heading, ...terms(`${row.about} ${row.section}`)]);
    return {
      passage,
      of: { kind: 'row', row },
      own: new Set(terms(row.label)),
      headers: new Set(row.cells.flatMap(({ column }) => terms(column))),
      around,
      named,
      text: passage.text.slice(row.start, row.end),
    };
  });
  return [...ofSentences, ...ofRows];
}

/** Inverse document frequency over the units there are; a term that none holds counts as the rarest that is held. */
function weightsOf({ terms }: Question, units: readonly Unit[]): ReadonlyMap<string, number> {
  const counts = new Map(terms.map((term) => [term, 0]));
  for (const { own } of units) {
    for (const term of own) {
      const count = counts.get(term);
      if (count !== undefined) counts.set(term, count + 1);
    }
  }
  return new Map(
    [...counts].map(([term, count]) => [
      term,
      Math.log(1 + (units.length + 1) / (count + 0.5)) ** (count === 0 ? WEIGHTS.nowhere : 1),
    ]),
  );
}

interface Wanted {
  readonly weights: ReadonlyMap<string, number>;
  /** Terms of line items that the question means. */
  readonly items: readonly (readonly string[])[];
}

/** @param across similarity of a unit in another language: 0..1. */
function score(unit: Unit, { weights, items }: Wanted, second: SecondLook | null, across: number): Evidence {
  const { passage, of } = unit;
  let total = 0;
  let held = 0;
  for (const [term, weight] of weights) {
    total += weight;
    held += weight * (unit.own.has(term) ? 1 : (second?.held(unit, term) ?? 0));
  }
  const direct = total === 0 ? 0 : held / total;
  const coverage = Math.max(direct, across, byItems(unit, items, Math.max(direct, across)));
  const known = unit.named.filter((term) => weights.has(term) || items.some((item) => item.includes(term)));
  const precision =
    unit.named.length === 0 ? 0 : known.length / (unit.named.length + (of.kind === 'row' ? 0 : 8));
  const words =
    WEIGHTS.coverage * coverage + WEIGHTS.precision * precision + WEIGHTS.strength * passage.strength;
  if (second === null) return { passage, unit: of, score: words / FIRST_LOOK, coverage };
  const { kind, years, factor } = second.at(unit);
  const sum = words + WEIGHTS.kind * kind + WEIGHTS.years * years;
  return { passage, unit: of, score: factor * sum, coverage };
}

/** Line items stand for the words of the question that name them. */
function byItems(unit: Unit, items: Wanted['items'], direct: number): number {
  if (unit.of.kind === 'row') return itemShare(unit, items) * WEIGHTS.itemOfRow;
  const isNamed = items.some((item) => item.length > 0 && item.every((term) => unit.own.has(term)));
  return isNamed ? WEIGHTS.itemOfSentence + (1 - WEIGHTS.itemOfSentence) * direct : 0;
}

/** How much of the line item that fits best names the row. */
function itemShare({ named }: Unit, items: Wanted['items']): number {
  let best = 0;
  for (const item of items) {
    const common = item.filter((term) => named.includes(term)).length;
    const recall = common / (item.length || 1);
    const precision = common / (named.length || 1);
    best = Math.max(best, recall ** 2 * (1 - WEIGHTS.itemPrecision * (1 - precision)));
  }
  return best;
}
