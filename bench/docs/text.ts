/** Words of pages beside poppler's: how many are there, and in what order. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Document } from '../../src/ingest/document.ts';
import { parsePdf } from '../../src/ingest/formats/pdf/pdf.ts';
import { inOrder, recall, wordsByPage, wordsOfText } from './page-words.ts';

const LIMITS = { pagesMax: 5_000, imagePixelsMax: 100_000_000 };

interface Sums {
  pages: number;
  all: number;
  body: number;
  order: number;
}

export async function text(folder: string): Promise<void> {
  if (!hasPoppler()) {
    console.log('text: pdftotext is missing (Debian package poppler-utils)');
    return;
  }
  console.log("text: share of poppler's words a page (its -layout off)");
  console.log(`  ${' '.repeat(54)}all     body    in order`);
  const total: Sums = { pages: 0, all: 0, body: 0, order: 0 };
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.pdf'))) {
    const path = join(folder, name);
    const document = await parsePdf({ bytes: readFileSync(path), name, limits: LIMITS });
    const sums = compareWords(document, popplerPages(path));
    for (const key of ['pages', 'all', 'body', 'order'] as const) total[key] += sums[key];
    console.log(`  ${name.slice(0, 44).padEnd(44)} ${line(sums)}`);
  }
  console.log(`  ${'mean of all pages (bar .98)'.padEnd(44)} ${line(total)}`);
  console.log('  all: headers and footers counted where they are kept; body: without them');
  console.log("  in order: in the longest common subsequence with poppler's, which reads tables by columns");
}

const line = ({ pages, all, body, order }: Sums): string =>
  `${String(pages).padStart(3)} pages  ${(all / pages).toFixed(4)}  ${(body / pages).toFixed(4)}  ${(order / pages).toFixed(4)}`;

function compareWords(document: Document, pages: readonly (readonly string[])[]): Sums {
  const of = (kind: 'header' | 'footer') => document.margins.filter((margin) => margin.kind === kind);
  const all = wordsByPage(document, [...of('header'), ...document.blocks, ...of('footer')]);
  const body = wordsByPage(document, document.blocks);
  const sums: Sums = { pages: 0, all: 0, body: 0, order: 0 };
  for (const [index, wanted] of pages.entries()) {
    if (wanted.length === 0) continue;
    sums.pages++;
    sums.all += recall(wanted, all[index] ?? []);
    sums.body += recall(wanted, body[index] ?? []);
    sums.order += inOrder(wanted, all[index] ?? []);
  }
  return sums;
}

function hasPoppler(): boolean {
  try {
    execFileSync('pdftotext', ['-v'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function popplerPages(path: string): string[][] {
  const options = { maxBuffer: 1e9, stdio: ['ignore', 'pipe', 'ignore'] as const };
  return execFileSync('pdftotext', ['-enc', 'UTF-8', path, '-'], { ...options, stdio: [...options.stdio] })
    .toString()
    .split('\f')
    .map(wordsOfText);
}
