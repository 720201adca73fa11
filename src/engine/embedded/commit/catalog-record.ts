/** The catalog as JSON text, as it is stored. */
import type { Catalog, Relation } from '../../../catalog/model.ts';
import type { EnumType } from '../../../catalog/enums.ts';
import type { SqlFunction } from '../../../catalog/functions.ts';

export function encodeCatalog(catalog: Catalog): string {
  const { relations, functions, enums } = catalog;
  return JSON.stringify({
    ...catalog,
    relations: [...relations.values()],
    functions: [...functions.values()],
    enums: [...enums.values()],
  });
}

/** Catalogs stored before there were functions or enums have none. */
type Stored = Omit<Catalog, 'relations' | 'functions' | 'enums'> & {
  readonly relations: readonly Relation[];
  readonly functions?: readonly SqlFunction[];
  readonly enums?: readonly EnumType[];
};

export function decodeCatalog(text: string): Catalog {
  const stored = JSON.parse(text) as Stored;
  return {
    ...stored,
    relations: byOid(stored.relations),
    functions: byOid(stored.functions ?? []),
    enums: byOid(stored.enums ?? []),
  };
}

const byOid = <T extends { readonly oid: number }>(rows: readonly T[]): ReadonlyMap<number, T> =>
  new Map(rows.map((row) => [row.oid, row]));
