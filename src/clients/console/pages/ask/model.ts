/** Answers as they are shown: facts, the places that they cite, and the badges by which one goes to them. */

export interface CitedBox {
  readonly page: number;
  readonly box: readonly [number, number, number, number];
}

export interface Citation {
  readonly fact_number: number;
  readonly citation_number: number;
  readonly ref_id: string;
  readonly dataset: string;
  readonly doc_id: string;
  readonly doc_name: string;
  /** 0: not known. */
  readonly version: number;
  readonly content_id: string;
  readonly doc_pages: readonly number[];
  readonly quote: string;
  readonly quote_start: number;
  readonly quote_end: number;
  readonly line: number;
  readonly boxes: readonly CitedBox[];
  readonly stands: boolean;
  readonly reason: string | null;
  readonly current_content_id: string | null;
  readonly current_doc_pages: readonly number[] | null;
}

export interface Fact {
  readonly number: number;
  readonly text: string;
  readonly computed: boolean;
  readonly citations: readonly Citation[];
}

/** One place that a fact rests on: a sentence, a row of a table, an operand. */
export interface Badge {
  /** Its place in the whole answer, from 1. */
  readonly number: number;
  readonly fact: number;
  /** All of it; the first of `main` is what it points at. */
  readonly citations: readonly Citation[];
  readonly main: readonly Citation[];
}

export interface AnswerView {
  /** Null: it is not kept, or not yet. */
  readonly id: string | null;
  readonly thread: string | null;
  readonly question: string;
  readonly understood: string | null;
  readonly datasets: readonly string[];
  readonly mode: string;
  readonly askedAt: string | null;
  readonly progress: readonly string[];
  readonly facts: readonly Fact[];
  /** 0 to 100; null while it is not known. */
  readonly confidence: number | null;
}

const isOperand = ({ quote }: Citation): boolean => amountOf(cellValue(quote)) !== null;

/** Text that a cell holds: quotes of cells begin with the column's name. */
export const cellValue = (quote: string): string => quote.slice(quote.indexOf(']=') + 1).replace(/^=/, '');

/** The amount a text is, without its sign: costs stand with and without brackets. Null: it is no number. */
export function amountOf(text: string): number | null {
  const digits = text.replaceAll(/[\s$€£¥()%,−+-]/g, '');
  return /^\d+(?:\.\d+)?$/.test(digits) ? Number(digits) : null;
}

export function badgesOf(facts: readonly Fact[]): readonly Badge[] {
  let number = 0;
  return facts.flatMap((fact) =>
    groupsOf(fact).map((citations): Badge => {
      number++;
      return {
        number,
        fact: fact.number,
        citations,
        main: fact.computed ? operandsOf(citations) : mainOf(citations),
      };
    }),
  );
}

function groupsOf({ text, computed, citations }: Fact): readonly (readonly Citation[])[] {
  const groups: Citation[][] = [];
  const amounts = new Set(computed ? numbersOf(text).map(({ amount }) => amount) : []);
  let hasOperand = false;
  for (const citation of citations) {
    const last = groups.at(-1);
    const isNext =
      computed &&
      isOperand(citation) &&
      citation.quote.includes(']=') &&
      amounts.has(amountOf(cellValue(citation.quote)) ?? -1);
    const isOther = !computed && last?.[0]?.ref_id !== citation.ref_id;
    if (last === undefined || isOther || (isNext && hasOperand)) groups.push([citation]);
    else last.push(citation);
    hasOperand ||= isNext;
  }
  return groups;
}

const operandsOf = (citations: readonly Citation[]): readonly Citation[] => {
  const operand =
    citations.find((citation) => citation.quote.includes(']=') && isOperand(citation)) ?? citations[0];
  return operand === undefined ? [] : [operand];
};

/** The line that most of it stands on: what else is quoted is what the line is about. */
function mainOf(citations: readonly Citation[]): readonly Citation[] {
  const counts = new Map<number, number>();
  for (const { line } of citations) counts.set(line, (counts.get(line) ?? 0) + 1);
  const [[line] = [0]] = [...counts].sort(([, a], [, b]) => b - a);
  return citations.filter((citation) => citation.line === line);
}

export interface NumberInText {
  readonly start: number;
  readonly end: number;
  readonly amount: number;
}

const NUMBERS = /(?<![\w.])\d[\d,]*(?:\.\d+)?(?![\w])/g;

export const numbersOf = (text: string): readonly NumberInText[] =>
  [...text.matchAll(NUMBERS)].flatMap(({ index, 0: found }) => {
    const amount = amountOf(found);
    return amount === null ? [] : [{ start: index, end: index + found.length, amount }];
  });

/** A confidence as a word. */
export type Sureness = 'sure' | 'likely' | 'unsure' | 'doubtful' | 'none';

export function surenessOf(confidence: number): Sureness {
  if (confidence >= 85) return 'sure';
  if (confidence >= 65) return 'likely';
  if (confidence >= 40) return 'unsure';
  return confidence > 0 ? 'doubtful' : 'none';
}
