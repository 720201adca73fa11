/** The default of SERIAL and IDENTITY columns, `nextval('books_id_seq'::regclass)`, which names its sequence. */
import { quoteIdentifier, quoteLiteral } from '../types/text/quote.ts';
import type { Catalog, Column, Relation } from './model.ts';

const TEXT = /^nextval\('(.+)'::regclass\)$/;

/** @param schema null where the search path finds the sequence. */
export function sequenceDefault(schema: string | null, sequence: string): string {
  return `nextval(${quoteLiteral(qualified(schema, sequence))}::regclass)`;
}

/** Columns whose default counts with a sequence, with their relations. */
export function columnsCountingWith(
  catalog: Catalog,
  sequence: Relation,
): readonly { readonly relation: Relation; readonly column: Column }[] {
  const schema = catalog.namespaces.find(({ oid }) => oid === sequence.namespace)?.name ?? null;
  const names = [qualified(null, sequence.name), qualified(schema, sequence.name)];
  return [...catalog.relations.values()].flatMap((relation) =>
    relation.columns
      .filter(({ dropped, defaultText }) => {
        const name = TEXT.exec(defaultText ?? '')?.[1]?.replaceAll("''", "'");
        return !dropped && name !== undefined && names.includes(name);
      })
      .map((column) => ({ relation, column })),
  );
}

function qualified(schema: string | null, name: string): string {
  return schema === null ? quoteIdentifier(name) : `${quoteIdentifier(schema)}.${quoteIdentifier(name)}`;
}
