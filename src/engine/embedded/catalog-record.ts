/** The catalog as JSON text, as it is stored. */
import type { EnumType } from '../../catalog/enums.ts';
import type { Catalog, Relation } from '../../catalog/model.ts';

export function encodeCatalog(catalog: Catalog): string {
  const { relations, enums } = catalog;
  return JSON.stringify({ ...catalog, relations: [...relations.values()], enums: [...enums.values()] });
}

/** Catalogs stored before there were enums have none. */
type Stored = Omit<Catalog, 'relations' | 'enums'> & {
  readonly relations: readonly Relation[];
  readonly enums?: readonly EnumType[];
};

export function decodeCatalog(text: string): Catalog {
  const stored = JSON.parse(text) as Stored;
  return { ...stored, relations: byOid(stored.relations), enums: byOid(stored.enums ?? []) };
}

const byOid = <T extends { readonly oid: number }>(rows: readonly T[]): ReadonlyMap<number, T> =>
  new Map(rows.map((row) => [row.oid, row]));
