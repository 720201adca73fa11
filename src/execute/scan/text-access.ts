/** Rows that may contain what the filter's conditions on a text column want, by an ngram index (`Scan.access`). */
import type { Part } from '../../engine/engine.ts';
import { SqlError } from '../../errors.ts';
import { likePieces, regexpPieces } from '../../functions/text/literal-pieces.ts';
import { trigramSet } from '../../functions/text/trigram-sets.ts';
import type { Expression } from '../../plan/expression.ts';
import type { TextAccess } from '../../plan/plan.ts';
import { type TextCondition, textCondition } from '../../plan/text-condition.ts';
import { type Task, wait } from '../../task.ts';
import { hasBit } from '../../types/column/bitset.ts';
import type { TextNeed } from '../../types/text/text-piece.ts';
import { GUARDS } from '../guards.ts';
import { evaluateConstant } from '../expression/evaluate.ts';
import type { Run } from '../state.ts';
import type { ScanSource } from './scan-rows.ts';

/** Ascending visible positions of all rows that can pass; null where looking at every row is as good. */
export function* rowsWithText(
  source: ScanSource,
  { access, part, filter }: { access: TextAccess; part: Part; filter: readonly Expression[] },
): Task<Uint32Array | null> {
  if (part.containing === undefined) return null;
  const needs = yield* needsOf(source, access, filter);
  const rows = needs.length === 0 ? null : part.containing(access.index, needs);
  if (rows === null || rows.length > GUARDS.textShareMax * part.rowCount) return null;
  const { visible } = part;
  return visible === null ? rows : rows.filter((row) => hasBit(visible, row));
}

function* needsOf(
  { plan, run }: ScanSource,
  { attribute }: TextAccess,
  filter: readonly Expression[],
): Task<readonly TextNeed[]> {
  const needs: TextNeed[] = [];
  for (const condition of filter) {
    const found = textCondition(condition);
    if (found === null || plan.columns[found.column] !== attribute) continue;
    try {
      const wanted = yield* wait(evaluateConstant(found.wanted, run));
      if (typeof wanted !== 'string') continue;
      needs.push(...needsOfCondition(found, wanted, run));
    } catch (error) {
      // The filter itself raises it, if any row comes to it.
      if (!(error instanceof SqlError)) throw error;
    }
  }
  return needs;
}

function needsOfCondition(
  { form, anyCase, threshold = '' }: TextCondition,
  wanted: string,
  { context }: Run,
): readonly TextNeed[] {
  const pieces = (texts: readonly string[]): readonly TextNeed[] => texts.map((text) => ({ text, anyCase }));
  switch (form) {
    case 'like':
      return pieces(likePieces(wanted));
    case 'regexp':
      return pieces(regexpPieces(wanted));
    case 'text':
      return pieces([wanted]);
    case 'alike':
      return trigramsInCommon(wanted, Number(context.functions.setting(threshold)));
  }
}

/** Room for rounding. */
const SHARE_SLACK = 1 - 1e-6;

/** As many as a text has that is so alike: what is in common, by all that either has, is at least the share. */
function trigramsInCommon(wanted: string, share: number): readonly TextNeed[] {
  if (!(share > 0)) return [];
  const trigrams = [...trigramSet(wanted)];
  return [{ trigrams, least: Math.max(1, Math.ceil(share * SHARE_SLACK * trigrams.length)) }];
}
