/** One document in the list of a dataset. */
import { useRef } from 'react';
import { Link, useNavigate } from 'react-router';
import { IconButton } from '../../parts/button.tsx';
import { bytes, count } from '../../parts/format.ts';
import { Menu } from '../../parts/menu.tsx';
import { Badge, type Tone } from '../../parts/states.tsx';
import { Tip } from '../../parts/tip.tsx';
import { When } from '../../parts/when.tsx';
import { WORDS } from '../../words.ts';
import { type DocumentRow, datasetPath, documentPath } from './data.ts';
import styles from './datasets.module.css';
import { downloadFile } from './download.ts';
import { uploads } from './upload/uploads.ts';

const { datasets: words } = WORDS;

export function DocumentsHead() {
  const { columns } = words;
  return (
    <div className={styles.line}>
      <span />
      <span>{columns.document}</span>
      <span>{columns.state}</span>
      <span data-number>{columns.pages}</span>
      <span data-number>{columns.size}</span>
      <span data-number>{columns.version}</span>
      <span>{columns.changed}</span>
      <span />
    </div>
  );
}

const TONES: Readonly<Record<string, Tone>> = { ready: 'good', error: 'bad' };

interface LineProps {
  readonly dataset: string;
  readonly document: DocumentRow;
  readonly isChosen: boolean;
  readonly onToggle: (id: string) => void;
  readonly onDelete: (id: string) => void;
}

export function DocumentLine({ dataset, document, isChosen, onToggle, onDelete }: LineProps) {
  const { doc_id: id, name, pages, size, version, updated_at: at, title } = document;
  const other = [title, name === id ? null : name].filter((one) => one != null && one !== '');
  return (
    <div className={styles.line}>
      <input
        type="checkbox"
        aria-label={words.chooseNamed(id)}
        checked={isChosen}
        onChange={() => onToggle(id)}
      />
      <span className={styles.name}>
        <Link className="cut" to={documentPath(dataset, id)} title={id}>
          {id}
        </Link>
        {other.length > 0 && (
          <span className="quiet small cut" title={other.join(' · ')}>
            {other.join(' · ')}
          </span>
        )}
      </span>
      <DocumentState document={document} />
      <span data-number>{pages === null ? '–' : words.pages(count(pages))}</span>
      <span data-number>{bytes(Number(size))}</span>
      <span data-number>{version === 0 ? '–' : version}</span>
      <span className={styles.wide}>
        <When at={at} />
      </span>
      <DocumentMenu dataset={dataset} document={document} onDelete={onDelete} />
    </div>
  );
}

export function DocumentState({ document }: { readonly document: DocumentRow }) {
  const { status, status_reason: reason, problems } = document;
  const said = words.jobStates[status] ?? status;
  const problem = reason ?? (problems?.length ? problems.join('\n') : null);
  const tone = TONES[status] ?? 'busy';
  if (problem === null) {
    return (
      <span>
        <Badge tone={tone}>{said}</Badge>
      </span>
    );
  }
  return (
    <Tip text={problem}>
      <span>
        <Badge tone={status === 'ready' ? 'warn' : tone}>
          {status === 'ready' ? words.withProblems : said}
        </Badge>
      </span>
    </Tip>
  );
}

type MenuProps = Pick<LineProps, 'dataset' | 'document' | 'onDelete'>;

export function DocumentMenu({ dataset, document: { doc_id: id, name, version }, onDelete }: MenuProps) {
  const navigate = useNavigate();
  const file = useRef<HTMLInputElement>(null);
  const metadata = `${datasetPath(dataset, 'metadata')}?doc=${encodeURIComponent(id)}`;
  const isStored = version > 0;
  return (
    <span>
      <Menu
        trigger={<IconButton icon="more" label={words.doWith(id)} />}
        items={[
          { label: words.open, icon: 'next', onChoose: () => void navigate(documentPath(dataset, id)) },
          {
            label: words.download,
            icon: 'download',
            isDisabled: !isStored,
            onChoose: () => void downloadFile(dataset, id, name),
          },
          { label: words.replace, icon: 'upload', onChoose: () => file.current?.click() },
          { label: words.editMetadata, icon: 'collections', onChoose: () => void navigate(metadata) },
          { label: words.delete, icon: 'bin', onChoose: () => onDelete(id) },
        ]}
      />
      <input
        ref={file}
        type="file"
        hidden
        aria-label={words.replace}
        onChange={({ currentTarget: { files } }) => {
          const [given] = files ?? [];
          if (given !== undefined) uploads.replace(dataset, id, given, null);
        }}
      />
    </span>
  );
}
