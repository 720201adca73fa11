/**
 * The journey of a first start: the link that it prints, the sample, a question, its words marked on the page; and of a file
 * that is dropped, cannot be read, says why, and is replaced.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makePdf, text } from '../../src/ingest/formats/pdf/pdf-fixture.ts';
import { FirstStart } from '../attack/first-start.ts';
import { hasBrowser, openBrowser, requireBrowser } from './browser.ts';

requireBrowser();

const folder = mkdtempSync(join(tmpdir(), 'quern-first-'));

describe.skipIf(!hasBrowser)('whoever starts a server first', () => {
  let server: FirstStart;
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  let page: Page;
  beforeAll(async () => {
    server = await FirstStart.begin(join(folder, 'data'));
    browser = await openBrowser();
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    context.setDefaultTimeout(0);
    page = await context.newPage();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it('comes in by the link, which is nowhere afterwards', async () => {
    const [, link = ''] = /^console: (\S+)$/m.exec(server.output) ?? [];
    await page.goto(link);
    await page.getByRole('heading', { name: 'Begin with a sample' }).waitFor();
    expect(page.url()).not.toContain('link');
    await page.reload();
    await page.getByRole('heading', { name: 'Begin with a sample' }).waitFor();
  });

  it('loads the reports, asks, and sees the words on the page', async () => {
    await page.getByRole('button', { name: 'Load the reports' }).click();
    await page.getByRole('link', { name: 'reports' }).click();
    for (const pages of ['4 pages', '7 pages']) await page.getByText(pages, { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Ask', exact: true }).click();
    const question = 'How many graduate students borrowed?';
    await page.getByLabel('Ask a question of your documents').fill(question);
    await page.keyboard.press('Enter');
    const source = page.getByRole('complementary', { name: 'Source' });
    const mark = source.locator('g[data-tone=accent] rect').first();
    await mark.waitFor();
    // The address shows the same to who opens it.
    await expect.poll(() => new URL(page.url()).pathname).toMatch(/^\/ask\/[\da-f-]{36}$/);
    await page.reload();
    await mark.waitFor();
    const drawn = source.getByRole('img', { name: /^Page / });
    expect(
      await drawn.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth),
    ).toBeGreaterThan(500);
  });

  it('drops a file that cannot be read, is told why, and replaces it', async () => {
    await page.getByRole('link', { name: 'Datasets' }).click();
    await page.getByRole('link', { name: 'reports' }).click();
    await page.getByText('7 pages', { exact: true }).waitFor();
    await drop(page, 'scan.pdf', '%PDF-1.7 nothing');
    await page.getByRole('link', { name: /^Failures/ }).click();
    await page
      .getByText(/the PDF is damaged or not whole/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Replace the file' }).click();
    const buffer = Buffer.from(makePdf([{ content: text(72, 700, 'The board met in spring.') }]));
    const dialog = page.getByRole('dialog');
    await dialog
      .locator('input[type=file]')
      .setInputFiles({ name: 'whole.pdf', mimeType: 'application/pdf', buffer });
    await dialog.getByRole('button', { name: 'Replace the file' }).click();
    await page.getByRole('region', { name: 'Uploads' }).getByRole('link', { name: 'scan.pdf' }).click();
    await page.getByText('The board met in spring.').first().waitFor();
  });
});

/** As by hand, on whatever is in the middle of the page. */
async function drop(page: Page, name: string, content: string): Promise<void> {
  const given = JSON.stringify({ name, content });
  await page.evaluate(`{
    const { name, content } = ${given};
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([content], name));
    const target = document.querySelector('main');
    const below = document.elementFromPoint(innerWidth / 2, innerHeight / 2) ?? target;
    for (const type of ['dragenter', 'dragover', 'drop'])
      below.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }));
  }`);
}
