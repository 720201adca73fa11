/** The statements that foreign keys run: referential actions, and a look for rows that refer to nothing. */
import { present } from '../../assert.ts';
import { typeName } from '../../catalog/enums.ts';
import { namespaceName } from '../../catalog/lookup.ts';
import type { Catalog, ForeignKey, ReferentialAction, Relation } from '../../catalog/model.ts';
import { arrayDatum } from '../../types/composite/array.ts';
import type { Datum } from '../../types/datum.ts';
import { quoteIdentifier } from '../../types/text/quote.ts';
import { arrayOf } from '../../types/registry.ts';
import { columnOf } from './foreign-key-errors.ts';
import type { GoneKey } from './foreign-key-rows.ts';

interface ActionStatement {
  readonly text: string;
  readonly types: readonly number[];
  readonly parameters: readonly Datum[];
}

/** The statement that a referential action is: a look for referring rows, or a change of them. */
export function actionStatement(
  catalog: Catalog,
  key: ForeignKey,
  gone: readonly GoneKey[],
  action: ReferentialAction,
): ActionStatement {
  const { child, parent, reference, constraint } = key;
  const types = reference.columns.map((attribute) => columnOf(parent, attribute).type.oid);
  const names = constraint.columns.map((attribute) => quoteIdentifier(columnOf(child, attribute).name));
  const table = tableName(catalog, child);
  const cascades = action === 'cascade' && gone[0]?.now !== null;
  const lists = cascades
    ? [
        ...types.map((_, i) => gone.map((one) => one.key[i])),
        ...types.map((_, i) => gone.map((one) => one.now?.[i])),
      ]
    : types.map((_, i) => gone.map((one) => one.key[i]));
  const listTypes = cascades ? [...types, ...types] : types;
  const keys = `(SELECT ${lists.map((_, i) => `a${i}.v AS k${i}`).join(', ')} FROM ${unnested(catalog, listTypes)}) AS k`;
  const matching = names.map((name, i) => `c.${name} = k.k${i}`).join(' AND ');
  const set = (value: (i: number) => string, only?: readonly number[]): string => {
    const items = names.flatMap((name, i) =>
      only?.includes(constraint.columns[i] ?? 0) === false ? [] : [`${name} = ${value(i)}`],
    );
    return `UPDATE ${table} AS c SET ${items.join(', ')} FROM ${keys} WHERE ${matching}`;
  };
  const named = gone[0]?.now === null ? reference.setOnDelete : undefined;
  const texts: Readonly<Record<ReferentialAction, () => string>> = {
    'no action': () =>
      `SELECT ${names.map((_, i) => `k.k${i}`).join(', ')} FROM ${table} AS c, ${keys} WHERE ${matching} LIMIT 1`,
    restrict: () => texts['no action'](),
    cascade: () =>
      cascades
        ? set((i) => `k.k${types.length + i}`)
        : `DELETE FROM ${table} AS c USING ${keys} WHERE ${matching}`,
    'set null': () => set(() => 'NULL', named),
    'set default': () => set(() => 'DEFAULT', named),
  };
  return {
    text: texts[action](),
    types: listTypes.map((oid) => present(arrayOf(oid), `array of type ${oid}`).oid),
    parameters: lists.map((list, i) =>
      arrayDatum(
        listTypes[i] as number,
        list.map((value) => value ?? null),
      ),
    ),
  };
}

const tableName = (catalog: Catalog, { namespace, name }: Relation): string =>
  `${quoteIdentifier(namespaceName(catalog, namespace) ?? 'public')}.${quoteIdentifier(name)}`;

/** The key of one row that refers to nothing. */
export function orphanQuery(catalog: Catalog, { child, constraint, parent, reference }: ForeignKey): string {
  const names = constraint.columns.map(
    (attribute) => `c.${quoteIdentifier(columnOf(child, attribute).name)}`,
  );
  const keys = reference.columns.map((attribute) => `p.${quoteIdentifier(columnOf(parent, attribute).name)}`);
  const given = `(${names.map((name) => `${name} IS NOT NULL`).join(reference.full ? ' OR ' : ' AND ')})`;
  const same = names.map((name, i) => `${name} = ${keys[i]}`).join(' AND ');
  const found = `SELECT 1 FROM ${tableName(catalog, parent)} AS p WHERE ${same}`;
  const from = `${tableName(catalog, child)} AS c`;
  return `SELECT ${names.join(', ')} FROM ${from} WHERE ${given} AND NOT EXISTS (${found}) LIMIT 1`;
}

/** `unnest($1) WITH ORDINALITY AS a0 (v, n) JOIN …`: the parameters' elements side by side. */
function unnested(catalog: Catalog, types: readonly number[]): string {
  const list = (i: number): string => {
    const type = typeName({ catalog, searchPath: [] }, { oid: types[i] as number, modifier: -1 });
    return `unnest($${i + 1}::${type}[]) WITH ORDINALITY AS a${i} (v, n)`;
  };
  return types.map((_, i) => (i === 0 ? list(i) : `JOIN ${list(i)} ON a${i}.n = a0.n`)).join(' ');
}
