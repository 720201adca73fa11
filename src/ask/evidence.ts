/**
 * How well the sentences and table rows of passages answer a question: the share of its terms that each holds, rare
 * ones counting more, with what the surroundings say counting less. Nothing is made up here: units are chosen.
 */
import type { Passage } from './passage.ts';
import type { Question, Reader } from './question.ts';
import { yearsIn } from './question.ts';
import type { ReadPassage } from './reading.ts';
import type { Sentence } from './sentences.ts';
import type { Row } from './table-rows.ts';
import type { Turns } from './turns.ts';

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

/** How much a term counts that only the surroundings hold. */
const AROUND = 0.45;
/** Shares of the score; they add up to 1. */
const WEIGHTS = { coverage: 0.55, precision: 0.15, kind: 0.1, years: 0.1, strength: 0.1 } as const;

/** Rows tell no reasons; what names a table or figure says nothing of what is in it. */
const ROWS_FOR_REASONS = 0.75;
const CAPTIONS = 0.8;
const CAPTION =
  /^(?:(?:table|figure|fig\.?|exhibit|chart|tabelle|abbildung|tableau|tabla)\s*\d|source:|notes?:)/i;

interface Unit {
  readonly passage: Passage;
  readonly of: Evidence['unit'];
  readonly own: ReadonlySet<string>;
  readonly around: ReadonlySet<string>;
  /** Terms by which it is named, for precision: a row's label; a sentence's own terms. */
  readonly named: readonly string[];
  readonly text: string;
}

interface EvidenceRequest {
  readonly question: Question;
  readonly passages: readonly ReadPassage[];
  readonly reader: Reader;
}

/** Best first. */
export async function evidenceOf(request: EvidenceRequest, turns: Turns): Promise<readonly Evidence[]> {
  const { question, passages, reader } = request;
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
  const scored: Evidence[] = [];
  for (const unit of units) {
    const pause = turns.next();
    if (pause !== null) await pause;
    scored.push(score(unit, question, wanted));
  }
  return scored.sort((a, b) => b.score - a.score);
}

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
      around: all,
      named: own,
      text: sentence.text,
    };
  });
  const ofRows = rows.map((row): Unit => {
    const named = terms(row.label);
    const columns = row.cells.flatMap(({ column }) => terms(column));
    const around = new Set([...heading, ...terms(`${row.about} ${row.section}`)]);
    return {
      passage,
      of: { kind: 'row', row },
      own: new Set([...named, ...columns]),
      around,
      named: [...named],
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
      Math.log(1 + (units.length + 1) / (count + 0.5)) ** (count === 0 ? 0.8 : 1),
    ]),
  );
}

interface Wanted {
  readonly weights: ReadonlyMap<string, number>;
  /** Terms of line items that the question means. */
  readonly items: readonly (readonly string[])[];
}

function score(unit: Unit, question: Question, { weights, items }: Wanted): Evidence {
  const { passage, of } = unit;
  let total = 0;
  let held = 0;
  for (const [term, weight] of weights) {
    total += weight;
    if (unit.own.has(term)) held += weight;
    else if (unit.around.has(term)) held += AROUND * weight;
  }
  const direct = total === 0 ? 0 : held / total;
  const coverage = Math.max(direct, byItems(unit, items, direct));
  const known = unit.named.filter((term) => weights.has(term) || items.some((item) => item.includes(term)));
  const precision =
    unit.named.length === 0 ? 0 : known.length / (unit.named.length + (of.kind === 'row' ? 0 : 8));
  const fits = formFit(unit, question);
  const sum =
    WEIGHTS.coverage * coverage +
    WEIGHTS.precision * precision +
    WEIGHTS.kind * kindFit(unit, question) +
    WEIGHTS.years * yearFit(unit, question) +
    WEIGHTS.strength * passage.strength;
  return { passage, unit: of, score: fits * sum, coverage };
}

/** Line items stand for the words of the question that name them. */
function byItems(unit: Unit, items: Wanted['items'], direct: number): number {
  if (unit.of.kind === 'row') return itemShare(unit, items) * 0.9;
  const isNamed = items.some((item) => item.length > 0 && item.every((term) => unit.own.has(term)));
  return isNamed ? ITEM_SHARE + (1 - ITEM_SHARE) * direct : 0;
}

/** What naming an item counts for a sentence. */
const ITEM_SHARE = 0.3;

/** How much of the line item that fits best names the row. */
function itemShare({ named }: Unit, items: Wanted['items']): number {
  let best = 0;
  for (const item of items) {
    const common = item.filter((term) => named.includes(term)).length;
    best = Math.max(best, (2 * common) / (item.length + named.length || 1));
  }
  return best;
}

/** What a unit of its form is worth, whatever it is about. */
function formFit({ of, text }: Unit, { kind }: Question): number {
  if (of.kind === 'row') return kind === 'reason' ? ROWS_FOR_REASONS : 1;
  const isTitle = !/[.!?…:;。！？]["'”’)\]]*$/.test(text) && !hasNumber(text);
  return CAPTION.test(text) || isTitle ? CAPTIONS : 1;
}

/** Besides years. */
const hasNumber = (text: string): boolean => /\d/.test(text.replace(/\b(?:19|20)\d{2}\b/g, ''));

/** Whether it is the kind of thing that is asked for. */
function kindFit({ of, text }: Unit, { kind, years }: Question): number {
  switch (kind) {
    case 'number':
      return of.kind === 'row' ? Number(of.row.cells.length > 0) : Number(hasNumber(text));
    case 'reason':
      return Number(of.kind === 'sentence' && REASON.test(text));
    case 'time':
      return Number(years.length === 0 ? /\d/.test(text) : true);
    case 'list':
      return of.kind === 'sentence' ? Number(/,.*\band\b|:|;/.test(text)) : 0.5;
    default:
      return Number(of.kind === 'sentence');
  }
}

const REASON =
  /\b(?:due to|because|as a result|driven|resulted? (?:from|in)|reflect|primarily|mainly|attributable|offset|owing|in order to|led by|since)\b|\b(?:weil|wegen|aufgrund|parce que|en raison|debido a|porque)\b/i;

/** Share of the years asked for that it has, its surroundings counting half; 1 where none is asked for. */
function yearFit({ of, passage, text }: Unit, { years }: Question): number {
  if (years.length === 0) return 1;
  const own = new Set(of.kind === 'row' ? of.row.cells.map(({ year }) => year) : yearsIn(text));
  const around = new Set(yearsIn(`${passage.heading ?? ''} ${passage.docName}`));
  let held = 0;
  for (const year of years) held += own.has(year) ? 1 : around.has(year) ? 0.5 : 0;
  return held / years.length;
}
