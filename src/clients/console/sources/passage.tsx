/** A content's text for reading: titles, lists, tables as tables, quotes marked. All of it is text, whatever it says. */
import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import { type Block, blocksOf, type Mark, piecesOf, type Span } from './content-text.ts';
import styles from './sources.module.css';

interface PassageProps {
  readonly text: string;
  readonly marks?: readonly Mark[];
  /** Texts whose blanks and lines mean something. */
  readonly isCode?: boolean;
}

const NO_MARKS: readonly Mark[] = [];

export function Passage({ text, marks = NO_MARKS, isCode = false }: PassageProps) {
  const blocks = useMemo(() => blocksOf(text), [text]);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (marks.length > 0)
      box.current?.querySelector('mark[data-tone=accent]')?.scrollIntoView({ block: 'center' });
  }, [marks]);
  if (isCode) {
    return (
      <div ref={box} className={`mono ${styles.code}`}>
        <Marked span={{ text, start: 0 }} marks={marks} />
      </div>
    );
  }
  return (
    <div ref={box} className={styles.passage} dir="auto">
      {blocks.map((block, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks are their places in the text
        <BlockView key={i} block={block} marks={marks} />
      ))}
    </div>
  );
}

function BlockView({ block, marks }: { readonly block: Block; readonly marks: readonly Mark[] }) {
  switch (block.kind) {
    case 'title':
      return (
        <p className={styles.heading}>
          <Marked span={block.span} marks={marks} />
        </p>
      );
    case 'table':
      return <RowsTable block={block} marks={marks} />;
    case 'item':
      return (
        <p className={styles.item} style={{ paddingInlineStart: `${block.depth * 16}px` }}>
          <span aria-hidden="true">{block.sign}</span>
          <span>
            <Marked span={block.span} marks={marks} />
          </span>
        </p>
      );
    default:
      return (
        <p style={{ paddingInlineStart: `${block.depth * 16}px` }}>
          <Marked span={block.span} marks={marks} />
        </p>
      );
  }
}

/** A column without a name has no head. */
const ColumnName = ({ name }: { readonly name: string }) =>
  name === '' ? <td /> : <th scope="col">{name}</th>;

const NUMBER = /^[\s$€£¥(−+-]*[\d.,]*\d[\d.,]*\s*[%)]*$/;

interface RowsTableProps {
  readonly block: Extract<Block, { readonly kind: 'table' }>;
  readonly marks: readonly Mark[];
}

function RowsTable({ block: { columns, rows }, marks }: RowsTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by keys too
    <div className={styles.scroll} tabIndex={0} role="group">
      <table className={styles.table}>
        {columns.some((name) => name !== '') && (
          <thead>
            <tr>
              {columns.map((name, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns may share a name
                <ColumnName key={i} name={name} />
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map(({ cells }, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows are their places
            <tr key={row}>
              {cells.map((span, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: cells are their places
                <td key={i} data-number={(span !== undefined && NUMBER.test(span.text)) || undefined}>
                  {span !== undefined && <Marked span={span} marks={marks} />}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Marked({ span, marks }: { readonly span: Span; readonly marks: readonly Mark[] }): ReactNode {
  return piecesOf(span, marks).map(({ text, tone }, i) =>
    tone === null ? (
      text
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces are their places
      <mark key={i} className={styles.mark} data-tone={tone}>
        {text}
      </mark>
    ),
  );
}
