/** Tells of whatever no text may make a page do. Code that runs in the page is text here: its names are the browser's. */
import type { BrowserContext, Page } from 'playwright-core';
import { CANARY, MARK } from './hostile-texts.ts';

/** Those that stand neither on the page, nor in a field, nor whole in the hint of one that is cut. */
export async function missingTexts(page: Page, texts: readonly string[]): Promise<readonly string[]> {
  const shown: readonly string[] = await page.evaluate(`[
    document.body.innerText,
    ...[...document.querySelectorAll('input, textarea')].map(({ value }) => value),
    ...[...document.querySelectorAll('[title]')].map(({ title }) => title),
  ]`);
  const plain = (given: string): string => given.replaceAll(/\s+/g, ' ').trim();
  const pieces = shown.map(plain);
  return texts.filter((text) => !pieces.some((piece) => piece.includes(plain(text))));
}

/** Elements that only a text could have put there. */
const FOREIGN = [
  `[${MARK}]`,
  'iframe, object, embed, base + base, script:not([src])',
  '[onerror], [onload], [onclick]',
].join();

export const foreignMarkup = (page: Page): Promise<readonly string[]> =>
  page.evaluate(`[
    ...document.querySelectorAll(${JSON.stringify(FOREIGN)}),
    ...[...document.querySelectorAll('a[href]')].filter(({ href }) => !href.startsWith(location.origin)),
  ].map(({ outerHTML }) => outerHTML.slice(0, 300))`);

/**
 * Tells of scripts that ran, dialogs, requests to others, other windows, and of whatever the page's policy had to stop.
 * @param tell may be called at any time
 */
export async function watch(
  context: BrowserContext,
  origin: string,
  tell: (what: string) => void,
): Promise<void> {
  await context.exposeFunction(CANARY, () => tell('a text ran'));
  await context.exposeFunction('quernStopped', (what: string) => tell(`the policy stopped ${what}`));
  await context.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
    quernStopped(event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sourceFile))`);
  await context.route(
    (url) => url.origin !== origin && url.protocol !== 'blob:' && url.protocol !== 'data:',
    async (route) => {
      tell(`${route.request().url()} was asked`);
      await route.abort();
    },
  );
  context.on('dialog', (dialog) => {
    tell(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on('page', (page) => {
    page.on('popup', () => tell('another window'));
    page.on('download', (download) => tell(`a download: ${download.url()}`));
  });
}
