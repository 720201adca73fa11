/** Long VALUES of plain constants: texts are read a piece at a time, with a look at the clock in between. */
import { SqlError } from '../../errors.ts';
import { type ConstantPiece, pieceNumbers, pieceTexts, PIECE_ROWS } from '../../plan/constant-rows.ts';
import type { Constants } from '../../plan/plan.ts';
import { type Task, wait } from '../../task.ts';
import type { Datum } from '../../types/datum.ts';
import { typeByOid } from '../../types/registry.ts';
import type { FormatSettings, TypeRef } from '../../types/type.ts';
import { type Vector, vectorOf } from '../../types/column/vector.ts';
import { Pace } from '../pace.ts';
import type { Steps } from '../plan-rows.ts';
import type { Run } from '../state.ts';

/** The clock is looked at after so many. */
const VALUES_A_LOOK = 64;

export function* runConstants(plan: Constants, run: Run): Steps {
  const { settings } = run.context.functions;
  const pace = new Pace(run, VALUES_A_LOOK);
  for (let start = 0; start < plan.count; start += PIECE_ROWS) {
    const columns: Vector[] = [];
    for (const [i, { type }] of plan.output.entries()) {
      const piece = plan.columns[i]?.pieces[start / PIECE_ROWS] as ConstantPiece;
      columns.push(yield* readPiece(piece, type, { settings, pace }));
    }
    yield { length: Math.min(PIECE_ROWS, plan.count - start), columns };
  }
}

/** @throws SqlError of the type's input, with the value's position. */
function* readPiece(
  piece: ConstantPiece,
  { oid, modifier }: TypeRef,
  { settings, pace }: { settings: FormatSettings; pace: Pace },
): Task<Vector> {
  const type = typeByOid(oid);
  const texts = pieceTexts(piece);
  const values: Datum[] = [];
  for (const [row, text] of texts.entries()) {
    const pause = pace.after(1);
    if (pause !== null) yield* wait(pause);
    try {
      values.push(text === null ? null : type.parse(text, modifier, settings));
    } catch (error) {
      if (!(error instanceof SqlError)) throw error;
      throw error.with({ position: pieceNumbers(piece.places)[row] });
    }
  }
  return vectorOf(type.vector, values);
}
