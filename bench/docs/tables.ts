/** Tables of the ICDAR 2013 competition's files: with their regions given, and found on their pages. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readContent } from '../../src/ingest/formats/pdf/content.ts';
import { type Frame, frameOf } from '../../src/ingest/formats/pdf/frame.ts';
import { elementsOf } from '../../src/ingest/formats/pdf/layout.ts';
import { openPdf } from '../../src/ingest/formats/pdf/pdfjs.ts';
import { type Grid, textOfWords } from '../../src/ingest/formats/pdf/tables/grid.ts';
import { gridInRegion } from '../../src/ingest/formats/pdf/tables/region.ts';
import { addCounts, type Counts, compare, f1, relations, type ScoredCell, together } from './adjacency.ts';

export interface Truth {
  readonly file: string;
  readonly tables: readonly {
    readonly cells: readonly {
      readonly page: number;
      readonly row: number;
      readonly col: number;
      readonly row_end: number;
      readonly col_end: number;
      readonly text: string;
      /** From the bottom left. */
      readonly bbox: readonly [number, number, number, number];
    }[];
  }[];
}

type Table = Truth['tables'][number];

interface Scores {
  readonly regions: Record<'ruled' | 'unruled', Counts>;
  readonly whole: Record<'ruled' | 'unruled', Counts>;
}

export const none = (): Counts => ({ right: 0, found: 0, wanted: 0 });

export async function tables(folder: string, quick: boolean): Promise<void> {
  const lines = readFileSync(join(folder, 'tables.jsonl'), 'utf8').trim().split('\n');
  const scores: Scores = {
    regions: { ruled: none(), unruled: none() },
    whole: { ruled: none(), unruled: none() },
  };
  for (const line of quick ? lines.slice(0, 12) : lines) {
    await scoreFile(folder, JSON.parse(line) as Truth, scores);
  }
  console.log('tables: cell adjacency F1 over ICDAR 2013, pooled');
  report('regions given', scores.regions, 0.9);
  report('whole process', scores.whole, 0.78);
}

function report(name: string, { ruled, unruled }: Scores['regions'], bar: number): void {
  const all = none();
  addCounts(all, ruled);
  addCounts(all, unruled);
  const parts = `ruled ${f1(ruled).toFixed(3)} (${ruled.wanted}), unruled ${f1(unruled).toFixed(3)} (${unruled.wanted})`;
  console.log(
    `  ${name.padEnd(14)} ${f1(all).toFixed(3)} (bar ${bar.toFixed(2)}); ${parts}; ` +
      `precision ${(all.right / all.found).toFixed(3)}, recall ${(all.right / all.wanted).toFixed(3)}`,
  );
}

async function scoreFile(folder: string, truth: Truth, scores: Scores): Promise<void> {
  await using file = await openPdf(readFileSync(join(folder, truth.file)), undefined, 'boxes');
  for (let number = 1; number <= file.pageCount; number++) {
    const frame = await file.page(number, (page) => frameOf(readContent(page)));
    const own = truth.tables.filter(({ cells }) => cells[0]?.page === number);
    for (const table of own) {
      const grid = gridInRegion(frame, regionOf(table, frame));
      const counts = compare(relations(wantedCells(table)), relations(foundCells(grid)));
      addCounts(scores.regions[kindOf(grid === null ? [] : [grid])], counts);
    }
    const grids = elementsOf(frame).flatMap((element) => (element.kind === 'table' ? [element.grid] : []));
    const wanted = together(own.map((table) => relations(wantedCells(table))));
    addCounts(
      scores.whole[kindOf(grids)],
      compare(wanted, together(grids.map((grid) => relations(foundCells(grid))))),
    );
  }
}

/** A page counts as ruled where most of its cells were found by rules. */
function kindOf(grids: readonly Grid[]): 'ruled' | 'unruled' {
  const count = (isRuled: boolean): number =>
    grids.filter((grid) => grid.isRuled === isRuled).reduce((sum, { cells }) => sum + cells.length, 0);
  return count(true) > count(false) ? 'ruled' : 'unruled';
}

function regionOf({ cells }: Table, { height }: Frame): [number, number, number, number] {
  const boxes = cells.map(({ bbox }) => bbox);
  return [
    Math.min(...boxes.map(([left]) => left)),
    height - Math.max(...boxes.map(([, , , top]) => top)),
    Math.max(...boxes.map(([, , right]) => right)),
    height - Math.min(...boxes.map(([, bottom]) => bottom)),
  ];
}

export const wantedCells = ({ cells }: Table): ScoredCell[] =>
  cells.map(({ row, col, row_end, col_end, text }) => ({
    row,
    column: col,
    rowEnd: row_end,
    columnEnd: col_end,
    text,
  }));

const foundCells = (grid: Grid | null): ScoredCell[] =>
  (grid?.cells ?? []).map((cell) => ({ ...cell, text: cell.lines.map(textOfWords).join(' ') }));
