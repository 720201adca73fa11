/**
 * Cost of completing and correcting a text that is being typed: films' titles and sentences as 200,000 documents,
 * asked letter by letter as statements of a session are.
 */
import { readFileSync } from 'node:fs';
import { TestDatabase } from '../../sql-tests/fixtures/database.ts';
import { seededRandom } from '../../src/seeded-random.ts';
import { median, report } from '../statistics.ts';

const FILMS = new URL('../../../shared/data/structured/wikipedia-movies-1980-2023.jsonl', import.meta.url);
const BATCH_ROWS = 1_000;
/** Words typed, letter by letter up to so many. */
const WORDS = 60;
const LETTERS_MAX = 7;

interface Film {
  readonly title: string;
  readonly extract?: string;
}

export async function suggestSpeed(quick: boolean): Promise<void> {
  const films = readFileSync(FILMS, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Film);
  const documents = documentsOf(films, quick ? 20_000 : 200_000);
  const settings = { headRows: 1_000_000, headBytes: 2 ** 31, memoryBytes: 6 * 2 ** 30 };
  const database = await TestDatabase.open({ settings });
  try {
    const session = await database.session();
    await session.rows(
      'CREATE TABLE plots (_id text, title text INDEX keyword_index(), body text INDEX keyword_index())',
    );
    for (let from = 0; from < documents.length; from += BATCH_ROWS) {
      const rows = documents.slice(from, from + BATCH_ROWS).map((one, i) => {
        return `('${from + i}', ${quoted(one.title)}, ${quoted(one.body)})`;
      });
      await session.rows(`INSERT INTO plots (_id, title, body) VALUES ${rows.join()}`);
    }
    await database.environment.engine.flush();
    const typed = typedTexts(documents);
    const ask = async (sql: (text: string) => string, texts: readonly string[]): Promise<number[]> => {
      const times: number[] = [];
      for (const text of texts) {
        const began = performance.now();
        await session.rows(sql(quoted(text)));
        times.push(performance.now() - began);
      }
      return times;
    };
    const suggest = (text: string): string => `SELECT * FROM suggest('plots', ${text})`;
    await ask(suggest, typed.slice(0, 50));
    tell(`suggest, ${documents.length} documents, p50 ms`, await ask(suggest, typed), '<= 5');
    const misspelt = typed
      .filter((text) => text.length > 4)
      .map((text) => `${text.slice(0, 2)}q${text.slice(2)}`);
    const mean = (text: string): string => `SELECT did_you_mean('plots', ${text})`;
    tell('did_you_mean, one word, p50 ms', await ask(mean, misspelt.slice(0, 50)), 'none');
    const fuzzy = (text: string): string =>
      `SELECT _id FROM plots WHERE match(${text}, fuzzy => 'auto') ORDER BY bm25_score() DESC LIMIT 10`;
    tell(
      "match with fuzzy => 'auto', one word misspelt, p50 ms",
      await ask(fuzzy, misspelt.slice(0, 50)),
      'none',
    );
  } finally {
    await database.close();
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

function tell(name: string, times: readonly number[], bar: string): void {
  const sorted = times.toSorted((a, b) => a - b);
  const p95 = sorted[Math.floor(sorted.length * 0.95)] ?? 0;
  report(name, median(times), { bar, asked: `${times.length}`, p95: p95.toFixed(1) });
}

function documentsOf(films: readonly Film[], count: number): readonly { title: string; body: string }[] {
  const sentences = films.flatMap(({ extract = '' }) => extract.split(/(?<=\.) /));
  return Array.from({ length: count }, (_, i) => ({
    title: films[i % films.length]?.title ?? '',
    body: sentences[i % sentences.length] ?? '',
  }));
}

/** Beginnings of words, of two words in a row, and of titles. */
function typedTexts(
  documents: readonly { readonly title: string; readonly body: string }[],
): readonly string[] {
  const random = seededRandom(5);
  const typed: string[] = [];
  for (let i = 0; i < WORDS; i++) {
    const { title, body } = documents[Math.floor(random() * documents.length)] as (typeof documents)[number];
    const words = body.match(/\p{L}+/gu) ?? ['film'];
    const at = Math.floor(random() * words.length);
    const whole = [words[at] ?? '', words.slice(at, at + 2).join(' '), title][i % 3] as string;
    for (let letters = 1; letters <= LETTERS_MAX; letters++) typed.push(whole.slice(0, letters));
  }
  return typed;
}
