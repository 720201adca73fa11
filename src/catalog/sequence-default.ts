/**
 * The default of SERIAL and IDENTITY columns, `nextval('books_id_seq'::regclass)`: its text, and the sequence a
 * text names, which the column owns.
 */
import { quoteIdentifier, quoteLiteral } from '../types/quote.ts';
import type { Catalog, Column, Relation } from './model.ts';

const TEXT = /^nextval\('(.+)'::regclass\)$/;

/** @param schema null where the search path finds the sequence. */
export function sequenceDefault(schema: string | null, sequence: string): string {
  return `nextval(${quoteLiteral(qualified(schema, sequence))}::regclass)`;
}

/**
 * The sequence that a column owns: the one behind its default, of its own schema, and named after the column,
 * as SERIAL and IDENTITY name theirs. A sequence by another name was made apart and stays when the column goes.
 */
export function ownedSequence(catalog: Catalog, relation: Relation, column: Column): Relation | undefined {
  const name = TEXT.exec(column.defaultText ?? '')?.[1]?.replaceAll("''", "'");
  if (name === undefined || column.dropped) return undefined;
  const schema = catalog.namespaces.find(({ oid }) => oid === relation.namespace)?.name ?? null;
  return [...catalog.relations.values()].find(
    (candidate) =>
      candidate.kind === 'sequence' &&
      candidate.namespace === relation.namespace &&
      candidate.name.endsWith(`_${column.name}_seq`) &&
      [qualified(null, candidate.name), qualified(schema, candidate.name)].includes(name),
  );
}

function qualified(schema: string | null, name: string): string {
  return schema === null ? quoteIdentifier(name) : `${quoteIdentifier(schema)}.${quoteIdentifier(name)}`;
}
