/** Contents of a page, or of a document without pages, one after another. */
import { useEffect, useRef } from 'react';
import { CopyButton } from '../../../parts/copy.tsx';
import { Passage } from '../../../sources/passage.tsx';
import { WORDS } from '../../../words.ts';
import type { Chunk } from './data.ts';
import styles from './document.module.css';

const { document: words } = WORDS;

interface ChunkListProps {
  readonly chunks: readonly Chunk[];
  readonly lit: string | null;
  /** Brought into sight. */
  readonly chosen: string | null;
  readonly onHover: (key: string | null) => void;
  readonly onChoose: (key: string) => void;
}

export function ChunkList({ chunks, lit, chosen, onHover, onChoose }: ChunkListProps) {
  const list = useRef<HTMLUListElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is lit from the other side is brought into sight
  useEffect(() => {
    const key = chosen ?? lit;
    const element = key === null ? null : list.current?.querySelector(`[data-key="${CSS.escape(key)}"]`);
    if (element?.matches(':hover, :focus-within') === false) element.scrollIntoView({ block: 'nearest' });
  }, [lit, chosen, chunks]);
  if (chunks.length === 0) return <p className={`quiet ${styles.none}`}>{words.nothingRead}</p>;
  return (
    <ul ref={list}>
      {chunks.map((chunk) => {
        const { content_id: key, kind, text, ordinal } = chunk;
        return (
          <li
            key={key}
            data-key={key}
            data-lit={key === lit || undefined}
            className={styles.chunk}
            onPointerEnter={() => onHover(key)}
            onPointerLeave={() => onHover(null)}
            onFocus={() => onHover(key)}
            onBlur={() => onHover(null)}
          >
            <p className={styles.chunkHead}>
              <button type="button" aria-pressed={key === chosen} onClick={() => onChoose(key)}>
                {words.content[kind] ?? kind} {ordinal}
              </button>
              <span className="grow" />
              <CopyButton text={key} label={words.copyId(key)} />
            </p>
            <Passage text={text} />
          </li>
        );
      })}
    </ul>
  );
}
