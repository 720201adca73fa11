/**
 * The share of rows for which a condition holds, from most common values and histograms as PostgreSQL does
 * (Selinger et al., "Access Path Selection", SIGMOD 1979), else by its default shares.
 */
import { functionById } from '../functions/registry.ts';
import type { Expression } from '../plan/expression.ts';
import type { Plan } from '../plan/plan.ts';
import type { ArrayDatum, Datum } from '../types/datum.ts';
import { findTypeByOid } from '../types/registry.ts';
import { isFixed } from './conditions.ts';
import { type ColumnOrigin, originOf } from './column-origin.ts';
import type { OptimizerContext } from './rule.ts';

/** PostgreSQL's DEFAULT_INEQ_SEL, DEFAULT_RANGE_INEQ_SEL and what it takes of patterns and the rest. */
const INEQUALITY_SHARE = 1 / 3;
const RANGE_SHARE = 0.005;
const PATTERN_SHARE = 0.05;
const OTHER_SHARE = 1 / 3;
const NULL_SHARE = 0.005;

const PATTERNS: ReadonlySet<string> = new Set(['~~', '~~*', '~', '~*']);
const MIRRORED: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' };

export class Selectivity {
  readonly #input: Plan;
  readonly #context: OptimizerContext;

  /** @param input the plan whose columns conditions read. */
  constructor(input: Plan, context: OptimizerContext) {
    this.#input = input;
    this.#context = context;
  }

  /** 0 to 1. */
  of(condition: Expression): number {
    return Math.min(1, Math.max(0, this.#share(condition)));
  }

  #share(condition: Expression): number {
    switch (condition.kind) {
      case 'literal':
        return condition.value === true ? 1 : 0;
      case 'and':
        return this.#all(condition.args);
      case 'or':
        return 1 - condition.args.reduce((share, arg) => share * (1 - this.of(arg)), 1);
      case 'not':
        return 1 - this.of(condition.input);
      case 'is':
        return this.#isTest(condition);
      case 'in': {
        const either = condition.items.reduce((sum, item) => sum + this.#equals(condition.input, item), 0);
        return condition.negated ? 1 - either : either;
      }
      case 'quantified':
        return this.#member(condition);
      case 'call':
        return this.#call(condition);
      default:
        return OTHER_SHARE;
    }
  }

  /** `column = ANY (array)` of a constant: as many values as it has. */
  #member({ left, array, operator, quantifier }: Expression & { kind: 'quantified' }): number {
    const origin = originOf(left, this.#input, this.#context);
    const value = array.kind === 'literal' ? (array.value as ArrayDatum | null) : null;
    if (origin === null || value === null || quantifier !== 'any') return OTHER_SHARE;
    return functionById(operator).name === '=' ? value.elements.length / origin.distinct : OTHER_SHARE;
  }

  /** Bounds from below and above of one column belong together; others are taken as independent. */
  #all(conditions: readonly Expression[]): number {
    const ranges = new Map<string, number[]>();
    let share = 1;
    for (const condition of conditions) {
      const range = condition.kind === 'call' ? this.#range(condition) : null;
      const column = range && `${range.origin.relation}.${range.origin.attribute}`;
      if (range === null || column === null || range.below === null) share *= this.of(condition);
      else ranges.set(column, [...(ranges.get(column) ?? []), range.share]);
    }
    for (const shares of ranges.values()) {
      const together = shares.reduce((sum, part) => sum + part - 1, 1);
      share *= shares.length === 1 ? (shares[0] as number) : Math.max(together, RANGE_SHARE);
    }
    return share;
  }

  #isTest({ input, test, negated }: Expression & { kind: 'is' }): number {
    if (test !== 'null') return negated ? 1 - this.of(input) : this.of(input);
    const origin = originOf(input, this.#input, this.#context);
    const share = origin?.statistics?.nullFraction ?? NULL_SHARE;
    return negated ? 1 - share : share;
  }

  #call(condition: Expression & { kind: 'call' }): number {
    const { name } = functionById(condition.function);
    const [left, right] = condition.args;
    if (left === undefined || right === undefined) return OTHER_SHARE;
    if (name === '=') return this.#equals(left, right);
    if (name === '<>') return 1 - this.#equals(left, right);
    if (name in MIRRORED) return this.#range(condition)?.share ?? INEQUALITY_SHARE;
    if (PATTERNS.has(name)) return PATTERN_SHARE;
    return name.startsWith('!~') ? 1 - PATTERN_SHARE : OTHER_SHARE;
  }

