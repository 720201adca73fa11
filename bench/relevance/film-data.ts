/** Films with their columns, and what people ask for them: by memory (`known-items.tsv`), and by their titles. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const FILMS = join(import.meta.dirname, '../../../shared/data/structured/wikipedia-movies-1980-2023.jsonl');
const ITEMS = join(import.meta.dirname, 'known-items.tsv');
/** Every so many films of a title of its own are looked for by it. */
const TITLE_STEP = 25;

export interface Film {
  readonly _id: string;
  readonly title: string;
  readonly year: number;
  readonly extract?: string;
  readonly cast: readonly string[];
  readonly genres: readonly string[];
}

export interface Item {
  readonly kind: string;
  readonly title: string;
  readonly year: number;
  readonly query: string;
}

export const readFilms = (): readonly Film[] => lines(FILMS).map((line) => JSON.parse(line) as Film);

/** @throws Error when a film that is meant is not there. */
export function knownItems(all: readonly Film[]): readonly Item[] {
  const known = new Set(all.map(filmKey));
  const items = lines(ITEMS)
    .slice(1)
    .map((line): Item => {
      const [kind = '', title = '', year = '', query = ''] = line.split('\t');
      return { kind, title, year: Number(year), query };
    });
  for (const item of items) {
    if (!known.has(filmKey(item))) throw new Error(`no film ${filmKey(item)}`);
  }
  return items;
}

/** Some films whose title no other one has. */
export function titlesOf(all: readonly Film[]): readonly Item[] {
  const counts = new Map<string, number>();
  for (const { title } of all) counts.set(title, (counts.get(title) ?? 0) + 1);
  return all
    .filter(({ title }, i) => i % TITLE_STEP === 0 && counts.get(title) === 1)
    .map(({ title, year }) => ({ kind: 'title', title, year, query: title }));
}

export const filmKey = ({ title, year }: Pick<Film, 'title' | 'year'>): string => `${title} (${year})`;

const lines = (file: string): string[] => readFileSync(file, 'utf8').trim().split('\n');
