/**
 * A real browser before a real server: Debian's Chromium, driven by playwright-core. Without one the tests of the console are
 * skipped; `./scripts/test` installs it, and under CI=true says that it could not.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { type ServerProcess, startServer } from '../../scripts/server-process.ts';

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const EXECUTABLE = PATHS.find((path) => existsSync(path));

export const hasBrowser = EXECUTABLE !== undefined;

/** Says why nothing is tested where there is no browser; nothing may be skipped under CI=true. */
export function requireBrowser(): void {
  if (hasBrowser || process.env.CI !== 'true') return;
  throw new Error('Chromium is missing: ./scripts/test installs it (apt-get install chromium)');
}

export const openBrowser = (): Promise<Browser> => {
  if (EXECUTABLE === undefined) throw new Error('there is no Chromium');
  // The tests run as root in containers, where its sandbox cannot.
  return chromium.launch({ executablePath: EXECUTABLE, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
};

/** A server and a browser. What the pages complain of is kept: a test that ends well has no complaint. */
export interface Console extends AsyncDisposable {
  readonly server: ServerProcess;
  /** Path of its data; its certificate is beside it. */
  readonly data: string;
  readonly browser: Browser;
  readonly origin: string;
  /** Errors of pages and of their consoles. */
  readonly complaints: string[];
  /** A page that is signed in with the server's key, or with another. */
  open(path: string, how?: { readonly key?: string; readonly context?: BrowserContext }): Promise<Page>;
}

export interface ConsoleOptions {
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** A folder that stays, with the owner's key. */
  readonly kept?: { readonly data: string; readonly key: string };
}

export async function startConsole({
  flags = [],
  environment = {},
  kept,
}: ConsoleOptions = {}): Promise<Console> {
  requireBrowser();
  const folder = await mkdtemp(join(tmpdir(), 'quern-console-'));
  const data = join(folder, 'data');
  const server = await startServer({ data, flags, environment, ...kept });
  const browser = await openBrowser();
  const origin = `http://127.0.0.1:${server.httpPort}`;
  const complaints: string[] = [];
  return {
    server,
    data,
    browser,
    origin,
    complaints,
    async open(path, { key = server.key, context } = {}) {
      const own = context ?? (await browser.newContext({ viewport: { width: 1280, height: 800 } }));
      // What works is bounded by nothing but the machine, which may be very busy.
      own.setDefaultTimeout(0);
      const page = await own.newPage();
      listen(page, complaints);
      await page.goto(`${origin}${path}`);
      await signIn(page, key);
      return page;
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Answers that are errors are complaints of the browser's too; tests of errors expect them. */
const EXPECTED = /Failed to load resource/;

function listen(page: Page, complaints: string[]): void {
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    const text = message.text();
    if (['error', 'warning'].includes(message.type()) && !EXPECTED.test(text)) complaints.push(text);
  });
}

/** Where one is asked for a key. */
export async function signIn(page: Page, key: string): Promise<void> {
  const field = page.getByLabel('API key');
  await field
    .or(page.getByRole('navigation', { name: 'Pages' }))
    .first()
    .waitFor();
  if (!(await field.isVisible())) return;
  await field.fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
}
