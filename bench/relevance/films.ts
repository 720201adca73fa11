/**
 * Films as people describe them who have forgotten the title (`known-items.tsv`): how high the film stands that they
 * mean, by words in the text alone, in all columns summed and together, by meaning, and by both. The text, which tells
 * what a film is about, weighs twice what its other columns do.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from 'pg';
import { prepared } from '../peers.ts';
import { report } from '../statistics.ts';

const FILMS = join(import.meta.dirname, '../../../shared/data/structured/wikipedia-movies-1980-2023.jsonl');
const ITEMS = join(import.meta.dirname, 'known-items.tsv');
const BATCH = 250;
/** Rows looked at for the film. */
const DEPTH = 100;
const TOP = 5;

const ARMS = {
  'text column': 'SELECT _id FROM films WHERE match($1, extract) ORDER BY bm25_score() DESC',
  'all columns summed':
    "SELECT _id FROM films WHERE match($1, fields => 'separate') ORDER BY bm25_score() DESC",
  'all columns together, equal weights': `SELECT _id FROM films WHERE match($1, column_weights => '{"extract": 1}')
    ORDER BY bm25_score() DESC`,
  'all columns together': 'SELECT _id FROM films WHERE match($1) ORDER BY bm25_score() DESC',
  semantic: 'SELECT _id FROM films ORDER BY semantic_similarity(extract, $1) DESC',
  'hybrid over the text': `SELECT _id FROM hybrid('films', $1, ARRAY['extract'], k => ${DEPTH})`,
  'hybrid over all columns': `SELECT _id FROM hybrid('films', $1, k => ${DEPTH})`,
} as const;
type Arm = keyof typeof ARMS;
const BY_MEANING: readonly Arm[] = ['semantic', 'hybrid over the text', 'hybrid over all columns'];

interface Film {
  readonly _id: string;
  readonly title: string;
  readonly year: number;
  readonly extract?: string;
  readonly cast: readonly string[];
  readonly genres: readonly string[];
}

interface Item {
  readonly kind: string;
  readonly title: string;
  readonly year: number;
  readonly query: string;
}

/** Of the places of the films that were meant. */
interface Figures {
  readonly reciprocal: number;
  readonly top: number;
}

/** @param wordsOnly nothing is embedded. */
export async function films(client: Client, wordsOnly: boolean): Promise<void> {
  const all = lines(FILMS).map((line) => JSON.parse(line) as Film);
  const items = knownItems(all);
  await load(client, all, wordsOnly);
  const arms = (Object.keys(ARMS) as Arm[]).filter((arm) => !wordsOnly || !BY_MEANING.includes(arm));
  const places = new Map<Arm, readonly number[]>();
  for (const arm of arms) places.set(arm, await placesOf(client, items, ARMS[arm]));
  const kinds = ['all', 'en', 'other languages', 'typo'];
  for (const kind of kinds) {
    const chosen = [...items.keys()].filter((i) => kind === 'all' || groupOf(items[i] as Item) === kind);
    for (const arm of arms) {
      const { reciprocal, top } = figuresOf(chosen.map((i) => places.get(arm)?.[i] as number));
      const facts = { [`in the top ${TOP}`]: top.toFixed(3), queries: String(chosen.length) };
      report(`films, ${kind}: mean reciprocal rank of ${arm}`, reciprocal, facts);
    }
  }
  reportBars(places);
}

function reportBars(places: ReadonlyMap<Arm, readonly number[]>): void {
  const of = (arm: Arm): Figures => figuresOf(places.get(arm) ?? []);
  const bar = (what: string, own: Figures, others: readonly Figures[]): void => {
    for (const figure of ['reciprocal', 'top'] as const) {
      const best = Math.max(...others.map((other) => other[figure]));
      const name = figure === 'top' ? `share in the top ${TOP}` : 'mean reciprocal rank';
      report(`films: ${what}, ${name}`, own[figure] - best, { bar: '>= 0' });
    }
  };
  bar('all columns together over the text column', of('all columns together'), [of('text column')]);
  if (!places.has('semantic')) return;
  const semantic = of('semantic');
  const text = [of('text column'), semantic];
  bar('hybrid over the text over the better arm', of('hybrid over the text'), text);
  const columns = [of('all columns together'), semantic];
  bar('hybrid over all columns over the better arm', of('hybrid over all columns'), columns);
}

const lines = (file: string): string[] => readFileSync(file, 'utf8').trim().split('\n');

function groupOf({ kind }: Item): string {
  return kind === 'en' || kind === 'typo' ? kind : 'other languages';
}

/** @throws Error when a film that is meant is not there. */
function knownItems(all: readonly Film[]): readonly Item[] {
  const known = new Set(all.map(({ title, year }) => keyOf(title, year)));
  const items = lines(ITEMS)
    .slice(1)
    .map((line): Item => {
      const [kind = '', title = '', year = '', query = ''] = line.split('\t');
      return { kind, title, year: Number(year), query };
    });
  for (const { title, year } of items) {
    if (!known.has(keyOf(title, year))) throw new Error(`no film ${title} of ${year}`);
  }
  return items;
}

const keyOf = (title: string, year: number): string => `${title} (${year})`;

async function load(client: Client, all: readonly Film[], wordsOnly: boolean): Promise<void> {
  const meaning = wordsOnly ? '' : ' INDEX semantic_index()';
  await client.query(`CREATE TABLE films (_id text, year int, title text INDEX keyword_index(),
    extract text INDEX keyword_index(weight => 2)${meaning},
    "cast" text[] INDEX keyword_index(), genres text[] INDEX keyword_index())`);
  const began = performance.now();
  for (let from = 0; from < all.length; from += BATCH) {
    const batch = all.slice(from, from + BATCH);
    const rows = batch.map((film) => ({ ...film, _id: `${keyOf(film.title, film.year)}\t${film._id}` }));
    await client.query(
      `INSERT INTO films (_id, title, year, extract, "cast", genres)
       SELECT f->>'_id', f->>'title', (f->>'year')::int, f->>'extract',
         ARRAY(SELECT jsonb_array_elements_text(f->'cast')), ARRAY(SELECT jsonb_array_elements_text(f->'genres'))
       FROM jsonb_array_elements($1::jsonb) f`,
      [JSON.stringify(rows)],
    );
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    progress(`films: ${from + batch.length} of ${all.length}, ${seconds} s`);
  }
}

/** On a line of its own, beside what is measured. */
export const progress = (text: string): void => void process.stderr.write(`${text}\n`);

/** From 1; Infinity: not among the first DEPTH. */
async function placesOf(client: Client, items: readonly Item[], sql: string): Promise<readonly number[]> {
  const places: number[] = [];
  for (const { title, year, query } of items) {
    const { rows } = await client.query<{ _id: string }>(prepared(`${sql} LIMIT ${DEPTH}`, [query]));
    const place = rows.findIndex(({ _id }) => _id.split('\t')[0] === keyOf(title, year));
    places.push(place < 0 ? Infinity : place + 1);
  }
  return places;
}

function figuresOf(places: readonly number[]): Figures {
  const mean = (of: (place: number) => number): number =>
    places.reduce((sum, place) => sum + of(place), 0) / places.length;
  return { reciprocal: mean((place) => 1 / place), top: mean((place) => (place <= TOP ? 1 : 0)) };
}
