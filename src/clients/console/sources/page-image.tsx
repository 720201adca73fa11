/**
 * A page as it is drawn, with boxes over it. Boxes are in points from the page's top left; the server draws a page once for each
 * version of its document, and the browser keeps it.
 */
import { useEffect, useRef, useState } from 'react';
import { FaultBox } from '../parts/states.tsx';
import { addressOf } from '../server/address.ts';
import { type Fault, faultOf } from '../server/messages.ts';
import { request } from '../server/request.ts';
import { WORDS } from '../words.ts';
import styles from './sources.module.css';

/** Left, top, right, bottom. */
export type Box = readonly [number, number, number, number];

export interface PageMark {
  readonly key: string;
  readonly boxes: readonly Box[];
  readonly tone: 'accent' | 'pale' | 'found';
  /** Words of a screen reader; absent: it is nothing to choose. */
  readonly label?: string;
  /** Beside the first box. */
  readonly badge?: number;
}

export interface PageAddress {
  readonly dataset: string;
  readonly docId: string;
  readonly version: number;
  readonly page: number;
}

interface PageImageProps {
  /** Number of pages that the document has: those beside this one are drawn next. */
  readonly pages: number;
  readonly of: PageAddress;
  /** 1: as wide as there is room. */
  readonly zoom: number;
  readonly marks: readonly PageMark[];
  /** Brought into sight when it changes. */
  readonly shown?: string | null;
  readonly onChoose?: (key: string) => void;
  readonly onHover?: (key: string | null) => void;
}

/** Pixels of the image for each point of the page. */
const PIXELS_A_POINT = 2;

const pathOf = ({ dataset, docId, version, page }: PageAddress): string => {
  const parts = ['pages', dataset, docId, String(version), String(page)].map(encodeURIComponent);
  return `${parts.join('/')}?scale=${PIXELS_A_POINT}`;
};

interface Size {
  readonly width: number;
  readonly height: number;
}

interface Drawn extends Size {
  readonly path: string;
}

/** Draws a page; the one before stays until it is there. */
function useDrawn(path: string, round: number) {
  const [drawn, setDrawn] = useState<Drawn | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another round asks again
  useEffect(() => {
    let isOver = false;
    setFault(null);
    const image = new Image();
    image.src = addressOf(path);
    image.decode().then(
      () => {
        const { naturalWidth: width, naturalHeight: height } = image;
        if (!isOver) setDrawn({ path, width: width / PIXELS_A_POINT, height: height / PIXELS_A_POINT });
      },
      // What the image cannot say of its fault is asked for.
      () =>
        request(path).then(
          () => undefined,
          (error: unknown) => {
            if (!isOver) setFault(faultOf(error));
          },
        ),
    );
    return () => {
      isOver = true;
    };
  }, [path, round]);
  return { drawn, fault };
}

/** The next page, and the one before, are there when one goes to them: drawing one takes a while. */
function useNeighbours(
  { dataset, docId, version, page }: PageAddress,
  pages: number,
  isThere: boolean,
): void {
  useEffect(() => {
    if (!isThere) return;
    for (const near of [page + 1, page - 1]) {
      if (near < 1 || near > pages) continue;
      const image = new Image();
      image.fetchPriority = 'low';
      image.src = addressOf(pathOf({ dataset, docId, version, page: near }));
    }
  }, [dataset, docId, version, page, pages, isThere]);
}

export function PageImage({ of, pages, zoom, marks, shown = null, onChoose, onHover }: PageImageProps) {
  const path = pathOf(of);
  const [round, setRound] = useState(0);
  const { drawn, fault } = useDrawn(path, round);
  useNeighbours(of, pages, drawn?.path === path);
  if (fault !== null) return <FaultBox fault={fault} onRetry={() => setRound((before) => before + 1)} />;
  const isThere = drawn?.path === path;
  return (
    <div
      className={styles.sheet}
      style={{
        width: `${zoom * 100}%`,
        aspectRatio: drawn === null ? '17 / 22' : `${drawn.width} / ${drawn.height}`,
      }}
      aria-busy={!isThere}
    >
      {drawn !== null && <img src={addressOf(drawn.path)} alt={WORDS.source.pageOf(of.page)} />}
      {!isThere && (
        <p className={styles.drawing} role="status">
          {WORDS.source.drawing(of.page)}
        </p>
      )}
      {isThere && <Marks size={drawn} marks={marks} shown={shown} onChoose={onChoose} onHover={onHover} />}
    </div>
  );
}

interface MarksProps {
  readonly size: Size;
  readonly marks: readonly PageMark[];
  readonly shown: string | null;
  readonly onChoose: ((key: string) => void) | undefined;
  readonly onHover: ((key: string | null) => void) | undefined;
}

function Marks({ size, marks, shown, onChoose, onHover }: MarksProps) {
  const over = useRef<SVGSVGElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: which one is shown is what matters
  useEffect(() => {
    const element = shown === null ? null : over.current?.querySelector(`[data-key="${CSS.escape(shown)}"]`);
    element?.scrollIntoView({ block: 'center', inline: 'nearest' });
  }, [shown, size]);
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: what is in it says what it is
    <svg ref={over} className={styles.marks} viewBox={`0 0 ${size.width} ${size.height}`}>
      {marks.map((mark) => (
        <MarkGroup key={mark.key} mark={mark} onChoose={onChoose} onHover={onHover} />
      ))}
    </svg>
  );
}

const AROUND = 1.5;
/** Its number stands before the corner, where it covers least. */
const BADGE_RADIUS = 6;

function MarkGroup({
  mark,
  onChoose,
  onHover,
}: Pick<MarksProps, 'onChoose' | 'onHover'> & { readonly mark: PageMark }) {
  const { key, boxes, tone, label, badge } = mark;
  const choice =
    label === undefined
      ? {}
      : {
          role: 'button',
          tabIndex: 0,
          'aria-label': label,
          onClick: () => onChoose?.(key),
          onFocus: () => onHover?.(key),
          onBlur: () => onHover?.(null),
          onPointerEnter: () => onHover?.(key),
          onPointerLeave: () => onHover?.(null),
          onKeyDown: (event: React.KeyboardEvent) => {
            if (event.key === 'Enter' || event.key === ' ') onChoose?.(key);
          },
        };
  const [first] = boxes;
  return (
    <g data-key={key} data-tone={tone} className={styles.group} {...choice}>
      {boxes.map(([left, top, right, bottom], i) => (
        <rect
          // biome-ignore lint/suspicious/noArrayIndexKey: boxes are their places
          key={i}
          x={left - AROUND}
          y={top - AROUND}
          width={Math.max(1, right - left) + 2 * AROUND}
          height={Math.max(1, bottom - top) + 2 * AROUND}
          rx={1.5}
        />
      ))}
      {badge !== undefined && first !== undefined && (
        <g
          className={styles.number}
          transform={`translate(${first[0] - AROUND - BADGE_RADIUS / 2} ${first[1] - AROUND})`}
        >
          <circle r={BADGE_RADIUS} />
          <text dy="2.8">{badge}</text>
        </g>
      )}
    </g>
  );
}
