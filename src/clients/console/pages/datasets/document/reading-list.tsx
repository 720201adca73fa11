/** The text of a document as one reads it: each title once, its passages below without a seam; a passage's name at the side. */
import { type ReactNode, useEffect, useRef } from 'react';
import { CopyButton } from '../../../parts/copy.tsx';
import { Passage } from '../../../sources/passage.tsx';
import { WORDS } from '../../../words.ts';
import type { Chunk } from './data.ts';
import styles from './document.module.css';

const { document: words } = WORDS;

interface ReadingProps {
  readonly chunks: readonly Chunk[];
  /** Lines and blanks of it mean something, as in a log. */
  readonly isCode: boolean;
  /** Brought into sight, and lit. */
  readonly chosen: string | null;
  readonly onChoose: (key: string) => void;
}

export function ReadingList({ chunks, isCode, chosen, onChoose }: ReadingProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element =
      chosen === null ? null : list.current?.querySelector(`[data-key="${CSS.escape(chosen)}"]`);
    element?.scrollIntoView({ block: 'start' });
  }, [chosen]);
  if (chunks.length === 0) return <p className={`quiet ${styles.none}`}>{words.nothingRead}</p>;
  return (
    <div ref={list} className={styles.read}>
      {chunks.map((chunk, i) => (
        <section
          key={chunk.content_id}
          data-key={chunk.content_id}
          data-lit={chunk.content_id === chosen || undefined}
          className={styles.passage}
          aria-label={`${words.content[chunk.kind] ?? chunk.kind} ${chunk.ordinal}`}
        >
          <Titles path={chunk.heading} before={chunks[i - 1]?.heading ?? null} />
          <Passage text={withoutTitle(chunk)} isCode={isCode} />
          <p className={styles.side}>
            <button
              type="button"
              aria-pressed={chunk.content_id === chosen}
              onClick={() => onChoose(chunk.content_id)}
            >
              {chunk.ordinal}
            </button>
            <CopyButton text={chunk.content_id} label={words.copyId(chunk.content_id)} />
          </p>
        </section>
      ))}
    </div>
  );
}

/** The first line says the titles above it, which stand above it here. */
const withoutTitle = ({ text, heading }: Chunk): string =>
  heading !== null && text.startsWith('#') ? text.slice(text.indexOf('\n') + 1) : text;

/** Those of the path that the one before did not have. */
function Titles({
  path,
  before,
}: {
  readonly path: string | null;
  readonly before: string | null;
}): ReactNode {
  if (path === null || path === before) return null;
  const parts = path.split(' > ');
  const known = before?.split(' > ') ?? [];
  const first = parts.findIndex((part, i) => part !== known[i]);
  if (first === -1) return null;
  return parts.slice(first).map((title, i) => (
    <p
      // biome-ignore lint/suspicious/noArrayIndexKey: titles are their depth
      key={i}
      role="heading"
      aria-level={Math.min(6, 2 + first + i)}
      className={styles.title}
      data-depth={Math.min(3, first + i)}
    >
      {title}
    </p>
  ));
}
