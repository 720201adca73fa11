/** Metadata of a dataset's documents as a grid, a column for each field; a row is edited as JSON at the right. */
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { type Location, useSearchParams } from 'react-router';
import { Grid } from '../../grid/grid.tsx';
import { Button } from '../../parts/button.tsx';
import { TextArea } from '../../parts/field.tsx';
import { useLeaveGuard } from '../../parts/leave.tsx';
import { Panel, Split } from '../../parts/page.tsx';
import { Empty, FaultBox, Skeleton, Sql } from '../../parts/states.tsx';
import type { Column, Json } from '../../server/messages.ts';
import { quoteName, quoteText } from '../../server/names.ts';
import { usePages } from '../../server/use-pages.ts';
import { useRows } from '../../server/use-rows.ts';
import { useAttempt } from '../../server/use-attempt.ts';
import { WORDS } from '../../words.ts';
import { type DatasetRow, updateMetadata } from './data.ts';
import styles from './datasets.module.css';

const { datasets: words } = WORDS;

interface MetadataRow {
  readonly doc_id: string;
  readonly metadata: Readonly<Record<string, Json>>;
}

const fieldsOf = (dataset: string): string =>
  `SELECT key, min(jsonb_typeof(value)) AS type
  FROM ${quoteName(dataset)}.documents, jsonb_each(metadata)
  GROUP BY key ORDER BY count(*) DESC, key LIMIT 256`;

const TYPES: Readonly<Record<string, string>> = {
  number: 'numeric',
  string: 'text',
  boolean: 'boolean',
  array: 'list',
};

/** A row has its address behind `?`. */
const rowOf = ({ pathname, search }: Location): string => pathname + search;

/** Fields of all documents, a column each. */
function useFields(dataset: string) {
  const fields = useRows<{ readonly key: string; readonly type: string }>(fieldsOf(dataset));
  const columns = useMemo<readonly Column[]>(
    () => [
      { name: 'doc_id', type: 'text' },
      ...(fields.value ?? []).map(({ key, type }) => ({ name: key, type: TYPES[type] ?? type })),
    ],
    [fields.value],
  );
  return { fields, columns };
}

interface GridProps {
  readonly row: DatasetRow;
  readonly stamp: string;
}

export function MetadataGrid({ row: { name, documents }, stamp }: GridProps) {
  const [search, setSearch] = useSearchParams();
  const { fields, columns } = useFields(name);
  const list = usePages<MetadataRow>(
    `SELECT doc_id, metadata FROM ${quoteName(name)}.documents ORDER BY doc_id`,
    [],
  );
  const { reload } = list;
  const reloadFields = fields.reload;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what has changed is asked again
  useEffect(() => {
    reload();
    reloadFields();
  }, [stamp]);
  const opened = search.get('doc');
  const dirty = useRef(false);
  const leaving = useLeaveGuard(dirty, rowOf);
  const close = useCallback(() => setSearch({}, { replace: true }), [setSearch]);
  if (fields.fault !== null) return <FaultBox fault={fields.fault} onRetry={reloadFields} />;
  if (fields.value === null) return <Skeleton />;
  if (documents === '0') return <Empty title={words.noDocuments}>{words.noMetadataSaid}</Empty>;
  const rowAt = (index: number) => {
    const found = list.at(index);
    return found === undefined
      ? undefined
      : [found.doc_id, ...columns.slice(1).map(({ name: key }) => fieldOf(found.metadata, key))];
  };
  const open = (index: number): void => {
    const found = list.at(index);
    if (found !== undefined) setSearch({ doc: found.doc_id });
  };
  return (
    <Split
      panel={
        opened !== null && (
          <MetadataPanel
            key={opened}
            {...{ dataset: name, docId: opened, dirty }}
            onSaved={reload}
            onClose={close}
          />
        )
      }
    >
      <div className={styles.side}>
        <p className={`quiet small ${styles.hint}`}>{words.metadataHint}</p>
        {leaving}
        <div className={styles.list}>
          <Grid
            label={words.tabs.metadata}
            columns={columns}
            rowCount={Number(documents)}
            rowAt={rowAt}
            onSight={list.onSight}
            onOpen={open}
          />
        </div>
      </div>
    </Split>
  );
}

/** Fields may be called `constructor`, which every object answers to. */
const fieldOf = (metadata: MetadataRow['metadata'], key: string): Json =>
  Object.hasOwn(metadata, key) ? (metadata[key] ?? null) : null;

interface PanelProps {
  readonly dataset: string;
  readonly docId: string;
  /** Something was changed and is not saved. */
  readonly dirty: RefObject<boolean>;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

function MetadataPanel({ dataset, docId, dirty, onSaved, onClose }: PanelProps) {
  const statement = `SELECT metadata FROM ${quoteName(dataset)}.documents WHERE doc_id = $1`;
  const { value, fault, reload } = useRows<{ readonly metadata: Readonly<Record<string, Json>> }>(statement, [
    docId,
  ]);
  const before = value?.[0]?.metadata;
  return (
    <Panel title={docId} onClose={onClose}>
      {fault !== null && <FaultBox fault={fault} onRetry={reload} />}
      {value?.length === 0 && <Empty title={words.documentGone}>{words.documentGoneSaid}</Empty>}
      {before !== undefined && <MetadataForm {...{ dataset, docId, before, dirty, onSaved }} />}
    </Panel>
  );
}

interface FormProps extends Omit<PanelProps, 'onClose'> {
  readonly before: Readonly<Record<string, Json>>;
}

function MetadataForm({ dataset, docId, before, dirty, onSaved }: FormProps) {
  const [text, setText] = useState(() => JSON.stringify(before, null, 2));
  const { isBusy, fault, attempt } = useAttempt();
  const [isSaved, setSaved] = useState(false);
  const change = changeOf(before, text);
  const isChanged = change !== null && Object.keys(change).length > 0;
  const save = async (): Promise<void> => {
    if (change === null) return;
    if (!(await attempt(() => updateMetadata(dataset, docId, change)))) return;
    dirty.current = false;
    setSaved(true);
    onSaved();
  };
  const sql = `SELECT quern.update_metadata(${quoteText(dataset)}, ${quoteText(docId)}, ${quoteText(JSON.stringify(change))})`;
  return (
    <div className={`stack ${styles.form}`}>
      <TextArea
        label={words.metadataJson}
        help={words.metadataHelp}
        fault={change === null ? words.noJson : null}
        rows={14}
        className="mono"
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setSaved(false);
          dirty.current = target.value !== JSON.stringify(before, null, 2);
        }}
      />
      {isChanged && !isSaved && <Sql text={sql} />}
      {fault !== null && <FaultBox fault={fault} />}
      <div className="row">
        <Button kind="main" disabled={!isChanged || isSaved || isBusy} onClick={() => void save()}>
          {words.saveMetadata}
        </Button>
        {isSaved && (
          <span className="quiet" role="status">
            {words.savedMetadata}
          </span>
        )}
      </div>
    </div>
  );
}

/** Fields that are another value, and null for those that are gone. Null: it is no JSON object. */
function changeOf(before: Readonly<Record<string, Json>>, text: string): Record<string, Json> | null {
  try {
    const after = JSON.parse(text) as Record<string, Json> | null;
    if (typeof after !== 'object' || after === null || Array.isArray(after)) return null;
    const changed = Object.entries(after).filter(
      ([key, value]) => JSON.stringify(value) !== JSON.stringify(before[key]),
    );
    const gone = Object.keys(before).filter((key) => !(key in after));
    return Object.fromEntries([...changed, ...gone.map((key) => [key, null] as const)]);
  } catch {
    return null;
  }
}
