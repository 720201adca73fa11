/** Printer of a script's results, as they come: tables, or at the end all of it as JSON. */
import type { Notice } from '../../typescript/src/config.ts';
import { tellNotice } from '../errors.ts';
import { countText, printTable } from '../table.ts';
import { type OutputFormat, print, printJson, styled } from '../terminal.ts';
import type { Showing } from './backslash.ts';
import type { Described } from './describe.ts';
import { isNumber, resultJson } from './json-values.ts';
import type { StatementResult } from './session.ts';

export interface Printer {
  result(result: StatementResult): void;
  /** Prints the result of a backslash command. */
  described(things: readonly Described[]): void;
  /** Bytes of a COPY … TO STDOUT. */
  copied(bytes: AsyncIterable<Uint8Array>): Promise<void>;
  notice(notice: Notice): void;
  /** After the last result, also where the script failed there. */
  end(): void;
}

class TextPrinter implements Printer {
  readonly #showing: Showing;

  constructor(showing: Showing) {
    this.#showing = showing;
  }

  result({ columns, rows, command, count }: StatementResult): void {
    const tag = count === null ? command : `${command} ${count}`;
    if (columns.length === 0) {
      if (tag !== '') print(tag);
      return;
    }
    const shown = columns.map((column) => ({ name: column.name, isNumber: isNumber(column) }));
    printTable({ columns: shown, rows, nullText: 'NULL' }, this.#showing.expanded);
    print(countText(rows.length, 'row'));
  }

  described(things: readonly Described[]): void {
    for (const { title, columns, rows, sections } of things) {
      if (title !== null) print(styled('bold', title));
      if (rows.length === 0) print('(none)');
      else printTable({ columns: columns.map((name) => ({ name })), rows }, this.#showing.expanded);
      for (const { name, lines } of sections)
        print([`${name}:`, ...lines.map((line) => `    ${line}`)].join('\n'));
    }
  }

  async copied(bytes: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const piece of bytes) {
      await new Promise<void>((resolve) => process.stdout.write(piece, () => resolve()));
    }
  }

  notice(notice: Notice): void {
    tellNotice(notice, 'text');
  }

  end(): void {}
}

/** One statement's result by itself, those of several as a list. */
class JsonPrinter implements Printer {
  readonly #results: unknown[] = [];
  readonly #isList: boolean;

  /** @param isList whether the script has several statements. */
  constructor(isList: boolean) {
    this.#isList = isList;
  }

  result(result: StatementResult): void {
    if (result.command !== '') this.#results.push(resultJson(result));
  }

  described(things: readonly Described[]): void {
    this.#results.push(...things.map(describedJson));
  }

  async copied(bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const data = Buffer.concat(await Array.fromAsync(bytes)).toString('utf8');
    this.#results.push({ command: 'COPY', data });
  }

  notice(notice: Notice): void {
    tellNotice(notice, 'json');
  }

  end(): void {
    if (this.#isList || this.#results.length > 1) printJson(this.#results);
    else if (this.#results.length === 1) printJson(this.#results[0]);
  }
}

function describedJson({ title, columns, rows, sections }: Described): unknown {
  const list = rows.map((row) =>
    Object.fromEntries(columns.map((name, at) => [name.toLowerCase(), row[at] ?? null])),
  );
  if (title === null) return list;
  const more = sections.map(({ name, lines }) => [name.toLowerCase().replaceAll(/\W+/g, '_'), lines]);
  return { relation: title, columns: list, ...Object.fromEntries(more) };
}

/** @param isList whether JSON is a list of results, not the one result. */
export const printerOf = (format: OutputFormat, showing: Showing, isList: boolean): Printer =>
  format === 'json' ? new JsonPrinter(isList) : new TextPrinter(showing);
