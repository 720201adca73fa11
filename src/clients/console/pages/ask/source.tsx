/** The place that a badge goes to: the page as it is drawn, the quote marked; of what has no pages the text. */
import { useEffect, useMemo, useState } from 'react';
import { Link } from 'react-router';
import { IconButton } from '../../parts/button.tsx';
import { FaultBox, Skeleton } from '../../parts/states.tsx';
import { ChoiceTabs } from '../../parts/tabs.tsx';
import { quoteName } from '../../server/names.ts';
import { useRows } from '../../server/use-rows.ts';
import type { Mark } from '../../sources/content-text.ts';
import { PageImage, type PageMark } from '../../sources/page-image.tsx';
import { Passage } from '../../sources/passage.tsx';
import { WORDS } from '../../words.ts';
import { documentPath, isDrawn } from '../datasets/data.ts';
import { PageBar } from '../datasets/document/page-bar.tsx';
import styles from './ask.module.css';
import type { Badge, Citation } from './model.ts';
import type { Badges } from './use-badges.ts';

const { ask: words } = WORDS;

interface DocumentNow {
  readonly version: number;
  readonly mime_type: string | null;
  readonly pages: number | null;
  readonly page_labels: readonly string[] | null;
}

const documentNow = (dataset: string): string =>
  `SELECT version, mime_type, pages, properties->'page_labels' AS page_labels
   FROM ${quoteName(dataset)}.documents WHERE doc_id = $1`;

type View = 'page' | 'text';

export function Source({ badges }: { readonly badges: Badges }) {
  const { citation, active, close } = badges;
  const [wanted, want] = useState<View>('page');
  const dataset = citation?.dataset ?? '';
  const now = useRows<DocumentNow>(dataset === '' ? null : documentNow(dataset), [citation?.doc_id ?? '']);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && !event.defaultPrevented) close();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [close]);
  if (citation === null || active === null) return null;
  const document = now.value?.[0] ?? null;
  const canDraw = document !== null && isDrawn(document.mime_type) && pageOf(citation) !== null;
  const view = canDraw ? wanted : 'text';
  const isStale = document !== null && citation.version !== 0 && document.version !== citation.version;
  return (
    <aside className={styles.source} aria-label={words.source}>
      <header className={styles.sourceHead}>
        <span className={styles.badge}>{active.number}</span>
        <Link className="cut" to={contentPath(citation)} title={citation.doc_name}>
          {citation.doc_name}
        </Link>
        <span className="grow" />
        {canDraw && <ViewSwitch view={view} onChange={want} />}
        <Step badges={badges} />
        <IconButton icon="close" label={WORDS.close} onClick={close} />
      </header>
      {!citation.stands && (
        <p className={styles.fallen}>{words.reasons[citation.reason ?? ''] ?? citation.reason}</p>
      )}
      {isStale && citation.stands && (
        <p className={styles.stale}>{words.newer(document.version, citation.version)}</p>
      )}
      {now.fault !== null && <NoSource citation={citation} fault={now.fault} />}
      {now.value?.length === 0 && <NoSource citation={citation} fault={null} />}
      {view === 'page' && document !== null && (
        <PageSource
          key={`${citation.dataset} ${citation.doc_id}`}
          badges={badges}
          active={active}
          citation={citation}
          document={document}
        />
      )}
      {view === 'text' && document !== null && <TextSource active={active} citation={citation} />}
      {now.value === null && now.fault === null && <Skeleton />}
    </aside>
  );
}

function ViewSwitch({ view, onChange }: { readonly view: View; readonly onChange: (view: View) => void }) {
  return (
    <ChoiceTabs
      label={words.view}
      value={view}
      options={[
        { value: 'page', label: words.page },
        { value: 'text', label: words.text },
      ]}
      onChange={onChange}
    />
  );
}

const contentOf = (citation: Citation): string => citation.current_content_id ?? citation.content_id;

function contentPath(citation: Citation): string {
  const page = pageOf(citation);
  const search = new URLSearchParams({
    ...(page !== null && { page: String(page) }),
    content: contentOf(citation),
  });
  return `${documentPath(citation.dataset, citation.doc_id)}?${search}`;
}

/** Null: it has no pages. */
const pageOf = ({ boxes, doc_pages: pages, current_doc_pages: now }: Citation): number | null =>
  now?.[0] ?? boxes[0]?.page ?? pages[0] ?? null;

