/**
 * Random statements, run as texts whose literals are shared (`running/shared-plans.ts`) and as texts that have no shape:
 * rows, names and types of columns, errors with their positions, and what was written are the same.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestDatabase, type TestSession } from '../../sql-tests/fixtures/database.ts';

let database: TestDatabase;
let session: TestSession;

beforeAll(async () => {
  database = await TestDatabase.open();
  session = await database.session();
  await session.rows(`
    CREATE TABLE things (id int PRIMARY KEY, big bigint UNIQUE, small smallint, exact numeric(6,2), f float8,
      words text, short varchar(7), day date, flag boolean, j jsonb, v vector(3));
    CREATE INDEX ON things (small);
    CREATE INDEX ON things USING vector (v);
    CREATE INDEX ON things USING keyword (words);
    CREATE INDEX ON things USING semantic (words) WITH (model = 'hash');
    INSERT INTO things SELECT i, i * 10, i % 7, i / 4.0, i / 8.0, 'thing ' || i, 's' || i, date '2020-01-01' + i,
      i % 2 = 0, '{}', ('[' || i || ',1,0]')::vector FROM generate_series(0, 30) i`);
});

afterAll(async () => {
  await database.close();
});

const integer = fc.oneof(
  fc.integer({ min: 0, max: 40 }).map(String),
  fc.constantFrom('007', '32768', '2147483647', '2147483648', '9223372036854775807', '9223372036854775808'),
);
const signed = fc.tuple(fc.constantFrom('', '-', '- '), integer).map((parts) => parts.join(''));
const decimal = fc.constantFrom(
  '1.5',
  '.5',
  '2.',
  '12345.678',
  '1e3',
  '0.0',
  '-3.25',
  '99999999999999999999.5',
);
const number = fc.oneof({ weight: 3, arbitrary: signed }, decimal);
const string = fc.constantFrom(
  ...`'thing 3' 'it''s' '' 'x' '5' '1.5' 'toolongforit' '2020-01-05' '2020-13-01' 'today' 'true' 'maybe' '{"a":1}' '{'`.split(
    /(?<=') (?=')/,
  ),
);
const vector = fc.constantFrom(`'[1,2,3]'`, `'[0,1,0]'`, `'[3,1,0]'::vector`, `'[1,2]'`, `'[a]'`, 'NULL');
const literal = fc.oneof(number, string, fc.constantFrom('NULL', 'true', "date '2020-01-03'", "'7'::int"));

const COLUMNS = ['id', 'big', 'small', 'exact', 'f', 'words', 'short', 'day', 'flag', 'j'];
const column = fc.constantFrom(...COLUMNS);
const comparison = fc.constantFrom('=', '<', '>=', '<>');

/** A statement with holes, and what may stand in each. */
interface Form {
  readonly text: (literals: readonly string[]) => string;
  readonly holes: readonly fc.Arbitrary<string>[];
}

const condition: fc.Arbitrary<Form> = fc.oneof(
  fc.tuple(column, comparison, fc.boolean()).map(([name, operator, isFirst]) => ({
    text: ([a]: readonly string[]) => (isFirst ? `${name} ${operator} ${a}` : `${a} ${operator} ${name}`),
    holes: [literal],
  })),
  column.map((name) => ({
    text: ([a, b]: readonly string[]) => `${name} IN (${a}, ${b})`,
    holes: [literal, literal],
  })),
  column.map((name) => ({
    text: ([a, b]: readonly string[]) => `${name} BETWEEN ${a} AND ${b}`,
    holes: [literal, literal],
  })),
  fc.constantFrom('+', '-', '*', '/').map((operator) => ({
    text: ([a, b]: readonly string[]) => `small ${operator} ${a} > ${b}`,
    holes: [number, number],
  })),
  fc.constant({ text: ([a]: readonly string[]) => `matches(${a}, words)`, holes: [string] }),
  fc.constant({ text: ([a]: readonly string[]) => `words LIKE ${a}`, holes: [string] }),
  fc.constant({
    text: ([a]: readonly string[]) => `round(exact, 1) = ${a} AND length('abc') = 3`,
    holes: [number],
  }),
);

/** Two forms beside each other. */
const joined = (word: string, first: Form, second: Form): Form => ({
  text: (literals) => {
    const left = first.text(literals.slice(0, first.holes.length));
    return `${left} ${word} ${second.text(literals.slice(first.holes.length))}`;
  },
  holes: [...first.holes, ...second.holes],
});

const where: fc.Arbitrary<Form> = fc.oneof(
  condition,
  fc.constant({ text: ([a]: readonly string[]) => `id = ${a}`, holes: [signed] }),
  fc
    .tuple(fc.constantFrom('AND', 'OR', 'AND NOT'), condition, condition)
    .map(([word, first, second]) => joined(word, first, second)),
);

