/** All datasets, with how large they are, what is being read into them, and what failed. */
import { useState } from 'react';
import { Link } from 'react-router';
import { Button } from '../../parts/button.tsx';
import { bytes, count } from '../../parts/format.ts';
import { Page } from '../../parts/page.tsx';
import { Badge, Empty, FaultBox, Skeleton } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { When } from '../../parts/when.tsx';
import { useEvery } from '../../server/use-every.ts';
import { useMayCreate } from '../../server/use-may-create.ts';
import { WORDS } from '../../words.ts';
import { CreateDataset } from './create.tsx';
import { type DatasetRow, datasetPath, useDatasets } from './data.ts';
import styles from './datasets.module.css';

const { datasets: words } = WORDS;

const ASK_MS = 3000;

export function DatasetList() {
  const { value, fault, reload } = useDatasets();
  const [isCreating, setCreating] = useState(false);
  const mayCreate = useMayCreate('dataset');
  const isBusy = value?.some(({ queued }) => queued !== '0') === true;
  useEvery(isBusy ? ASK_MS : null, reload);
  const create = (
    <Button kind="main" icon="plus" onClick={() => setCreating(true)}>
      {words.create}
    </Button>
  );
  return (
    <Page
      title={WORDS.pages.datasets}
      name={WORDS.pages.datasets}
      actions={value?.length !== 0 && mayCreate && create}
    >
      {fault !== null && <FaultBox fault={fault} onRetry={reload} />}
      {value === null && fault === null && <Skeleton />}
      {value?.length === 0 && !mayCreate && (
        <Empty title={words.noneSeen} sql={words.grantSql}>
          {words.noneSeenSaid}
        </Empty>
      )}
      {value?.length === 0 && mayCreate && (
        <Empty
          title={words.none}
          action={create}
          sql="CREATE DATASET filings WITH (description = 'annual reports')"
        >
          {words.noneSaid}
        </Empty>
      )}
      {value !== null && value.length > 0 && <DatasetTable rows={value} />}
      {isCreating && <CreateDataset onClose={() => setCreating(false)} onMade={reload} />}
    </Page>
  );
}

function DatasetTable({ rows }: { readonly rows: readonly DatasetRow[] }) {
  const { columns } = words;
  return (
    <Table>
      <thead>
        <tr>
          <th scope="col">{columns.name}</th>
          <th scope="col">{columns.state}</th>
          <th scope="col" data-number>
            {columns.documents}
          </th>
          <th scope="col" data-number>
            {columns.chunks}
          </th>
          <th scope="col" data-number>
            {columns.size}
          </th>
          <th scope="col">{columns.changed}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.name}>
            <th scope="row">
              <Link to={datasetPath(row.name)}>{row.name}</Link>
              <p className="quiet small cut" title={row.description}>
                {row.description}
              </p>
            </th>
            <td>
              <DatasetState row={row} />
            </td>
            <td data-number>{count(Number(row.documents))}</td>
            <td data-number>{count(Number(row.chunks))}</td>
            <td data-number>{bytes(Number(row.bytes))}</td>
            <td>
              <When at={row.changed_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

/** Tells what is under way and what failed, each a link to where more is told. */
export function DatasetState({ row: { name, queued, failed, documents } }: { readonly row: DatasetRow }) {
  const isQuiet = queued === '0' && failed === '0';
  return (
    <span className={styles.states}>
      {queued !== '0' && (
        <Link to={datasetPath(name, 'queue')}>
          <Badge tone="busy">{words.beingRead(count(Number(queued)))}</Badge>
        </Link>
      )}
      {failed !== '0' && (
        <Link to={datasetPath(name, 'failures')}>
          <Badge tone="bad">{words.failed(count(Number(failed)))}</Badge>
        </Link>
      )}
      {isQuiet && (
        <Badge tone={documents === '0' ? 'plain' : 'good'}>
          {documents === '0' ? words.isEmpty : words.isReady}
        </Badge>
      )}
    </span>
  );
}
