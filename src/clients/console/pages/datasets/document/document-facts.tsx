/** Facts about a document: its file, metadata, problems, versions. */
import { IconButton } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { bytes } from '../../../parts/format.ts';
import { Badge, FaultBox } from '../../../parts/states.tsx';
import { Table } from '../../../parts/table.tsx';
import { When } from '../../../parts/when.tsx';
import { useRows } from '../../../server/use-rows.ts';
import { WORDS } from '../../../words.ts';
import styles from '../datasets.module.css';
import type { WholeDocument } from './document.tsx';

const { document: words, datasets } = WORDS;

interface FactsProps {
  readonly dataset: string;
  readonly document: WholeDocument;
  readonly isShown: boolean;
  readonly onShow: (isShown: boolean) => void;
}

export function DocumentFacts({ dataset, document, isShown, onShow }: FactsProps) {
  return (
    <>
      <IconButton icon="help" label={words.facts} onClick={() => onShow(true)} />
      {isShown && (
        <Dialog isOpen isWide title={document.doc_id} onClose={() => onShow(false)}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by keys too */}
          <div className="stack" tabIndex={0} role="group" aria-label={words.facts}>
            <FileFacts document={document} />
            {document.problems !== null && document.problems.length > 0 && (
              <>
                <h3>{words.problems}</h3>
                <ul className={styles.reason}>
                  {document.problems.map((problem) => (
                    <li key={problem}>{problem}</li>
                  ))}
                </ul>
              </>
            )}
            <h3>{datasets.tabs.metadata}</h3>
            <pre className="small">{JSON.stringify(document.metadata, null, 2)}</pre>
            <h3>{words.properties}</h3>
            <pre className={`small ${styles.reason}`}>{JSON.stringify(document.properties, null, 2)}</pre>
            <h3>{words.history}</h3>
            <Jobs dataset={dataset} docId={document.doc_id} />
          </div>
        </Dialog>
      )}
    </>
  );
}

function FileFacts({ document }: { readonly document: WholeDocument }) {
  const {
    name,
    mime_type: type,
    size,
    languages,
    version,
    sha256,
    created_at: created,
    updated_at: updated,
  } = document;
  return (
    <dl className={styles.facts}>
      <dt>{datasets.file}</dt>
      <dd>{name}</dd>
      <dt>{words.kind}</dt>
      <dd className="mono small">{type}</dd>
      <dt>{datasets.columns.size}</dt>
      <dd>{bytes(Number(size))}</dd>
      <dt>{words.languages}</dt>
      <dd>{languages?.join(', ') ?? '–'}</dd>
      <dt>{datasets.columns.version}</dt>
      <dd>{version}</dd>
      <dt>{words.added}</dt>
      <dd>
        <When at={created} />
      </dd>
      <dt>{datasets.columns.changed}</dt>
      <dd>
        <When at={updated} />
      </dd>
      <dt>SHA-256</dt>
      <dd className={`mono small ${styles.reason}`}>{sha256 ?? '–'}</dd>
    </dl>
  );
}

interface Job {
  readonly handle: string;
  readonly action: string;
  readonly state: string;
  readonly version: number | null;
  readonly size: string | null;
  readonly reason: string | null;
  readonly updated_at: string;
}

const JOBS = `SELECT handle, action, state, version, size, reason, updated_at FROM quern.handles
  WHERE dataset = $1 AND doc_id = $2 ORDER BY seq DESC LIMIT 50`;

/** Done ones are kept for a week, failed ones for a month. */
function Jobs({ dataset, docId }: { readonly dataset: string; readonly docId: string }) {
  const { value, fault } = useRows<Job>(JOBS, [dataset, docId]);
  if (fault !== null) return <FaultBox fault={fault} />;
  if (value?.length === 0) return <p className="quiet">{words.noHistory}</p>;
  return (
    <Table>
      <tbody>
        {value?.map(({ handle, action, state, version, size, reason, updated_at: at }) => (
          <tr key={handle}>
            <td>{datasets.actions[action] ?? action}</td>
            <td title={reason ?? undefined}>
              <Badge tone={state === 'ready' ? 'good' : state === 'error' ? 'bad' : 'busy'}>
                {datasets.jobStates[state] ?? state}
              </Badge>
            </td>
            <td>{version === null ? '' : words.version(version)}</td>
            <td data-number>{size === null ? '' : bytes(Number(size))}</td>
            <td>
              <When at={at} />
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
