/** Passages that the server finds for the questions of FinanceBench and MMLongBench, kept so that it is read again and again. */
import { join } from 'node:path';
import type pg from 'pg';
import { foundFor } from '../../src/ask/cells/found.ts';
import type { ChunkCells } from '../../src/ask/cells/row.ts';
import { CellsOfChunks } from '../../src/ask/cells/stored-cells.ts';
import type { FactsRequest } from '../../src/ask/facts.ts';
import { MODES } from '../../src/ask/confidence.ts';
import type { Passage } from '../../src/ask/passage.ts';
import { Reader } from '../../src/ask/question.ts';
import { askOf } from '../wire-ask.ts';
import { lines, SETS } from './datasets.ts';
import { type ExpectedNumber, firstNumberOf } from './expected-number.ts';

type FileSet = (typeof SETS)[number];

/** Plain data: threads hand it to each other. */
export interface FoundQuestion {
  readonly set: FileSet;
  readonly doc: string;
  readonly question: string;
  readonly isAnswerable: boolean;
  /** Pages with the evidence, 1-based. */
  readonly pages: readonly number[];
  readonly number: ExpectedNumber | null;
  readonly passages: readonly Passage[];
  /** Those of each passage; undefined where its document has none. */
  readonly cells: readonly (ChunkCells | undefined)[];
  readonly bystanders: readonly string[];
  readonly isComputable: boolean;
}

interface Line {
  readonly doc: string;
  readonly question: string;
  readonly answer: string;
  readonly answerable?: boolean;
  readonly evidence_pages_1based: readonly number[];
}

const signal = new AbortController().signal;

export async function findInFiles(source: string, client: pg.Client): Promise<readonly FoundQuestion[]> {
  const reader = new Reader();
  const query = askOf(client);
  const all: FoundQuestion[] = [];
  for (const set of SETS) {
    for (const asked of lines<Line>(join(source, set, 'questions.jsonl'))) {
      const filter = set === 'mmlongbench' ? `doc_id = '${asked.doc}'` : null;
      const request = { datasets: [{ dataset: set, filter }], filter: null };
      const { passages, cells, bystanders, missing } = await foundFor(
        query,
        reader.read(asked.question),
        request,
      );
      all.push({
        set,
        doc: asked.doc,
        question: asked.question,
        isAnswerable: asked.answerable ?? true,
        pages: asked.evidence_pages_1based,
        number: firstNumberOf(asked.answer),
        passages,
        cells: passages.map((passage) => cells.of(passage)),
        bystanders,
        isComputable: missing.length === 0,
      });
    }
  }
  return all;
}

/** All that reading it takes. */
export function requestOf(found: FoundQuestion, reader: Reader): FactsRequest {
  const { passages, bystanders, isComputable } = found;
  const cells = new CellsOfChunks();
  for (const [i, passage] of passages.entries()) {
    const own = found.cells[i];
    if (own !== undefined) cells.add(passage, own);
  }
  const question = reader.read(found.question);
  return { question, passages, cells, reader, bystanders, isComputable, signal, ...MODES.auto };
}

const PAGES_MAX = 5;

/** True when an evidence page is among the first that are cited. */
export function citesPage(
  citations: readonly { readonly passage: Passage }[],
  { doc, pages }: Pick<FoundQuestion, 'doc' | 'pages'>,
): boolean {
  const cited = new Set<string>();
  for (const { passage } of citations) {
    for (const page of passage.pages) cited.add(`${passage.docId} ${page}`);
    if (passage.docId === doc && passage.pages.some((page) => pages.includes(page))) return true;
    if (cited.size >= PAGES_MAX) return false;
  }
  return false;
}
