/** Checks that what is cited stands: by a checker of quotes that shares no code, and by poppler's words of the pages. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { whyNot } from '../../sql-tests/fixtures/stands.ts';
import type { Asked, Ref } from './asked.ts';
import { share } from './bands.ts';
import { lines, SETS } from './datasets.ts';

/** The least share of a cited chunk's words that must be on its pages: poppler cuts some words at other places. */
const WORDS_SHARE_MIN = 0.95;

export class Placement {
  readonly #files = new Map<string, string>();
  readonly #pages = new Map<string, string>();
  readonly #counts = { facts: 0, placed: 0, ids: 0, resolved: 0, chunks: 0, onPages: 0, pictures: 0 };
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
      if (this.#isPicture(ref)) {
        counts.pictures++;
        continue;
      }
      counts.chunks++;
      const [found, all] = this.#onPages(ref);
      if (found >= WORDS_SHARE_MIN * all) counts.onPages++;
      else this.#missing.push(`${ref.content_id}: ${found} of ${all}`);
    }
  }

  report(): void {
    const { facts, placed, ids, resolved, chunks, onPages, pictures } = this.#counts;
    console.log('placement over both');
    console.log(
      `  facts whose quotes stand in what they cite ${placed} of ${facts}; ids that resolve ${resolved} of ${ids}`,
    );
    console.log(
      `  cited chunks whose words poppler reads on their pages ${share(onPages, chunks)} of ${chunks} (bar 0.990)`,
    );
    console.log(`  and ${pictures} pictures and scanned pages, which it cannot read`);
    for (const line of this.#missing.slice(0, 5)) console.log(`    not: ${line}`);
  }

  /** Its words were read in a picture, or on pages that are nothing else: poppler reads no pictures. */
  #isPicture({ dataset, doc_id, content_id, content }: Ref): boolean {
    const file = this.#files.get(`${dataset}/${doc_id}`) ?? '';
    const isBare = (page: number): boolean => this.#lettersOf(file, page).replaceAll('_', '').trim() === '';
    return content_id.includes('#image#') || content.doc_pages.every(isBare);
  }

  /** Words of quotes on the pages that the chunk says, and all. */
  #onPages({ dataset, doc_id, content, quotes }: Ref): readonly [found: number, all: number] {
    const file = this.#files.get(`${dataset}/${doc_id}`) ?? '';
    const pages = content.doc_pages.map((page) => this.#lettersOf(file, page));
    let found = 0;
    let all = 0;
    for (const { text } of quotes) {
      const words = text
        .replace(SYNTAX, ' ')
        .split(/\s+/)
        .map(letters)
        .filter((word) => word !== '');
      all += words.length;
      found += words.filter((word, i) =>
        pages.some((page) => isThere(page, word, words[i + 1] ?? words[i - 1])),
      ).length;
    }
    return [found, all];
  }

  #lettersOf(file: string, page: number): string {
    const key = `${file}#${page}`;
    const known = this.#pages.get(key);
    if (known !== undefined) return known;
    const args = ['-f', String(page), '-l', String(page), file, '-'];
    const text = ` ${letters(execFileSync('pdftotext', args, { encoding: 'utf8', stdio: 'pipe' }).replace(/\s+/g, '_'))} `;
    this.#pages.set(key, text);
    return text;
  }
}

/** Syntax of tables in chunks: names of columns stand on the page, their brackets do not. */
const SYNTAX = /\[(?:column|row)_\d+\]|[[\]=;]/g;

/** Letters and digits alone: hyphens at ends of lines, and where words end in high figures, are a reader's choice. */
const letters = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_]+/gu, '');

/** As a word, as a long part of one, or run together with the word beside it. */
function isThere(page: string, word: string, beside: string | undefined): boolean {
  const joined = page.replaceAll('_', '');
  if (page.includes(`_${word}_`)) return true;
  if (word.length > 4) return joined.includes(word);
  return beside !== undefined && (joined.includes(word + beside) || joined.includes(beside + word));
}

const stands = (ref: Ref | undefined): boolean =>
  ref !== undefined &&
  ref.quotes.length > 0 &&
  ref.quotes.every(
    ({ text, start, end }) => whyNot({ quote: text, content: ref.content.text, start, end }) === null,
  );
