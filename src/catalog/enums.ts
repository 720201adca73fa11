/**
 * Enum types as immutable data. A label's order is what rows hold (`composite/enum.ts`): it never changes while
 * the type lives; a label between two others gets the number halfway, as in PostgreSQL.
 */
import { SqlError } from '../errors.ts';
import { NAME_BYTES_MAX } from '../limits.ts';
import { enumOidBelow, NamedEnums, withNamedEnums } from '../types/composite/enum.ts';
import { quoteIdentifier } from '../types/text/quote.ts';
import { formatType, isBuiltIn } from '../types/registry.ts';
import type { EnumValues, FormatSettings, TypeRef } from '../types/type.ts';
import { effectivePath, findNamespace, namespaceName } from './lookup.ts';
import type { Catalog, EnumLabel, EnumType } from './model.ts';
import { generatedOid, isExtensionType } from './oids.ts';

/** Where ADD VALUE puts a label: at the end, or beside another one. */
export type LabelPlace = { readonly side: 'before' | 'after'; readonly neighbour: string } | null;

/** @param schema null to look along the search path. */
export function findEnum(
  catalog: Catalog,
  schema: string | null,
  name: string,
  searchPath: readonly string[],
): EnumType | undefined {
  for (const path of schema === null ? effectivePath(searchPath) : [schema]) {
    const namespace = findNamespace(catalog, path)?.oid;
    for (const type of catalog.enums.values()) {
      if (type.name === name && type.namespace === namespace) return type;
    }
  }
  return undefined;
}

/** The enum of this OID, or the one whose arrays have it. */
export function enumByOid(catalog: Catalog, oid: number): EnumType | undefined {
  return oid < 0 ? undefined : catalog.enums.get(enumOidBelow(oid));
}

/** As SQL writes the type: quoted, with its schema where the search path needs it. */
export function enumName(catalog: Catalog, type: EnumType, searchPath: readonly string[]): string {
  const name = quoteIdentifier(type.name);
  if (findEnum(catalog, null, type.name, searchPath) === type) return name;
  return `${quoteIdentifier(namespaceName(catalog, type.namespace) ?? '')}.${name}`;
}

/** Any type as SQL writes it, with its modifier; null for an OID that is no type's. */
export function typeName({ catalog, searchPath }: Place, type: TypeRef): string | null {
  const known = enumByOid(catalog, type.oid);
  if (known === undefined) {
    if (!isBuiltIn(type.oid)) return null;
    const schema = isExtensionType(type.oid) && !searchPath.includes('public') ? 'public.' : '';
    return schema + formatType(type);
  }
  const name = enumName(catalog, known, searchPath);
  return type.oid === known.oid ? name : `${name}[]`;
}

interface Place {
  readonly catalog: Catalog;
  readonly searchPath: readonly string[];
}

/** Names that each version was asked for last. */
const NAMED = new WeakMap<Catalog, { readonly path: string; readonly enums: NamedEnums }>();

/** Messages and texts made by `run`, which waits for nothing, call enums as this place does. */
export function withEnumNames<T>(place: Place, run: () => T): T {
  return place.catalog.enums.size === 0 ? run() : withNamedEnums(namedEnums(place), run);
}

function namedEnums({ catalog, searchPath }: Place): NamedEnums {
  const path = JSON.stringify(searchPath);
  const known = NAMED.get(catalog);
  if (known?.path === path) return known.enums;
  const enums = new NamedEnums(
    [...catalog.enums.values()].map((type) => {
      const { oid, name, labels } = type;
      return [oid, { name, displayName: enumName(catalog, type, searchPath), labels }];
    }),
  );
  NAMED.set(catalog, { path, enums });
  return enums;
}

/** Values and labels by type; each enum's are made when first asked for. */
export function enumValuesOf(catalog: Catalog): (type: number) => EnumValues {
  const known = new Map<number, EnumValues>();
  return (type) => {
    const labels = catalog.enums.get(type)?.labels ?? [];
    const values = known.get(type) ?? {
      labels: new Map(labels.map(({ order, label }) => [order, label])),
      orders: new Map(labels.map(({ order, label }) => [label, order])),
    };
    known.set(type, values);
    return values;
  };
}

/** The settings, with the labels that a version of the catalog has. */
export function settingsWithEnums(settings: FormatSettings, catalog: Catalog): FormatSettings {
  return { ...settings, objects: { ...settings.objects, enumValues: enumValuesOf(catalog) } };
}

/** An OID for a new enum that no other has; types of one name made at different times differ. */
export function newEnumOid(catalog: Catalog, type: Pick<EnumType, 'namespace' | 'name'>): number {
  for (let attempt = 0; ; attempt++) {
    const seed = `type ${type.namespace}.${type.name} ${catalog.nextOid} ${attempt}`;
    const oid = enumOidBelow(generatedOid(seed));
    if (!catalog.enums.has(oid)) return oid;
  }
}

/** Labels of a new type, from 1 on. @throws SqlError 42602, 23505. */
export function newLabels(labels: readonly string[]): readonly EnumLabel[] {
  return labels.map((label, i) => {
    checkLabel(label);
    if (labels.indexOf(label) < i) {
      const message = 'duplicate key value violates unique constraint "pg_enum_typid_label_index"';
      throw new SqlError('unique_violation', message, {
        detail: `Key (enumlabel)=(${label}) already exists.`,
      });
    }
    return { oid: 0, order: i + 1, label };
  });
}

/** @throws SqlError 22023 for a neighbour that is not there, 42710, 42602, 54000 when no number is left. */
export function withLabel(type: EnumType, label: string, place: LabelPlace): EnumType {
  checkLabel(label);
  const { labels } = type;
  if (labels.some((known) => known.label === label)) {
    throw new SqlError('duplicate_object', `enum label "${label}" already exists`);
  }
  const at = place === null ? labels.length : neighbourAt(labels, place);
  const [low, high] = [labels[at - 1]?.order, labels[at]?.order];
  const order = high === undefined ? (low ?? 0) + 1 : low === undefined ? high - 1 : (low + high) / 2;
  if (order === low || order === high) {
    throw new SqlError(
      'program_limit_exceeded',
      `no more labels fit beside enum label "${place?.neighbour}"`,
      {
        hint: 'Make a new type with all the labels, and change the columns to it.',
      },
    );
  }
  return { ...type, labels: labels.toSpliced(at, 0, { oid: 0, order, label }) };
}

function neighbourAt(labels: readonly EnumLabel[], { side, neighbour }: NonNullable<LabelPlace>): number {
  const found = labels.findIndex(({ label }) => label === neighbour);
  if (found === -1) {
    throw new SqlError('invalid_parameter_value', `"${neighbour}" is not an existing enum label`);
  }
  return side === 'before' ? found : found + 1;
}

/** @throws SqlError 22023, 42710. */
export function withRenamedLabel(type: EnumType, from: string, to: string): EnumType {
  checkLabel(to);
  if (!type.labels.some(({ label }) => label === from)) {
    throw new SqlError('invalid_parameter_value', `"${from}" is not an existing enum label`);
  }
  if (type.labels.some(({ label }) => label === to)) {
    throw new SqlError('duplicate_object', `enum label "${to}" already exists`);
  }
  const labels = type.labels.map((known) => (known.label === from ? { ...known, label: to } : known));
  return { ...type, labels };
}

function checkLabel(label: string): void {
  if (Buffer.byteLength(label) <= NAME_BYTES_MAX) return;
  throw new SqlError('invalid_name', `invalid enum label "${label}"`, {
    detail: `Labels must be ${NAME_BYTES_MAX} bytes or less.`,
  });
}
