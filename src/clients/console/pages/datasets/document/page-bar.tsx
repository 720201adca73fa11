/** Goes from page to page, by keys too, and makes the page larger. */
import { useEffect, useState } from 'react';
import { IconButton } from '../../../parts/button.tsx';
import { WORDS } from '../../../words.ts';
import styles from './document.module.css';

const { document: words } = WORDS;

interface PageBarProps {
  readonly page: number;
  readonly pages: number;
  /** Names that the document itself has for its pages. */
  readonly labels: readonly string[];
  readonly zoom: number | null;
  readonly onPage: (page: number) => void;
  readonly onZoom?: (zoom: number) => void;
}

const ZOOMS: readonly number[] = [1, 1.5, 2, 3, 4];

export function PageBar({ page, pages, labels, zoom, onPage, onZoom }: PageBarProps) {
  const [typed, type] = useState<string | null>(null);
  const go = (to: number): void => {
    type(null);
    if (to >= 1 && to <= pages && to !== page) onPage(to);
  };
  usePageKeys((step) => go(page + step));
  const label = labels[page - 1];
  const at = ZOOMS.indexOf(zoom ?? 1);
  return (
    <div className={styles.bar}>
      <IconButton icon="back" label={words.before} disabled={page <= 1} onClick={() => go(page - 1)} />
      <IconButton icon="next" label={words.next} disabled={page >= pages} onClick={() => go(page + 1)} />
      <input
        className={styles.number}
        inputMode="numeric"
        aria-label={words.page}
        value={typed ?? page}
        onChange={({ target }) => type(target.value)}
        onBlur={() => go(Number(typed ?? page))}
        onKeyDown={({ key }) => key === 'Enter' && go(Number(typed ?? page))}
      />
      <span className="quiet number">{words.ofPages(pages.toLocaleString())}</span>
      {label !== undefined && label !== String(page) && (
        <span className="quiet small cut" title={label}>
          {words.called(label)}
        </span>
      )}
      <span className="grow" />
      {zoom !== null && onZoom !== undefined && (
        <>
          <IconButton
            icon="minus"
            label={words.smaller}
            disabled={at <= 0}
            onClick={() => onZoom(ZOOMS[at - 1] ?? 1)}
          />
          <span className="quiet number small">{Math.round(zoom * 100)} %</span>
          <IconButton
            icon="plus"
            label={words.larger}
            disabled={at === ZOOMS.length - 1}
            onClick={() => onZoom(ZOOMS[at + 1] ?? zoom)}
          />
        </>
      )}
    </div>
  );
}

/** Page Up and Down, where nothing else has the focus that takes them. */
function usePageKeys(go: (step: number) => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (
        event.defaultPrevented ||
        (event.target as Element).closest('input, textarea, [role=dialog], [role=grid]')
      )
        return;
      if (event.key === 'PageDown') go(1);
      else if (event.key === 'PageUp') go(-1);
      else return;
      event.preventDefault();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [go]);
}
