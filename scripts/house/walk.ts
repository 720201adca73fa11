/**
 * Walks through the product, as a reader would follow them: which files a statement enters, and how often it comes back
 * to one, in a session and through a socket, of a statement that was sent before. A program of its own, as every function
 * is loaded with a mark at its beginning. ROOT is a checkout that has these walks' fixtures: of issue 23 and later.
 *
 *     node scripts/house/walk.ts [ROOT]
 *     node scripts/house/walk.ts --folders [ROOT]    for reading: also folder by folder
 *     node scripts/house/walk.ts --files [ROOT]      also file by file
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseSync, Visitor } from 'oxc-parser';
import { RawClient } from '../../sql-tests/faults/raw-client.ts';
import type * as Ingestion from '../../sql-tests/fixtures/ingestion.ts';
import { runWireScript } from '../../sql-tests/wire/wire-script.ts';
import type { SessionFactory } from '../../src/session/protocol.ts';
import type * as ConnectionLimits from '../../src/wire/connection-limits.ts';
import type * as Listener from '../../src/wire/listener.ts';
import type * as Tls from '../../src/wire/tls.ts';

declare global {
  var walk: ((file: string) => void) | undefined;
}

/** Sends what a client would, to its end. */
type Send = () => Promise<unknown>;

const PREPARED = `SELECT title FROM films WHERE year > 1990
  ORDER BY semantic_similarity(plot, $1) DESC LIMIT 10`;
const ASK = "SELECT * FROM ask($1, ARRAY['filings'])";

/** In a session, as texts: what was sent before, and what is walked. */
const IN_SESSION = [
  {
    name: 'a ranked SELECT with a parameter',
    before: `PREPARE walk(text) AS ${PREPARED}`,
    statement: `EXECUTE walk('a whale')`,
  },
  {
    name: 'an INSERT with an embedding',
    before: 'SELECT 1',
    statement: `INSERT INTO films (_id, title, year, plot) VALUES ('c', 'Orca', 1977, 'A whale hunts a captain')`,
  },
];

/** Through a socket, prepared before, with a parameter that is another each time. */
const BOUND = [
  { name: 'a ranked SELECT', text: PREPARED, value: 'a whale' },
  { name: 'ask(), of what a sentence says', text: ASK, value: 'Who runs the works in Tucson?' },
  { name: 'ask(), of a figure', text: ASK, value: "What was Harper's operating income in 2022?" },
  {
    name: 'ask(), of what is computed',
    text: ASK,
    value: 'What was the percentage change in operating income from 2022 to 2023?',
  },
];

/** Questions that have been asked before, one of each kind, none of those that are walked. */
const BEFORE = [
  'What is made in Phoenix?',
  'What were the costs of sales of Harper in 2023?',
  'What was the percentage change in net sales from 2021 to 2022?',
];

const REPORT = `# Harper & Lindqvist Company: annual report 2023

Harper & Lindqvist Company makes anvils and hinges in Phoenix and Tucson.

## Works

The works in Tucson were opened in March 2022. Maria Ortega runs the works in Tucson.
Hinges are made in Phoenix.

## Results

| In millions | 2023 | 2022 | 2021 |
|---|---|---|---|
| Net sales | 1,577 | 1,421 | 1,300 |
| Cost of sales | 1,012 | 987 | 940 |
| Operating income | 300 | 240 | 210 |

Net sales rose because of the works in Tucson.
`;

interface Found {
  readonly name: string;
  /** Files entered, in the order in which they were. */
  readonly files: readonly string[];
  readonly returned: number;
}

/** Begins every function body with a word about its file. */
function mark(root: string): void {
  registerHooks({
    load(url, context, nextLoad) {
      const path = url.startsWith('file:') ? relative(root, fileURLToPath(url)) : '';
      if (!path.startsWith('src/') || !path.endsWith('.ts')) return nextLoad(url, context);
      const code = stripTypeScriptTypes(readFileSync(join(root, path), 'utf8'));
      const bodies: number[] = [];
      const enter = ({ body }: { body: { type: string; start: number } | null }): void => {
        if (body?.type === 'BlockStatement') bodies.push(body.start + 1);
      };
      new Visitor({
        FunctionDeclaration: enter,
        FunctionExpression: enter,
        ArrowFunctionExpression: enter,
      }).visit(parseSync('code.js', code).program);
      const word = `globalThis.walk?.(${JSON.stringify(path)});`;
      let source = '';
      let at = 0;
      for (const body of bodies.sort((a, b) => a - b)) {
        source += code.slice(at, body) + word;
        at = body;
      }
      return { format: 'module', shortCircuit: true, source: source + code.slice(at) };
    },
  });
}

