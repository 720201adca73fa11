/** Relations, columns and functions that views read, as information_schema lists them. */
import { namespaceName } from '../../lookup.ts';
import { columnByAttribute, type Relation } from '../../model.ts';
import { DATABASE_NAME } from '../../oids.ts';
import type { NamedRow, RowSources, SystemContext } from '../context.ts';
import { isOwn } from './seen.ts';

export const VIEW_USAGE_ROWS: RowSources = {
  *view_table_usage(context) {
    for (const { view, relation } of readings(context)) {
      yield { ...viewNames(context, view), ...tableNames(context, relation) };
    }
  },
  *view_column_usage(context) {
    for (const { view, relation, columns } of readings(context)) {
      for (const attribute of columns) {
        const column = columnByAttribute(relation, attribute)?.name ?? null;
        yield { ...viewNames(context, view), ...tableNames(context, relation), column_name: column };
      }
    }
  },
  *view_routine_usage(context) {
    const { catalog, functions } = context;
    for (const view of viewsOf(context)) {
      for (const oid of functions.catalog.viewReferences(view.oid).functions) {
        const definition = catalog.functions.get(oid);
        if (definition === undefined || !isOwn(context, 'function', oid)) continue;
        yield {
          ...tableNames(context, view),
          specific_catalog: DATABASE_NAME,
          specific_schema: namespaceName(catalog, definition.namespace),
          specific_name: `${definition.name}_${oid}`,
        };
      }
    }
  },
};

interface Reading {
  readonly view: Relation;
  readonly relation: Relation;
  /** Attribute numbers. */
  readonly columns: ReadonlySet<number>;
}

const viewsOf = ({ catalog }: SystemContext): readonly Relation[] =>
  [...catalog.relations.values()].filter(({ kind }) => kind === 'view');

function* readings(context: SystemContext): Generator<Reading> {
  const { catalog, functions } = context;
  for (const view of viewsOf(context)) {
    for (const [oid, columns] of functions.catalog.viewReferences(view.oid).relations) {
      const relation = catalog.relations.get(oid);
      // PostgreSQL tells of what is the user's own.
      if (relation === undefined || !isOwn(context, 'relation', oid)) continue;
      if (relation.kind !== 'sequence') yield { view, relation, columns };
    }
  }
}

function tableNames({ catalog }: SystemContext, relation: Relation): NamedRow {
  return {
    table_catalog: DATABASE_NAME,
    table_schema: namespaceName(catalog, relation.namespace),
    table_name: relation.name,
  };
}

function viewNames({ catalog }: SystemContext, view: Relation): NamedRow {
  return {
    view_catalog: DATABASE_NAME,
    view_schema: namespaceName(catalog, view.namespace),
    view_name: view.name,
  };
}
