/** EVALUATE over datasets: figures, what is kept of a run, parameters, cancelling, and what fails on the way. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestDatabase, type TestSession } from '../../../sql-tests/fixtures/database.ts';
import { storeDocuments } from '../../../sql-tests/fixtures/stored-documents.ts';
import { DocumentAsker } from '../../ask/asker.ts';
import { SqlError } from '../../errors.ts';
import type { AskRow } from '../../functions/services.ts';
import { OID } from '../../types/oids.ts';
import type { Datum } from '../../types/datum.ts';
import type { Asker } from '../datasets/asker.ts';
import { SERVER_RELATIONS } from '../datasets/relations.ts';
import type { ResultSink } from '../protocol.ts';
import { END_RUNS } from './relations.ts';

let database: TestDatabase;
let session: TestSession;
let other: TestSession;

/** Answers as usual, but for questions that say what goes wrong. */
class OddAsker implements Asker {
  readonly #usual = new DocumentAsker();
  /** Settled when a question waits until it is cancelled. */
  waits = Promise.withResolvers<void>();

  answer: Asker['answer'] = (request, query, signal, sender) => {
    const { question } = request;
    if (question.includes('down')) throw new SqlError('system_error', 'model "m" does not answer');
    if (question.includes('shutdown')) throw new SqlError('admin_shutdown', 'the server ends');
    if (question.includes('mistake')) throw new Error('a mistake of ours');
    return question.includes('forever')
      ? this.#never(signal)
      : this.#usual.answer(request, query, signal, sender);
  };

  standing: Asker['standing'] = (...given) => this.#usual.standing(...given);

  async *#never(signal: AbortSignal): AsyncGenerator<AskRow> {
    yield { kind: 'progress', update: 'waiting' };
    this.waits.resolve();
    await sleep(60_000, undefined, { signal });
  }
}

const asker = new OddAsker();

beforeAll(async () => {
  database = await TestDatabase.open({ asker });
  session = await database.session();
  other = await database.session();
  await using own = database.openOwn();
  await own.transaction(async (query) => {
    for (const relation of SERVER_RELATIONS) await query(relation);
  }, new AbortController().signal);
  await session.rows(`CREATE DATASET sea WITH (embedding_model = 'hash')`);
  await storeDocuments(own, 'sea', [
    {
      docId: 'a',
      metadata: { year: 1851 },
      chunks: [
        { text: 'The whale sings at night.', pages: [1] },
        { text: 'Ships sail to the harbour.', pages: [2] },
      ],
    },
    { docId: 'b', metadata: { year: 1900 }, chunks: [{ text: 'Bread is baked with rye.', pages: [1] }] },
  ]);
  await session.rows(
    `CREATE TABLE asked (id int, question text, doc_id text, pages int[], answer text, filter text)`,
  );
  await session.rows(`INSERT INTO asked VALUES
    (1, 'what sings at night', 'a', '{1}', 'the whale', null),
    (2, 'what sails to the harbour', 'a', '{2}', 'boats', null),
    (3, 'what is baked with rye', 'b', '{1,7}', 'bread', 'year > 1850'),
    (4, 'what is baked with rye', 'b', '{1}', 'bread', 'year < 1850')`);
  await session.rows('CREATE EVALUATION sailing AS SELECT * FROM asked ORDER BY id');
});

afterAll(async () => {
  await session.session[Symbol.asyncDispose]();
  await other.session[Symbol.asyncDispose]();
  await database.close();
});

const LAST = 'FROM quern.evaluation_runs ORDER BY run DESC LIMIT 1';
const OF_LAST = 'WHERE run = (SELECT max(run) FROM quern.evaluation_runs) ORDER BY ordinal';

describe('EVALUATE SEARCH', () => {
  it('gives a row a configuration, and keeps the same', async () => {
    const rows = await session.rows(
      `EVALUATE SEARCH sailing ON sea WITH (top_k = 3), (name = 'pages', top_k = 3, results = 'pages')`,
    );
    // Passages join a's two pages; nothing is found of question 4; page 7 is found of none.
    expect(rows.map((row) => row.slice(1, 8))).toEqual([
      ['1', '4', '0', '0.75', '0.625', '0.25', '0.6533'],
      ['pages', '4', '0', '0.75', '0.625', '0.25', '0.6533'],
    ]);
    const kept = await other.rows(
      `SELECT name, hit, recall, precision, ndcg, mrr, state, done FROM quern.evaluation_runs ORDER BY run`,
    );
    expect(kept).toEqual([
      ['1', '0.75', '0.625', '0.25', '0.6533', '0.75', 'done', '4'],
      ['pages', '0.75', '0.625', '0.25', '0.6533', '0.75', 'done', '4'],
    ]);
  });

  it('keeps the first ranks of each question', async () => {
    expect(
      await session.rows(
        `SELECT id, rank, found->0->>'doc_id', found->0->'pages' FROM quern.evaluation_results ${OF_LAST}`,
      ),
    ).toEqual([
      ['1', '1', 'a', '[1]'],
      ['2', '1', 'a', '[2]'],
      ['3', '1', 'b', '[1]'],
      ['4', null, null, null],
    ]);
  });

  it('is independent of the time zone of who asks', async () => {
    const text = "SET TimeZone = 'Asia/Tokyo'; EVALUATE SEARCH sailing ON sea; RESET TimeZone";
    expect(await session.rows(text)).toHaveLength(1);
  });
});

