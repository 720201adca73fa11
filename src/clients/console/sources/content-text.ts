/**
 * The text of a content taken apart for reading: titles, rows of tables, list items, paragraphs. Each part knows where it stands
 * in the text (UTF-16), so that quotes can be marked in it.
 */

export interface Span {
  readonly text: string;
  readonly start: number;
}

export interface TableRow {
  /** By column; undefined where the row has no cell. */
  readonly cells: readonly (Span | undefined)[];
}

export type Block =
  | { readonly kind: 'title'; readonly span: Span }
  | { readonly kind: 'text'; readonly span: Span; readonly depth: number }
  | { readonly kind: 'item'; readonly span: Span; readonly depth: number; readonly sign: string }
  | { readonly kind: 'table'; readonly columns: readonly string[]; readonly rows: readonly TableRow[] };

const TITLE = /^#{1,6} /;
const ROW = /^\[row_\d+\] /;
const ITEM = /^( *)([•*-]|\d{1,3}[.)]) /;
const CELL = /\[([^\]]*)\]=/g;
const NAMELESS = /^column_\d+$/;

export function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = [];
  let rows: Span[] = [];
  const endTable = (): void => {
    if (rows.length > 0) blocks.push(tableOf(rows));
    rows = [];
  };
  let start = 0;
  for (const line of text.split('\n')) {
    if (ROW.test(line)) rows.push({ text: line, start });
    else {
      endTable();
      if (line.trim() !== '') blocks.push(blockOf(line, start));
    }
    start += line.length + 1;
  }
  endTable();
  return blocks;
}

function blockOf(line: string, start: number): Block {
  const [title] = TITLE.exec(line) ?? [];
  if (title !== undefined)
    return { kind: 'title', span: { text: line.slice(title.length), start: start + title.length } };
  const [item, blanks = '', sign = ''] = ITEM.exec(line) ?? [];
  if (item !== undefined) {
    const span = { text: line.slice(item.length), start: start + item.length };
    return { kind: 'item', span, depth: Math.floor(blanks.length / 2), sign };
  }
  const indent = line.length - line.trimStart().length;
  return {
    kind: 'text',
    span: { text: line.slice(indent), start: start + indent },
    depth: Math.floor(indent / 2),
  };
}

interface Cell {
  readonly column: string;
  readonly span: Span;
}

/** `[row_1] [Item]=Apples; [Price]=1.99` */
function cellsOf({ text, start }: Span): readonly Cell[] {
  const names = [...text.matchAll(CELL)].filter(
    ({ index }) => index === 0 || /(?:; |\] )$/.test(text.slice(0, index)),
  );
  return names.map((name, i) => {
    const from = name.index + name[0].length;
    const next = names[i + 1]?.index;
    return {
      column: name[1] ?? '',
      span: { text: text.slice(from, next === undefined ? undefined : next - 2), start: start + from },
    };
  });
}

/** Columns of one name are told apart by their place among those of the name; a new one stands after the one before it. */
function tableOf(lines: readonly Span[]): Block {
  const keys: string[] = [];
  const taken = lines.map((line) => {
    const times = new Map<string, number>();
    const byKey = new Map<string, Span>();
    let place = 0;
    for (const { column, span } of cellsOf(line)) {
      const time = times.get(column) ?? 0;
      times.set(column, time + 1);
      const key = `${time} ${column}`;
      let at = keys.indexOf(key);
      if (at === -1) {
        at = column === 'column_1' ? 0 : place;
        keys.splice(at, 0, key);
      }
      place = at + 1;
      byKey.set(key, span);
    }
    return byKey;
  });
  return {
    kind: 'table',
    columns: keys
      .map((key) => key.slice(key.indexOf(' ') + 1))
      .map((name) => (NAMELESS.test(name) ? '' : name)),
    rows: taken.map((byKey) => ({ cells: keys.map((key) => byKey.get(key)) })),
  };
}

export interface Mark {
  readonly start: number;
  readonly end: number;
  readonly tone: 'accent' | 'pale';
}

export interface Piece {
  readonly text: string;
  readonly tone: Mark['tone'] | null;
}

/** A span cut at the marks in it; where two overlap the accent is seen. */
export function piecesOf({ text, start }: Span, marks: readonly Mark[]): readonly Piece[] {
  const end = start + text.length;
  const within = marks.filter((mark) => mark.start < end && mark.end > start);
  if (within.length === 0) return [{ text, tone: null }];
  const edges = [...new Set([start, end, ...within.flatMap((mark) => [mark.start, mark.end])])]
    .filter((edge) => edge >= start && edge <= end)
    .sort((a, b) => a - b);
  return edges.slice(0, -1).map((from, i) => {
    const to = edges[i + 1] ?? end;
    const over = within.filter((mark) => mark.start < to && mark.end > from);
    const tone = over.some((mark) => mark.tone === 'accent') ? 'accent' : over.length > 0 ? 'pale' : null;
    return { text: text.slice(from - start, to - start), tone };
  });
}
