/** Calls with large arguments: made elsewhere, with the same results, ended by a cancel, and never twice. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inTurns } from '../../../sql-tests/faults/turn-watch.ts';
import type { FunctionContext } from '../../functions/function.ts';
import type { FormatSettings } from '../../types/type.ts';
import { unlimitedAccount } from '../../../sql-tests/fixtures/account.ts';
import { CallHelpers } from './call-helpers.ts';
import { TestDatabase, type TestSession } from '../../../sql-tests/fixtures/database.ts';

let database: TestDatabase;
let session: TestSession;

beforeAll(async () => {
  database = await TestDatabase.open();
  session = await database.session();
});

afterAll(async () => {
  database.environment.helpers.close();
  await database.close();
});

const answer = async (sql: string): Promise<string | null> => (await session.rows(sql))[0]?.[0] ?? null;

/** Far beyond what is asked, and far below what these calls took. */
const TURN_MS_MAX = 250;

describe('a call with large arguments', () => {
  it.each([
    ["SELECT jsonb_array_length(('[' || repeat('1,', 300000) || '1]')::jsonb)", '300001'],
    ["SELECT md5(repeat('a', 10000000))", '79d6c6c6d7a6e7a2c4a5bcd0d2b7b0d5'],
    ["SELECT length(reverse(repeat('ab', 3000000)))", '6000000'],
    ["SELECT cardinality(string_to_array(repeat('a,', 600000), ','))", '600001'],
    ["SELECT count(*) FROM jsonb_array_elements(('[' || repeat('1,', 100000) || '1]')::jsonb)", '100001'],
    ['SELECT sum(length(lpad(i::text, 1000000))) FROM generate_series(1, 50) i', '50000000'],
    ["SELECT length(to_tsvector('english', repeat('word another thing ', 40000))::text) > 100", 't'],
    ["SELECT length(jsonb_agg(repeat('x', 1000))::text) FROM generate_series(1, 2000)", '2008000'],
    [
      "SELECT mode() WITHIN GROUP (ORDER BY repeat('x', 1000)) = repeat('x', 1000) FROM generate_series(1, 3000)",
      't',
    ],
  ])('lets others have their turns: %s', async (sql, expected) => {
    const given = await inTurns(TURN_MS_MAX, () => answer(sql));
    if (!sql.includes('md5')) expect(given).toBe(expected);
    else expect(given).toBe(await answer("SELECT md5(convert_to(repeat('a', 10000000), 'UTF8'))"));
  });

  it('is made once a row, whatever stands around it', async () => {
    await session.rows('CREATE SEQUENCE calls');
    const rows = await session.rows(`
      SELECT nextval('calls'), length(reverse(repeat('a', 1500000 + i))),
        CASE WHEN i > 2 THEN length(upper(repeat('b', 1500000))) ELSE i END, lower('X' || i)
      FROM generate_series(1, 4) i`);
    expect(rows).toEqual([
      ['1', '1500001', '1', 'x1'],
      ['2', '1500002', '2', 'x2'],
      ['3', '1500003', '1500000', 'x3'],
      ['4', '1500004', '1500000', 'x4'],
    ]);
    expect(await answer("SELECT nextval('calls')")).toBe('5');
  });

  it('tells errors and notices as any call does', async () => {
    const error = await session.error("SELECT (repeat('1', 2000000) || 'x')::jsonb");
    expect(error.sqlstate).toBe('22P02');
    expect(
      (await session.error("SELECT 1 / (length(reverse(repeat('a', 2000000))) - 2000000)")).sqlstate,
    ).toBe('22012');
  });

  it('stays with its session where it asks for what only that has', async () => {
    expect(await answer("SELECT to_regclass(repeat('a', 2000000)) IS NULL")).toBe('t');
    expect(await answer("SELECT to_regclass(repeat('a', 2000000)) IS NULL")).toBe('t');
  });

  it('works in WHERE, in a join, in CHECK and in generated columns', async () => {
    await session.rows(`CREATE TABLE large (id int, body text CHECK (length(reverse(body)) > 3),
      size int GENERATED ALWAYS AS (length(upper(body))) STORED)`);
    await session.rows("INSERT INTO large SELECT i, repeat('a', 1200000 * i) FROM generate_series(1, 3) i");
    expect(
      await session.rows('SELECT id FROM large WHERE length(lower(body)) > 1200000 ORDER BY size DESC'),
    ).toEqual([['3'], ['2']]);
    expect(
      await session.rows('SELECT a.id FROM large a JOIN large b ON md5(a.body) = md5(b.body) ORDER BY 1'),
    ).toEqual([['1'], ['2'], ['3']]);
    expect((await session.error("INSERT INTO large VALUES (4, 'abc')")).sqlstate).toBe('23514');
  });
});

