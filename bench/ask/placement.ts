/** Whether what is cited stands: by a checker of quotes that shares no code, and by poppler's words of the pages. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { whyNot } from '../../sql-tests/fixtures/stands.ts';
import { wordsOfText } from '../docs/page-words.ts';
import type { Asked, Ref } from './asked.ts';
import { share } from './bands.ts';
import { lines, SETS } from './datasets.ts';

/** Of a cited chunk's words, this share must be on its pages: poppler cuts some words at other places. */
const WORDS_SHARE_MIN = 0.95;

export class Placement {
  readonly #files = new Map<string, string>();
  readonly #pages = new Map<string, ReadonlySet<string>>();
  readonly #counts = { facts: 0, placed: 0, ids: 0, resolved: 0, chunks: 0, onPages: 0 };
  readonly #missing: string[] = [];

  constructor(source: string) {
    for (const set of SETS) {
      for (const { doc, file } of lines<{ doc: string; file: string }>(join(source, set, 'documents.jsonl')))
        this.#files.set(`${set}/${doc}`, join(source, set, file));
    }
  }

  add({ facts, refs }: Asked): void {
    const counts = this.#counts;
    for (const { refIds } of facts) {
      counts.facts++;
      counts.ids += refIds.length;
      counts.resolved += refIds.filter((id) => id in refs).length;
      if (refIds.length > 0 && refIds.every((id) => stands(refs[id]))) counts.placed++;
    }
    for (const ref of Object.values(refs)) {
      if (ref.content.doc_pages.length === 0) continue;
      counts.chunks++;
      const [found, all] = this.#onPages(ref);
      if (found >= WORDS_SHARE_MIN * all) counts.onPages++;
      else this.#missing.push(`${ref.content_id}: ${found} of ${all}`);
    }
  }

  report(): void {
    const { facts, placed, ids, resolved, chunks, onPages } = this.#counts;
    console.log('placement over both');
    console.log(
      `  facts whose quotes stand in what they cite ${placed} of ${facts}; ids that resolve ${resolved} of ${ids}`,
    );
    console.log(
      `  cited chunks whose words poppler reads on their pages ${share(onPages, chunks)} of ${chunks} (bar 0.990)`,
    );
    for (const line of this.#missing.slice(0, 5)) console.log(`    not: ${line}`);
  }

  /** Words of quotes on the pages that the chunk says, and all. */
  #onPages({ dataset, doc_id, content, quotes }: Ref): readonly [found: number, all: number] {
    const file = this.#files.get(`${dataset}/${doc_id}`) ?? '';
    const words = quotes.flatMap(({ text }) =>
      wordsOfText(text.replace(/\[column_\d+\]|\[row_\d+\]|[[\]=;]/g, ' ')),
    );
    const found = words.filter((word) =>
      content.doc_pages.some((page) => this.#wordsOf(file, page).has(word)),
    );
    return [found.length, words.length];
  }

  #wordsOf(file: string, page: number): ReadonlySet<string> {
    const key = `${file}#${page}`;
    const known = this.#pages.get(key);
    if (known !== undefined) return known;
    const args = ['-f', String(page), '-l', String(page), '-layout', file, '-'];
    const words = new Set(wordsOfText(execFileSync('pdftotext', args, { encoding: 'utf8', stdio: 'pipe' })));
    this.#pages.set(key, words);
    return words;
  }
}

const stands = (ref: Ref | undefined): boolean =>
  ref !== undefined &&
  ref.quotes.length > 0 &&
  ref.quotes.every(
    ({ text, start, end }) => whyNot({ quote: text, content: ref.content.text, start, end }) === null,
  );
