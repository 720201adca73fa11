/**
 * Measures that people ask for by name and that statements seldom print, as the question's vocabulary has them. Where a
 * question defines a measure itself, its own definition is followed, not this.
 */
import {
  degreeOf,
  type Expression,
  type Operand,
  operandsOf,
  type Role,
} from '../../language/domains/expression.ts';
import type { DomainRow } from '../../language/domains/pack.ts';
import type { Question } from '../question.ts';
import type { Definition } from '../question/definition.ts';

export interface Part {
  readonly operand: Operand;
  /** As statements print it, the usual name first. */
  readonly names: readonly string[];
  /** Shown with brackets or without; what counts is how much it is. */
  readonly isCost: boolean;
  /** The year, the year before, or the mean of the ends of both. */
  readonly role: Role;
  /** Left out where the statement has none. */
  readonly isOptional: boolean;
}

export interface Measure {
  readonly label: string;
  readonly formula: Expression;
  /** One an operand, in their order. */
  readonly parts: readonly Part[];
  readonly isPercent: boolean;
  /** It is in the money of its parts, not a ratio of them. */
  readonly isAmount: boolean;
}

/** It says itself how the measure is made up: nothing but sums of its lines is as it is here. */
const DEFINED = /\b(?:define[ds]?|is calculated)\b[^.?]*(?:\baverage|\bchange|\/|\b365\b)/i;

type Asked = Pick<Question, 'text' | 'language' | 'vocabulary' | 'definition'>;

/** The ways in which the first measure that a question names is computed; none where it defines it. */
export function measuresIn(asked: Asked): readonly Measure[] {
  const { text, vocabulary, definition } = asked;
  const measureIn = (words: string): DomainRow | undefined =>
    vocabulary.rowsIn(words).find(({ row: { formulas } }) => formulas.length > 0)?.row;
  const row = measureIn(text);
  const defined = definition === null ? undefined : measureIn(definition.subject);
  // What is defined may be a part of what is asked for.
  if (definition !== null && (defined === undefined || defined === row))
    return measureOf(
      { label: nameOf(definition, defined), isPercent: isShare(definition, defined) },
      definition.formula,
      asked,
    );
  if (row === undefined || DEFINED.test(text)) return [];
  return row.formulas.flatMap((formula) => measureOf(row, formula, asked));
}

type Named = Pick<Measure, 'label' | 'isPercent'>;

/** None where it is neither an amount nor a ratio. */
function measureOf({ label, isPercent }: Named, formula: Expression, asked: Asked): readonly Measure[] {
  const degree = degreeOf(formula);
  const parts = operandsOf(formula).map((operand) => partOf(operand, asked));
  if (parts.length === 0 || (degree !== 0 && degree !== 1)) return [];
  return [{ label, isPercent, formula, parts, isAmount: degree === 1 }];
}

const nameOf = ({ subject }: Definition, row: DomainRow | undefined): string =>
  row?.label ?? subject.trim().slice(0, LABEL_CHARACTERS_MAX);

const isShare = ({ subject }: Definition, row: DomainRow | undefined): boolean =>
  row?.isPercent ?? subject.includes('%');

function partOf(operand: Operand, { vocabulary, language, definition }: Asked): Part {
  const said = definition?.names.get(operand.id);
  return {
    operand,
    names: said === undefined ? vocabulary.labelsOf(operand.id, language) : [said],
    isCost: vocabulary.row(operand.id)?.isCost ?? false,
    role: operand.role,
    isOptional: operand.isOptional,
  };
}

const LABEL_CHARACTERS_MAX = 80;
