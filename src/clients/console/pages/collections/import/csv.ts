/**
 * CSV as RFC 4180 has it, and as it is found: `;`, tabs or `|` between fields, any ends of lines, quotes
 * within fields that do not begin with one. The first line has the names. Read by hand because lines of
 * records are wanted, and little code.
 */
import { WORDS } from '../../../words.ts';
import { type SourceRecord, textOf } from './source.ts';

const { import: words } = WORDS.collections;

const DELIMITERS = [',', ';', '\t', '|'];

/** The one that the first line has most of. */
function delimiterOf(line: string): string {
  const bare = line.replaceAll(/"[^"]*"/g, '');
  const counted = DELIMITERS.map((delimiter) => ({ delimiter, count: bare.split(delimiter).length }));
  return counted.reduce((best, one) => (one.count > best.count ? one : best)).delimiter;
}

interface Fields {
  readonly line: number;
  readonly fields: readonly string[];
}

/** Cuts text into records; what is not whole yet waits for more. */
class Cutter {
  #rest = '';
  #line = 1;
  #delimiter: string | null = null;

  *take(text: string, isLast: boolean): Generator<Fields> {
    this.#rest += text;
    if (this.#delimiter === null) {
      const end = this.#rest.search(/[\r\n]/);
      if (end < 0 && !isLast) return;
      this.#rest = this.#rest.replace(/^\uFEFF/, '');
      this.#delimiter = delimiterOf(end < 0 ? this.#rest : this.#rest.slice(0, end));
    }
    let from = 0;
    while (from < this.#rest.length) {
      const record = this.#record(from, isLast);
      if (record === null) break;
      from = record.end;
      if (record.fields.length > 1 || record.fields[0] !== '')
        yield { line: this.#line, fields: record.fields };
      this.#line += record.lines;
    }
    this.#rest = this.#rest.slice(from);
  }

  /** Null: it does not end here. */
  #record(
    from: number,
    isLast: boolean,
  ): { readonly fields: string[]; readonly end: number; readonly lines: number } | null {
    const text = this.#rest;
    const fields: string[] = [];
    let at = from;
    for (;;) {
      const field = text[at] === '"' ? this.#quoted(at) : this.#plain(at);
      if (field === null) return null;
      fields.push(field.value);
      at = field.end;
      const next = text[at];
      if (next === this.#delimiter) at++;
      else if (next === undefined) return isLast ? ended(text, fields, { from, end: at }) : null;
      else {
        // `\r\n` may be torn apart between two pieces.
        if (next === '\r' && at + 1 === text.length && !isLast) return null;
        const end = next === '\r' && text[at + 1] === '\n' ? at + 2 : at + 1;
        return ended(text, fields, { from, end });
      }
    }
  }

  #plain(from: number): { readonly value: string; readonly end: number } {
    const text = this.#rest;
    let end = from;
    for (; end < text.length; end++) {
      const one = text[end];
      if (one === this.#delimiter || one === '\n' || one === '\r') break;
    }
    return { value: text.slice(from, end), end };
  }

  /** Null: the closing quote is not here. What stands between it and the delimiter is kept. */
  #quoted(from: number): { readonly value: string; readonly end: number } | null {
    const text = this.#rest;
    let value = '';
    let at = from + 1;
    for (;;) {
      const quote = text.indexOf('"', at);
      if (quote < 0) return null;
      value += text.slice(at, quote);
      if (text[quote + 1] !== '"') {
        const after = this.#plain(quote + 1);
        return { value: value + after.value, end: after.end };
      }
      value += '"';
      at = quote + 2;
    }
  }

  /** A quote that never ends. */
  get isTorn(): boolean {
    return this.#rest !== '';
  }

  get line(): number {
    return this.#line;
  }
}

function ended(
  text: string,
  fields: string[],
  { from, end }: { readonly from: number; readonly end: number },
) {
  let lines = 0;
  for (let at = from; at < end; at++) {
    if (text[at] === '\n' || (text[at] === '\r' && text[at + 1] !== '\n')) lines++;
  }
  return { fields, end, lines };
}

/** Names are told apart: the second `name` is `name_2`. */
function namesOf(fields: readonly string[]): readonly string[] {
  const seen = new Map<string, number>();
  return fields.map((field, i) => {
    const name = field.trim() === '' ? `column_${i + 1}` : field.trim();
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return times === 1 ? name : `${name}_${times}`;
  });
}

export async function* csvRecords(file: File, onRead: (bytes: number) => void): AsyncGenerator<SourceRecord> {
  const cutter = new Cutter();
  let names: readonly string[] | null = null;
  const recordOf = ({ line, fields }: Fields, known: readonly string[]): SourceRecord => {
    const values = new Map(known.map((name, i) => [name, fields[i] ?? null]));
    if (fields.length <= known.length) return { line, values };
    return { line, values, fault: words.tooManyFields(fields.length, known.length) };
  };
  for await (const text of textOf(file, onRead)) {
    for (const record of cutter.take(text, false)) {
      if (names === null) names = namesOf(record.fields);
      else yield recordOf(record, names);
    }
  }
  for (const record of cutter.take('', true)) {
    if (names === null) names = namesOf(record.fields);
    else yield recordOf(record, names);
  }
  if (cutter.isTorn) yield { line: cutter.line, values: new Map(), fault: words.openQuote };
}
