/**
 * `./scripts/screenshots [NAME…]` after set-up: every page of the console as one sees it, wide and narrow, light and dark, full,
 * empty and failing, and a sheet that shows them all. Each is loaded once for its width; the theme changes on the page, as it
 * does where somebody chooses another. The server that is filled for it is kept in `build/`, as filling takes longer than looking.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Console, startConsole } from '../sql-tests/console/browser.ts';
import { type Picture, PICTURES } from './pictures/pictures.ts';
import { contactSheet, type Taken } from './pictures/sheet.ts';
import { type Size, Studio, sizeOf } from './pictures/studio.ts';
import { fill, type World } from './pictures/world.ts';

const BUILD = join(import.meta.dirname, '../build');
const OUT = join(BUILD, 'screenshots');
/** A server on this machine that holds nothing but samples, and its key. */
const KEPT = { data: join(BUILD, 'screenshots.data'), key: 'quern_for_screenshots_only' };
const KEPT_WORLD = join(BUILD, 'screenshots.json');
const USAGE = `usage: ./scripts/screenshots [--fresh] [--size wide|narrow|zoomed|huge] [--theme light|dark] [NAME…]
  NAME     pages whose names begin so; all, where none is named
  --fresh  fills the server anew\n`;

const say = (line: string): void => void process.stderr.write(`${line}\n`);

function asked() {
  try {
    return parseArgs({
      options: { fresh: { type: 'boolean' }, size: { type: 'string' }, theme: { type: 'string' } },
      allowPositionals: true,
    });
  } catch (error) {
    say(`screenshots: ${(error as Error).message}\n${USAGE}`);
    process.exit(2);
  }
}

const { values, positionals } = asked();
const only = { size: sizeAsked(values.size), theme: values.theme };
function sizeAsked(name: string | undefined): Size | null {
  if (name === undefined) return null;
  const size = sizeOf(name);
  if (size !== null) return size;
  say(`screenshots: there is no size ${name}\n${USAGE}`);
  process.exit(2);
}

const wanted = PICTURES.filter(
  ({ name }) => positionals.length === 0 || positionals.some((start) => name.startsWith(start)),
);
if (wanted.length === 0) {
  say(`screenshots: no page is called that; there are ${PICTURES.map(({ name }) => name).join(' ')}`);
  process.exit(2);
}
if (values.fresh === true) {
  for (const path of [KEPT.data, `${KEPT.data}.key`, `${KEPT.data}.tls`, KEPT_WORLD]) {
    rmSync(path, { recursive: true, force: true });
  }
}
mkdirSync(OUT, { recursive: true });
const taken = [...(await ofEmpty()), ...(await ofFull())];
contactSheet(OUT, taken);
say(`${taken.length} pictures: ${join(OUT, 'index.html')}`);

async function ofEmpty(): Promise<readonly Taken[]> {
  const pictures = wanted.filter(({ server }) => server === 'empty');
  if (pictures.length === 0) return [];
  await using console_ = await startConsole();
  return await takeAll(console_, pictures, { keys: { owner: console_.server.key } });
}

async function ofFull(): Promise<readonly Taken[]> {
  const pictures = wanted.filter(({ server }) => server !== 'empty');
  if (pictures.length === 0) return [];
  await using console_ = await startConsole({ kept: KEPT });
  return await takeAll(console_, pictures, await worldOf(console_));
}

/** Names and keys of the server that was filled before; fills it where there is none. */
async function worldOf(console_: Console): Promise<World> {
  if (existsSync(KEPT_WORLD)) return JSON.parse(readFileSync(KEPT_WORLD, 'utf8')) as World;
  const world = await fill(console_.server, say);
  writeFileSync(KEPT_WORLD, JSON.stringify(world));
  return world;
}

async function takeAll(
  console_: Console,
  pictures: readonly Picture[],
  world: World,
): Promise<readonly Taken[]> {
  await using studio = new Studio({ console_, world, folder: OUT, say });
  const taken: Taken[] = [];
  for (const picture of pictures) taken.push(...(await studio.take(picture, only)));
  for (const complaint of new Set(console_.complaints)) say(`a page complains: ${complaint}`);
  return taken;
}
