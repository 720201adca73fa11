/** One document: its pages beside what was read from them. A page and a content have addresses. */
import { useCallback, useState } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { LinkButton } from '../../../parts/button.tsx';
import { usePath } from '../../../shell/path.ts';
import { Page } from '../../../parts/page.tsx';
import { Empty, FaultBox, Skeleton } from '../../../parts/states.tsx';
import type { Json } from '../../../server/messages.ts';
import { quoteName } from '../../../server/names.ts';
import { useEvery } from '../../../server/use-every.ts';
import { useRows } from '../../../server/use-rows.ts';
import { WORDS } from '../../../words.ts';
import { type DocumentRow, datasetPath, documentOf, isDrawn } from '../data.ts';
import { DocumentMenu, DocumentState } from '../document-line.tsx';
import { DeleteDocuments } from '../documents.tsx';
import { DocumentFacts } from './document-facts.tsx';
import { PagedView } from './paged-view.tsx';
import { TextView } from './text-view.tsx';

const { document: words } = WORDS;

export interface WholeDocument extends DocumentRow {
  readonly languages: readonly string[] | null;
  readonly metadata: Readonly<Record<string, Json>>;
  readonly properties: { readonly page_labels?: readonly string[] } & Readonly<Record<string, Json>>;
  readonly sha256: string | null;
  readonly created_at: string;
}

const ASK_MS = 2000;

/** The page that a content begins on, where its address names none. */
function usePageOf(dataset: string, content: string | null): number {
  const statement = `SELECT doc_pages[1] AS page FROM ${quoteName(dataset)}.chunks WHERE content_id = $1`;
  const { value } = useRows<{ readonly page: number | null }>(content === null ? null : statement, [content]);
  return value?.[0]?.page ?? 1;
}

export function DocumentPage() {
  const [, dataset = '', , doc = ''] = usePath();
  const navigate = useNavigate();
  const [isFactsShown, showFacts] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const { value, fault, reload } = useRows<WholeDocument>(documentOf(dataset), [doc]);
  const found = value?.[0] ?? null;
  const isBeingRead = found !== null && found.status !== 'ready' && found.status !== 'error';
  useEvery(isBeingRead ? ASK_MS : null, reload);
  return (
    <Page
      title={
        <>
          <span className="wide-only">
            <Link to={datasetPath(dataset)}>{dataset}</Link> <span className="quiet">/</span>{' '}
          </span>
          <span title={doc}>{found?.title ?? doc}</span>
        </>
      }
      name={doc}
      state={
        found !== null && (
          <span className="wide-only">
            <DocumentState document={found} />{' '}
            {found.version > 1 && <span className="quiet small">{words.version(found.version)}</span>}
          </span>
        )
      }
      actions={
        found !== null && (
          <>
            <DocumentFacts dataset={dataset} document={found} isShown={isFactsShown} onShow={showFacts} />
            <DocumentMenu dataset={dataset} document={found} onDelete={() => setDeleting(true)} />
          </>
        )
      }
    >
      {fault !== null && <FaultBox fault={fault} onRetry={reload} />}
      {value === null && fault === null && <Skeleton />}
      {value !== null && found === null && (
        <Empty
          title={words.gone}
          action={<LinkButton to={datasetPath(dataset)}>{words.toDataset(dataset)}</LinkButton>}
        >
          {words.goneSaid(doc)}
        </Empty>
      )}
      {found !== null && <Content dataset={dataset} document={found} />}
      {isDeleting && (
        <DeleteDocuments
          dataset={dataset}
          ids={[doc]}
          onDone={() => void navigate(datasetPath(dataset))}
          onClose={() => setDeleting(false)}
        />
      )}
    </Page>
  );
}

interface ContentProps {
  readonly dataset: string;
  readonly document: WholeDocument;
}

/** Where in a document one is, as its address says. */
export interface Place {
  readonly page: number;
  readonly content: string | null;
  readonly go: (to: { readonly page?: number; readonly content?: string | null }) => void;
}

function Content({ dataset, document }: ContentProps) {
  const [search, setSearch] = useSearchParams();
  const { status, version, status_reason: reason } = document;
  const content = search.get('content');
  const standsOn = usePageOf(dataset, search.has('page') ? null : content);
  const page = Math.max(1, Number(search.get('page') ?? standsOn) || 1);
  const go = useCallback<Place['go']>(
    (to) =>
      setSearch(
        (before) => {
          const next = new URLSearchParams(before);
          if (to.page !== undefined) next.set('page', String(to.page));
          if (to.page === undefined && !next.has('page')) next.set('page', String(page));
          if (to.content === null || (to.page !== undefined && to.content === undefined))
            next.delete('content');
          else if (to.content !== undefined) next.set('content', to.content);
          return next;
        },
        { replace: true },
      ),
    [setSearch, page],
  );
  const place: Place = { page, content, go };
  if (version === 0 && status === 'error') {
    return (
      <Empty
        title={words.notRead}
        action={<LinkButton to={datasetPath(dataset, 'failures')}>{words.whatToDo}</LinkButton>}
      >
        {reason ?? ''}
      </Empty>
    );
  }
  if (version === 0) return <Empty title={words.beingRead}>{words.beingReadSaid}</Empty>;
  if (isDrawn(document.mime_type)) return <PagedView dataset={dataset} document={document} place={place} />;
  return <TextView dataset={dataset} document={document} place={place} />;
}
