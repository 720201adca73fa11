/** The catalog as JSON text, as it is stored. */
import type { Catalog, Relation } from '../../catalog/model.ts';

export function encodeCatalog(catalog: Catalog): string {
  return JSON.stringify({ ...catalog, relations: [...catalog.relations.values()] });
}

export function decodeCatalog(text: string): Catalog {
  const stored = JSON.parse(text) as Omit<Catalog, 'relations'> & { relations: readonly Relation[] };
  return { ...stored, relations: new Map(stored.relations.map((relation) => [relation.oid, relation])) };
}
