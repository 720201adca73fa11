/** The arguments of `more_like()` that say what the rows are to be like: examples by primary key, and texts. */
import { columnByAttribute, primaryKey, type Relation } from '../../../catalog/model.ts';
import { SqlError } from '../../../errors.ts';
import type { Likeness } from '../../../plan/plan.ts';
import { findTypeByOid } from '../../../types/registry.ts';
import type { Expr } from '../../ast.ts';
import { bindExpression } from '../context.ts';
import { type Draft, type Expression, TEXT } from '../draft.ts';
import type { Call } from '../expression/arguments.ts';
import { arrayTypeOf, coerce, isUnknown } from '../expression/coerce.ts';
import type { Level } from '../level.ts';

/** By name of argument. */
type Given = ReadonlyMap<string, { readonly value: Expr }>;

export function likenessOf(
  level: Level,
  { relation, given, call }: { readonly relation: Relation; readonly given: Given; readonly call: Call },
): Likeness<Draft> {
  const keys = (name: string): Expression | null => {
    const value = given.get(name)?.value;
    return value === undefined ? null : keysOf(level, relation, value, call);
  };
  const text = (name: string): Expression | null => {
    const value = given.get(name)?.value;
    const type = { type: TEXT, context: 'assignment' } as const;
    return value === undefined ? null : coerce(level.state, bindExpression(level, value), type);
  };
  return { ids: keys('like'), text: text('text'), notIds: keys('not_like'), notText: text('not_text') };
}

/** One key, or an array of keys. @throws SqlError 42809 without a primary key of one column. */
function keysOf(level: Level, relation: Relation, value: Expr, call: Call): Expression {
  const columns = primaryKey(relation)?.columns ?? [];
  const column = columnByAttribute(relation, columns[0] ?? 0);
  if (column === undefined || columns.length !== 1) {
    const message = `relation "${relation.name}" has no primary key of one column`;
    throw new SqlError('wrong_object_type', message, {
      position: call.at,
      hint: `Give texts: ${call.name}('${relation.name}', text => '…').`,
    });
  }
  const bound = bindExpression(level, value);
  const type = arrayTypeOf(column.type, call.at);
  if (isArray(bound)) return coerce(level.state, bound, { type, context: 'assignment' });
  const key = coerce(level.state, bound, { type: column.type, context: 'assignment' });
  return { kind: 'array', elements: [key], type };
}

function isArray(value: Expression): boolean {
  if (value.kind === 'literal' && isUnknown(value)) return /^\{.*\}$/s.test(String(value.value));
  return value.kind === 'array' || findTypeByOid(value.type.oid)?.category === 'A';
}
