/**
 * The sample: 1,500 films with what they are about, loaded by the statements that one would type. The file is
 * served with the console, so nothing is fetched from anywhere else.
 */
import { run } from '../server/statement.ts';
import { type Progress, sampleFile } from './file.ts';

/** `samples/movies/movies.jsonl`: a link to it stands in `public/`. */
const FILE = 'films.jsonl';

export const CREATE_FILMS = `CREATE TABLE films (
  _id text,
  title text NOT NULL INDEX keyword_index(),
  year bigint,
  genres text[],
  plot text INDEX keyword_index() INDEX semantic_index()
)`;

const LOAD = `SELECT lsn FROM quern.upsert('films', $1::text)`;

/** Each is embedded before its statement answers: so small that one sees it go on. */
const FILMS_A_STATEMENT = 50;

/** @throws StatementError 42P07 where there is a relation `films`. */
export async function loadFilms(
  onProgress: (progress: Progress) => void,
  signal?: AbortSignal,
): Promise<void> {
  const response = await sampleFile(FILE, signal);
  const films = (await response.text()).split('\n').filter((line) => line !== '');
  await run(CREATE_FILMS, { signal });
  onProgress({ done: 0, all: films.length });
  for (let done = 0; done < films.length; done += FILMS_A_STATEMENT) {
    const some = films.slice(done, done + FILMS_A_STATEMENT);
    await run(LOAD, { params: [`[${some.join(',')}]`], signal });
    onProgress({ done: done + some.length, all: films.length });
  }
}
