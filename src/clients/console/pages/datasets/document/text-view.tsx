/**
 * A document that has no pages that could be drawn: its text as it is read, titles at the left to go by. Slides and sheets are
 * pages of their own.
 */
import { useMemo, useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { FaultBox, Skeleton } from '../../../parts/states.tsx';
import { ChoiceTabs } from '../../../parts/tabs.tsx';
import { WORDS } from '../../../words.ts';
import { type Chunk, useChunks, useTables } from './data.ts';
import type { Place, WholeDocument } from './document.tsx';
import styles from './document.module.css';
import { PageBar } from './page-bar.tsx';
import { ReadingList } from './reading-list.tsx';
import { TableList } from './table-list.tsx';

const { document: words } = WORDS;

interface TextViewProps {
  readonly dataset: string;
  readonly document: WholeDocument;
  readonly place: Place;
}

/** So many of a long text are read before one wants more. */
const CHUNKS_A_TIME = 150;

const ordinalOf = (content: string | null): number => Number(/#(\d+)$/.exec(content ?? '')?.[1] ?? 0);

export function TextView({
  dataset,
  document: { doc_id: docId, name, pages, properties },
  place,
}: TextViewProps) {
  const { page, content, go } = place;
  const [shownCount, showMore] = useState(
    () => CHUNKS_A_TIME * Math.max(1, Math.ceil(ordinalOf(content) / CHUNKS_A_TIME)),
  );
  const [side, setSide] = useState<Side>('chunks');
  const [hovered, hover] = useState<string | null>(null);
  const paged = pages !== null && pages > 0;
  const chunks = useChunks(dataset, docId, paged ? page : null, shownCount);
  const tables = useTables(dataset, docId, paged ? page : null);
  const hasMore = !paged && (chunks.value?.length ?? 0) >= shownCount;
  return (
    <div className={styles.text}>
      <Outline chunks={chunks.value ?? []} onGo={(key) => go({ content: key })} />
      <section className={styles.reading} aria-label={words.read}>
        {paged && (
          <PageBar
            page={page}
            pages={pages}
            labels={properties.page_labels ?? []}
            zoom={null}
            onPage={(next) => go({ page: next })}
          />
        )}
        <Sides side={side} tables={tables.value?.length ?? 0} onSide={setSide} />
        <div className={styles.scroll}>
          {chunks.fault !== null && <FaultBox fault={chunks.fault} onRetry={chunks.reload} />}
          {chunks.value === null && chunks.fault === null && <Skeleton />}
          {side === 'chunks' && chunks.value !== null && (
            <ReadingList
              isCode={name.endsWith('.log')}
              chunks={chunks.value}
              chosen={content}
              onChoose={(key) => go({ content: key })}
            />
          )}
          {side === 'chunks' && hasMore && (
            <p className={styles.none}>
              <Button onClick={() => showMore(shownCount + CHUNKS_A_TIME)}>{words.more}</Button>
            </p>
          )}
          {side === 'tables' && tables.value !== null && (
            <TableList
              dataset={dataset}
              tables={tables.value}
              lit={hovered}
              onHover={hover}
              onCell={() => undefined}
            />
          )}
        </div>
      </section>
    </div>
  );
}

type Side = 'chunks' | 'tables';

interface SidesProps {
  readonly side: Side;
  readonly tables: number;
  readonly onSide: (side: Side) => void;
}

function Sides({ side, tables, onSide }: SidesProps) {
  return (
    <ChoiceTabs
      label={words.read}
      value={side}
      options={[
        { value: 'chunks', label: words.text },
        { value: 'tables', label: words.tablesOf(tables) },
      ]}
      onChange={onSide}
    />
  );
}

/** Titles of the document, each once, where they begin. */
function Outline({
  chunks,
  onGo,
}: {
  readonly chunks: readonly Chunk[];
  readonly onGo: (key: string) => void;
}) {
  const titles = useMemo(() => titlesOf(chunks), [chunks]);
  if (titles.length < 2) return null;
  return (
    <nav className={styles.outline} aria-label={words.titles}>
      <ol>
        {titles.map(({ key, title, depth }) => (
          <li key={key} style={{ paddingInlineStart: `${Math.min(depth, 4) * 12}px` }}>
            <button type="button" className="cut" title={title} onClick={() => onGo(key)}>
              {title}
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}

interface Title {
  readonly key: string;
  readonly title: string;
  readonly depth: number;
}

function titlesOf(chunks: readonly Chunk[]): readonly Title[] {
  let last: string | null = null;
  return chunks.flatMap(({ content_id: key, heading }) => {
    if (heading === null || heading === last) return [];
    last = heading;
    const parts = heading.split(' > ');
    return [{ key, title: parts.at(-1) ?? heading, depth: parts.length - 1 }];
  });
}
