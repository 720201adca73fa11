/** Constants of long VALUES, by column: each is read as the types that its expressions ask for. */
import { present, unreachable } from '../../../assert.ts';
import {
  type ConstantColumn,
  type ConstantRows,
  pieceNumbers,
  pieceTexts,
} from '../../../plan/constant-rows.ts';
import { OID } from '../../../types/oids.ts';
import type { TypeRef } from '../../../types/type.ts';
import {
  BOOLEAN,
  type ColumnReference,
  type ConstantsDraft,
  type Expression,
  integerLiteral,
  reference,
  UNKNOWN,
} from '../draft.ts';
import type { Level } from '../level.ts';
import { newId, type State, typeOnly } from '../state.ts';

export const constantsDraft = (rows: ConstantRows): ConstantsDraft => ({ rows, columns: [], output: [] });

/** A column of the level's constants; strings have no type yet. */
export function constantsOf({ state, constants }: Level, column: number): Expression {
  const draft = present(constants, 'constants of the level');
  const given = present(draft.rows.columns[column], 'constants');
  const read = constantsAs(state, draft, { column, type: naturalType(given) });
  if (given.kind === 'string') state.unread.set(read.id, { draft, column });
  return read;
}

export function constantsAs(
  state: State,
  { rows, columns, output }: ConstantsDraft,
  { column, type }: { readonly column: number; readonly type: TypeRef },
): ColumnReference {
  const constants = present(rows.columns[column], 'constants');
  const at = firstPlace(constants);
  const known = output.find((entry, i) => columns[i] === constants && isSame(entry.type, type));
  if (known) return reference(known.id, type, at);
  const id = newId(state);
  columns.push(constants);
  output.push({ id, name: `column${output.length + 1}`, type, relation: 0, attribute: 0 });
  return reference(id, type, at);
}

export const isSame = (left: TypeRef, right: TypeRef): boolean =>
  left.oid === right.oid && left.modifier === right.modifier;

/** The common type of the constants. */
function naturalType({ kind, widest }: ConstantColumn): TypeRef {
  switch (kind) {
    case 'integer':
      return integerLiteral(widest, 0).type;
    case 'decimal':
    case 'mixed':
      return typeOnly(OID.numeric);
    case 'boolean':
      return BOOLEAN;
    case 'string':
      return UNKNOWN;
    default:
      return unreachable(kind);
  }
}

/** Place of the first constant that is not NULL. */
function firstPlace(column: ConstantColumn): number {
  for (const piece of column.pieces) {
    const row = pieceTexts(piece).findIndex((text) => text !== null);
    if (row >= 0) return pieceNumbers(piece.places)[row] ?? 0;
  }
  return 0;
}
