/** A page as it is drawn, beside what was read from it: what one is at lights up on both sides. */
import { useCallback, useMemo, useState } from 'react';
import { FaultBox, Skeleton } from '../../../parts/states.tsx';
import { ChoiceTabs } from '../../../parts/tabs.tsx';
import { type Box, PageImage, type PageMark } from '../../../sources/page-image.tsx';
import { WORDS } from '../../../words.ts';
import { ChunkList } from './chunk-list.tsx';
import { type CellRow, type Chunk, type TableRow, useChunks, useTables } from './data.ts';
import type { Place, WholeDocument } from './document.tsx';
import styles from './document.module.css';
import { PageBar } from './page-bar.tsx';
import { TableList } from './table-list.tsx';

const { document: words } = WORDS;

interface PagedViewProps {
  readonly dataset: string;
  readonly document: WholeDocument;
  readonly place: Place;
}

type Side = 'chunks' | 'tables';

export function PagedView({ dataset, document, place }: PagedViewProps) {
  const { doc_id: docId, version, pages, properties } = document;
  const { page, content, go } = place;
  const [zoom, setZoom] = useState(1);
  const [side, setSide] = useState<Side>('chunks');
  const [hovered, hover] = useState<string | null>(null);
  const [cell, setCell] = useState<CellRow | null>(null);
  const chunks = useChunks(dataset, docId, page, 0);
  const tables = useTables(dataset, docId, page);
  const lit = hovered ?? content;
  const marks = useMemo(
    () =>
      side === 'chunks'
        ? (chunks.value ?? []).map((chunk) => markOf(chunk, page, lit))
        : tableMarks(tables.value ?? [], cell, lit),
    [side, chunks.value, tables.value, cell, page, lit],
  );
  const choose = useCallback((key: string) => go({ content: key }), [go]);
  return (
    <div className={styles.paged}>
      <section className={styles.left} aria-label={words.page}>
        <PageBar
          page={page}
          pages={pages ?? 1}
          labels={properties.page_labels ?? []}
          zoom={zoom}
          onPage={(next) => go({ page: next })}
          onZoom={setZoom}
        />
        <div className={styles.paper}>
          <PageImage
            of={{ dataset, docId, version, page }}
            pages={pages ?? 1}
            zoom={zoom}
            marks={marks}
            shown={content}
            onChoose={choose}
            onHover={hover}
          />
        </div>
      </section>
      <section className={styles.right} aria-label={words.read}>
        <Sides side={side} onSide={setSide} counts={[chunks.value?.length, tables.value?.length]} />
        <div className={styles.scroll}>
          {chunks.fault !== null && <FaultBox fault={chunks.fault} onRetry={chunks.reload} />}
          {chunks.value === null && chunks.fault === null && <Skeleton />}
          {side === 'chunks' && chunks.value !== null && (
            <ChunkList chunks={chunks.value} lit={lit} chosen={content} onHover={hover} onChoose={choose} />
          )}
          {side === 'tables' && tables.value !== null && (
            <TableList dataset={dataset} tables={tables.value} lit={lit} onHover={hover} onCell={setCell} />
          )}
        </div>
      </section>
    </div>
  );
}

interface SidesProps {
  readonly side: Side;
  readonly onSide: (side: Side) => void;
  /** Passages, and tables; undefined: not known yet. */
  readonly counts: readonly [number | undefined, number | undefined];
}

function Sides({ side, onSide, counts: [chunks = 0, tables = 0] }: SidesProps) {
  return (
    <ChoiceTabs
      label={words.read}
      value={side}
      options={[
        { value: 'chunks', label: words.chunksOf(chunks) },
        { value: 'tables', label: words.tablesOf(tables) },
      ]}
      onChange={onSide}
    />
  );
}

function markOf({ content_id: key, boxes, text }: Chunk, page: number, lit: string | null): PageMark {
  return {
    key,
    boxes: (boxes ?? []).filter(([on]) => on === page).map((box): Box => [box[3], box[4], box[5], box[6]]),
    tone: key === lit ? 'accent' : 'found',
    label: text.slice(0, 80),
  };
}

function tableMarks(
  tables: readonly TableRow[],
  cell: CellRow | null,
  lit: string | null,
): readonly PageMark[] {
  const marks = tables.flatMap(({ table_id: key, box, caption, ordinal }): PageMark[] => {
    if (box === null) return [];
    return [
      { key, boxes: [box], tone: key === lit ? 'pale' : 'found', label: caption ?? words.table(ordinal) },
    ];
  });
  return cell?.box == null ? marks : [...marks, { key: 'cell', boxes: [cell.box], tone: 'accent' }];
}
