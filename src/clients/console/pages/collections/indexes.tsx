/**
 * Indexes of a collection: what they are over, their state, how far a build is; made and dropped with the SQL
 * in sight.
 */
import { useEffect, useState } from 'react';
import { IconButton } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { bytes, count, duration } from '../../parts/format.ts';
import { Badge, FaultBox, Skeleton, type Tone } from '../../parts/states.tsx';
import { quoteName } from '../../server/names.ts';
import { run } from '../../server/statement.ts';
import { useRows } from '../../server/use-rows.ts';
import { Table } from '../../parts/table.tsx';
import { WORDS } from '../../words.ts';
import { AddIndex } from './add-index.tsx';
import styles from './collections.module.css';
import type { Relation } from './relation.ts';

const { indexList: words } = WORDS.collections;

const INDEXES = `SELECT i.index, i.kind, i.columns, i.options, i.is_unique, i.is_primary, i.state, i.is_valid,
  i.bytes::float8 AS bytes, i.build_ms::float8 AS build_ms, p.rows::float8 AS pending,
  p.reason, b.done, b.total
FROM quern.indexes i
LEFT JOIN (SELECT index, sum(rows) AS rows, max(reason) AS reason FROM quern.pending
  WHERE schema = $1 AND relation = $2 GROUP BY 1) p ON p.index = i.index
LEFT JOIN (SELECT r.relname AS name, max(s.tuples_done)::float8 AS done, max(s.tuples_total)::float8 AS total
  FROM pg_stat_progress_create_index s JOIN pg_catalog.pg_class r ON r.oid = s.index_relid
  GROUP BY 1) b ON b.name = i.index
WHERE i.schema = $1 AND i.relation = $2 ORDER BY i.is_primary DESC, i.columns[1], i.index`;

interface IndexRow {
  readonly index: string;
  readonly kind: string;
  readonly columns: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  readonly is_unique: boolean;
  readonly is_primary: boolean;
  readonly state: string;
  readonly is_valid: boolean;
  readonly bytes: number;
  readonly build_ms: number;
  readonly pending: number | null;
  readonly reason: string | null;
  readonly done: number | null;
  readonly total: number | null;
}

interface IndexesProps {
  readonly relation: Relation;
  readonly onChanged: () => void;
}

/** While something is being built it is looked at so often. */
const LOOKED_MS = 1500;

export function Indexes({ relation, onChanged }: IndexesProps) {
  const list = useRows<IndexRow>(INDEXES, [relation.schema, relation.name]);
  const [dropped, drop] = useState<IndexRow | null>(null);
  const { value, reload } = list;
  const isBuilding = value?.some((index) => index.state !== 'ready' || (index.pending ?? 0) > 0) === true;
  useEffect(() => {
    if (!isBuilding) return undefined;
    const timer = setInterval(reload, LOOKED_MS);
    return () => clearInterval(timer);
  }, [isBuilding, reload]);
  const changed = (): void => {
    reload();
    onChanged();
  };
  const dropSql = dropped === null ? '' : dropSqlOf(relation, dropped.index);
  return (
    <>
      {list.fault !== null && <FaultBox fault={list.fault} onRetry={reload} />}
      {value === null && list.isLoading && <Skeleton />}
      {value !== null && value.length > 0 && (
        <IndexTable indexes={value} canDrop={relation.rights.own} onDrop={drop} />
      )}
      {value?.length === 0 && <p className={`quiet ${styles.none}`}>{words.none}</p>}
      {relation.rights.own && <AddIndex relation={relation} onChanged={changed} />}
      {dropped !== null && (
        <Confirm
          title={words.drop(dropped.index)}
          action={words.drop(dropped.index)}
          sql={dropSql}
          onConfirm={async () => {
            await run(dropSql);
            changed();
          }}
          onClose={() => drop(null)}
        >
          <p>{words.dropSaid(dropped.columns.join(', '))}</p>
        </Confirm>
      )}
    </>
  );
}

interface IndexTableProps {
  readonly indexes: readonly IndexRow[];
  readonly canDrop: boolean;
  readonly onDrop: (index: IndexRow) => void;
}

function IndexTable({ indexes, canDrop, onDrop }: IndexTableProps) {
  return (
    <Table>
      <thead>
        <tr>
          <th scope="col">{words.name}</th>
          <th scope="col">{words.kind}</th>
          <th scope="col">{words.columns}</th>
          <th scope="col">{words.state}</th>
          <th scope="col" data-number>
            {words.size}
          </th>
          <th scope="col">{words.options}</th>
          <th scope="col">
            <span className="only-read">{words.drop('')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {indexes.map((index) => (
          <IndexLine
            key={index.index}
            index={index}
            onDrop={canDrop && !index.is_primary ? () => onDrop(index) : null}
          />
        ))}
      </tbody>
    </Table>
  );
}

const dropSqlOf = (relation: Relation, index: string): string =>
  `DROP INDEX ${relation.schema === 'public' ? '' : `${quoteName(relation.schema)}.`}${quoteName(index)}`;

interface IndexLineProps {
  readonly index: IndexRow;
  readonly onDrop: (() => void) | null;
}

function IndexLine({ index, onDrop }: IndexLineProps) {
  const { index: name, kind, columns, options, is_unique: isUnique, is_primary: isPrimary } = index;
  const shown = Object.entries(options).filter(([, value]) => value !== '' && value !== null);
  const kindSaid = isPrimary ? words.primary : `${isUnique ? `${words.unique} ` : ''}${kind}`;
  return (
    <tr>
      <th scope="row" title={name}>
        {name}
      </th>
      <td>{kindSaid}</td>
      <td className="mono small">{columns.join(', ')}</td>
      <td>
        <State index={index} />
      </td>
      <td data-number>{index.bytes === 0 ? <span className="quiet">–</span> : bytes(index.bytes)}</td>
      <td className="quiet small">
        {shown.map(([option, value]) => `${option} ${String(value)}`).join(', ')}
      </td>
      <td>{onDrop !== null && <IconButton icon="bin" label={words.drop(name)} onClick={onDrop} />}</td>
    </tr>
  );
}

const TONES: Readonly<Record<string, Tone>> = {
  ready: 'good',
  building: 'busy',
  error: 'bad',
  failed: 'bad',
};

function State({
  index: { state, pending, reason, done, total, build_ms: buildMs },
}: {
  readonly index: IndexRow;
}) {
  const far = done !== null && total !== null && total > 0 ? words.built(count(done), count(total)) : null;
  const isWaiting = pending !== null && pending > 0;
  return (
    <span className="row">
      <Badge tone={isWaiting ? 'busy' : (TONES[state] ?? 'plain')}>
        {isWaiting ? words.embedding(count(pending)) : state}
      </Badge>
      {far !== null && <span className="quiet number small">{far}</span>}
      {far === null && state === 'ready' && buildMs > 0 && (
        <span className="quiet number small">{words.took(duration(buildMs))}</span>
      )}
      {reason !== null && <span className="quiet small">{reason}</span>}
    </span>
  );
}
