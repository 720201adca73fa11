/** PDFs as documents: pages, properties, places of words, and files that cannot be read. */
import { describe, expect, it } from 'vitest';
import { type Document, pagesBetween } from '../../document.ts';
import type { ParseRequest } from '../format.ts';
import { parsePdf } from './pdf.ts';
import { type FixtureOptions, type FixturePage, makePdf, text, writeObjects } from './pdf-fixture.ts';

const LIMITS = { pagesMax: 100, imagePixelsMax: 1_000_000 };

function parse(bytes: Uint8Array, options: Partial<ParseRequest> = {}): Promise<Document> {
  return parsePdf({ bytes, name: 'test.pdf', limits: LIMITS, ...options });
}

const made = (pages: readonly FixturePage[], options?: FixtureOptions): Promise<Document> =>
  parse(makePdf(pages, options));

const problemOf = (bytes: Uint8Array, options?: Partial<ParseRequest>): Promise<unknown> =>
  parse(bytes, options).then(
    () => 'none',
    (error: unknown) => error,
  );

describe('a PDF', () => {
  it('gives pages, properties and words with their places', async () => {
    const document = await made(
      [{ content: text(72, 700, 'Hello world') }, { content: text(72, 700, 'Second page'), rotate: 90 }],
      { info: "/Title (Report) /CreationDate (D:20240131120000+01'00')", catalog: '/Lang (en-GB)' },
    );
    expect(document).toMatchObject({
      format: 'pdf',
      title: 'Report',
      languages: ['en-GB'],
      metadata: { title: 'Report', created: '2024-01-31T12:00:00+01:00' },
      pages: [
        { number: 1, width: 612, height: 792, rotation: 0, isScan: false },
        { number: 2, width: 792, height: 612, rotation: 90 },
      ],
    });
    const [first] = document.blocks;
    expect(first?.text).toBe('Hello world');
    const box = Array.from(first?.words?.boxes ?? []).slice(0, 4);
    expect(box[0]).toBeCloseTo(72, 0);
    expect(box[1]).toBeGreaterThan(792 - 700 - 10);
    expect(box[3]).toBeLessThan(792 - 700 + 4);
    expect(first && pagesBetween(first, 6, 11)).toEqual([1]);
    expect(structuredClone(document)).toEqual(document);
  });

  it('tells how far it is', async () => {
    const told: string[] = [];
    const pages = [1, 2, 3].map((n) => ({ content: text(72, 700, `page ${n}`) }));
    await parse(makePdf(pages), { onProgress: (done, total) => told.push(`${done}/${total}`) });
    expect(told).toEqual(['1/3', '2/3', '3/3']);
  });
});

describe('a PDF that cannot be read', () => {
  it('says that it has no pages', async () => {
    expect(await problemOf(makePdf([]))).toMatchObject({ name: 'DocumentError', problem: 'no_pages' });
  });

  it('says how many pages are too many', async () => {
    const pages = [1, 2, 3].map(() => ({ content: '' }));
    const options = { limits: { ...LIMITS, pagesMax: 2 } };
    expect(await problemOf(makePdf(pages), options)).toMatchObject({
      problem: 'limit_exceeded',
      message: 'the PDF has 3 pages; at most 2 are accepted',
    });
  });

  it('says that it is damaged', async () => {
    const bytes = new TextEncoder().encode('%PDF-1.4 nothing else');
    expect(await problemOf(bytes)).toMatchObject({ problem: 'damaged' });
  });

  it('ends a loop of its page tree', async () => {
    const loop = writeObjects([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [2 0 R] /Count 1 >>',
    ]);
    const outcome = await parse(loop).then(
      ({ problems }) => problems.join(),
      (error: Error) => error.message,
    );
    expect(outcome).toMatch(/page/i);
  });

  it('stops between pages when time is up', async () => {
    const pages = [1, 2].map((n) => ({ content: text(72, 700, `page ${n}`) }));
    const stop = new AbortController();
    const outcome = await problemOf(makePdf(pages), { signal: stop.signal, onProgress: () => stop.abort() });
    expect(outcome).toMatchObject({ problem: 'time_exceeded', message: 'time was up at page 2' });
  });
});
