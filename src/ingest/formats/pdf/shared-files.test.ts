/** Files that others made, from `../shared/data` beside the checkout: tables by people, hostile files, passwords. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Document } from '../../document.ts';
import { readContent } from './content.ts';
import { frameOf } from './frame.ts';
import { parsePdf } from './pdf.ts';
import { openPdf } from './pdfjs.ts';
import { gridInRegion } from './tables/region.ts';

const DATA = join(import.meta.dirname, '../../../../../shared/data');
const there = existsSync(DATA);
const LIMITS = { pagesMax: 5_000, imagePixelsMax: 100_000_000 };

const parse = (file: string, password?: string): Promise<Document> =>
  parsePdf({
    bytes: readFileSync(join(DATA, 'files', file)),
    name: file,
    limits: LIMITS,
    ...(password === undefined ? {} : { password }),
  });

const textOf = ({ blocks }: Document): string => blocks.map(({ text }) => text).join('\n');

if (!there) {
  it('finds the data in ../shared', ({ skip }) => {
    expect(process.env.CI, `${DATA} is not there`).not.toBe('true');
    skip(`${DATA} is not there`);
  });
}

describe.skipIf(!there)('files of others', () => {
  it.each([
    ['hostile/password.pdf', undefined, 'password_missing'],
    ['hostile/password-example.pdf', 'no', 'password_wrong'],
    ['hostile/zero-pages.pdf', undefined, 'no_pages'],
    ['hostile/truncated-40pct.pdf', undefined, 'damaged'],
    ['hostile/poppler-395-0-fuzzed.pdf', undefined, 'damaged'],
  ])('%s ends with a reason', async (file, password, problem) => {
    await expect(parse(file, password)).rejects.toMatchObject({ name: 'DocumentError', problem });
  });

  it('open with their password', async () => {
    expect((await parse('hostile/password-example.pdf', 'test')).pages).toHaveLength(4);
    expect(textOf(await parse('hostile/libreoffice-writer-password.pdf', 'openpassword'))).toContain(
      'Lorem ipsum',
    );
  });

  it('tell what could not be read of them', async () => {
    const document = await parse('hostile/Pages-tree-refs.pdf');
    expect(document.pages).toHaveLength(1);
    expect(document.problems).toEqual([expect.stringMatching(/^page 2 cannot be read: .*circular/)]);
  });

  it('know which pages are scans', async () => {
    const { pages, blocks } = await parse('scans/MEDRPT-2024-PAT-3847_medical_report_scan.pdf');
    expect(pages.map(({ isScan }) => isScan)).toEqual([true, true, true]);
    expect(blocks.map(({ kind }) => kind)).toEqual(['image', 'image', 'image']);
  });

  it('are read to the left in the order of their letters', async () => {
    const [title] = (await parse('pdf/right_to_left_01.pdf')).blocks;
    expect(title?.text).toBe('تحسين الإنتاجية وحل المشكلات من خلال البرمجة بلغة R و Python');
  });

  it('have tables as people marked them', async () => {
    const folder = join(DATA, 'docqa/icdar2013-tables');
    await using file = await openPdf(readFileSync(join(folder, 'pdfs/us-007.pdf')), undefined, 'boxes');
    const frame = await file.page(2, (page) => frameOf(readContent(page)));
    expect(gridInRegion(frame, [0, 0, frame.width, frame.height])?.columnCount).toBe(5);
  });
});