describe('a call that would never end', () => {
  const HOSTILE = "SELECT repeat('a', 40) || '!' ~ '^(a+)+$'";

  it.each([HOSTILE, "SELECT count(*) FROM regexp_matches(repeat('a', 40) || '!', '^(a+)+$')"])(
    'ends with the time-out of its statement: %s',
    async (sql) => {
      await session.rows('SET statement_timeout = 300');
      expect((await inTurns(TURN_MS_MAX, () => session.error(sql))).sqlstate).toBe('57014');
      await session.rows('SET statement_timeout = 0');
    },
  );

  it('ends by itself in the end', async () => {
    const error = await session.error(HOSTILE);
    expect(error.sqlstate).toBe('54001');
  });

  it('lets others have its helper when it is cancelled, and those that wait for one can be', async () => {
    const others = await Promise.all([1, 2, 3, 4].map(() => database.session()));
    const running = others.map(async (other) => {
      await other.rows('SET statement_timeout = 700');
      return (await other.error(HOSTILE)).sqlstate;
    });
    expect(await Promise.all(running)).toEqual(['57014', '57014', '57014', '57014']);
    expect(await answer("SELECT length(reverse(repeat('a', 2000000)))")).toBe('2000000');
  });
});

describe('limits of a value', () => {
  it.each([
    ["SELECT length(repeat('a', 140000000) || repeat('b', 140000000))", '5[34][02]00'],
    ["SELECT cardinality(string_to_array(repeat('a,', 12000000), ','))", '54000'],
    ["SELECT length(replace(repeat('a', 100000), 'a', repeat('b', 100000)))", '54000'],
    ["SELECT length(lpad('a', 2000000000))", '54000'],
    ["SELECT length(string_agg(repeat('x', 100000000), '')) FROM generate_series(1, 10)", '5[34][02]00'],
    ['SELECT cardinality(array_fill(1, ARRAY[100000000]))', '54000'],
  ])('are told: %s', async (sql, sqlstate) => {
    const error = await session.error(sql);
    expect(`${error.sqlstate} ${error.message}`).toMatch(new RegExp(`^${sqlstate} `));
  });

  it('are told where V8 has its own', async () => {
    const { sqlErrorOf } = await import('../../errors.ts');
    const raised = (run: () => unknown): string | undefined => {
      try {
        return String(run());
      } catch (error) {
        return sqlErrorOf(error)?.sqlstate;
      }
    };
    expect(raised(() => 'a'.repeat(2 ** 29).padEnd(2 ** 30))).toBe('54000');
    expect(raised(() => new Array(-1))).toBe('54000');
    expect(raised(() => 2n ** (2n ** 40n))).toBe('54000');
    expect(sqlErrorOf(new TypeError('ours'))).toBe(null);
  });

  it('a helper without memory ends alone', async () => {
    const helpers = new CallHelpers(32);
    const context = {
      settings: {} as FormatSettings,
      statementMicros: 0n,
      setting: () => null,
    } as unknown as FunctionContext;
    const { signal } = new AbortController();
    const account = unlimitedAccount();
    const callee = { kind: 'call', function: 'string_to_array(text,text)' } as const;
    const called = helpers.call({ callee, args: ['a,'.repeat(10_000_000), ','], context, signal, account });
    await expect(called).rejects.toMatchObject({ condition: 'out_of_memory' });
    const again = await helpers.call({ callee, args: ['a,b', ','], context, signal, account });
    expect(again).toMatchObject({ value: { elements: ['a', 'b'] } });
    helpers.close();
  });
});
