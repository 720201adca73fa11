/** Texts taken apart for reading: every character stays where it was, whatever the text is. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Block, blocksOf, piecesOf, type Span } from './content-text.ts';

const spansOf = (block: Block): readonly Span[] =>
  block.kind === 'table'
    ? block.rows.flatMap(({ cells }) => cells.filter((cell) => cell !== undefined))
    : [block.span];

describe('blocks of a text', () => {
  it('are titles, items, tables and paragraphs', () => {
    const text =
      '## A > B\nWords.\n• one\n  • two\n[row_1] [Item]=Apples; [Price]=1.99\n[row_2] [Item]=Pears; [Price]=';
    expect(blocksOf(text).map(({ kind }) => kind)).toEqual(['title', 'text', 'item', 'item', 'table']);
    const table = blocksOf(text)[4];
    expect(table).toMatchObject({ columns: ['Item', 'Price'] });
    expect(spansOf(table as Block).map(({ text: cell }) => cell)).toEqual(['Apples', '1.99', 'Pears', '']);
  });

  it('keep columns of one name apart, and their order', () => {
    const text =
      '[row_1] [Ended]=28; [Ended]=29\n[row_2] [column_1]=Net sales; [Ended]=1; [Ended]=2; [Then]=3\n[row_3] [Then]=4';
    const [table] = blocksOf(text);
    expect(table).toMatchObject({ kind: 'table', columns: ['', 'Ended', 'Ended', 'Then'] });
    if (table?.kind !== 'table') return;
    expect(table.rows.map(({ cells }) => cells.map((cell) => cell?.text ?? null))).toEqual([
      [null, '28', '29', null],
      ['Net sales', '1', '2', '3'],
      [null, null, null, '4'],
    ]);
  });

  it('know where they stand', () => {
    const line = fc.oneof(
      fc.string(),
      fc.constantFrom(
        '[row_1] [a]=b; [c]=[d]=e',
        '[row_2] [a]=x] [y',
        '# T',
        '  1. x',
        '- ',
        '[row_3] ',
        '[row_9]',
      ),
    );
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const text = lines.join('\n');
        for (const block of blocksOf(text)) {
          for (const { text: part, start } of spansOf(block)) {
            expect(text.slice(start, start + part.length)).toBe(part);
          }
        }
      }),
    );
  });
});

describe('pieces of a span', () => {
  it('are all of it, marked where it is quoted', () => {
    const marks = fc.array(
      fc.record({ start: fc.nat(60), end: fc.nat(60), tone: fc.constantFrom('accent', 'pale') }),
    );
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), fc.nat(20), marks, (text, start, given) => {
        const pieces = piecesOf({ text, start }, given as Parameters<typeof piecesOf>[1]);
        expect(pieces.map((piece) => piece.text).join('')).toBe(text);
      }),
    );
  });

  it('show the accent where both are', () => {
    const pieces = piecesOf({ text: 'abcdef', start: 10 }, [
      { start: 11, end: 15, tone: 'pale' },
      { start: 12, end: 13, tone: 'accent' },
    ]);
    expect(pieces.map(({ text, tone }) => `${text}:${tone}`)).toEqual([
      'a:null',
      'b:pale',
      'c:accent',
      'de:pale',
      'f:null',
    ]);
  });
});
