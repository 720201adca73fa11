/** `SET a = …, (b, c) = (…)`: the assignments of UPDATE and of ON CONFLICT DO UPDATE. */
import { PRIVILEGE } from '../../../catalog/access/privileges.ts';
import type { Column } from '../../../catalog/model.ts';
import { present } from '../../../assert.ts';
import { notSupported, SqlError } from '../../../errors.ts';
import type { Expr, SetItem, Subscript } from '../../ast.ts';
import { type Expression, literal, project, reference, UNKNOWN } from '../draft.ts';
import { bindExpression, bindQuery } from '../context.ts';
import { OID } from '../../../types/oids.ts';
import { formatType } from '../../../types/registry.ts';
import { settleUnknown } from '../expression/coerce.ts';
import { typeOnly } from '../state.ts';
import { asKept } from './insert-undeclared.ts';
import { assigned, checkWritable, defaultOf, undeclaredValue, writtenColumn } from './returning.ts';
import type { Level } from '../level.ts';
import { assignElements } from '../expression/subscripts.ts';
import { keptType, mixedType } from '../expression/undeclared.ts';
import { wantOnTarget, wantTargetColumn, type WriteTarget } from './write-target.ts';

export interface BoundSet {
  readonly name: string;
  /** Null for a column new to the collection, or one that changes its type. */
  readonly column: Column | null;
  readonly value: Expression;
}

/** @throws SqlError 42703, 42601 for a column assigned twice, 42804, 428C9. */
export function bindSetItems(
  level: Level,
  target: WriteTarget,
  items: readonly SetItem[],
): readonly BoundSet[] {
  const bound = new Map<string, BoundSet | null>();
  const inElements = new Set<string>();
  wantOnTarget(target, PRIVILEGE.update);
  for (const item of items) {
    const values = valuesOf(level, item);
    for (const [i, name] of item.columns.entries()) {
      wantTargetColumn(target, PRIVILEGE.update, name);
      const steps = item.subscripts[i] ?? [];
      if (bound.has(name) && !(steps.length > 0 && inElements.has(name))) {
        throw new SqlError('syntax_error', `multiple assignments to same column "${name}"`);
      }
      const set = { name, value: values[i] ?? null, at: item.at };
      if (steps.length === 0) bound.set(name, bindSet(level, target, set));
      else {
        inElements.add(name);
        bound.set(name, bindElements(level, target, { ...set, steps, before: bound.get(name)?.value }));
      }
    }
  }
  return [...bound.values()].filter((set) => set !== null);
}

/** `SET a[1] = value`: over what the column has, or what an assignment before has made of it. */
function bindElements(
  level: Level,
  target: WriteTarget,
  set: {
    readonly name: string;
    readonly value: Expression | null;
    readonly at: number;
    readonly steps: readonly Subscript[];
    readonly before: Expression | undefined;
  },
): BoundSet {
  const { name, value, at, steps, before } = set;
  const { column } = writtenColumn(target, name, at);
  if (!column || column.undeclared) return bindNested(level, target, { ...set, column });
  checkWritable(column, 'update');
  if (value === null) {
    throw new SqlError('feature_not_supported', 'cannot set an array element to DEFAULT', { position: at });
  }
  const base = before ?? ownColumn(level, target, name);
  return { name, column, value: assignElements(level, { column: name, base, steps, value, at }) };
}

/** `SET meta['a'] = value` of an undeclared column, which takes values of any type; one that is new becomes jsonb. */
function bindNested(
  level: Level,
  target: WriteTarget,
  set: Parameters<typeof bindElements>[2] & { readonly column: Column | null },
): BoundSet {
  const { name, value, at, steps, before, column } = set;
  if (column && column.type.oid !== OID.jsonb) {
    const type = formatType(column.type);
    const message = `cannot subscript type ${type} because it does not support subscripting`;
    throw new SqlError('datatype_mismatch', message, { position: at });
  }
  if (value === null) {
    throw new SqlError('feature_not_supported', 'cannot set a jsonb element to DEFAULT', { position: at });
  }
  const base = before ?? (column ? ownColumn(level, target, name) : literal(null, JSONB));
  const kept = asKept(level, settleUnknown(level.state, value), JSONB);
  return { name, column, value: assignElements(level, { column: name, base, steps, value: kept, at }) };
}

const JSONB = typeOnly(OID.jsonb);

/** The column of the row that is changed, which stands first in FROM. */
function ownColumn({ items }: Level, { named }: WriteTarget, name: string): Expression {
  const own = items.find(({ relation }) => relation?.oid === named.oid) ?? items[0];
  const column = own?.columns.find((candidate) => candidate.name === name);
  return present(column, `column ${name} of the target`).expression;
}

/** One entry per column; null stands for DEFAULT. */
function valuesOf(level: Level, item: SetItem): readonly (Expression | null)[] {
  const { columns, value } = item;
  if (columns.length === 1 && value.kind !== 'row') return [bindValue(level, value)];
  if (value.kind === 'row') {
    checkCount(columns.length, value.fields.length, value.at);
    return value.fields.map((field) => bindValue(level, field));
  }
  if (value.kind === 'subquery' && value.form === 'scalar') {
    return columns.map((_, i) => subqueryColumn(level, value, { position: i, count: columns.length }));
  }
  throw notSupported('a multiple-column UPDATE from this expression', {
    position: value.at,
    hint: 'The source must be a sub-SELECT or ROW() expression.',
  });
}

function bindValue(level: Level, value: Expr): Expression | null {
  return value.kind === 'default' ? null : bindExpression(level, value);
}

function checkCount(columns: number, values: number, at: number): void {
  if (columns === values) return;
  throw new SqlError('syntax_error', 'number of columns does not match number of values', {
    position: at || undefined,
  });
}

/** `(a, b) = (SELECT x, y …)`: one scalar subquery per column. */
function subqueryColumn(
  level: Level,
  value: Extract<Expr, { kind: 'subquery' }>,
  which: { readonly position: number; readonly count: number },
): Expression {
  const scope = { state: level.state, parent: level, commonTables: level.commonTables };
  const { plan } = bindQuery(scope, value.query);
  const columns = plan.output;
  checkCount(which.count, columns.length, value.at);
  const column = columns[which.position];
  if (!column) throw new SqlError('syntax_error', 'subquery has no columns', { position: value.at });
  const only = project(plan, [reference(column.id, column.type)], [{ ...column, id: level.state.nextId++ }]);
  const base = { compare: null, negated: false, correlated: false, at: value.at } as const;
  return { kind: 'subquery', form: 'scalar', plan: only, type: column.type, ...base };
}

/** Null when a column that nobody has is set to NULL. */
function bindSet(
  level: Level,
  target: WriteTarget,
  set: { readonly name: string; readonly value: Expression | null; readonly at: number },
): BoundSet | null {
  const { state } = level;
  const { column } = writtenColumn(target, set.name, set.at);
  const { name } = set;
  if (set.value === null) {
    return column && { name, column, value: defaultOf(state, column) };
  }
  if (column) checkWritable(column, 'update');
  if (column && !column.undeclared) return { name, column, value: assigned(state, set.value, column) };
  const isNull = set.value.kind === 'literal' && set.value.value === null;
  if (isNull) return column && { name, column, value: literal(null, column.type) };
  const value = undeclaredValue(state, set.value, column);
  const kept = keptType(value.type);
  const fits = column !== null && mixedType(column.type, kept).oid === column.type.oid;
  const type = fits && column ? column.type : kept;
  return {
    name,
    column: fits ? column : null,
    value: asKept(level, value, type.oid === UNKNOWN.oid ? kept : type),
  };
}