  /** A value against a column, or a column against another. */
  #equals(left: Expression, right: Expression): number {
    const [a, b] = [left, right].map((side) => originOf(side, this.#input, this.#context));
    if (a && b) return 1 / Math.max(a.distinct, b.distinct);
    const column = a ?? b;
    if (!column) return RANGE_SHARE;
    const value = a ? right : left;
    return value.kind === 'literal' ? equalShare(column, value) : 1 / column.distinct;
  }

  /** Null when it does not bound a column; `below` says whether the column is less than the value. */
  #range(condition: Expression & { kind: 'call' }): Range | null {
    const { name } = functionById(condition.function);
    const [left, right] = condition.args;
    if (MIRRORED[name] === undefined || left === undefined || right === undefined) return null;
    const first = originOf(left, this.#input, this.#context);
    const origin = first ?? originOf(right, this.#input, this.#context);
    const value = first ? right : left;
    if (origin === null || !isFixed(value)) return null;
    const operator = first ? name : (MIRRORED[name] as string);
    const below = operator.startsWith('<');
    if (value.kind !== 'literal' || origin.statistics === null) {
      return { origin, below: null, share: INEQUALITY_SHARE };
    }
    return { origin, below, share: rangeShare(origin, value, operator) };
  }
}

interface Range {
  readonly origin: ColumnOrigin;
  readonly below: boolean | null;
  readonly share: number;
}

type Literal = Expression & { kind: 'literal' };
type Compare = (a: Datum, b: Datum) => number;

/** Compares the column's values with a literal; null where they cannot be told apart that way. */
function comparisonOf({ value, type }: Literal, sample: Datum | undefined): Compare | null {
  const known = findTypeByOid(type.oid)?.compare;
  if (value === null || sample === undefined || sample === null) return null;
  if (typeof value !== 'object' && typeof sample !== 'object') {
    return (a, b) => ((a as number) < (b as number) ? -1 : (a as number) > (b as number) ? 1 : 0);
  }
  return typeof value === typeof sample && known !== undefined ? known : null;
}

function equalShare({ statistics, distinct }: ColumnOrigin, literal: Literal): number {
  if (literal.value === null) return 0;
  if (statistics === null) return 1 / distinct;
  const { common, nullFraction } = statistics;
  const compare = comparisonOf(literal, common[0]?.value ?? statistics.bounds[0]);
  const found = compare && common.find(({ value }) => compare(value, literal.value) === 0);
  if (found) return found.share;
  const rest = 1 - nullFraction - common.reduce((sum, { share }) => sum + share, 0);
  return Math.max(0, rest) / Math.max(1, distinct - common.length);
}

function rangeShare({ statistics }: ColumnOrigin, literal: Literal, operator: string): number {
  if (statistics === null) return INEQUALITY_SHARE;
  const { common, bounds, nullFraction } = statistics;
  const compare = comparisonOf(literal, bounds[0] ?? common[0]?.value);
  if (compare === null) return INEQUALITY_SHARE;
  const below = operator.startsWith('<');
  const holds = (value: Datum): boolean => {
    const order = compare(value, literal.value);
    return order === 0 ? operator.endsWith('=') : below === order < 0;
  };
  const commonShare = common.reduce((sum, { value, share }) => (holds(value) ? sum + share : sum), 0);
  const rest = Math.max(0, 1 - nullFraction - common.reduce((sum, { share }) => sum + share, 0));
  if (bounds.length < 2) return commonShare + rest * INEQUALITY_SHARE;
  const position = histogramPosition(bounds, literal.value, compare);
  return commonShare + rest * (below ? position : 1 - position);
}

/** Share of a histogram's values below `value`. */
function histogramPosition(bounds: readonly Datum[], value: Datum, compare: Compare): number {
  const above = bounds.findIndex((bound) => compare(bound, value) >= 0);
  if (above === 0) return 0;
  if (above < 0) return 1;
  const [low, high] = [bounds[above - 1], bounds[above]].map(Number);
  const within = (Number(value) - (low as number)) / ((high as number) - (low as number));
  return (above - 1 + (Number.isFinite(within) ? within : 0.5)) / (bounds.length - 1);
}
