/** Takes the pictures of one server: signs in once for each key, waits until a page is at rest, and looks at it in each theme. */
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import type { Console } from '../../sql-tests/console/browser.ts';
import type { Failing, Picture } from './pictures.ts';
import type { Taken } from './sheet.ts';
import type { World } from './world.ts';

/** `zoomed` is the wide one at 200 %. */
const SIZES = {
  wide: { width: 1280, height: 800 },
  narrow: { width: 390, height: 844 },
  zoomed: { width: 640, height: 400 },
  huge: { width: 2560, height: 1440 },
} as const;

export type Size = keyof typeof SIZES;

export const sizeOf = (name: string): Size | null => (Object.hasOwn(SIZES, name) ? (name as Size) : null);

/** The others are taken where they are named. */
const USUAL: readonly Size[] = ['wide', 'narrow'];
const THEMES = ['light', 'dark'] as const;

/** A page that is not at rest by then is taken as it is. */
const REST_MS_MAX = 20_000;
const QUIET_MS_MAX = 4000;
/** Time in which a browser has drawn what has come. */
const DRAWN_MS = 200;

interface Given {
  readonly console_: Console;
  readonly world: World;
  readonly folder: string;
  readonly say: (line: string) => void;
}

interface Only {
  /** Null: the usual ones. */
  readonly size: Size | null;
  /** Undefined: both. */
  readonly theme: string | undefined;
}

export class Studio implements AsyncDisposable {
  readonly #given: Given;
  readonly #contexts = new Map<string, Promise<BrowserContext>>();

  constructor(given: Given) {
    this.#given = given;
  }

  async take(picture: Picture, only: Only): Promise<readonly Taken[]> {
    const taken: Taken[] = [];
    for (const size of only.size === null ? USUAL : [only.size]) {
      const { name } = picture;
      try {
        taken.push(...(await this.#takeOne(picture, size, only.theme)));
        this.#given.say(`${name} (${size})`);
      } catch (error) {
        this.#given.say(`${name} (${size}): ${String(error).split('\n')[0]}`);
      }
    }
    return taken;
  }

  async #takeOne(picture: Picture, size: Size, only: string | undefined): Promise<readonly Taken[]> {
    const { console_, world, folder } = this.#given;
    const { name, act, fails, who = 'owner' } = picture;
    const context = await this.#context(size, who);
    await using page = await context.newPage();
    if (fails !== undefined) await failing(page, fails);
    await page.goto(`${console_.origin}${await picture.path(world, console_.origin)}`);
    // Who is signed out sees what is under way as it was.
    const rest = fails === 'over' ? DRAWN_MS : REST_MS_MAX;
    await atRest(page, rest);
    await act?.(page, world);
    await atRest(page, rest);
    const taken: Taken[] = [];
    for (const theme of THEMES) {
      if (only !== undefined && only !== theme) continue;
      await page.emulateMedia({ colorScheme: theme });
      await page.waitForTimeout(DRAWN_MS);
      const file = `${name}.${size}.${theme}.png`;
      await page.screenshot({ path: join(folder, file) });
      taken.push({ name, size, theme, file });
    }
    return taken;
  }

  #context(size: Size, who: string): Promise<BrowserContext> {
    const id = `${size} ${who}`;
    const known = this.#contexts.get(id) ?? this.#signedIn(size, who);
    this.#contexts.set(id, known);
    return known;
  }

  async #signedIn(size: Size, who: string): Promise<BrowserContext> {
    const { console_, world } = this.#given;
    const viewport = SIZES[size];
    const context = await console_.browser.newContext({ viewport, reducedMotion: 'reduce', locale: 'en-GB' });
    const key = world.keys[who];
    if (key !== undefined) await (await console_.open('/nowhere', { key, context })).close();
    return context;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const context of this.#contexts.values()) await (await context).close();
  }
}

/** The server answers, and says that it cannot; that nobody is signed in; or it does not answer. */
async function failing(page: Page, how: Failing): Promise<void> {
  await page.route(/\/(?:sql|device|pages)\b/, async (route) => {
    if (how === 'away') return route.abort();
    const error = {
      message: 'could not read block 17 of segment 4: the disk answered EIO',
      sqlstate: '58030',
      hint: 'See whether the disk of the data folder is whole; quern verify names what cannot be read.',
    };
    const [status, body] = how === 'over' ? [401, 'sign in first'] : [500, `${JSON.stringify({ error })}\n`];
    return route.fulfill({ status, contentType: 'application/json', body });
  });
}

/** Nothing is under way any more: no request, no skeleton, no page that is drawn. */
async function atRest(page: Page, ms: number): Promise<void> {
  const end = AbortSignal.timeout(ms);
  await page.waitForLoadState('networkidle', { timeout: QUIET_MS_MAX }).catch(() => undefined);
  const busy = page.locator('[role=status][aria-label="Loading"]:visible, [aria-busy=true]:visible');
  while (!end.aborted && (await busy.count()) > 0) await page.waitForTimeout(DRAWN_MS);
  await page.waitForTimeout(DRAWN_MS);
}
