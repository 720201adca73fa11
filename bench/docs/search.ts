/**
 * Questions whose evidence page is known: the share with one among the first results of `search()`, beside BM25 and
 * MiniLM over the pages' text, and what each ingredient of the ranking adds. All filings are searched at once; other
 * documents are asked one by one.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type ServerProcess, startServer } from '../../scripts/server-process.ts';
import { beside, waits } from './beside.ts';
import { DEPTHS, placeOf, type QuestionSet, readQuestions, sharesOf } from './page-questions.ts';
import { byIngredients, bySql, createEvaluation, type Ingredients, load } from './quern-search.ts';
import { bm25, miniLm, type PageSearch, popplerPages } from './search-baselines.ts';

/** Least shares at 5 and 10: as they are, or beside the better baseline. */
interface Bars {
  readonly least?: readonly [at5: number, at10: number];
  readonly ahead?: number;
  /** Share among the documents with a text layer. */
  readonly aheadUnscanned?: number;
}

/** A document without a text layer: it is left out of the second line of its set. */
const SCANNED = /^measuringsuccess/;

const ABLATION: readonly (readonly [name: string, without: Ingredients])[] = [
  ['all of it', {}],
  ['without neighbours as one', { ranked: (candidates) => candidates }],
  ['without names of documents', { weights: { named: 0 }, question: (asked) => ({ ...asked, names: [] }) }],
  [
    'without what terms imply',
    { weights: { implied: 0 }, question: (asked) => ({ ...asked, ...wordsAlone(asked), implied: '' }) },
  ],
  ['without leaving out words that ask', { question: (asked) => ({ ...asked, words: everyWord(asked) }) }],
  ['without words', { weights: { keyword: 0 } }],
  ['without holding wordless images down', { weights: { wordlessImage: 1 } }],
  ['without holding repetitions down', { weights: { heldDown: 1 } }],
  ['with words half as much', { weights: { keyword: 0.25 } }],
  ['with words twice as much', { weights: { keyword: 1 } }],
  ['with names half as much', { weights: { named: 0.25 } }],
  ['with names twice as much', { weights: { named: 1 } }],
];

const wordsAlone = ({ words, implied }: { words: string; implied: string }): { words: string } => ({
  words: implied === '' ? words : words.slice(0, -implied.length),
});
const everyWord = ({ meaning, implied }: { meaning: string; implied: string }): string =>
  `${meaning} ${implied}`.trim();

export async function search(folder: string, quick: boolean): Promise<void> {
  const finance = readQuestions(join(folder, 'financebench'), { name: 'financebench', isPerDocument: false });
  const mixed = readQuestions(join(folder, 'mmlongbench'), { name: 'mmlongbench', isPerDocument: true });
  const data = mkdtempSync(join(tmpdir(), 'quern-bench-'));
  await using server = await startServer({ data: join(data, 'data') });
  const { host, port, key } = server;
  const client = new pg.Client({ host, port, user: 'quern', database: 'quern', password: key });
  await client.connect();
  await measured({ server, client }, mixed, { ahead: 1.1, aheadUnscanned: 1.05 });
  if (!quick) await measured({ server, client }, finance, { least: [0.54, 0.63] });
  await client.end();
  await server.stop();
  rmSync(data, { recursive: true, force: true });
}

async function measured(
  { server, client }: { readonly server: ServerProcess; readonly client: pg.Client },
  set: QuestionSet,
  bars: Bars,
): Promise<void> {
  const started = performance.now();
  const { waitsMs } = await beside(server, () => load(client, set));
  const seconds = (performance.now() - started) / 1000;
  const { rows } = await client.query(`SELECT sum(pages)::int AS pages FROM ${set.name}.documents`);
  const speed = `${rows[0]?.pages} pages in ${seconds.toFixed(0)} s: ${(rows[0]?.pages / seconds).toFixed(1)} a second`;
  console.log(`${set.name}: ${set.questions.length} questions, ${set.files.size} files`);
  console.log(`  uploaded, embedded: ${speed}; select 1 beside it ${waits(waitsMs)} (bar p99 20)`);
  console.log(`  share with an evidence page at ${DEPTHS.join(', ')}`);
  await compare(set, await searchesOf(client, set), bars);
}

