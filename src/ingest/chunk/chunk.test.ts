/** Chunks of documents: what a viewer marks of them. */
import { describe, expect, it } from 'vitest';
import type { Document } from '../document.ts';
import { parsePdf } from '../formats/pdf/pdf.ts';
import { lines, makePdf, text } from '../formats/pdf/pdf-fixture.ts';
import { chunksOf } from './chunk.ts';

const PROSE = [
  'The board met in the spring to go over the accounts of the year that had',
  'ended, and found that the sales of all regions had grown while the costs of',
  'production had stayed what they were before the new works were opened.',
];

const parse = (content: string): Promise<Document> =>
  parsePdf({
    bytes: makePdf([{ content }]),
    name: 'test.pdf',
    limits: { pagesMax: 10, imagePixelsMax: 1_000_000 },
  });

const row = (y: number, ...texts: string[]): string =>
  texts.map((one, index) => text(80 + index * 110, y, one)).join('');

async function tableChunk(): Promise<ReturnType<typeof chunksOf>[number] | undefined> {
  const content =
    lines(72, 740, PROSE) +
    row(600, 'Region', '2022', '2023') +
    row(580, 'North and east', '1000', '500') +
    row(560, 'South', '1007', '503') +
    row(540, 'West', '1014', '506');
  return chunksOf(await parse(content)).find(({ text: own }) => own.includes('[row_1]'));
}

describe('chunks of a table', () => {
  it('know where each of its values stands', async () => {
    const first = await tableChunk();
    const marked = (value: string): readonly number[] | undefined =>
      first?.runs.find(({ start, end }) => first.text.slice(start, end) === value)?.box;
    expect(first?.text).toContain('[row_1] [Region]=North and east; [2022]=1000; [2023]=500');
    expect(marked('1007')?.map(Math.round)).toEqual([190, 223, 212, 234]);
    expect(marked('North and east')?.[0]).toBeCloseTo(80, 0);
    expect(marked('503')?.[0]).toBeCloseTo(300, 0);
  });
});

it('repeat the name of the group that their first rows are of', async () => {
  const own = (index: number, label: string): string =>
    row(700 - 12 * index, label, `${1000 + index}`, `${500 + index}`);
  const rows = Array.from({ length: 46 }, (_, index) => {
    if (index === 0) return row(700, 'Region', '2022', '2023');
    if (index === 4) return row(700 - 12 * index, 'Sales by country');
    return own(index, index === 40 ? 'Total' : `Number ${index} of all`);
  });
  const chunks = chunksOf(await parse(lines(72, 780, PROSE.slice(0, 1)) + rows.join('')));
  const firstRows = chunks
    .filter(({ text: one }) => one.includes('[row_'))
    .map(({ text: one }) => one.split('\n').find((line) => line.startsWith('[row_')));
  expect(firstRows.length).toBeGreaterThan(1);
  for (const one of firstRows.slice(1)) expect(one).toBe('[row_4] [Region]=Sales by country');
});

it('have names of columns without the brackets that are put around them', async () => {
  const table =
    row(600, 'Region', '[2022]', 'Grade [a]') +
    row(580, 'North', '1000', '500') +
    row(560, 'South', '1007', '503');
  const chunks = chunksOf(await parse(lines(72, 740, PROSE) + table));
  expect(chunks.at(-1)?.text).toContain('[row_1] [Region]=North; [(2022)]=1000; [Grade (a)]=500');
});

describe('headings', () => {
  const page = 0;
  const none = new Uint32Array();
  const words = { starts: none, ends: none, pages: none, boxes: null };
  const heading = (level: number, text: string) => ({ kind: 'heading', level, text, page, words }) as const;
  const paragraph = (text: string) => ({ kind: 'paragraph', text, page, words }) as const;

  it('right under one of their level go on with it', () => {
    const blocks = [
      heading(1, 'Item 8'),
      heading(2, 'Consolidated Balance Sheet'),
      heading(2, 'At December 31'),
      paragraph('Total assets'),
      heading(2, 'Notes'),
      paragraph('See above.'),
    ];
    expect(chunksOf({ blocks }).map(({ headings }) => headings)).toEqual([
      ['Item 8', 'Consolidated Balance Sheet - At December 31'],
      ['Item 8', 'Notes'],
    ]);
  });

  it('take the place of one that would grow too long', () => {
    const blocks = [heading(1, 'a'.repeat(100)), heading(1, 'b'.repeat(30)), paragraph('text')];
    expect(chunksOf({ blocks })[0]?.headings).toEqual(['b'.repeat(30)]);
  });
});

describe('what is searched of a table', () => {
  it('names its columns once, and has its cells in their order', async () => {
    const table = await tableChunk();
    expect(table?.indexed).toContain(
      'Region 2022 2023\nNorth and east 1000 500\nSouth 1007 503\nWest 1014 506',
    );
  });
});
