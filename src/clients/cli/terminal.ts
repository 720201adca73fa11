/** What is written where: results on standard output, everything about them on standard error; colours on a terminal alone. */
import { styleText } from 'node:util';

export type OutputFormat = 'text' | 'json';

export const print = (text: string): void => void process.stdout.write(`${text}\n`);
export const tell = (text: string): void => void process.stderr.write(`${text}\n`);

export const printJson = (value: unknown): void => print(JSON.stringify(value, bigints, 2));

/** JSON has numbers of any length. */
const bigints = (_: string, value: unknown): unknown =>
  typeof value === 'bigint'
    ? (JSON as { rawJSON?: (text: string) => unknown }).rawJSON?.(String(value))
    : value;

type Style = Parameters<typeof styleText>[0];

/** In a style where somebody looks at it. */
export const styled = (style: Style, text: string): string =>
  process.stdout.isTTY && !process.env.NO_COLOR ? styleText(style, text, { validateStream: false }) : text;

const SEGMENTS = new Intl.Segmenter();
const WIDE =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Emoji_Presentation}/u;
/** Columns that a text takes. */
export const widthOf = (text: string): number => {
  let width = 0;
  for (const { segment } of SEGMENTS.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
};

const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));
/** Control characters would move the cursor or hide text. */
const visible = (text: string): string =>
  text.replaceAll(/[\p{Cc}]/gu, (one) => (one === '\n' ? '↵' : one === '\t' ? ' ' : '�'));

/** A table as text. @param rows a cell that is null is empty. */
export function tableText(columns: readonly string[], rows: readonly (readonly (string | null)[])[]): string {
  const cells = rows.map((row) => row.map((cell) => visible(cell ?? '')));
  const widths = columns.map((name, at) =>
    Math.max(widthOf(name), ...cells.map((row) => widthOf(row[at] ?? ''))),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, at) => padded(cell, widths[at] ?? 0))
      .join(' | ')
      .trimEnd();
  const rule = widths.map((width) => '-'.repeat(width)).join('-+-');
  return [styled('bold', line(columns)), rule, ...cells.map(line)].join('\n');
}

export const countText = (count: number, what: string): string =>
  `(${count} ${what}${count === 1 ? '' : 's'})`;

/** Things by column, as a table or as JSON. */
export function printList(format: OutputFormat, things: readonly Readonly<Record<string, unknown>>[]): void {
  if (format === 'json') {
    printJson(things);
    return;
  }
  const columns = Object.keys(things[0] ?? {});
  if (columns.length === 0) {
    print('(none)');
    return;
  }
  print(
    tableText(
      columns,
      things.map((one) => columns.map((name) => cellText(one[name]))),
    ),
  );
}

export function cellText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'object' ? JSON.stringify(value, bigints) : String(value);
}

/** One line that changes, on a terminal; in a pipe nothing. */
export class ProgressLine {
  readonly #isShown = process.stderr.isTTY === true;

  show(text: string): void {
    if (this.#isShown) process.stderr.write(`\r\x1b[K${text.slice(0, (process.stderr.columns ?? 80) - 1)}`);
  }

  clear(): void {
    if (this.#isShown) process.stderr.write('\r\x1b[K');
  }
}

const BAR_WIDTH = 24;

export function barText(done: number, all: number): string {
  const share = all === 0 ? 1 : done / all;
  const filled = Math.round(share * BAR_WIDTH);
  return `[${'█'.repeat(filled)}${'·'.repeat(BAR_WIDTH - filled)}] ${done}/${all}`;
}
