/** Long VALUES of plain constants that are inserted: each column is read as its target's type, or cast to it. */
import {
  type ConstantColumn,
  type ConstantRows,
  pieceNumbers,
  pieceTexts,
} from '../../../plan/constant-rows.ts';
import { OID } from '../../../types/oids.ts';
import { typeByOid } from '../../../types/registry.ts';
import type { TypeRef } from '../../../types/type.ts';
import { takesLongToRead } from '../../../types/weight.ts';
import { type DraftColumn, type Expression, type Plan, project, reference, TEXT } from '../draft.ts';
import type { Target } from './insert.ts';
import { assigned } from './returning.ts';
import { newId, type State, typeOnly } from '../state.ts';
import { constants, naturalType } from '../query/values.ts';

/** Null where the values have to be looked at one by one. */
export function insertedConstants(state: State, rows: ConstantRows, targets: readonly Target[]): Plan | null {
  const given = rows.columns.map((column, i) => ({ column, target: targets[i] as Target }));
  if (given.some(({ column, target }) => isLookedAt(column, target))) return null;
  const plan = constants(
    state,
    rows,
    given.map(({ column, target }) => readType(column, declared(target))),
  );
  const values = plan.output.map(({ id, type }, i): Expression => {
    const target = declared(targets[i] as Target);
    const value = { ...reference(id, type), at: firstPlace(rows.columns[i]) };
    if (target === null) return value;
    const longText = rows.columns[i]?.kind === 'string' && type.oid === OID.text;
    if (!longText || target.oid === OID.text) {
      return assigned(state, value, { name: targets[i]?.name ?? '', type: target });
    }
    return { kind: 'cast', input: value, method: 'text', explicit: false, type: target, at: value.at };
  });
  const output = values.map(({ type }, i): DraftColumn => {
    return { id: newId(state), name: targets[i]?.name ?? '', type, relation: 0, attribute: 0 };
  });
  return project(plan, values, output);
}

const declared = ({ column }: Target): TypeRef | null => (column && !column.undeclared ? column.type : null);

/** Elements of arrays, and what makes the type of an undeclared column. */
function isLookedAt({ kind, widest, longest }: ConstantColumn, target: Target): boolean {
  if (target.subscripts) return true;
  if (declared(target) !== null) return false;
  const isNull = kind === 'string' && longest === 0;
  return (
    isNull || kind === 'mixed' || (kind === 'integer' && naturalType({ kind, widest }).oid === OID.numeric)
  );
}

/** Strings are read as what they are to be; those that take long are texts, which a helper reads. */
function readType(column: ConstantColumn, target: TypeRef | null): TypeRef {
  if (target === null || column.kind !== 'string') return naturalType(column);
  if (takesLongToRead(typeByOid(target.oid), column.longest)) return TEXT;
  return target.oid === OID.interval ? target : typeOnly(target.oid);
}

/** The place of the first constant that is not NULL. */
function firstPlace(column: ConstantColumn | undefined): number {
  for (const piece of column?.pieces ?? []) {
    const row = pieceTexts(piece).findIndex((text) => text !== null);
    if (row >= 0) return pieceNumbers(piece.places)[row] ?? 0;
  }
  return 0;
}
