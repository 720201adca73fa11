/** Streams: results on standard output, everything about them on standard error; colours on a terminal alone. */
import { styleText } from 'node:util';
import { cutTo } from './text.ts';

export type OutputFormat = 'text' | 'json';

export const print = (text: string): void => void process.stdout.write(`${text}\n`);
export const tell = (text: string): void => void process.stderr.write(`${text}\n`);

/** A list is written thing by thing: as one text it could be longer than a string may be. */
export function printJson(value: unknown): void {
  if (!Array.isArray(value) || value.length === 0) {
    print(jsonText(value, 2));
    return;
  }
  const lines = new Lines(print);
  for (const [at, one] of value.entries()) {
    const text = jsonText(one, 2).replaceAll(/^/gm, '  ');
    lines.add(`${at === 0 ? '[\n' : ''}${text}${at < value.length - 1 ? ',' : '\n]'}`);
  }
  lines.end();
}

export const jsonText = (value: unknown, indent?: number): string =>
  JSON.stringify(value ?? null, bigints, indent);

/** JSON has numbers of any length. */
const bigints = (_: string, value: unknown): unknown =>
  typeof value === 'bigint'
    ? (JSON as { rawJSON?: (text: string) => unknown }).rawJSON?.(String(value))
    : value;

const PIECE_CHARACTERS = 1 << 16;

/** Many lines in few writes. */
export class Lines {
  readonly #write: (text: string) => void;
  #held: string[] = [];
  #size = 0;

  /** @param write adds the last line's end. */
  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  add(line: string): void {
    this.#held.push(line);
    this.#size += line.length;
    if (this.#size >= PIECE_CHARACTERS) this.end();
  }

  /** Writes what is held. */
  end(): void {
    if (this.#held.length > 0) this.#write(this.#held.join('\n'));
    this.#held = [];
    this.#size = 0;
  }
}

type Style = Parameters<typeof styleText>[0];

/** In a style where somebody looks at it. */
export const styled = (style: Style, text: string): string =>
  process.stdout.isTTY && !process.env.NO_COLOR ? styleText(style, text, { validateStream: false }) : text;

/** A text with the last of these parts in a style. */
export function highlighted(text: string, part: string, style: Style): string {
  const at = text.lastIndexOf(part);
  if (at < 0 || part === '') return text;
  return `${text.slice(0, at)}${styled(style, part)}${text.slice(at + part.length)}`;
}

const COLUMNS = 80;

/** Columns of the terminal that results go to; in a pipe lines are as long as they are. */
export const columnsOfOutput = (): number =>
  process.stdout.isTTY ? process.stdout.columns || COLUMNS : Number.POSITIVE_INFINITY;

/** How often a line of progress is drawn anew, ms. */
const REDRAW_MS = 200;

/** One line that changes, on a terminal; in a pipe nothing. */
export class ProgressLine {
  readonly #isShown = process.stderr.isTTY === true;
  #timer: ReturnType<typeof setInterval> | null = null;

  show(text: string): void {
    if (!this.#isShown) return;
    const columns = (process.stderr.columns || COLUMNS) - 1;
    process.stderr.write(`\r\x1b[K${cutTo(text, columns)}`);
  }

  /** Shows what there is to say at once, and again and again until `clear`. */
  keep(text: () => string): void {
    if (!this.#isShown) return;
    this.show(text());
    this.#timer = setInterval(() => this.show(text()), REDRAW_MS);
  }

  clear(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    if (this.#isShown) process.stderr.write('\r\x1b[K');
  }
}
