/** Target of a request: a collection, or a partition of one. */
import { present } from '../../assert.ts';
import type { Relation } from '../../catalog/model.ts';
import { splitPartition } from '../../catalog/partition-names.ts';
import { splitName } from '../../catalog/services.ts';
import { SqlError } from '../../errors.ts';
import type { CopyStatement, QualifiedName } from '../../sql/ast.ts';
import type { TypeRef } from '../../types/type.ts';
import { lockedInternal } from '../running/internal-statement.ts';
import type { Planned } from '../running/planner.ts';
import type { Statement } from '../running/statement.ts';

export interface WrittenCollection {
  readonly name: QualifiedName;
  readonly relation: Relation;
  readonly partition: string | null;
}

/** Names as in SQL text: `books`, `public.books$acme`, `"my-books$acme"`. @throws SqlError 42602. */
function qualifiedName(written: string): QualifiedName {
  const parts = splitName(written);
  const last = parts?.at(-1) ?? '';
  if (parts === null || parts.length > 2 || last === '') {
    throw new SqlError('invalid_name', `"${written}" is no name of a collection`, {
      hint: 'Write it as in SQL text: books, "My books", public.books$acme.',
    });
  }
  return { ...splitPartition(last), schema: parts.length === 2 ? (parts[0] ?? null) : null, at: 0 };
}

/** A COPY into the relation, whose rows come from the server itself. */
function copyInto(
  relation: QualifiedName,
  columns: { readonly names: readonly string[]; readonly types: readonly TypeRef[] } | null,
): CopyStatement {
  return {
    kind: 'copy',
    at: 0,
    direction: 'from',
    relation,
    columns: columns?.names ?? null,
    ...(columns !== null && { types: columns.types }),
    query: null,
    source: 'stdin',
    options: {},
    optionsAt: {},
    where: null,
  };
}

/** The insert of the columns, with its locks had. @throws SqlError 42P01, 42703, 54011. */
export function insertInto(
  statement: Statement,
  relation: QualifiedName,
  columns: Parameters<typeof copyInto>[1],
): Promise<Planned> {
  const parsed = { statement: copyInto(relation, columns), text: '', start: 0 };
  return lockedInternal(statement, parsed, { types: [], parameters: [] });
}

/** Locked as a writer locks it. @throws SqlError 42602, 42P01, 42809. */
export async function writtenCollection(statement: Statement, written: string): Promise<WrittenCollection> {
  const name = qualifiedName(written);
  const { bound } = await insertInto(statement, name, null);
  const oid = bound.kind === 'plan' && bound.plan.kind === 'insert' ? bound.plan.relation : 0;
  const relation = present(statement.session.catalog().relations.get(oid), 'what is written to');
  if (relation.kind !== 'collection') {
    throw new SqlError('wrong_object_type', `"${relation.name}" is not a collection`, {
      hint: 'Documents go into collections: tables that declare _id or an INDEX clause. Use INSERT or UPDATE here.',
    });
  }
  return { name, relation, partition: name.partition };
}
