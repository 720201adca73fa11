/** One dataset: documents, what is being read, what failed, metadata, settings. Files dropped anywhere on it are uploaded. */
import { Route, Routes } from 'react-router';
import { usePath } from '../../shell/path.ts';
import { Page } from '../../parts/page.tsx';
import { Empty, FaultBox, Skeleton } from '../../parts/states.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { LinkButton } from '../../parts/button.tsx';
import { useEvery } from '../../server/use-every.ts';
import { useRows } from '../../server/use-rows.ts';
import { WORDS } from '../../words.ts';
import { NotFound } from '../not-found.tsx';
import { DATASETS, type DatasetRow, datasetPath } from './data.ts';
import { Documents } from './documents.tsx';
import { Failures } from './failures.tsx';
import { DatasetState } from './list.tsx';
import { MetadataGrid } from './metadata.tsx';
import { Queue } from './queue.tsx';
import { Settings } from './settings.tsx';
import { DropArea } from './upload/drop-area.tsx';
import { UploadButton } from './upload/upload-button.tsx';
import { UploadsBar } from './upload/uploads-bar.tsx';
import { useUploads } from './upload/uploads.ts';

const { datasets: words } = WORDS;

/** While something is under way, and else: others upload, too. */
const ASK_MS = { busy: 2000, quiet: 15_000 };

export function Dataset() {
  const [, dataset = ''] = usePath();
  const { value, fault, reload } = useRows<DatasetRow>(`${DATASETS} WHERE d.name = $1`, [dataset]);
  const { isBusy: isUploading } = useUploads(dataset);
  const row = value?.[0] ?? null;
  const isBusy = isUploading || (row !== null && row.queued !== '0');
  useEvery(isBusy ? ASK_MS.busy : ASK_MS.quiet, reload);
  const isGone = value !== null && row === null;
  return (
    <Page
      title={dataset}
      name={dataset}
      state={
        row !== null && (
          <span className="wide-only">
            <DatasetState row={row} />
          </span>
        )
      }
      actions={row !== null && row.documents !== '0' && <UploadButton dataset={dataset} />}
      tabs={<DatasetTabs dataset={dataset} row={row} />}
    >
      {fault !== null && <FaultBox fault={fault} onRetry={reload} />}
      {value === null && fault === null && <Skeleton />}
      {isGone && (
        <Empty title={words.gone(dataset)} action={<LinkButton to="/datasets">{words.toList}</LinkButton>}>
          {words.goneSaid}
        </Empty>
      )}
      {row !== null && <Sides row={row} reload={reload} />}
    </Page>
  );
}

function DatasetTabs({ dataset, row }: { readonly dataset: string; readonly row: DatasetRow | null }) {
  const { tabs } = words;
  return (
    <Tabs
      label={dataset}
      tabs={[
        { to: datasetPath(dataset), label: tabs.documents, count: numberOf(row?.documents), isEnd: true },
        { to: datasetPath(dataset, 'queue'), label: tabs.queue, count: numberOf(row?.queued) },
        { to: datasetPath(dataset, 'failures'), label: tabs.failures, count: numberOf(row?.failed) },
        { to: datasetPath(dataset, 'metadata'), label: tabs.metadata },
        { to: datasetPath(dataset, 'settings'), label: tabs.settings },
      ]}
    />
  );
}

const numberOf = (value: string | undefined): number | null => (value === undefined ? null : Number(value));

function Sides({ row, reload }: { readonly row: DatasetRow; readonly reload: () => void }) {
  const { name } = row;
  /** Other states are other rows: lists are asked again when one has come. */
  const stamp = [row.documents, row.queued, row.failed, row.chunks].join(' ');
  return (
    <DropArea dataset={name} label={words.dropHere(name)}>
      <Routes>
        <Route index element={<Documents row={row} stamp={stamp} />} />
        <Route path="queue" element={<Queue row={row} />} />
        <Route path="failures" element={<Failures dataset={name} stamp={stamp} />} />
        <Route path="metadata" element={<MetadataGrid row={row} stamp={stamp} />} />
        <Route path="settings" element={<Settings row={row} onChanged={reload} />} />
        <Route path="*" Component={NotFound} />
      </Routes>
      <UploadsBar dataset={name} />
    </DropArea>
  );
}
