/**
 * Films as people describe them who have forgotten the title (`known-items.tsv`), and some by their titles: how high
 * the film stands that they mean, by words in the text alone, in all columns summed and together, by meaning with
 * each model, and by both. No column weighs more than another.
 */
import type { Client } from 'pg';
import { prepared } from '../peers.ts';
import { report } from '../statistics.ts';
import { MODELS, progress, reportBar } from './bars.ts';
import { type Film, filmKey, type Item, knownItems, readFilms, titlesOf } from './film-data.ts';

const BATCH = 250;
/** Rows looked at for the film. */
const DEPTH = 100;
const TOP = 5;

const WORD_ARMS = {
  'text column': 'SELECT _id FROM films WHERE match($1, extract) ORDER BY bm25_score() DESC',
  'all columns summed':
    "SELECT _id FROM films WHERE match($1, fields => 'separate') ORDER BY bm25_score() DESC",
  'all columns together': 'SELECT _id FROM films WHERE match($1) ORDER BY bm25_score() DESC',
} as const;
const MODEL_ARMS = {
  semantic: 'SELECT _id FROM films ORDER BY semantic_similarity(extract, $1) DESC',
  'hybrid over the text': `SELECT _id FROM hybrid('films', $1, ARRAY['extract'], k => ${DEPTH})`,
  'hybrid over all columns': `SELECT _id FROM hybrid('films', $1, k => ${DEPTH})`,
} as const;
/** Places of the films that are meant, in the order of the queries. */
type Places<Arm extends string> = Readonly<Record<Arm, readonly number[]>>;

/** Figures over the places of the films that were meant. */
interface Figures {
  readonly reciprocal: number;
  readonly top: number;
}

/** @param wordsOnly nothing is embedded. */
export async function films(client: Client, wordsOnly: boolean): Promise<void> {
  const all = readFilms();
  const items = knownItems(all);
  await load(client, all, wordsOnly);
  const words = await placesBy(client, items, WORD_ARMS);
  reportArms('words', items, words);
  reportBars('all columns together over the text column', words['all columns together'], [
    words['text column'],
  ]);
  const titles = titlesOf(all);
  reportArms('words', titles, await placesBy(client, titles, WORD_ARMS));
  if (wordsOnly) return;
  for (const model of MODELS) {
    progress(`films: ${model}`);
    await client.query(`ALTER TABLE films ALTER COLUMN extract SET EMBEDDING MODEL '${model}'`);
    const places = await placesBy(client, items, MODEL_ARMS);
    reportArms(model, items, places);
    const { semantic, 'hybrid over the text': text, 'hybrid over all columns': columns } = places;
    reportBars(`${model}, hybrid over the text over the better arm`, text, [words['text column'], semantic]);
    const arms = [words['all columns together'], semantic];
    reportBars(`${model}, hybrid over all columns over the better arm`, columns, arms);
  }
}

async function placesBy<Arm extends string>(
  client: Client,
  items: readonly Item[],
  arms: Readonly<Record<Arm, string>>,
): Promise<Places<Arm>> {
  const places = {} as Record<Arm, readonly number[]>;
  for (const arm of Object.keys(arms) as Arm[]) places[arm] = await placesOf(client, items, arms[arm]);
  return places;
}

/** Reports all queries, and each group of them. */
function reportArms<Arm extends string>(by: string, items: readonly Item[], places: Places<Arm>): void {
  const groups = new Set(items.map(groupOf));
  for (const group of groups.size > 1 ? ['all', ...groups] : groups) {
    const chosen = [...items.keys()].filter((i) => group === 'all' || groupOf(items[i] as Item) === group);
    for (const [arm, own] of Object.entries<readonly number[]>(places)) {
      const { reciprocal, top } = figuresOf(chosen.map((i) => own[i] as number));
      const facts = { [`in the top ${TOP}`]: top.toFixed(3), queries: String(chosen.length) };
      report(`films, ${group}: mean reciprocal rank of ${arm}, ${by}`, reciprocal, facts);
    }
  }
}

function reportBars(what: string, places: readonly number[], others: readonly (readonly number[])[]): void {
  for (const figure of ['reciprocal', 'top'] as const) {
    const best = Math.max(...others.map((other) => figuresOf(other)[figure]));
    const name = figure === 'top' ? `share in the top ${TOP}` : 'mean reciprocal rank';
    reportBar(`films: ${what}, ${name}`, figuresOf(places)[figure] - best, 0);
  }
}

const OWN_GROUPS = ['en', 'typo', 'title'];

function groupOf({ kind }: Item): string {
  return OWN_GROUPS.includes(kind) ? kind : 'other languages';
}

async function load(client: Client, all: readonly Film[], wordsOnly: boolean): Promise<void> {
  const meaning = wordsOnly ? '' : ` INDEX semantic_index(model => '${MODELS[0]}')`;
  await client.query(`CREATE TABLE films (_id text, year int, title text INDEX keyword_index(),
    extract text INDEX keyword_index()${meaning},
    "cast" text[] INDEX keyword_index(), genres text[] INDEX keyword_index())`);
  const began = performance.now();
  for (let from = 0; from < all.length; from += BATCH) {
    const batch = all.slice(from, from + BATCH);
    const rows = batch.map((film) => ({ ...film, _id: `${filmKey(film)}\t${film._id}` }));
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

/** From 1; Infinity: not among the first DEPTH. */
async function placesOf(client: Client, items: readonly Item[], sql: string): Promise<readonly number[]> {
  const places: number[] = [];
  for (const item of items) {
    const { rows } = await client.query<{ _id: string }>(prepared(`${sql} LIMIT ${DEPTH}`, [item.query]));
    const place = rows.findIndex(({ _id }) => _id.split('\t')[0] === filmKey(item));
    places.push(place < 0 ? Infinity : place + 1);
  }
  return places;
}

function figuresOf(places: readonly number[]): Figures {
  const mean = (of: (place: number) => number): number =>
    places.reduce((sum, place) => sum + of(place), 0) / places.length;
  return { reciprocal: mean((place) => 1 / place), top: mean((place) => (place <= TOP ? 1 : 0)) };
}