/** Searches a set in every way; prints them. */
async function compare(set: QuestionSet, { baselines, own, ablation }: Searches, bars: Bars): Promise<void> {
  const peers: (readonly number[])[] = [];
  for (const [name, find] of baselines) peers.push(await print(set, name, find));
  const [[name, find], ...others] = own;
  const places = await print(set, name, find);
  if (bars.least !== undefined) printBar('bar', places, bars.least);
  if (bars.ahead !== undefined && peers.length > 0) {
    printBar('bar', places, aheadOf(peers, bars.ahead));
    const part = (all: readonly number[]): readonly number[] => unscanned(set, all);
    printBar('bar without the scan', part(places), aheadOf(peers.map(part), bars.aheadUnscanned ?? 1));
  }
  for (const [other, search] of [...others, ...ablation]) await print(set, other, search);
}

/** The better share at 5 and at 10, times `factor`. */
function aheadOf(peers: readonly (readonly number[])[], factor: number): readonly number[] {
  const shares = peers.map((places) => sharesOf(places).slice(1));
  return [0, 1].map((i) => factor * Math.max(...shares.map((own) => own[i] as number)));
}

function printBar(name: string, places: readonly number[], least: readonly number[]): void {
  const shares = sharesOf(places).slice(1);
  const isMet = least.every((bar, i) => (shares[i] as number) >= bar - 1e-9);
  const bars = least.map((bar) => bar.toFixed(3)).join(' and ');
  console.log(`  ${name} at 5 and 10: ${bars}: ${isMet ? 'met' : 'MISSED'}`);
}

const unscanned = (set: QuestionSet, places: readonly number[]): readonly number[] =>
  places.filter((_, i) => !SCANNED.test(set.questions[i]?.file ?? ''));

/** Gives the place of each question's evidence. */
type Places = () => Promise<readonly number[]>;
type Named = readonly [name: string, places: Places];

interface Searches {
  readonly baselines: readonly Named[];
  readonly own: readonly [Named, ...Named[]];
  readonly ablation: readonly Named[];
}

async function searchesOf(client: pg.Client, set: QuestionSet): Promise<Searches> {
  const pages = popplerPages(set);
  await createEvaluation(client, set);
  if (pages === null) console.log('  baselines: pdftotext is missing (Debian package poppler-utils)');
  return {
    baselines:
      pages === null
        ? []
        : [
            ["BM25 over poppler's pages", asking(set, bm25(set, pages))],
            ['MiniLM over 256-token windows', asking(set, await miniLm(set, pages))],
          ],
    own: [
      ['search()', bySql(client, set, 'passages')],
      ["search(results => 'pages')", bySql(client, set, 'pages')],
    ],
    ablation: ABLATION.map(([name, without]) => [
      `  ${name}`,
      asking(set, byIngredients(client, set, without)),
    ]),
  };
}

/** One question after the other, by what is no `search()` of the server's. */
const asking =
  (set: QuestionSet, ask: PageSearch): Places =>
  async () => {
    const places: number[] = [];
    for (const question of set.questions) places.push(placeOf(question, await ask(question)));
    return places;
  };

/** @returns the place of each question's evidence. */
async function print(set: QuestionSet, name: string, find: Places): Promise<readonly number[]> {
  const places = await find();
  const line = (own: readonly number[]): string =>
    sharesOf(own)
      .map((share) => share.toFixed(3))
      .join('  ');
  const halves = [0, 1].map((rest) => places.filter((_, i) => i % 2 === rest));
  const part = unscanned(set, places);
  const scanned = part.length === places.length ? '' : `  without the scan ${line(part)}`;
  const both = halves.map((half) => (sharesOf(half)[1] as number).toFixed(3)).join(' and ');
  console.log(`  ${name.padEnd(38)} ${line(places)}${scanned}  halves at 5: ${both}`);
  return places;
}
