/**
 * Sort keys. A bare name in ORDER BY is an output column first, a bare integer its position; in an
 * expression a name is a declared column, then a name of the select list, then an undeclared column.
 */
import { SqlError } from '../../../errors.ts';
import { findTypeByOid, formatType } from '../../../types/registry.ts';
import type { Expr, OrderItem } from '../../ast.ts';
import { settleUnknown } from '../expression/coerce.ts';
import { type Expression, literal, mentions, rewrite, sameExpression, type SortKey, TEXT } from '../draft.ts';
import { callFunction } from '../expression/arguments.ts';
import { bindExpression } from '../context.ts';
import { inClause, type Level, type Target } from '../level.ts';
import { typeOnly } from '../state.ts';

/** ORDER BY of aggregates and windows: expressions only. */
export function bindSortKeys(level: Level, items: readonly OrderItem[]): readonly SortKey[] {
  return items.map((item) =>
    sortKey(level, item, settleUnknown(level.state, bindExpression(level, item.value))),
  );
}

/** ORDER BY of a query. @throws SqlError 42P10, 42702, 42601. */
export function bindOrderBy(
  level: Level,
  items: readonly OrderItem[],
  targets: readonly Target[],
): readonly SortKey[] {
  return inClause(level, 'ORDER BY', () => {
    level.aliases = aliasesOf(targets);
    const keys = items.map((item) =>
      sortKey(level, item, thatSomeHave(level, item, orderExpression(level, item, targets))),
    );
    level.aliases = null;
    return keys;
  });
}

/** The key, or where it is of a column that no document has, an error for the first document. */
function thatSomeHave(level: Level, { value: { at } }: OrderItem, key: Expression): Expression {
  const name = absentName(key);
  return name === null
    ? key
    : callFunction(level, { name: 'undeclared_sort_key', args: [literal(name, TEXT, at)], at });
}

/** The name of an absent column, where a key is computed from such alone. */
function absentName(key: Expression): string | null {
  let name: string | null = null;
  let hasOther = false;
  rewrite(key, (part) => {
    if (part.kind === 'literal') name ??= part.absent ?? null;
    else hasOther ||= part.kind !== 'call' && part.kind !== 'cast';
    return undefined;
  });
  return hasOther ? null : name;
}

function aliasesOf(targets: readonly Target[]): ReadonlyMap<string, Expression> {
  const aliases = new Map<string, Expression>();
  for (const target of targets) if (!aliases.has(target.name)) aliases.set(target.name, target.expression);
  return aliases;
}

function orderExpression(level: Level, item: OrderItem, targets: readonly Target[]): Expression {
  const { value } = item;
  if (value.kind === 'column' && value.path.length === 1) {
    const named = byName(targets, value.path[0] ?? '', { clause: 'ORDER BY', at: value.at });
    if (named) return named;
  }
  if (value.kind === 'integer')
    return byPosition(targets, Number(value.text), { clause: 'ORDER BY', at: value.at });
  rejectConstant(value, 'ORDER BY');
  return settleUnknown(level.state, bindExpression(level, value));
}

const CONSTANTS: ReadonlySet<Expr['kind']> = new Set(['string', 'null', 'decimal', 'boolean', 'bits']);

/** @throws SqlError 42601 for a constant that is no position. */
export function rejectConstant(value: Expr, clause: string): void {
  if (!CONSTANTS.has(value.kind)) return;
  throw new SqlError('syntax_error', `non-integer constant in ${clause}`, { position: value.at });
}

interface Place {
  readonly clause: string;
  readonly at: number;
}

/** The output column of that name. @throws SqlError 42702 when two differ. */
export function byName(targets: readonly Target[], name: string, place: Place): Expression | undefined {
  const named = targets.filter((target) => target.name === name);
  const [first] = named;
  if (first && named.some((target) => !sameExpression(target.expression, first.expression))) {
    throw new SqlError('ambiguous_column', `${place.clause} "${name}" is ambiguous`, { position: place.at });
  }
  return first?.expression;
}

/** @throws SqlError 42P10 when there is no such position. */
export function byPosition(targets: readonly Target[], position: number, place: Place): Expression {
  const target = targets[position - 1];
  if (target) return target.expression;
  throw new SqlError(
    'invalid_column_reference',
    `${place.clause} position ${position} is not in select list`,
    { position: place.at },
  );
}

function sortKey(level: Level, item: OrderItem, expression: Expression): SortKey {
  if (expression.kind !== 'row' && !findTypeByOid(expression.type.oid)?.compare) {
    const type = formatType(typeOnly(expression.type.oid));
    throw new SqlError('undefined_function', `could not identify an ordering operator for type ${type}`, {
      position: item.value.at,
      hint: 'Use an explicit ordering operator or modify the query.',
    });
  }
  if (item.using !== null && item.using !== '<' && item.using !== '>') {
    throw new SqlError('wrong_object_type', `operator ${item.using} is not a valid ordering operator`, {
      position: item.at,
      hint: 'Ordering operators must be "<" or ">" members of btree operator families.',
    });
  }
  const descending = item.using === null ? item.descending : item.using === '>';
  const ranked = mentions(expression, level.state.ranking);
  return { expression, descending, nullsFirst: item.nullsFirst ?? (descending && !ranked) };
}