/** The badge before, and the one after. */
function Step({ badges: { all, active, choose } }: { readonly badges: Badges }) {
  const at = all.findIndex(({ number }) => number === active?.number);
  const [before, after] = [all[at - 1], all[at + 1]];
  return (
    <>
      <IconButton
        icon="back"
        label={words.before}
        disabled={before === undefined}
        onClick={() => before !== undefined && choose(before)}
      />
      <IconButton
        icon="next"
        label={words.after}
        disabled={after === undefined}
        onClick={() => after !== undefined && choose(after)}
      />
    </>
  );
}

interface PageSourceProps {
  readonly badges: Badges;
  readonly active: Badge;
  readonly citation: Citation;
  readonly document: DocumentNow;
}

function PageSource({ badges, active, citation, document }: PageSourceProps) {
  const { all, choose } = badges;
  const [page, setPage] = useState(pageOf(citation) ?? 1);
  const [zoom, setZoom] = useState(1);
  useEffect(() => setPage(pageOf(citation) ?? 1), [citation]);
  const { dataset, doc_id: docId } = citation;
  const marks = useMemo(
    () =>
      all
        .filter(({ fact }) => fact === active.fact)
        .flatMap((badge) => marksOf(badge, { active, citation, page })),
    [all, active, citation, page],
  );
  return (
    <>
      <PageBar
        page={page}
        pages={document.pages ?? 1}
        labels={document.page_labels ?? []}
        zoom={zoom}
        onPage={setPage}
        onZoom={setZoom}
      />
      <div className={styles.paper}>
        <PageImage
          of={{ dataset, docId, version: document.version, page }}
          pages={document.pages ?? 1}
          zoom={zoom}
          marks={marks}
          shown={`main ${active.number}`}
          onChoose={(key) => {
            const badge = all.find(({ number }) => key.endsWith(` ${number}`));
            if (badge !== undefined) choose(badge);
          }}
        />
      </div>
    </>
  );
}

interface Shown {
  readonly active: Badge;
  readonly citation: Citation;
  readonly page: number;
}

/** The quote that is looked at in the accent, all else that the fact rests on paler. */
function marksOf(badge: Badge, { active, citation, page }: Shown): readonly PageMark[] {
  const isActive = badge.number === active.number;
  const main = isActive && !badge.main.includes(citation) ? [citation] : badge.main;
  const others = badge.citations.filter((one) => !main.includes(one));
  const boxesOf = (citations: readonly Citation[]): PageMark['boxes'] =>
    citations.flatMap((one) =>
      one.doc_id === citation.doc_id ? one.boxes.filter((at) => at.page === page).map(({ box }) => box) : [],
    );
  return [
    { key: `others ${badge.number}`, boxes: boxesOf(others), tone: 'pale' },
    {
      key: `main ${badge.number}`,
      boxes: boxesOf(main),
      tone: isActive ? 'accent' : 'pale',
      badge: badge.number,
      label: words.mark(badge.number),
    },
  ];
}

interface TextSourceProps {
  readonly active: Badge;
  readonly citation: Citation;
}

function TextSource({ active, citation }: TextSourceProps) {
  const { dataset } = citation;
  const id = contentOf(citation);
  const statement = `SELECT text FROM ${quoteName(dataset)}.chunks WHERE content_id = $1`;
  const { value, fault, reload } = useRows<{ readonly text: string }>(statement, [id]);
  const marks = useMemo(
    () =>
      active.citations.flatMap((one): readonly Mark[] => {
        if (one.content_id !== citation.content_id || one.current_content_id !== null) return [];
        const tone = active.main.includes(citation) ? active.main.includes(one) : one === citation;
        return [{ start: one.quote_start, end: one.quote_end, tone: tone ? 'accent' : 'pale' }];
      }),
    [active, citation],
  );
  if (fault !== null) return <FaultBox fault={fault} onRetry={reload} />;
  if (value === null) return <Skeleton />;
  const [row] = value;
  if (row === undefined) return <NoSource citation={citation} fault={null} />;
  return (
    <div className={styles.text}>
      <Passage text={row.text} marks={marks} />
    </div>
  );
}

interface NoSourceProps {
  readonly citation: Citation;
  readonly fault: Parameters<typeof FaultBox>[0]['fault'] | null;
}

/** Words that were cited, where their document is no longer there, or may not be read. */
function NoSource({ citation, fault }: NoSourceProps) {
  return (
    <div className={styles.text}>
      {fault !== null ? <FaultBox fault={fault} /> : <p className="quiet">{words.sourceGone}</p>}
      <blockquote className={styles.quote}>{citation.quote}</blockquote>
    </div>
  );
}
