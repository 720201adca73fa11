/**
 * ALTER TABLE … ALTER COLUMN c SET EMBEDDING MODEL 'm' and RESET EMBEDDING MODEL, as edits: an index for the
 * other model is begun beside the one that answers, or the former one answers again.
 */
import { standbyName, standbyOf } from '../../../catalog/edit/embedding.ts';
import type { CatalogEdit } from '../../../catalog/edit/edit.ts';
import type { Column, Index } from '../../../catalog/model.ts';
import { SqlError } from '../../../errors.ts';
import type { Alteration } from './alter-rows.ts';

/** @param model null: the former one. @throws SqlError 42704, 55000. */
export function setEmbeddingModel(
  alteration: Alteration,
  column: Column,
  model: string | null,
): readonly CatalogEdit[] {
  const { relation } = alteration;
  const answering = relation.indexes.filter(
    ({ kind, columns, standby }) =>
      kind === 'semantic' && columns[0] === column.attribute && standby === undefined,
  );
  if (answering.length === 0) {
    throw new SqlError('undefined_object', `column "${column.name}" has no semantic index`, {
      hint: `Make one: CREATE INDEX ON ${relation.name} USING semantic (${column.name}) WITH (model = 'MODEL').`,
    });
  }
  return answering.flatMap((index) => modelEdits(alteration, { column, index, model }));
}

function modelEdits(
  { context, relation, notices }: Alteration,
  { column, index, model }: { column: Column; index: Index; model: string | null },
): readonly CatalogEdit[] {
  const building = standbyOf(relation, index, 'building');
  const former = standbyOf(relation, index, 'former');
  const abandoned: readonly CatalogEdit[] =
    building === undefined ? [] : [{ edit: 'drop index', relation: relation.oid, index: building.oid }];
  if (former !== undefined && (model === null || former.options.model === model)) {
    return [...abandoned, { edit: 'promote index', relation: relation.oid, index: former.oid }];
  }
  if (model === null && building === undefined) {
    throw new SqlError(
      'object_not_in_prerequisite_state',
      `no former embedding model of column "${column.name}" is kept`,
      { hint: "Set one: ALTER COLUMN … SET EMBEDDING MODEL 'MODEL'." },
    );
  }
  if (model === null || model === index.options.model) {
    if (building === undefined)
      notices.push(`column "${column.name}" has embedding model "${model}" already`);
    return abandoned;
  }
  const { oid: of, shape } = index;
  const added: Index = {
    ...index,
    oid: 0,
    name: standbyName(context.catalog, relation, index.name, 'building'),
    options: { ...index.options, model },
    ...(shape && { shape: { ...shape, parameters: { ...shape.parameters, model } } }),
    standby: { state: 'building', of },
  };
  return [...abandoned, { edit: 'add index', relation: relation.oid, index: added }];
}
