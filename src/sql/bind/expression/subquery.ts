/** Subqueries in expressions: scalar, EXISTS, IN, op ANY/ALL and ARRAY(…). */
import { SqlError } from '../../../errors.ts';
import { OID } from '../../../types/oids.ts';
import { formatType } from '../../../types/registry.ts';
import type { Expr } from '../../ast.ts';
import { arrayTypeOf } from './coerce.ts';
import { BOOLEAN, type DraftColumn, type Expression, reference } from '../draft.ts';
import { bindExpression, bindQuery } from '../context.ts';
import { operate } from './operators.ts';
import { refuseSubquery } from '../scope.ts';
import type { Level } from '../level.ts';
import { typeOnly } from '../state.ts';

type SubqueryExpr = Extract<Expr, { kind: 'subquery' }>;

export function bindSubquery(level: Level, expr: SubqueryExpr): Expression {
  refuseSubquery(level, expr.at);
  const test = expr.test && bindExpression(level, expr.test);
  const scope = { state: level.state, parent: level, commonTables: level.commonTables };
  const { plan, columns } = bindQuery(scope, expr.query);
  const [first] = columns;
  const base = {
    kind: 'subquery',
    plan,
    negated: false,
    compare: null,
    correlated: false,
    at: expr.at,
  } as const;
  switch (expr.form) {
    case 'exists':
      return { ...base, form: 'exists', type: BOOLEAN };
    case 'scalar':
      return { ...base, form: 'scalar', type: onlyColumn(columns, expr.at).type };
    case 'array':
      return { ...base, form: 'array', type: arrayTypeOf(onlyColumn(columns, expr.at).type, expr.at) };
    default: {
      const negated = expr.form === 'all' && expr.operator === '<>';
      const form = expr.form === 'any' && expr.operator === '=' ? 'in' : expr.form;
      if (!test || !first)
        throw new SqlError('syntax_error', 'subquery has no columns', { position: expr.at });
      const compare = comparison(level, expr, { test, columns });
      if (!negated) return { ...base, form, compare, type: BOOLEAN };
      const equal = comparison(level, { ...expr, operator: '=' }, { test, columns });
      return { ...base, form: 'in', negated: true, compare: equal, type: BOOLEAN };
    }
  }
}

function onlyColumn(columns: readonly DraftColumn[], at: number): DraftColumn {
  const [first, second] = columns;
  if (first && !second) return first;
  const problem = first ? 'subquery must return only one column' : 'subquery must return a column';
  throw new SqlError('syntax_error', problem, { position: at });
}

function comparison(
  level: Level,
  expr: SubqueryExpr,
  sides: { readonly test: Expression; readonly columns: readonly DraftColumn[] },
): Expression {
  const { test, columns } = sides;
  const width = test.kind === 'row' ? test.fields.length : 1;
  if (columns.length !== width) {
    const problem = columns.length > width ? 'too many columns' : 'too few columns';
    throw new SqlError('syntax_error', `subquery has ${problem}`, { position: expr.at });
  }
  const fields = columns.map((column) => reference(column.id, column.type));
  const [only] = fields;
  const right: Expression =
    test.kind === 'row' ? { kind: 'row', fields, type: typeOnly(OID.record) } : (only ?? test);
  const result = operate(level, { operator: expr.operator ?? '=', left: test, right, at: expr.at });
  if (result.type.oid === OID.bool) return result;
  throw new SqlError(
    'datatype_mismatch',
    `operator ${expr.operator} must return type boolean, not type ${formatType(result.type)}`,
    { position: expr.at },
  );
}
