/**
 * Which arm a sort key follows: the arm's column itself, or an expression that rises (or falls) with it,
 * such as `1 - distance` or `score * 2`.
 */
import { functionById } from '../functions/registry.ts';
import type { Expression } from '../plan/expression.ts';
import type { Scan } from '../plan/plan.ts';
import type { NumericDatum } from '../types/datum.ts';
import { OID } from '../types/oids.ts';
import { isConstant } from './expression.ts';

export interface ArmOrder {
  /** Position among the scan's arms. */
  readonly arm: number;
  /** True when the key grows with the score. */
  readonly rising: boolean;
}

/** Null when the key is no monotone function of exactly one arm's score. */
export function rankingArm(plan: Scan, key: Expression): ArmOrder | null {
  if (key.kind === 'column') return armOfColumn(plan, key.index);
  if (key.kind !== 'call' || key.type.oid !== OID.float8) return null;
  const [left, right] = key.args;
  if (left === undefined) return null;
  const { name } = functionById(key.function);
  if (right === undefined) return name === '-' ? falling(rankingArm(plan, left)) : null;
  return isConstant(right) ? byConstant(plan, name, left, right) : constantBy(plan, name, left, right);
}

function armOfColumn(plan: Scan, column: number): ArmOrder | null {
  const index = column - plan.columns.length;
  const arm = plan.arms[index];
  if (arm === undefined || (arm.kind === 'keyword' && arm.output === 'matched')) return null;
  return { arm: index, rising: true };
}

const falling = (order: ArmOrder | null): ArmOrder | null =>
  order === null ? null : { arm: order.arm, rising: !order.rising };

function byConstant(plan: Scan, name: string, left: Expression, constant: Expression): ArmOrder | null {
  const order = rankingArm(plan, left);
  if (name === '+' || name === '-') return order;
  if (name !== '*' && name !== '/') return null;
  const sign = signOf(constant);
  if (sign === 0) return null;
  return sign > 0 ? order : falling(order);
}

function constantBy(plan: Scan, name: string, constant: Expression, right: Expression): ArmOrder | null {
  if (!isConstant(constant)) return null;
  if (name === '-') return falling(rankingArm(plan, right));
  return name === '+' || name === '*' ? byConstant(plan, name, right, constant) : null;
}

/** 1, -1, or 0 when it is not known. */
function signOf(expression: Expression): number {
  if (expression.kind === 'cast') return signOf(expression.input);
  if (expression.kind !== 'literal') return 0;
  const { value } = expression;
  if (typeof value === 'number' || typeof value === 'bigint') return Math.sign(Number(value));
  const digits = (value as NumericDatum | null)?.digits;
  return typeof digits === 'bigint' ? Math.sign(Number(digits)) : 0;
}
