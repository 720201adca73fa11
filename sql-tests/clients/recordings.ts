/**
 * Recordings of real clients against a real PostgreSQL, with its answers: ../shared/clients
 * (outside the repository; its README.md says how they were made). A message is known by client and number.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('../../../shared/clients/', import.meta.url);

export interface Message {
  readonly client: string;
  /** 1-based, as in the file. */
  readonly number: number;
  /** simple: a Query message; parse: a Parse message. */
  readonly protocol: 'simple' | 'parse';
  readonly parameterTypes: readonly number[];
  readonly text: string;
  /** SQLSTATE with which PostgreSQL refused it while it was recorded. */
  readonly error: string | null;
}

export interface Field {
  readonly name: string;
  readonly type: number;
  readonly modifier: number;
}

export interface Result {
  /** Only the first rows of a long result were recorded. */
  readonly cut: boolean;
  readonly fields: readonly Field[];
  readonly rows: readonly (readonly (string | null)[])[];
}

export interface Answer {
  readonly results: readonly Result[];
  /** SQLSTATE, or null. */
  readonly error: string | null;
}

export function recordingsPresent(): boolean {
  return existsSync(new URL('schema.sql', FOLDER));
}

export function recordedClients(): readonly string[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.sql') && name !== 'schema.sql')
    .map((name) => name.slice(0, -'.sql'.length))
    .sort();
}

/** The statements of the small schema that all clients met. */
export function recordedSchema(): readonly string[] {
  return read('schema.sql')
    .split('\n')
    .filter((line) => line !== '');
}

export function recordedMessages(client: string): readonly Message[] {
  const [, ...parts] = read(`${client}.sql`).split(/^-- @@ /m);
  return parts.map((part) => {
    const end = part.indexOf('\n');
    const [number, via, ...options] = part.slice(0, end).split(' ');
    const text = part
      .slice(end + 1)
      .trim()
      .replace(/;$/, '');
    const option = (name: string) =>
      options.find((text) => text.startsWith(`${name}=`))?.slice(name.length + 1);
    return {
      client,
      number: Number(number),
      protocol: via === 'P' || (via === 'src' && /\$\d/.test(text)) ? 'parse' : 'simple',
      parameterTypes: option('types')?.split(',').map(Number) ?? [],
      text,
      error: option('err') ?? null,
    };
  });
}

interface RecordedAnswer {
  readonly sql: string;
  readonly error?: readonly [string, string | null, string];
  readonly results?: readonly {
    readonly rowCount: number | null;
    readonly fields: readonly (readonly [string, number, number])[];
    readonly rows: readonly (readonly (string | null)[])[];
  }[];
}

/** PostgreSQL's own answers to read-only messages, by message number. */
export function recordedAnswers(client: string): ReadonlyMap<number, Answer> {
  const numbers = new Map(recordedMessages(client).map((message) => [message.text, message.number]));
  const answers = JSON.parse(read(`expected/${client}.json`)) as readonly RecordedAnswer[];
  return new Map(
    answers.map(({ sql, error, results = [] }) => {
      const number = numbers.get(sql.trim().replace(/;$/, ''));
      if (number === undefined) throw new Error(`no message of ${client} has the text ${sql}`);
      const answer = {
        results: results.map(({ fields, rows, rowCount }) => ({
          cut: rowCount !== null && rowCount > rows.length,
          fields: fields.map(([name, type, modifier]) => ({ name, type, modifier })),
          rows,
        })),
        error: error?.[0] ?? null,
      };
      return [number, answer];
    }),
  );
}

function read(name: string): string {
  return readFileSync(new URL(name, FOLDER), 'utf8');
}