describe('EVALUATE ASK', () => {
  it('judges pages that are cited, and answers', async () => {
    const [row = []] = await session.rows('EVALUATE ASK sailing ON sea');
    const [, name, questions, errors, hit, precision, recall, answers, answered, abstained] = row;
    expect([name, questions, errors]).toEqual(['default', '4', '0']);
    expect([hit, precision, recall, answers, answered, abstained]).toEqual([
      '0.75',
      '1',
      '0.625',
      '0.5',
      '0.75',
      null,
    ]);
    const found = `SELECT found->0->>'fact', found->0->>'answer', found->0->'cited'->0->>'expected', answer_rank
      FROM quern.evaluation_results ${OF_LAST}`;
    expect(await session.rows(found)).toEqual([
      ['The whale sings at night.', 'true', 'true', '1'],
      ['Ships sail to the harbour.', 'false', 'true', null],
      ['Bread is baked with rye.', 'true', 'true', '1'],
      [null, null, null, null],
    ]);
  });

  it('counts who keeps silent where there is no answer', async () => {
    await session.rows(`CREATE EVALUATION silent AS SELECT * FROM
      (VALUES ('what sings at night', false), ('who won the election', false), ('what sings at night', true)) v
      (question, answerable) WHERE answerable = false`);
    await session.rows('EVALUATE ASK silent ON sea');
    expect(await session.rows(`SELECT judged, hit, answered, abstained ${LAST}`)).toEqual([
      ['0', null, null, '0.5'],
    ]);
  });
});

describe('what fails', () => {
  const answers = async (name: string, questions: readonly string[]): Promise<void> => {
    const values = questions.map((question) => `('${question}', 'a')`).join(', ');
    await session.rows(`DROP EVALUATION IF EXISTS ${name}`);
    await session.rows(
      `CREATE EVALUATION ${name} AS SELECT row_number() OVER () AS id, * FROM (VALUES ${values}) v (question, doc_id)`,
    );
  };

  it('of a question is its result; three in a row end the run, and what was measured stays', async () => {
    await answers('odd', ['sings', 'down 1', 'down 2', 'sings again', 'down 3', 'down 4', 'down 5', 'sings']);
    const error = await session.error('EVALUATE ASK odd ON sea');
    expect(`${error.sqlstate} ${error.message}`).toBe('58000 model "m" does not answer');
    expect(await session.rows(`SELECT state, reason, questions, done, errors ${LAST}`)).toEqual([
      ['failed', 'model "m" does not answer', '8', '6', '4'],
    ]);
    expect(
      await session.rows(
        `SELECT count(*), max(error) FROM quern.evaluation_results ${OF_LAST.replace('ORDER BY ordinal', '')}`,
      ),
    ).toEqual([['6', '58000 model "m" does not answer']]);
  });

  it('of ours ends it at once', async () => {
    await answers('odd', ['sings', 'mistake']);
    await expect(session.rows('EVALUATE ASK odd ON sea')).rejects.toThrow('a mistake of ours');
    expect(await session.rows(`SELECT state, done ${LAST}`)).toEqual([['failed', '1']]);
  });

  it("of a filter is its question's", async () => {
    await session.rows(`CREATE EVALUATION filters AS SELECT * FROM (VALUES ('whale', 'nothing = 1'), ('whale', 'year +'),
      ('whale', 'year'), ('whale', 'true'), ('bread', null)) v (question, filter)`);
    const [row] = await session.rows('EVALUATE SEARCH filters ON sea');
    expect(row?.slice(2, 4)).toEqual(['5', '3']);
    expect(await session.rows(`SELECT left(error, 5) FROM quern.evaluation_results ${OF_LAST}`)).toEqual([
      ['42703'],
      ['42601'],
      ['42804'],
      [null],
      [null],
    ]);
  });
});

