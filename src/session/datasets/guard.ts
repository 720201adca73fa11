/** Guard of a dataset's relations: they are read like any other, and written by ingestion only. */
import type { Catalog } from '../../catalog/model.ts';
import { isPolicyEdit } from '../../catalog/edit/policies.ts';
import { CLASS_OID, NAMESPACE_OID } from '../../catalog/oids.ts';
import { SqlError } from '../../errors.ts';
import type { CatalogEdit } from '../../plan/statement.ts';
import type { Planned } from '../running/planner.ts';
import type { TableLock } from '../running/table-locks.ts';

/** @throws SqlError 42501 for a statement that writes or changes what belongs to a dataset, or to Quern. */
export function refuseDatasetWrites(catalog: Catalog, { bound, locks }: Planned): void {
  if (bound.kind === 'catalog' && bound.edits.length > 0 && bound.edits.every(isAboutRows(catalog))) return;
  for (const lock of locks) refuseDatasetLock(catalog, lock);
  if (bound.kind !== 'catalog') return;
  for (const edit of bound.edits) {
    const namespace = namespaceOf(edit);
    if (namespace !== null) refuseNamespace(catalog, namespace, null);
    for (const oid of mentionedBy(edit)) {
      const relation = catalog.relations.get(oid);
      if (relation !== undefined) refuseNamespace(catalog, relation.namespace, relation.name);
    }
  }
}

/** Policies of a dataset's relations are their owner's, who says with them what others find in it. */
const isAboutRows =
  ({ relations, namespaces }: Catalog) =>
  (edit: CatalogEdit): boolean => {
    if (!isPolicyEdit(edit)) return false;
    const schema = relations.get(edit.relation)?.namespace;
    return namespaces.some(({ oid, dataset }) => oid === schema && dataset !== undefined);
  };

/** @throws SqlError 42501 for a lock that would keep ingestion waiting. */
export function refuseDatasetLock(catalog: Catalog, { relation, mode }: TableLock): void {
  const found = mode === 'access share' ? undefined : catalog.relations.get(relation);
  if (found !== undefined) refuseNamespace(catalog, found.namespace, found.name);
}

/** Relations that an edit is about without a lock: what a foreign key would hold, and what a comment says. */
function mentionedBy(edit: CatalogEdit): readonly number[] {
  if (edit.edit === 'comment') return edit.classOid === CLASS_OID.pg_class ? [edit.oid] : [];
  const constraints =
    edit.edit === 'create relation'
      ? edit.relation.constraints
      : edit.edit === 'add constraint'
        ? [edit.constraint]
        : [];
  return constraints.flatMap(({ references }) => (references === undefined ? [] : [references.relation]));
}

/** The schema that an edit puts something into, or takes away. */
function namespaceOf(edit: CatalogEdit): number | null {
  switch (edit.edit) {
    case 'create relation':
      return edit.relation.namespace;
    case 'put enum':
      return edit.type.namespace;
    case 'put function':
      return edit.function.namespace;
    case 'set namespace':
    case 'drop namespace':
      return edit.namespace;
    case 'comment':
      return edit.classOid === CLASS_OID.pg_namespace ? edit.oid : null;
    default:
      return null;
  }
}

function refuseNamespace(catalog: Catalog, oid: number, relation: string | null): void {
  const namespace = catalog.namespaces.find((candidate) => candidate.oid === oid);
  if (namespace === undefined) return;
  const { name, dataset } = namespace;
  if (dataset === undefined && oid !== NAMESPACE_OID.quern) return;
  const what = relation === null ? `schema ${name}` : `${name}.${relation}`;
  throw new SqlError('insufficient_privilege', `${what} can only be read`, {
    hint:
      dataset === undefined
        ? 'It belongs to Quern.'
        : 'A dataset is written by quern.upsert_file(), quern.update_metadata() and quern.delete_document(); ' +
          'DROP DATASET drops it.',
  });
}
