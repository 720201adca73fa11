/** RETURNING, and the columns that a write names: declared, undeclared, or new to a collection. */
import type { Column, Relation } from '../../../catalog/model.ts';
import { SqlError } from '../../../errors.ts';
import type { TypeRef } from '../../../types/type.ts';
import type { QualifiedName, SelectItem } from '../../ast.ts';
import { coerce, isUnknown } from '../expression/coerce.ts';
import { type DraftColumn, type Expression, TEXT } from '../draft.ts';
import { bindItems } from '../query/items.ts';
import { parseExpression } from '../../parse/parse.ts';
import { bindExpression } from '../context.ts';
import { checkFieldName } from '../relation/schema-faults.ts';
import { plainTableHint } from '../scope-errors.ts';
import { type Level, newLevel, type ScopeColumn, type ScopeItem } from '../level.ts';
import { inStored } from '../rights.ts';
import { newId, type State } from '../state.ts';
import { refuseBlocked, targetItem, type WriteTarget } from './write-target.ts';

/** A column a write names; `column` is null when no document of the collection has it yet. */
export interface WrittenColumn {
  readonly name: string;
  readonly column: Column | null;
}

const ID = '_id';

/**
 * @throws SqlError 42703 for an unknown column of a plain table or a view, 42939 for a reserved name, 42602 for one with
 *   a dot, 0A000 for an expression of a view.
 */
export function writtenColumn(target: WriteTarget, name: string, at: number): WrittenColumn {
  const known = target.columns.find((candidate) => candidate.name === name);
  if (known) refuseBlocked(known, target.verb);
  if (known) return known;
  const relation = target.named;
  if (relation.kind !== 'collection') {
    throw new SqlError('undefined_column', `column "${name}" of relation "${relation.name}" does not exist`, {
      position: at || undefined,
      hint: unknownHint(relation, name),
    });
  }
  checkFieldName(name, { at, routine: 'document_validation' });
  return { name, column: null };
}

function unknownHint(relation: Relation, name: string): string | undefined {
  if (name === ID) {
    return plainTableHint(relation.name);
  }
  return undefined;
}

/** The value for a declared column. @throws SqlError 42804 as PostgreSQL words it. */
export function assigned(
  state: State,
  value: Expression,
  target: { name: string; type: TypeRef },
): Expression {
  return coerce(state, value, {
    type: target.type,
    context: 'assignment',
    fail: (from, to, at) =>
      new SqlError(
        'datatype_mismatch',
        `column "${target.name}" is of type ${to} but expression is of type ${from}`,
        { position: at || undefined, hint: 'You will need to rewrite or cast the expression.' },
      ),
  });
}

/** A value without a type that goes to an undeclared column: the type seen so far, else text. */
export function undeclaredValue(state: State, value: Expression, column: Column | null): Expression {
  if (!isUnknown(value)) return value;
  const seen = column && value.kind === 'parameter' ? column.type : null;
  return coerce(state, value, { type: seen ?? TEXT, context: 'implicit' });
}

/** The default of a column; null is the default of one that declares none. */
export function defaultOf(state: State, column: Column): Expression {
  if (column.defaultText === null) return { kind: 'literal', value: null, type: column.type };
  const level = newLevel(state, null, null);
  level.clause = 'DEFAULT expressions';
  try {
    const { defaultText } = column;
    return inStored(state, () =>
      assigned(state, bindExpression(level, parseExpression(defaultText)), column),
    );
  } catch (error) {
    // Positions are those in the default's own text, which the client does not see.
    if (error instanceof SqlError)
      throw new SqlError(error.condition, error.message, { hint: error.fields.hint });
    throw error;
  }
}

/** @throws SqlError 428C9 when the column makes its own values. */
export function checkWritable(column: Column, verb: 'insert' | 'update'): void {
  const always = column.identity === 'always' ? 'an identity column defined as GENERATED ALWAYS' : undefined;
  const generated = column.generatedText === null ? always : 'a generated column';
  if (!generated) return;
  const message =
    verb === 'insert'
      ? `cannot insert a non-DEFAULT value into column "${column.name}"`
      : `column "${column.name}" can only be updated to DEFAULT`;
  const hint = 'Use OVERRIDING SYSTEM VALUE to override.';
  throw new SqlError('generated_always', message, {
    ...(verb === 'insert' && column.identity === 'always' ? { hint } : {}),
    detail: `Column "${column.name}" is ${generated}.`,
  });
}

export interface ReturnedRow {
  readonly target: WriteTarget;
  readonly name: QualifiedName;
  readonly alias: string | null;
  readonly rowIds: readonly number[];
  /** Id of the row number, where the row is the one that is deleted. */
  readonly rowNumberId?: number;
  /** Id of what tells rows that ON CONFLICT has updated from those that were inserted. */
  readonly replacedId?: number;
  /** Columns new to the collection, or of another type than before: their ids follow the live columns'. */
  readonly undeclared: readonly { readonly name: string; readonly expression: Expression }[];
}

export interface Returning {
  readonly returning: readonly Expression[] | null;
  readonly output: readonly DraftColumn[];
}

/** @param options.others what else RETURNING sees: FROM and USING, or a MERGE's source `before` the row. */
export function bindReturning(
  level: Level,
  items: readonly SelectItem[] | null,
  options: {
    readonly row: ReturnedRow;
    readonly others?: readonly ScopeItem[];
    readonly before?: readonly ScopeItem[];
  },
): Returning {
  if (!items) return { returning: null, output: [] };
  const { row, others = [], before = [] } = options;
  const item = returnedItem(level, row);
  level.items = [...before, item, ...others];
  level.columns = level.items.flatMap((entry) => entry.columns);
  level.clause = 'RETURNING';
  const targets = bindItems(level, items);
  const output = targets.map(({ name, expression, relation, attribute }) => {
    return { id: newId(level.state), name, type: expression.type, relation, attribute };
  });
  return { returning: targets.map((target) => target.expression), output };
}

/** The written row by its relation's name. */
function returnedItem(level: Level, row: ReturnedRow): ScopeItem {
  const { target, name, alias, rowIds, undeclared } = row;
  const base = targetItem(level, target, {
    scan: null,
    ids: rowIds,
    name,
    alias: alias === null ? null : { name: alias, columns: [] },
  });
  const added = undeclared.map(({ name: column, expression }): ScopeColumn => {
    return { name: column, expression, undeclared: true, relation: 0, attribute: 0 };
  });
  const replaced = new Set(added.map((column) => column.name));
  return {
    ...base,
    ...(row.rowNumberId !== undefined && { rowNumberId: row.rowNumberId }),
    ...(row.replacedId !== undefined && { replacedId: row.replacedId }),
    columns: [...base.columns.filter((column) => !replaced.has(column.name)), ...added],
  };
}

export function newRowIds(state: State, count: number): readonly number[] {
  return Array.from({ length: count }, () => newId(state));
}
