/** All collections and tables: how many rows, how large, which indexes and in which state. */
import { useMemo, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { bytes, count } from '../../parts/format.ts';
import { Page } from '../../parts/page.tsx';
import { Badge, FaultBox, Skeleton } from '../../parts/states.tsx';
import { When } from '../../parts/when.tsx';
import { type Loaded, useRows } from '../../server/use-rows.ts';
import { useMayCreate } from '../../server/use-may-create.ts';
import { Table } from '../../parts/table.tsx';
import { WORDS } from '../../words.ts';
import styles from './collections.module.css';
import { Create } from './create.tsx';
import { NoCollections } from './no-collections.tsx';
import { collectionPath } from './place.ts';
import { shownName } from './relation.ts';

const { collections: words } = WORDS;

/** Tables that one may do anything with; of others there is nothing to see. */
const MAY_USE = `(has_any_column_privilege(c.oid, 'SELECT') OR has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE'))`;

const LIST = `SELECT n.nspname AS schema, c.relname AS name, q.name IS NOT NULL AS collection,
  coalesce(q.row_count::float8, nullif(c.reltuples, -1)::float8) AS rows,
  coalesce(q.bytes, pg_total_relation_size(c.oid))::float8 AS bytes, q.changed_at,
  i.kinds, coalesce(i.building, false) AS building, p.rows::float8 AS pending
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN quern.collections q ON q.schema = n.nspname AND q.name = c.relname
LEFT JOIN (SELECT schema, relation, array_agg(DISTINCT kind) AS kinds, bool_or(state <> 'ready') AS building
  FROM quern.indexes WHERE NOT is_primary GROUP BY 1, 2) i ON i.schema = n.nspname AND i.relation = c.relname
LEFT JOIN (SELECT schema, relation, sum(rows) AS rows FROM quern.pending GROUP BY 1, 2) p
  ON p.schema = n.nspname AND p.relation = c.relname
WHERE c.relkind IN ('r', 'p') AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'quern')
  AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname NOT IN (SELECT name FROM quern.datasets)
  AND ${MAY_USE}
ORDER BY n.nspname <> 'public', 1, 2`;

interface Listed {
  readonly schema: string;
  readonly name: string;
  readonly collection: boolean;
  readonly rows: number | null;
  readonly bytes: number | null;
  /** Null: never written to, or it is not told. */
  readonly changed_at: string | null;
  readonly kinds: readonly string[] | null;
  readonly building: boolean;
  /** Rows that are not yet found by meaning. */
  readonly pending: number | null;
}

export function CollectionList() {
  const list = useRows<Listed>(LIST);
  const [search, setSearch] = useSearchParams();
  const [typed, type] = useState('');
  const isCreating = search.has('create');
  const create = (isShown: boolean): void => setSearch(isShown ? { create: '' } : {});
  const shown = useMemo(() => {
    const wanted = typed.trim().toLowerCase();
    return (list.value ?? []).filter(({ schema, name }) =>
      shownName(schema, name).toLowerCase().includes(wanted),
    );
  }, [list.value, typed]);
  const isEmpty = list.value?.length === 0;
  const mayCreate = useMayCreate('table');
  return (
    <Page
      title={WORDS.pages.collections}
      name={WORDS.pages.collections}
      actions={
        !isEmpty &&
        mayCreate && (
          <Button kind="main" icon="plus" onClick={() => create(true)}>
            {words.create.open}
          </Button>
        )
      }
    >
      {list.fault !== null && <FaultBox fault={list.fault} onRetry={list.reload} />}
      {list.value === null && list.isLoading && <Skeleton />}
      {isEmpty && <NoCollections onLoaded={list.reload} onCreate={() => create(true)} />}
      {list.value !== null && !isEmpty && <Listing all={list} shown={shown} typed={typed} onType={type} />}
      {isCreating && <Create onClose={() => create(false)} />}
    </Page>
  );
}

interface ListingProps {
  readonly all: Loaded<readonly Listed[]>;
  readonly shown: readonly Listed[];
  readonly typed: string;
  readonly onType: (text: string) => void;
}

function Listing({ all, shown, typed, onType }: ListingProps) {
  return (
    <>
      <div className={styles.toolbar}>
        <div className={styles.searchBox}>
          <TextField
            label={words.find}
            isLabelHidden
            type="search"
            placeholder={words.find}
            value={typed}
            onChange={({ target }) => onType(target.value)}
          />
        </div>
        <span className="grow" />
        <span className="quiet number" role="status">
          {words.listed(count(shown.length), count(all.value?.length ?? 0))}
        </span>
      </div>
      <Table>
        <thead>
          <tr>
            <th scope="col">{words.name}</th>
            <th scope="col" data-number>
              {words.rowCount}
            </th>
            <th scope="col" data-number>
              {words.size}
            </th>
            <th scope="col">{words.indexes}</th>
            <th scope="col">{words.state}</th>
            <th scope="col">{words.changed}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((one) => (
            <ListedRow key={`${one.schema}.${one.name}`} one={one} />
          ))}
        </tbody>
      </Table>
      {shown.length === 0 && <p className={`quiet ${styles.none}`}>{words.noneFound(typed)}</p>}
    </>
  );
}

function ListedRow({ one }: { readonly one: Listed }) {
  const name = shownName(one.schema, one.name);
  return (
    <tr>
      <th scope="row">
        <Link to={collectionPath(name)} title={name}>
          {name}
        </Link>
        {!one.collection && <span className="quiet small"> {words.plain}</span>}
      </th>
      <td data-number>{one.rows === null ? words.notTold : count(one.rows)}</td>
      <td data-number>{one.bytes === null ? words.notTold : bytes(one.bytes)}</td>
      <td className="quiet">
        {(one.kinds ?? []).map((kind) => words.kinds[kind] ?? kind).join(', ') || '–'}
      </td>
      <td>
        <State one={one} />
      </td>
      <td>
        <When at={one.changed_at} />
      </td>
    </tr>
  );
}

function State({ one: { building, pending } }: { readonly one: Listed }) {
  if (building) return <Badge tone="busy">{words.building}</Badge>;
  if (pending !== null && pending > 0) return <Badge tone="busy">{words.embedding(count(pending))}</Badge>;
  return <Badge tone="good">{words.ready}</Badge>;
}
