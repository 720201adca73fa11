/** ALTER TABLE … ADD CONSTRAINT … UNIQUE | PRIMARY KEY USING INDEX: an index becomes that of a constraint. */
import type { CatalogEdit } from '../../../catalog/edit/edit.ts';
import { type Constraint, type Index, indexShape, type Relation } from '../../../catalog/model.ts';
import { SqlError } from '../../../errors.ts';
import type { TableConstraint } from '../../ast.ts';
import { type Alteration, noNulls } from '../define/alter-rows.ts';

/** The index takes the constraint's name. @throws SqlError 42704, 55000, 42809. */
export function constraintUsingIndex(
  alteration: Alteration,
  constraint: TableConstraint,
  named: string,
): readonly CatalogEdit[] {
  const { relation, notices, followUps } = alteration;
  const index = relation.indexes.find((candidate) => candidate.name === named);
  if (!index) throw new SqlError('undefined_object', `index "${named}" does not exist`);
  checkUsable(relation, index);
  const name = constraint.name ?? named;
  if (name !== named) {
    notices.push(`ALTER TABLE / ADD CONSTRAINT USING INDEX will rename index "${named}" to "${name}"`);
  }
  const primary = constraint.kind === 'primary key';
  const nullable = relation.columns.filter(
    ({ attribute, notNull }) => primary && !notNull && index.columns.includes(attribute),
  );
  for (const column of nullable) followUps.push(noNulls(alteration, column));
  const own = constraint.deferrable ? { deferrable: true as const } : {};
  const changed: Relation = {
    ...relation,
    columns: relation.columns.map((column) =>
      nullable.includes(column) ? { ...column, notNull: true } : column,
    ),
    indexes: relation.indexes.map((other) => (other === index ? { ...index, name, primary, ...own } : other)),
  };
  const kind = primary ? 'primary key' : 'unique';
  const row: Constraint = {
    oid: 0,
    name,
    kind,
    columns: index.columns,
    index: 0,
    expression: null,
    ...(constraint.deferrable && { deferrable: constraint.deferrable }),
  };
  return [
    { edit: 'rewrite relation', relation: changed },
    { edit: 'add constraint', relation: relation.oid, constraint: row },
  ];
}

function checkUsable(relation: Relation, index: Index): void {
  const { elements, where } = indexShape(relation, index);
  const wrong = (problem: string): SqlError =>
    new SqlError('wrong_object_type', problem, {
      detail: 'Cannot create a primary key or unique constraint using such an index.',
    });
  if (relation.constraints.some((other) => other.index === index.oid)) {
    const message = `index "${index.name}" is already associated with a constraint`;
    throw new SqlError('object_not_in_prerequisite_state', message);
  }
  if (!index.unique) throw wrong(`"${index.name}" is not a unique index`);
  if (elements.some(({ attribute }) => attribute === 0))
    throw wrong(`index "${index.name}" contains expressions`);
  if (where !== null) throw wrong(`"${index.name}" is a partial index`);
  const odd = elements.findIndex(({ descending, nullsFirst }) => descending || nullsFirst);
  if (odd !== -1) {
    throw wrong(`index "${index.name}" column number ${odd + 1} does not have default sorting behavior`);
  }
}