const within = (form: Form, before: string, after: string): Form => ({
  text: (literals) => `${before}${form.text(literals)}${after}`,
  holes: form.holes,
});

const READS: fc.Arbitrary<Form> = fc.oneof(
  fc.constant({ text: ([a, b]: readonly string[]) => `SELECT ${a}, ${b} AS "x"`, holes: [literal, literal] }),
  where.map((form) => within(form, 'SELECT id, words FROM things WHERE ', ' ORDER BY id')),
  where.map((form) =>
    joined(', * FROM things WHERE', { text: ([a]) => `SELECT ${a}`, holes: [literal] }, form),
  ),
  fc
    .tuple(where, fc.constantFrom('1', '2', '0'))
    .map(([form, count]) =>
      within(form, 'SELECT small, id FROM things WHERE ', ` ORDER BY 2, 1 LIMIT ${count}`),
    ),
  where.map((form) => within(form, 'SELECT small, count(*) FROM things WHERE ', ' GROUP BY 1 ORDER BY 1')),
  fc.constantFrom('<->', '<=>').map((operator) => ({
    text: ([a]: readonly string[]) => `SELECT id FROM things ORDER BY v ${operator} ${a}, id LIMIT 3`,
    holes: [vector],
  })),
  fc.constant({
    text: ([a, b]: readonly string[]) =>
      `SELECT id, v <-> ${a} AS far FROM things ORDER BY v <-> ${b}, id LIMIT 3`,
    holes: [vector, vector],
  }),
  fc.constant({
    text: ([a]: readonly string[]) =>
      `SELECT id, semantic_similarity(words, ${a}) > 0 FROM things ORDER BY semantic_similarity(words, ${a}) DESC, id LIMIT 3`,
    holes: [string],
  }),
  fc.constant({
    text: ([a]: readonly string[]) =>
      `SELECT id, bm25_score() FROM things WHERE matches(${a}, words) ORDER BY bm25_score() DESC, id LIMIT 4`,
    holes: [string],
  }),
);

const WRITES: fc.Arbitrary<Form> = fc.oneof(
  fc.tuple(column, column).map(([one, other]) => ({
    text: ([a, b, c]: readonly string[]) =>
      `UPDATE things SET ${one} = ${a}, ${other} = ${b} WHERE id = ${c}`,
    holes: [literal, literal, signed],
  })),
  where.map((form) =>
    joined('WHERE', { text: ([a]) => `UPDATE things SET f = f + ${a}`, holes: [number] }, form),
  ),
  column.map((name) => ({
    text: ([a, b]: readonly string[]) =>
      `INSERT INTO things (id, ${name === 'id' ? 'f' : name}) VALUES (${a}, ${b})`,
    holes: [integer, literal],
  })),
  where.map((form) => within(form, 'DELETE FROM things WHERE ', ' RETURNING id')),
);

interface Case {
  readonly texts: readonly string[];
}

/** The same form several times, with other literals. */
const casesOf = (forms: fc.Arbitrary<Form>): fc.Arbitrary<Case> =>
  forms.chain(({ text, holes }) =>
    fc
      .array(fc.tuple(...holes), { minLength: 3, maxLength: 5 })
      .map((literals) => ({ texts: literals.map(text) })),
  );

async function outcome(text: string): Promise<unknown> {
  const columns: unknown[] = [];
  try {
    const rows = await session.rows(text, {
      describe: (given) => columns.push(given.map(({ name, type }) => [name, type])),
    });
    return { columns, rows };
  } catch (error) {
    const { sqlstate, message, fields } = error as Record<string, unknown>;
    return { sqlstate, message, position: (fields as { position?: number } | undefined)?.position };
  }
}

/** A comment keeps a text from having a shape. */
const alone = (text: string): string => `${text} /* alone */`;

test('reads answer as each text by itself would', async () => {
  await fc.assert(
    fc.asyncProperty(casesOf(READS), async ({ texts }) => {
      for (const text of texts) expect(await outcome(text), text).toEqual(await outcome(alone(text)));
    }),
    { numRuns: 300 },
  );
});

test('writes write as each text by itself would', async () => {
  const within = async (text: string): Promise<unknown> => {
    await session.rows('BEGIN');
    const answer = await outcome(text);
    const rows = 'rows' in (answer as object) ? await session.rows('TABLE things ORDER BY id') : null;
    await session.rows('ROLLBACK');
    return { answer, rows };
  };
  await fc.assert(
    fc.asyncProperty(casesOf(WRITES), async ({ texts }) => {
      for (const text of texts) expect(await within(text), text).toEqual(await within(alone(text)));
    }),
    { numRuns: 150 },
  );
});
