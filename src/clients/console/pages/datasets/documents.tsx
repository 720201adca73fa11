/** Documents of a dataset: found by their names, opened, replaced, deleted. */
import { useCallback, useEffect, useState } from 'react';
import { useSearchParams } from 'react-router';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { TextField } from '../../parts/field.tsx';
import { count } from '../../parts/format.ts';
import { LongList } from '../../parts/long-list.tsx';
import { Empty, FaultBox } from '../../parts/states.tsx';
import { quoteName, quoteText } from '../../server/names.ts';
import { usePages } from '../../server/use-pages.ts';
import { useRows } from '../../server/use-rows.ts';
import { WORDS } from '../../words.ts';
import { type DatasetRow, type DocumentRow, deleteDocuments, documentsOf } from './data.ts';
import styles from './datasets.module.css';
import { DocumentLine, DocumentsHead } from './document-line.tsx';
import { UploadButton } from './upload/upload-button.tsx';

const { datasets: words } = WORDS;

interface DocumentsProps {
  readonly row: DatasetRow;
  /** Another one: something has changed. */
  readonly stamp: string;
}

export function Documents({ row: { name, documents }, stamp }: DocumentsProps) {
  const [search, setSearch] = useSearchParams();
  const wanted = search.get('find') ?? '';
  const { chosen, toggle, chooseNone } = useChosen();
  const [deleted, askDelete] = useState<readonly string[] | null>(null);
  const found = useFoundCount(name, wanted, stamp);
  const total = wanted === '' ? Number(documents) : (found ?? 0);
  const list = usePages<DocumentRow>(documentsOf(name), [wanted]);
  const { reload } = list;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what has changed is asked again
  useEffect(reload, [stamp]);
  if (documents === '0') return <NoDocuments dataset={name} />;
  return (
    <div className={styles.side}>
      <div className={styles.toolbar} data-search="">
        <FindField
          wanted={wanted}
          onFind={(find) => setSearch(find === '' ? {} : { find }, { replace: true })}
        />
        {wanted !== '' && found !== null && <span className="quiet number">{words.found(count(found))}</span>}
        <span className="grow" />
        {chosen.size > 0 && (
          <ChosenActions count={chosen.size} onNone={chooseNone} onDelete={() => askDelete([...chosen])} />
        )}
      </div>
      {list.fault !== null && <FaultBox fault={list.fault} onRetry={reload} />}
      {wanted !== '' && found === 0 && (
        <Empty title={words.nothingFound}>{words.nothingFoundSaid(wanted)}</Empty>
      )}
      <div className={styles.list}>
        <LongList
          label={words.tabs.documents}
          count={total}
          head={<DocumentsHead />}
          onSight={list.onSight}
          render={(index) => {
            const document = list.at(index);
            if (document === undefined) return <span className={styles.wait} />;
            const isChosen = chosen.has(document.doc_id);
            const shared = { dataset: name, document, isChosen };
            return <DocumentLine {...shared} onToggle={toggle} onDelete={(id) => askDelete([id])} />;
          }}
        />
      </div>
      {deleted !== null && (
        <DeleteDocuments
          dataset={name}
          ids={deleted}
          onDone={() => {
            chooseNone();
            reload();
          }}
          onClose={() => askDelete(null)}
        />
      )}
    </div>
  );
}

interface FindProps {
  readonly wanted: string;
  readonly onFind: (wanted: string) => void;
}

function FindField({ wanted, onFind }: FindProps) {
  return (
    <TextField
      type="search"
      label={words.find}
      isLabelHidden
      placeholder={words.find}
      defaultValue={wanted}
      onChange={({ target }) => onFind(target.value)}
    />
  );
}

function useChosen() {
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set());
  const toggle = useCallback(
    (id: string) =>
      choose((before) => {
        const next = new Set(before);
        if (!next.delete(id)) next.add(id);
        return next;
      }),
    [],
  );
  return { chosen, toggle, chooseNone: () => choose(new Set()) };
}

interface ActionsProps {
  readonly count: number;
  readonly onNone: () => void;
  readonly onDelete: () => void;
}

function ChosenActions({ count: chosen, onNone, onDelete }: ActionsProps) {
  return (
    <>
      <Button kind="bare" onClick={onNone}>
        {words.chooseNone}
      </Button>
      <Button kind="bad" icon="bin" onClick={onDelete}>
        {words.deleteCount(chosen)}
      </Button>
    </>
  );
}

/** How many the search box finds. */
function useFoundCount(dataset: string, wanted: string, stamp: string): number | null {
  const statement = `SELECT count(*) AS found FROM (${documentsOf(dataset)}) d WHERE $2 = $2`;
  const { value } = useRows<{ readonly found: string }>(wanted === '' ? null : statement, [wanted, stamp]);
  return value === null ? null : Number(value[0]?.found ?? 0);
}

function NoDocuments({ dataset }: { readonly dataset: string }) {
  return (
    <Empty
      title={words.noDocuments}
      action={<UploadButton dataset={dataset} />}
      sql={words.uploadSql(quoteText(dataset))}
    >
      {words.noDocumentsSaid}
    </Empty>
  );
}

interface DeleteProps {
  readonly dataset: string;
  readonly ids: readonly string[];
  readonly onDone: () => void;
  readonly onClose: () => void;
}

const NAMED_COUNT_MAX = 8;

export function DeleteDocuments({ dataset, ids, onDone, onClose }: DeleteProps) {
  const values = ids.slice(0, NAMED_COUNT_MAX).map(quoteText);
  const more = ids.length - values.length;
  return (
    <Confirm
      title={words.deleteCount(ids.length)}
      action={words.deleteCount(ids.length)}
      sql={`SELECT quern.delete_document(${quoteText(dataset)}, doc_id) FROM ${quoteName(dataset)}.documents WHERE doc_id IN (${values.join(', ')}${more > 0 ? ', …' : ''})`}
      onConfirm={() => deleteDocuments(dataset, ids).then(onDone)}
      onClose={onClose}
    >
      <ul className="mono small">
        {ids.slice(0, NAMED_COUNT_MAX).map((id) => (
          <li key={id} className="cut" title={id}>
            {id}
          </li>
        ))}
        {more > 0 && <li>{words.andMore(count(more))}</li>}
      </ul>
      <p className="quiet">{words.deleteSaid}</p>
    </Confirm>
  );
}