async function walked(name: string, send: Send): Promise<Found> {
  const entered = new Set<string>();
  let last = '';
  let returned = 0;
  globalThis.walk = (path) => {
    if (path === last) return;
    last = path;
    if (entered.has(path)) returned++;
    entered.add(path);
  };
  await send();
  globalThis.walk = undefined;
  return { name, files: [...entered], returned };
}

async function walks(root: string): Promise<readonly Found[]> {
  mark(root);
  const load = (path: string) => import(pathToFileURL(join(root, path)).href);
  const { TestIngestion } = (await load('sql-tests/fixtures/ingestion.ts')) as typeof Ingestion;
  const ingestion = await TestIngestion.open();
  const { database, session } = ingestion;
  await session.rows(`CREATE TABLE films (_id text, title text, year int, plot text,
    INDEX semantic_index(plot, model => 'hash'))`);
  await session.rows(
    `INSERT INTO films (_id, title, year, plot) VALUES ('a', 'Jaws', 1995, 'A shark hunts swimmers')`,
  );
  const found: Found[] = [];
  for (const { name, before, statement } of IN_SESSION) {
    await session.rows(before);
    found.push(await walked(name, () => session.rows(statement)));
  }
  await session.rows("CREATE DATASET filings WITH (embedding_model = 'hash')");
  const report = { dataset: 'filings', name: 'report.md' };
  await ingestion.wait(await ingestion.upload('HARPER_2023_10K', REPORT, report));
  await ingestion.wait(
    await ingestion.upload('canteen', 'The canteen opens at noon.', { dataset: 'filings' }),
  );
  await ingestion.stop();
  return [...found, ...(await throughSocket(load, database.factory))];
}

async function throughSocket(
  load: (path: string) => Promise<unknown>,
  factory: SessionFactory,
): Promise<readonly Found[]> {
  const { openTls } = (await load('src/wire/tls.ts')) as typeof Tls;
  const { connectionLimits } = (await load('src/wire/connection-limits.ts')) as typeof ConnectionLimits;
  const { listenSql } = (await load('src/wire/listener.ts')) as typeof Listener;
  const folder = mkdtempSync(join(tmpdir(), 'quern-walk-'));
  const tls = await openTls({ certificate: null, key: null, folder, names: [] });
  const limits = connectionLimits(Number.POSITIVE_INFINITY);
  const log = (): void => undefined;
  const listener = await listenSql({ host: '127.0.0.1', port: 0, factory, tls, limits, log });
  const client = await RawClient.signIn('127.0.0.1', listener.port, 'secret');
  const send = async (script: string): Promise<void> => {
    const answered = await runWireScript(script, client);
    if (/^< E /m.test(answered)) throw new Error(answered);
  };
  const run = (name: string, value: string): string =>
    `> B ${JSON.stringify(['', name, [], [value], []])}\n> E ["",0]\n> S`;
  for (const other of [2, 3]) await send(`> Q SELECT ${other}`);
  const found = [await walked('SELECT 1 as text, through a socket', () => send('> Q SELECT 1'))];
  for (const { name, text, value } of BOUND) {
    await send(`> P ${JSON.stringify([name, text, [25]])}\n> S`);
    for (const before of BEFORE) await send(run(name, before));
    found.push(await walked(`${name}, prepared, through a socket`, () => send(run(name, value))));
  }
  client.socket.destroy();
  await listener.close();
  rmSync(folder, { recursive: true, force: true });
  return found;
}

function show({ name, files, returned }: Found, byFile: boolean): void {
  console.log(`${name}: ${files.length} files entered, ${returned} times back to one`);
  const folders = Map.groupBy(files, (path) => dirname(path.replace('src/', '')));
  for (const [folder, own] of [...folders].sort(([, a], [, b]) => b.length - a.length)) {
    const names = own.map((path) => path.slice(path.lastIndexOf('/') + 1));
    console.log(`  ${String(own.length).padStart(3)} ${folder}${byFile ? `: ${names.join(' ')}` : ''}`);
  }
}

const args = process.argv.slice(2);
const found = await walks(resolve(args.find((arg) => !arg.startsWith('--')) ?? '.'));
const byFile = args.includes('--files');
if (byFile || args.includes('--folders')) for (const one of found) show(one, byFile);
else console.log(JSON.stringify(found.map(({ files, ...one }) => ({ ...one, entered: files.length }))));
process.exit(0);
