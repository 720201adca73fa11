/** `/sql` over a socket: what is sent as JSON, what comes back as lines, and every way in which it ends. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HttpDoor, sqlstateOf } from '../../../sql-tests/fixtures/http-door.ts';

let door: HttpDoor;

beforeAll(async () => {
  door = await HttpDoor.open();
});

afterAll(async () => {
  await door[Symbol.asyncDispose]();
  expect(door.failures).toEqual([]);
});

describe('an answer', () => {
  it('is columns, rows and an end, a line each', async () => {
    const { status, headers, lines } = await door.ask({ statement: "SELECT 1 AS one, 'a' AS letter" });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(lines).toEqual([
      {
        columns: [
          { name: 'one', type: 'integer', oid: 23 },
          { name: 'letter', type: 'text', oid: 25 },
        ],
      },
      { rows: [[1, 'a']] },
      { done: { tag: 'SELECT 1' } },
    ]);
  });

  it('has the results of several statements, and LSNs of what was written', async () => {
    const { lines } = await door.ask({
      statement: 'CREATE TABLE a (id int PRIMARY KEY); INSERT INTO a VALUES (1), (2); SELECT id FROM a',
    });
    const tags = lines.flatMap(({ done }) => (done === undefined ? [] : [(done as { tag: string }).tag]));
    expect(tags).toEqual(['CREATE TABLE', 'INSERT 0 2', 'SELECT 2']);
    const { lines: written } = await door.ask({ statement: 'INSERT INTO a VALUES (3)' });
    expect(written).toEqual([{ done: { tag: 'INSERT 0 1', lsn: expect.stringMatching(/^\d+$/) } }]);
    const { lines: read } = await door.ask({ statement: 'SELECT 1' });
    expect(read.at(-1)).toEqual({ done: { tag: 'SELECT 1' } });
  });

  it('has notices, and an end for no statement', async () => {
    const { lines } = await door.ask({ statement: 'DROP TABLE IF EXISTS nothing' });
    expect(lines).toEqual([
      {
        notice: {
          severity: 'NOTICE',
          message: 'table "nothing" does not exist, skipping',
          sqlstate: '00000',
        },
      },
      { done: { tag: 'DROP TABLE' } },
    ]);
    expect((await door.ask({ statement: '' })).lines).toEqual([{ done: { tag: '' } }]);
    expect((await door.ask({ statement: '-- nothing', params: [] })).lines).toEqual([{ done: { tag: '' } }]);
  });
});

describe('values', () => {
  it.each<[string, unknown]>([
    ['true', true],
    ['1::smallint', 1],
    ['-7', -7],
    ['9007199254740993::bigint', '9007199254740993'],
    ['-1::bigint', '-1'],
    ['1.50::numeric', '1.50'],
    ["'NaN'::numeric", 'NaN'],
    ['1.5::float8', 1.5],
    ['1e300::float8', 1e300],
    ['0.1::real', 0.1],
    ["'NaN'::float8", 'NaN'],
    ["'-Infinity'::real", '-Infinity'],
    ['NULL', null],
    [`E'a"b\\\\c\\n\\t\\x01é🦉'`, 'a"b\\c\n\t\u0001é🦉'],
    [`'{"a": [1, null], "a": 2}'::json`, { a: 2 }],
    [`E'{\\n"a":\\t1}'::json`, { a: 1 }],
    [`'{"b": 1.10, "a": "x\\ny"}'::jsonb`, { a: 'x\ny', b: 1.1 }],
    ["'\\x00ff'::bytea", '\\x00ff'],
    ["'2020-02-29'::date", '2020-02-29'],
    ["'2020-02-29 01:02:03.5'::timestamp", '2020-02-29 01:02:03.5'],
    ["interval '1 day 2 hours'", '1 day 02:00:00'],
    ["'00000000-0000-0000-0000-000000000001'::uuid", '00000000-0000-0000-0000-000000000001'],
    ['ARRAY[1, NULL, 3]', [1, null, 3]],
    [
      'ARRAY[[1, 2], [3, 4]]',
      [
        [1, 2],
        [3, 4],
      ],
    ],
    [
      'ARRAY[[[1], [2]], [[3], [4]]]',
      [
        [[1], [2]],
        [[3], [4]],
      ],
    ],
    ["'{}'::int[]", []],
    [`ARRAY['a"b', 'NULL', NULL]`, ['a"b', 'NULL', null]],
    ['ARRAY[1::bigint]', ['1']],
    [`ARRAY['{"a": 1}'::jsonb]`, [{ a: 1 }]],
    ["'[1,2.5,-3e-7]'::vector", [1, 2.5, -3e-7]],
    ["ROW(1, 'a b')", '(1,"a b")'],
    ["'[1,5)'::int4range", '[1,5)'],
    ["'pg_class'::regclass", 'pg_class'],
    ['26::oid', 26],
  ])('%s', async (sql, value) => {
    expect(await door.rows(`SELECT ${sql}`)).toEqual([[value]]);
  });

  it('are the same by the batch as one by one', async () => {
    const columns = `i, i::bigint * 1000, i / 4.0, (i / 4.0)::float8, 'text "' || i, DATE '2020-01-01' + i,
      ARRAY[i, i + 1], NULLIF(i, 7), i % 2 = 0, jsonb_build_object('i', i), to_timestamp(i)`;
    const all = await door.rows(`SELECT ${columns} FROM generate_series(1, 3000) AS i ORDER BY i`);
    expect(all.length).toBe(3000);
    for (const i of [1, 7, 1024, 1025, 3000]) {
      expect([all[i - 1]]).toEqual(await door.rows(`SELECT ${columns} FROM (VALUES (${i})) AS t(i)`));
    }
  });

  it('may be arrays that are longer than what is written at once', async () => {
    const [[array]] = (await door.rows('SELECT array_agg(i) FROM generate_series(1, 100000) AS i')) as [
      [number[]],
    ];
    expect([array.length, array[0], array.at(-1)]).toEqual([100_000, 1, 100_000]);
  });

  it('tell the names of types that users made', async () => {
    await door.rows("CREATE TYPE mood AS ENUM ('sad', 'fine')");
    const { lines } = await door.ask({
      statement: "SELECT 'fine'::mood, ARRAY['sad']::mood[], 1::numeric(5,2)",
    });
    const [{ columns }] = lines as [{ columns: { type: string }[] }];
    expect(columns.map(({ type }) => type)).toEqual(['mood', 'mood[]', 'numeric(5,2)']);
    expect(lines[1]).toEqual({ rows: [['fine', ['sad'], '1.00']] });
  });
});

describe('parameters', () => {
  it.each<[string, unknown, unknown]>([
    ['int', 5, 5],
    ['int', '5', 5],
    ['bigint', '9007199254740993', '9007199254740993'],
    ['float8', 2.5, 2.5],
    ['numeric', 1e21, '1000000000000000000000'],
    ['bool', true, true],
    ['text', 'a\nb', 'a\nb'],
    ['text', 12, '12'],
    ['text', null, null],
    ['jsonb', { a: [1, 'x'] }, { a: [1, 'x'] }],
    ['jsonb', [1, 2], [1, 2]],
    ['jsonb', '{"a": 1}', { a: 1 }],
    ['jsonb', 3, 3],
    ['int[]', [1, null, 3], [1, null, 3]],
    ['text[]', ['a"\\,{', '', 'NULL'], ['a"\\,{', '', 'NULL']],
    [
      'int[]',
      [
        [1, 2],
        [3, 4],
      ],
      [
        [1, 2],
        [3, 4],
      ],
    ],
    ['jsonb[]', [{ a: 1 }, 2], [{ a: 1 }, 2]],
    ['vector', [1, 2.5], [1, 2.5]],
    ['timestamptz', '2020-01-01T00:00:00Z', '2020-01-01 00:00:00+00'],
    ['bytea', '\\xff', '\\xff'],
  ])('$1::%s is %j', async (type, given, taken) => {
    expect(await door.rows(`SELECT $1::${type}`, [given])).toEqual([[taken]]);
  });

  it('keep the digits of numbers that no double holds', async () => {
    const body =
      '{"statement": "SELECT $1::numeric, $2::bigint, $3::jsonb", "params": [1234567890.12345678901234567890, 9007199254740993, {"n": 12345678901234567890}]}';
    const response = await door.fetch(body);
    const [, rows] = (await response.text()).split('\n');
    expect(rows).toBe(
      '{"rows":[["1234567890.12345678901234567890","9007199254740993",{"n": 12345678901234567890}]]}',
    );
  });

  it.each<[string, unknown[], string]>([
    ['SELECT $1::int', [], '08P01'],
    ['SELECT 1', [1], '08P01'],
    ['SELECT $1::int', ['x'], '22P02'],
    ['SELECT $1::int', [1.5], '22P02'],
    ['SELECT $1::int', [[1]], '22023'],
    ['SELECT $1::text', [{ a: 1 }], '22023'],
    ['SELECT $1::text', ['\ud800'], '22021'],
    ['SELECT $1::text', ['a\0b'], '22021'],
    ['SELECT $1; SELECT $2', [1, 2], '42601'],
  ])('%s with %j is %s', async (statement, params, sqlstate) => {
    const { status, lines } = await door.ask({ statement, params });
    expect([status, sqlstateOf(lines)]).toEqual([400, sqlstate]);
  });
});

describe('an error', () => {
  it('is a line with all that PostgreSQL tells', async () => {
    const { status, lines } = await door.ask({ statement: 'SELECT nam FROM (SELECT 1 AS name) AS t' });
    expect([status, lines]).toEqual([
      400,
      [
        {
          error: {
            message: 'column "nam" does not exist',
            sqlstate: '42703',
            kind: 'invalid_argument',
            position: 8,
            hint: expect.stringContaining('name'),
          },
        },
      ],
    ]);
  });

  it.each<[string, number, string]>([
    ['SELEC', 400, '42601'],
    ['SELECT * FROM nowhere', 404, '42P01'],
    ['INSERT INTO a VALUES (1)', 409, '23505'],
    ["SELECT repeat('x', 2000000000)", 413, '54000'],
    ['SELECT 1/0', 400, '22012'],
    ['COPY a FROM STDIN', 400, '0A000'],
  ])('of %s is %d', async (statement, expected, sqlstate) => {
    const { status, lines } = await door.ask({ statement });
    expect([status, sqlstateOf(lines)]).toEqual([expected, sqlstate]);
  });

  it('is the last line where rows have left before it', async () => {
    const { status, lines } = await door.ask({
      statement: 'SELECT 1 / (20000 - i) FROM generate_series(1, 40000) AS i',
    });
    expect(status).toBe(200);
    expect(lines.at(-1)).toMatchObject({ error: { sqlstate: '22012' } });
    expect(lines.some(({ done }) => done !== undefined)).toBe(false);
  });

  it('takes back the statements before it', async () => {
    await door.ask({ statement: 'INSERT INTO a VALUES (50); SELECT 1/0' });
    expect(await door.rows('SELECT id FROM a WHERE id = 50')).toEqual([]);
  });
});

describe('a request', () => {
  it.each<[string, unknown, number, string]>([
    ['no JSON', '{', 400, '22032'],
    ['no object', '[]', 400, '22023'],
    ['null', 'null', 400, '22023'],
    ['an empty body', '', 400, '22032'],
    ['no statement', {}, 400, '22023'],
    ['a statement that is no text', { statement: 1 }, 400, '22023'],
    ['a field too much', { statement: 'SELECT 1', parameters: [] }, 400, '22023'],
    ['__proto__', '{"statement": "SELECT 1", "__proto__": {}}', 400, '22023'],
    ['parameters that are no list', { statement: 'SELECT 1', params: {} }, 400, '22023'],
    ['settings that are no object', { statement: 'SELECT 1', settings: [] }, 400, '22023'],
    ['a setting that there is not', { statement: 'SELECT 1', settings: { nothing: 1 } }, 404, '42704'],
    ['a wrong setting', { statement: 'SELECT 1', settings: { work_mem: 'much' } }, 400, '22023'],
    ['half a character', { statement: "SELECT '\ud800'" }, 400, '22021'],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), 400, '22021'],
  ])('with %s is refused', async (_, body, expected, sqlstate) => {
    const { status, lines } = await door.ask(body);
    expect([status, lines.length, sqlstateOf(lines)]).toEqual([expected, 1, sqlstate]);
  });

  it('has settings of its own', async () => {
    const statement = "SELECT current_setting('timezone'), current_setting('work_mem'), to_timestamp(0)";
    const { lines } = await door.ask({ statement, settings: { timezone: 'Asia/Tokyo', work_mem: '8MB' } });
    expect(lines[1]).toEqual({ rows: [['Asia/Tokyo', '8MB', '1970-01-01 09:00:00+09']] });
    await door.rows("SET timezone = 'Asia/Tokyo'");
    expect(await door.rows('SHOW timezone')).not.toEqual([['Asia/Tokyo']]);
  });

  it('needs a key, which is right', async () => {
    const none = await door.fetch({ statement: 'SELECT 1' }, { key: null });
    expect([none.status, none.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    const wrong = await door.ask({ statement: 'SELECT 1' }, { key: 'wrong-key-0123456789' });
    expect([wrong.status, wrong.lines]).toEqual([
      401,
      [{ error: expect.objectContaining({ sqlstate: '28P01', kind: 'permission_denied' }) }],
    ]);
  });

  it('is JSON, by POST, to /sql', async () => {
    const text = { headers: { 'content-type': 'text/plain' } };
    expect((await door.fetch({ statement: 'SELECT 1' }, text)).status).toBe(415);
    expect((await door.fetch(undefined, { method: 'GET' })).status).toBe(405);
    expect((await door.fetch({ statement: 'SELECT 1' }, { path: '/sql/x' })).status).toBe(405);
  });

  it('of a page is answered where its origin is named', async () => {
    const headers = { origin: 'https://app.example' };
    const answer = await door.fetch({ statement: 'SELECT 1' }, { headers });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, headers.origin]);
    const wrong = await door.fetch({ statement: 'SELECT 1' }, { headers, key: null });
    expect([wrong.status, wrong.headers.get('access-control-allow-origin')]).toEqual([401, headers.origin]);
    const asks = { ...headers, 'access-control-request-method': 'POST' };
    const preflight = await door.fetch(undefined, { method: 'OPTIONS', headers: asks, key: null });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toBe('authorization, content-type');
    const other = { ...asks, origin: 'https://evil.example' };
    const refused = await door.fetch(undefined, { method: 'OPTIONS', headers: other, key: null });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([403, null]);
  });

  it('may be long', async () => {
    const [[length]] = (await door.rows('SELECT length($1)', ['x'.repeat(4_000_000)])) as [[number]];
    expect(length).toBe(4_000_000);
    const { status, lines } = await door.ask({ statement: 'SELECT $1', params: ['x'.repeat(9_000_000)] });
    expect([status, sqlstateOf(lines)]).toEqual([413, '54000']);
  });

  it('leaves no transaction behind', async () => {
    await door.rows('BEGIN; INSERT INTO a VALUES (99)');
    expect(await door.rows('SELECT id FROM a WHERE id = 99')).toEqual([]);
  });

  it('is that of the role, and the limits of its key', async () => {
    const [[key]] = (await door.rows('CREATE API KEY reads WITH (role = admin, read_only)')).map((row) =>
      (row as string[]).filter((value) => value.startsWith('quern_')),
    ) as [[string]];
    const about = { key };
    expect((await door.ask({ statement: 'SELECT id FROM a' }, about)).status).toBe(200);
    expect((await door.ask({ statement: 'DELETE FROM a' }, about)).status).toBe(403);
    const settings = { 'quern.read_only': 'off' };
    expect((await door.ask({ statement: 'DELETE FROM a', settings }, about)).status).toBe(403);
  });

  it('is seen by others while it runs, and ended by them', async () => {
    const statement = 'SELECT pg_sleep(60)';
    const asked = door.ask({ statement, settings: { application_name: 'web' } });
    const seen =
      "SELECT pid FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(60)' AND application_name = 'web'";
    let rows: readonly unknown[] = [];
    while (rows.length === 0) rows = await door.rows(seen);
    expect(await door.rows('SELECT pg_terminate_backend($1)', (rows as [[number]])[0])).toEqual([[true]]);
    const { status, lines } = await asked;
    expect([status, lines.at(-1)]).toMatchObject([503, { error: { sqlstate: '57P01' } }]);
    expect(await door.rows(seen)).toEqual([]);
  });
});