describe('a run that is ended', () => {
  beforeAll(async () => {
    await session.rows(`CREATE EVALUATION endless AS SELECT * FROM
      (VALUES ('what sings at night', 'a'), ('forever', 'a')) v (question, doc_id)`);
  });

  const begin = (): Promise<SqlError> => {
    asker.waits = Promise.withResolvers();
    return session.error('EVALUATE ASK endless ON sea');
  };

  it('by a cancel says so', async () => {
    const ended = begin();
    await asker.waits.promise;
    expect(await other.rows(`SELECT state, questions ${LAST}`)).toEqual([['running', '2']]);
    session.session.cancel(new SqlError('query_canceled', 'canceling statement due to user request'));
    expect((await ended).sqlstate).toBe('57014');
    expect(await other.rows(`SELECT state, reason, done, hit ${LAST}`)).toEqual([
      ['canceled', 'canceling statement due to user request', '1', '1'],
    ]);
  });

  it('by statement_timeout says so', async () => {
    await session.rows("SET statement_timeout = '50ms'");
    const { sqlstate } = await begin();
    await session.rows('RESET statement_timeout');
    expect(sqlstate).toBe('57014');
    expect(await other.rows(`SELECT state, reason ${LAST}`)).toEqual([
      ['canceled', 'canceling statement due to statement timeout'],
    ]);
  });

  it('by a stop of the server says so after the next start', async () => {
    const ended = begin();
    await asker.waits.promise;
    await using own = database.openOwn();
    await own.transaction((query) => query(END_RUNS), new AbortController().signal);
    expect(await other.rows(`SELECT state, reason ${LAST}`)).toEqual([['failed', 'the server stopped']]);
    session.session.cancel(new SqlError('query_canceled', 'enough'));
    await ended;
  });

  it('by DROP EVALUATION leaves nothing', async () => {
    const ended = begin();
    await asker.waits.promise;
    await other.rows('DROP EVALUATION endless');
    session.session.cancel(new SqlError('query_canceled', 'enough'));
    await ended;
    const runs = "SELECT count(*) FROM quern.evaluation_runs WHERE evaluation = 'endless'";
    expect(await other.rows(runs)).toEqual([['0']]);
  });
});

it('a run stays when its transaction is rolled back', async () => {
  await session.rows(`BEGIN; EVALUATE SEARCH sailing ON sea WITH (name = 'rolled back'); ROLLBACK`);
  expect(await session.rows(`SELECT name, state ${LAST}`)).toEqual([['rolled back', 'done']]);
});

it('says where results are of another kind than what is expected', async () => {
  const text = 'EVALUATE SEARCH sailing USING (SELECT content_id FROM sea.chunks WHERE match($1, passage))';
  expect(await session.notices(text)).toEqual([
    'configuration "default" gives nothing that could be expected',
  ]);
});

it('keeps the newest hundred runs', async () => {
  await session.rows(`CREATE EVALUATION often AS SELECT 'x' AS question, 'a' AS _id`);
  const queries = Array.from({ length: 60 }, (_, i) => `q${i} AS (SELECT 'a' AS _id)`).join(', ');
  for (const _ of [1, 2]) await session.rows(`EVALUATE SEARCH often USING ${queries}`);
  const runs = `SELECT count(DISTINCT n.run), count(DISTINCT r.run)
    FROM quern.evaluation_runs n LEFT JOIN quern.evaluation_results r USING (run) WHERE evaluation = 'often'`;
  expect(await session.rows(runs)).toEqual([['100', '100']]);
});

it('options and what questions are read with may be parameters', async () => {
  const run = async (
    text: string,
    types: readonly number[],
    values: readonly Datum[],
  ): Promise<readonly string[]> => {
    const tags: string[] = [];
    const sink: ResultSink = {
      describe: () => undefined,
      rows: () => undefined,
      emptyQuery: () => undefined,
      suspended: () => undefined,
      notice: () => undefined,
      parameterStatus: () => undefined,
      complete: (tag) => tags.push(tag),
    };
    await session.session.parse('', text, types, sink);
    expect(session.session.parameterTypes('')).toHaveLength(values.length);
    await session.session.bind('', '', values, sink);
    await session.session.execute('', 0, sink);
    await session.session.sync(sink);
    return tags;
  };
  const create =
    'CREATE EVALUATION bound AS SELECT question, doc_id FROM asked WHERE id = $1 AND answer = $2';
  expect(await run(create, [], [3, 'bread'])).toEqual(['CREATE EVALUATION']);
  const search = 'EVALUATE SEARCH bound ON sea WITH (top_k = $1, name = $2)';
  expect(await run(search, [OID.int4], [4, 'four'])).toEqual(['EVALUATE 1']);
  expect(await session.rows(`SELECT name, options ${LAST}`)).toEqual([
    ['four', '{"name": "four", "top_k": 4}'],
  ]);
  await expect(run(search, [OID.int4], [null, 'four'])).rejects.toThrow('top_k may not be null');
});
