/**
 * Ratios, differences, percentage changes, averages and sums whose parts stand in tables: computed here, shown as a
 * formula, every operand with the cell it was taken from. Where an operand is not clear, nothing is computed.
 */
import { compared } from './compare.ts';
import { measured } from './measured.ts';
import { measuresIn } from './measures.ts';
import { KnownTables } from './known-tables.ts';
import { cellsOf, type Found } from './found-cells.ts';
import { type CellsRequest, OperandFinder, Refusal } from './operands.ts';
import { operated } from './operated.ts';
import { withNothing } from './nothing.ts';
import { isOfScope, isOfTime, ofNamedDocuments } from './whose-cells.ts';
import type { Draft } from '../passage.ts';
import type { Question, Reader } from '../question.ts';
import type { ReadPassage } from '../reading.ts';
import type { Turns } from '../turns.ts';

interface ComputeRequest {
  readonly question: Question;
  readonly passages: readonly ReadPassage[];
  readonly reader: Reader;
}

/** Measures aside: documents may give those themselves, and what is the most of several is seldom told by none of them. */
export const asksToCompute = ({ kind, operation }: Question): boolean =>
  kind !== 'reason' && operation !== null;

export interface Computation {
  /** Null where the question asks for no calculation, its parts are not there, or not clear. */
  readonly draft: Draft | null;
  /** Why what is there was not computed with. */
  readonly why: string | null;
}

const NOTHING: Computation = { draft: null, why: null };

export async function computed({ question, ...request }: ComputeRequest, turns: Turns): Promise<Computation> {
  const { operation, comparison } = question;
  // No number is a cause.
  if (question.kind === 'reason') return NOTHING;
  const isAsked = operation !== null || comparison !== null;
  if (!isAsked && measuresIn(question).length === 0) return NOTHING;
  const passages = ofNamedDocuments(question, request.passages);
  const refusal = new Refusal();
  const tables = new KnownTables(passages);
  const ofMeasure = comparison === null ? measured({ question, passages, tables, refusal }) : null;
  if (ofMeasure !== null) return { draft: ofMeasure, why: null };
  if (!isAsked) return { draft: null, why: refusal.why };
  const all: Found[] = [];
  for (const passage of passages) {
    const pause = turns.next();
    if (pause !== null) await pause;
    // What is least is none of the years that have nothing.
    const rows = comparison === null ? withNothing(passage.rows) : passage.rows;
    all.push(...cellsOf({ ...passage, rows }, { question, reader: request.reader, tables }));
  }
  const pools = poolsOf(question, all);
  for (const cells of pools.asked) {
    const ofCells = { question, cells, reader: request.reader, refusal };
    const made = comparison === null ? null : compared(comparison, ofCells, tables);
    const draft = made ?? (operation === null ? null : operated(operation, ofCells, tables));
    if (draft !== null || refusal.why !== null) return { draft, why: draft === null ? refusal.why : null };
  }
  return { draft: null, why: whyElsewhere({ question, reader: request.reader }, pools.others) };
}

interface Pools {
  /** Cells that the question may ask for; the first that has it counts. */
  readonly asked: readonly (readonly Found[])[];
  readonly others: readonly Found[];
}

/** Where no year is asked for, quarters may be what there is. */
function poolsOf(question: Question, cells: readonly Found[]): Pools {
  const ofScope = isOfScope(question);
  const ofTime = isOfTime(question);
  const inScope = cells.filter(ofScope);
  const asked = inScope.filter(ofTime);
  const isOfYears = question.years.length > 0 || question.comparison?.of === 'years';
  const isOfAnyTime = !isOfYears && !question.isOfPartOfYear && asked.length < inScope.length;
  const others = cells.length > asked.length ? cells : [];
  return { asked: isOfAnyTime ? [asked, inScope] : [asked], others };
}

/** Says that it is there of others or of other times only. */
function whyElsewhere(
  { question, reader }: Pick<CellsRequest, 'question' | 'reader'>,
  cells: readonly Found[],
): string | null {
  const { operation } = question;
  if (operation === null || cells.length === 0) return null;
  const operands = new OperandFinder({ question, cells, reader, refusal: new Refusal() })
    .operands(operation)
    ?.flat();
  const ofScope = isOfScope(question);
  const other = operands?.find((one) => !ofScope(one));
  if (operands === undefined) return null;
  if (other !== undefined) return `${other.row.label} is there only for: ${other.cell.scope}`;
  const [first] = operands;
  return first === undefined ? null : `${first.row.label} is there only for: ${first.cell.column}`;
}
