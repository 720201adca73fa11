/** Tells what becomes of the files that were given to a dataset here: how many, how far, and each by itself. */
import { useState } from 'react';
import { Link } from 'react-router';
import { Button, IconButton } from '../../../parts/button.tsx';
import { bytes, count } from '../../../parts/format.ts';
import { LongList } from '../../../parts/long-list.tsx';
import { ProgressBar } from '../../../parts/progress.tsx';
import { Badge, type Tone } from '../../../parts/states.tsx';
import { WORDS } from '../../../words.ts';
import { documentPath } from '../data.ts';
import styles from '../datasets.module.css';
import { type Upload, type UploadState, uploads, useUploads } from './uploads.ts';

const { upload: words } = WORDS.datasets;

/** First those that somebody has to do something about, then those that move. */
const ORDER: readonly UploadState[] = ['failed', 'sending', 'reading', 'waiting', 'stopped', 'ready'];

export function UploadsBar({ dataset }: { readonly dataset: string }) {
  const { all, counts, isBusy, isFinding } = useUploads(dataset);
  const [isOpen, open] = useState(true);
  if (all.length === 0 && !isFinding) return null;
  const over = counts.ready + counts.failed;
  const wanted = all.length - counts.stopped;
  const sorted = ORDER.flatMap((state) => all.filter((upload) => upload.state === state));
  return (
    <section className={styles.uploads} aria-label={words.title}>
      <div className={styles.uploadsHead}>
        <strong>{isBusy ? words.under(count(over), count(wanted)) : words.over(count(counts.ready))}</strong>
        {counts.stopped > 0 && <Badge tone="warn">{words.notSent(count(counts.stopped))}</Badge>}
        {counts.failed > 0 && <Badge tone="bad">{WORDS.datasets.failed(count(counts.failed))}</Badge>}
        <span className="grow">
          {isBusy && <ProgressBar label={words.title} share={over / Math.max(1, wanted)} />}
        </span>
        {isBusy && counts.waiting + counts.sending > 0 && (
          <Button icon="stop" onClick={() => uploads.stop(dataset)}>
            {WORDS.stop}
          </Button>
        )}
        <IconButton
          icon={isOpen ? 'down' : 'next'}
          label={isOpen ? words.fold : words.unfold}
          onClick={() => open(!isOpen)}
        />
        {!isBusy && <IconButton icon="close" label={WORDS.close} onClick={() => uploads.clear(dataset)} />}
      </div>
      {isOpen && (
        <div
          className={styles.uploadsList}
          style={{ '--rows': Math.min(5, sorted.length) } as React.CSSProperties}
        >
          <LongList
            label={words.list}
            count={sorted.length}
            render={(index) => {
              const upload = sorted[index];
              return upload === undefined ? null : <UploadRow upload={upload} {...shown(upload)} />;
            }}
          />
        </div>
      )}
    </section>
  );
}

/** Parts that may have changed: the same object is told of again. */
const shown = ({ state, sent, size, pagesDone, reason }: Upload) => ({
  state,
  sent,
  size,
  pagesDone,
  reason,
});

const TONES: Readonly<Record<UploadState, Tone>> = {
  waiting: 'plain',
  sending: 'busy',
  reading: 'busy',
  ready: 'good',
  failed: 'bad',
  stopped: 'warn',
};

function UploadRow({ upload, state, reason }: ReturnType<typeof shown> & { readonly upload: Upload }) {
  const { docId, dataset } = upload;
  return (
    <div className={styles.upload}>
      <span className="cut" title={docId}>
        {state === 'ready' ? <Link to={documentPath(dataset, docId)}>{docId}</Link> : docId}
      </span>
      <span>
        <Badge tone={TONES[state]}>{wordOf(upload)}</Badge>
      </span>
      <span className={styles.uploadSaid}>
        {reason === null ? <How upload={upload} /> : <span title={reason}>{reason}</span>}
      </span>
      {(state === 'failed' || state === 'stopped') && upload.reason !== words.twice && (
        <Button kind="bare" icon="again" onClick={() => uploads.retry(upload)}>
          {WORDS.retry}
        </Button>
      )}
    </div>
  );
}

/** While the server has it, its own word for how far it is. */
const wordOf = ({ state, serverState }: Upload): string =>
  state === 'reading'
    ? (words.serverStates[serverState ?? 'queued'] ?? words.states.reading)
    : words.states[state];

/** Bytes sent, then pages read. */
function How({ upload: { state, sent, size, pages, pagesDone, docId } }: { readonly upload: Upload }) {
  if (state === 'sending' && size !== null) {
    return (
      <>
        <span className="quiet number small">{words.bytes(bytes(sent), bytes(size))}</span>
        <ProgressBar label={docId} share={size === 0 ? 1 : sent / size} />
      </>
    );
  }
  if (state === 'reading' && pages > 0) {
    return (
      <>
        <span className="quiet number small">{words.pages(count(pagesDone), count(pages))}</span>
        <ProgressBar label={docId} share={pagesDone / pages} />
      </>
    );
  }
  return size === null ? null : <span className="quiet number small">{bytes(size)}</span>;
}
