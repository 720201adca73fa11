/**
 * Names in sight. A `Level` is one SELECT (or UPDATE, VALUES …): the FROM entries by name, the columns that
 * are visible without a qualifier, and the level around it. Resolution and its errors follow PostgreSQL's
 * parse_relation.c: the innermost level that knows a name wins, two there are ambiguous.
 */
import { NULLS } from '../../catalog/model.ts';
import { SqlError } from '../../errors.ts';
import { OID } from '../../types/oids.ts';
import { branch, type Draft, type Expression } from './draft.ts';
import { readColumn } from './rights.ts';
import type { Clause, Level, ScopeColumn, ScopeItem } from './level.ts';
import { knownType } from './expression/record.ts';
import { missingColumn, missingTable, visibleItems } from './scope-errors.ts';
import { isSystemColumn, systemColumn } from './expression/system-columns.ts';
import type { RowConstructor } from '../../plan/expression.ts';

/** Expressions that belong to a relation, and are of its row alone. */
const STORED: ReadonlySet<Clause> = new Set([
  'check constraints',
  'DEFAULT expressions',
  'column generation expressions',
  'index expressions',
  'index predicates',
  'transform expressions',
]);

/** @throws SqlError 0A000 where an expression sees one row only. */
export function refuseSubquery({ clause }: Level, at: number): void {
  if (!STORED.has(clause)) return;
  const message = `cannot use subquery in ${clause.replace(/s$/, '')}`;
  throw new SqlError('feature_not_supported', message, { position: at || undefined });
}

/** A column by its written path: `a`, `t.a`, `s.t.a`. @throws SqlError 42703, 42P01, 42702. */
export function resolveColumn(level: Level, path: readonly string[], at: number): Expression {
  const column = path[path.length - 1] ?? '';
  if (level.clause === 'DEFAULT expressions') {
    throw new SqlError('feature_not_supported', 'cannot use column reference in DEFAULT expression', {
      position: at,
    });
  }
  if (path.length === 1) {
    return resolveName(level, column, at) ?? absent(level, column, at) ?? missingColumn(level, column, at);
  }
  const item = resolveItem(level, path.slice(0, -1), at);
  if (!item) return missingTable(level, path, at);
  const found = item.columns.filter((candidate) => candidate.name === column);
  if (found.length > 1) throw ambiguous(column, at);
  return found[0]
    ? located(found[0], at)
    : (systemColumn(level, item, column, at) ??
        absent(level, column, at) ??
        missingColumn(level, column, at, item));
}

/** `quern.unknown_columns` says so; a plain table in sight knows its columns. Clients ask every relation for `_nulls`. */
function absent(level: Level, name: string, at: number): Expression | undefined {
  if (!level.state.context.unknownColumns) return undefined;
  const items = visibleItems(level);
  const isKnown = items.some(({ relation }) => relation !== null && relation.kind !== 'collection');
  if (items.length === 0 || (isKnown && name !== NULLS)) return undefined;
  return { kind: 'literal', value: null, type: { oid: OID.jsonb, modifier: -1 }, absent: name, at };
}

function resolveName(level: Level, name: string, at: number): Expression | undefined {
  for (let scope: Level | null = level; scope; scope = scope.parent) {
    const found = scope.columns.filter((column) => column.name === name);
    if (found.length > 1) throw ambiguous(name, at);
    const alias = scope.aliases?.get(name);
    if (alias && (found[0] === undefined || found[0].undeclared)) return alias;
    if (found[0]) return located(found[0], at);
    if (isSystemColumn(name)) {
      const relations = scope.items.filter(({ oid }) => oid !== 0);
      if (relations.length > 1) throw ambiguous(name, at);
      if (relations[0]) return systemColumn(level, relations[0], name, at);
    }
  }
  const row = resolveItem(level, [name], at);
  return row && wholeRow(level, row, at);
}

/** `t` or `t.*` as a value: the single value of a scalar call, NULL where an outer join found no row. */
export function wholeRow(level: Level, item: ScopeItem, at: number): Expression {
  const [only] = item.columns;
  if (item.scalar && only) return located(only, at);
  const row: RowConstructor<Draft> = {
    kind: 'row',
    fields: item.columns.map((column) => located(column, at)),
    names: item.columns.map((column) => column.name),
    type: { oid: OID.record, modifier: -1 },
    at,
  };
  if (!item.presence) return row;
  const type = knownType(level.state, row);
  return { kind: 'case', branches: [branch({ ...item.presence, at }, row)], otherwise: null, type, at };
}

/** A FROM entry by `[table]` or `[schema, table]`. */
export function resolveItem(level: Level, path: readonly string[], at: number): ScopeItem | undefined {
  const name = path[path.length - 1];
  const schema = path.length > 1 ? path[path.length - 2] : null;
  for (let scope: Level | null = level; scope; scope = scope.parent) {
    const found = scope.items.filter(
      (item) => item.alias === name && (schema === null || item.schema === schema),
    );
    if (found.length > 1) {
      throw new SqlError('ambiguous_alias', `table reference "${name}" is ambiguous`, { position: at });
    }
    if (found[0]) return found[0];
  }
  return undefined;
}

/** All columns of `*` or `t.*`. */
export function expandStar(level: Level, path: readonly string[], at: number): readonly ScopeColumn[] {
  if (path.length === 0) {
    if (level.items.length === 0) {
      throw new SqlError('syntax_error', 'SELECT * with no tables specified is not valid', { position: at });
    }
    return level.columns.map((column) => ({ ...column, expression: located(column, at) }));
  }
  const item = resolveItem(level, path, at) ?? missingTable(level, [...path, '*'], at);
  return item.columns.map((column) => ({ ...column, expression: located(column, at) }));
}

/** The column where it is named: it is read. */
function located(column: ScopeColumn, at: number): Expression {
  readColumn(column.used);
  return { ...column.expression, at };
}

function ambiguous(name: string, at: number): SqlError {
  return new SqlError('ambiguous_column', `column reference "${name}" is ambiguous`, { position: at });
}
