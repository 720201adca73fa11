/**
 * Measures that people ask for by name and that statements seldom print, as the question's vocabulary has them. Where a
 * question defines a measure itself, its own definition is followed, not this.
 */
import { type Expression, type Operand, quotientOf, type Signed } from '../../language/domains/expression.ts';
import type { Vocabulary } from '../../language/domains/vocabulary.ts';
import type { Question } from '../question.ts';

export interface Part {
  readonly operand: Operand;
  /** As statements print it, the usual name first. */
  readonly names: readonly string[];
  /** It is taken off. */
  readonly isMinus: boolean;
  /** Shown with brackets or without; what counts is how much it is. */
  readonly isCost: boolean;
  /** The mean of the year's end and the end of the year before. */
  readonly isAverage: boolean;
  /** Left out where the statement has none. */
  readonly isOptional: boolean;
}

export interface Measure {
  readonly label: string;
  readonly formula: Expression;
  /** Beside the quotient: 365 days. */
  readonly factor: number;
  readonly over: readonly Part[];
  /** Empty for an amount. */
  readonly under: readonly Part[];
  readonly isPercent: boolean;
}

/** It says itself how the measure is made up: nothing but sums of its lines is as it is here. */
const DEFINED = /\b(?:define[ds]?|is calculated)\b[^.?]*(?:\baverage|\bchange|\/|\b365\b)/i;

type Asked = Pick<Question, 'text' | 'language' | 'vocabulary'>;

/** The ways in which the first measure that a question names is computed; none where it defines it. */
export function measuresIn({ text, language, vocabulary }: Asked): readonly Measure[] {
  if (DEFINED.test(text)) return [];
  const row = vocabulary.rowsIn(text).find(({ row: { formulas } }) => formulas.length > 0)?.row;
  if (row === undefined) return [];
  const { label, isPercent } = row;
  return row.formulas.flatMap((formula) => {
    const quotient = quotientOf(formula);
    if (quotient === null || [...quotient.over, ...quotient.under].some(isOfYearBefore)) return [];
    const parts = (side: readonly Signed[]): readonly Part[] =>
      side.map((one) => partOf(one, vocabulary, language));
    const [over, under] = [parts(quotient.over), parts(quotient.under)];
    return [{ label, isPercent, formula, factor: quotient.factor, over, under }];
  });
}

/** Computed from one statement, which shows its year beside the one before in many ways. */
const isOfYearBefore = ({ operand }: Signed): boolean => operand.role === 'prior';

const partOf = ({ operand, isMinus }: Signed, vocabulary: Vocabulary, language: string): Part => ({
  operand,
  names: vocabulary.labelsOf(operand.id, language),
  isMinus,
  isCost: vocabulary.row(operand.id)?.isCost ?? false,
  isAverage: operand.role === 'average',
  isOptional: operand.isOptional,
});
