/** Definitions that name what is renamed: they are rewritten in the same statement. */
import type { Policy } from '../../../catalog/access/model.ts';
import { applyEdit, type CatalogEdit } from '../../../catalog/edit/edit.ts';
import { settingsWithEnums } from '../../../catalog/enums.ts';
import { type Catalog, hasQuery, type Relation } from '../../../catalog/model.ts';
import { notSupported, SqlError } from '../../../errors.ts';
import type { BindContext } from '../context.ts';
import { rewrittenExpression, rewrittenQuery } from '../../deparse/source.ts';
import { viewContext } from '../names.ts';

/** The edits of a renaming, and those of every text it concerns. */
export function withRewrittenTexts(
  context: BindContext,
  edits: readonly CatalogEdit[],
): readonly CatalogEdit[] {
  const now = edits.reduce(applyEdit, context.catalog);
  const rewritten = [...now.relations.values()].flatMap((relation): readonly CatalogEdit[] => {
    const before = context.catalog.relations.get(relation.oid);
    if (!before) return [];
    const changed = rewrite(context, now, { before, relation });
    return JSON.stringify(changed) === JSON.stringify(relation)
      ? []
      : [{ edit: 'rewrite relation', relation: changed }];
  });
  const catalog = rewritten.reduce(applyEdit, now);
  const settings = settingsWithEnums(context.settings, catalog);
  checkViews({ ...context, catalog, settings }, rewritten);
  return [...edits, ...rewritten];
}

/** @throws SqlError 0A000 where a new name cannot be put in the place of the old one: in USING. */
function checkViews(context: BindContext, rewritten: readonly CatalogEdit[]): void {
  for (const edit of rewritten) {
    if (edit.edit !== 'rewrite relation' || !hasQuery(edit.relation)) continue;
    try {
      rewrittenQuery(context, edit.relation.definition ?? '', context.catalog);
    } catch (error) {
      if (error instanceof SqlError)
        throw notSupported(`renaming what view "${edit.relation.name}" joins by`);
      throw error;
    }
  }
}

function rewrite(
  context: BindContext,
  now: Catalog,
  { before, relation }: { readonly before: Relation; readonly relation: Relation },
): Relation {
  const { definition } = relation;
  if (hasQuery(relation) && definition !== null) {
    return { ...relation, definition: viewText(viewContext(context, before), definition, now) };
  }
  const columns = new Map(before.columns.map(({ attribute, name }) => [attribute, name]));
  const sameColumns = relation.columns.every(({ attribute, name }) => columns.get(attribute) === name);
  if (sameColumns && now.enums === context.catalog.enums) return relation;
  const renew = (text: string | null): string | null =>
    text === null ? null : rewrittenExpression(context, before, text, { catalog: now, relation });
  return {
    ...relation,
    columns: relation.columns.map((column) => {
      if (column.dropped) return column;
      const { defaultText, generatedText } = column;
      return { ...column, defaultText: renew(defaultText), generatedText: renew(generatedText) };
    }),
    ...(relation.policies && { policies: relation.policies.map((policy) => renewed(policy, renew)) }),
    constraints: relation.constraints.map((row) => ({ ...row, expression: renew(row.expression) })),
    indexes: relation.indexes.map(({ shape, ...index }) => {
      if (!shape) return index;
      const elements = shape.elements.map((row) => ({ ...row, expression: renew(row.expression) }));
      return { ...index, shape: { ...shape, elements, where: renew(shape.where) } };
    }),
  };
}

const renewed = (policy: Policy, renew: (text: string | null) => string | null): Policy => ({
  ...policy,
  using: renew(policy.using),
  check: renew(policy.check),
});

/** A view that cannot be read as it is stays as it is. */
function viewText(context: BindContext, definition: string, now: Catalog): string {
  try {
    return rewrittenQuery(context, definition, now);
  } catch (error) {
    if (error instanceof SqlError) return definition;
    throw error;
  }
}
