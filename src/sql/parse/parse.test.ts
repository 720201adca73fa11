/** The parser: positions, errors, limits, long names, and everything that real clients were seen to send. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { SqlError } from '../../errors.ts';
import { loadParser, parseExpression, parseStatements } from './parse.ts';

beforeAll(loadParser);

const recordings = new URL('../../../../shared/clients/', import.meta.url);
const mustRun = process.env.CI === 'true';

function failure(text: string): SqlError {
  try {
    parseStatements(text);
  } catch (error) {
    if (error instanceof SqlError) return error;
    throw error;
  }
  throw new Error(`parsed: ${text.slice(0, 60)}`);
}

const kinds = (text: string): string[] => parseStatements(text).map((parsed) => parsed.statement.kind);

describe('statements of a text', () => {
  it('are split, trimmed and located; empty ones are left out', () => {
    const parsed = parseStatements('-- é\n select 1 ; ; /* x */ begin;\n');
    expect(parsed.map(({ text, start }) => [text, start])).toEqual([
      ['select 1', 6],
      ['begin', 27],
    ]);
    expect(parseStatements(' -- nothing\n;;')).toEqual([]);
  });

  it('that PostgreSQL has and Quern has not are named, the others still parsed', () => {
    const text =
      'create function f() returns int as $$select 1$$ language sql; create rule r as on insert to t do nothing; select 1';
    const features = parseStatements(text).map(({ statement }) =>
      statement.kind === 'unsupported' ? statement.feature : statement.kind,
    );
    expect(features).toEqual(['create function', 'RULE', 'query']);
    expect(kinds('select * from t tablesample system (1); select xmlelement(name a)')).toEqual([
      'unsupported',
      'unsupported',
    ]);
  });

  it('keep the text of defaults, checks and views as written', () => {
    const [table, view] = parseStatements(
      "create table t (a text default 'x,' || f(1, 2) not null check (a <> ')'), b int generated always as (c + 1) stored);" +
        'create view v (x) as select a, b from t',
    ).map((parsed) => parsed.statement);
    expect(table).toMatchObject({
      columns: [
        { defaultValue: { text: "'x,' || f(1, 2)" }, constraints: [{ check: { text: "a <> ')'" } }] },
        { generated: { text: 'c + 1' } },
      ],
    });
    expect(view).toMatchObject({ text: 'select a, b from t' });
  });
});

describe('syntax errors', () => {
  it.each([
    ['SELECT FORM x FORM', 'syntax error at or near "FORM"', 15],
    ["select 'é', form x form", 'syntax error at or near "form"', 20],
    ['select 𝒳, form x form', 'syntax error at or near "form"', 18],
    ['create table t (é text index keyword_index(), x text frob())', 'syntax error at or near "frob"', 54],
    ['select 1 +', 'syntax error at end of input', 11],
    ["select 'abc", 'unterminated quoted string at or near "\'abc"', 8],
    ['create table t (a text index keyword_index(type =>))', 'syntax error at or near ")"', 51],
  ])('%s', (text, message, position) => {
    const error = failure(text);
    expect([error.sqlstate, error.message, error.fields.position]).toEqual(['42601', message, position]);
  });

  it('of one expression count from its start', () => {
    expect(() => parseExpression('a +')).toThrowError('syntax error at end of input');
    expect(parseExpression('é + b')).toMatchObject({
      kind: 'operator',
      at: 3,
      left: { at: 1 },
      right: { at: 5 },
    });
    expect(() => parseExpression('1, 2')).toThrowError(SqlError);
  });
});

describe('limits', () => {
  it.each([
    ['nested parentheses', `select ${'('.repeat(10_000)}1${')'.repeat(10_000)}`],
    ['a chain of operators', `select ${'a+'.repeat(10_000)}a`],
    ['a chain of UNION', `${'select 1 union '.repeat(50_000)}select 1`],
    ['nested calls', `select ${'f('.repeat(3_000)}1${')'.repeat(3_000)}`],
    ['casts', `select 1${'::int'.repeat(3_000)}`],
  ])('%s: 54001, and the parser goes on', async (_, text) => {
    expect(failure(text).sqlstate).toBe('54001');
    await loadParser();
    expect(kinds('select 1')).toEqual(['query']);
  });

  it('10,000 terms of AND and of a list work, and 5,000 members of UNION', () => {
    expect(kinds(`${'select 1 union '.repeat(4_999)}select 1`)).toEqual(['query']);
    expect(kinds(`select ${'a and '.repeat(9_999)}a`)).toEqual(['query']);
    expect(kinds(`select a in (${'1,'.repeat(9_999)}1)`)).toEqual(['query']);
  });

  it('NUL and too long texts are refused', () => {
    expect([failure("select 'é\0'").sqlstate, failure("select 'é\0'").fields.position]).toEqual([
      '22021',
      10,
    ]);
    expect(failure(`select '${'x'.repeat(17 * 1024 * 1024)}'`).sqlstate).toBe('54000');
  });

  it('names are kept up to 255 bytes and never cut', () => {
    const long = 'É'.repeat(100);
    const statement = parseStatements(`select a as "${long}" from ${'T'.repeat(80)}$${'p'.repeat(255)}`)[0]
      ?.statement;
    expect(statement).toMatchObject({
      query: {
        items: [{ alias: long }],
        from: [{ relation: { name: 't'.repeat(80), partition: 'p'.repeat(255) } }],
      },
    });
    const error = failure(`select 1 from ${'t'.repeat(256)}`);
    expect([error.sqlstate, error.fields.position]).toEqual(['42622', 15]);
    const near = failure(`select a a ${'x'.repeat(70)}`).message;
    expect(near).toBe(`syntax error at or near "${'x'.repeat(70)}"`);
  });
});

describe.skipIf(!existsSync(recordings) && !mustRun)('what clients were seen to send', () => {
  const files = existsSync(recordings) ? readdirSync(recordings).filter((name) => name.endsWith('.sql')) : [];
  it('is there', () => expect(files.length).toBeGreaterThan(20));
  it.each(files)('%s parses', (file) => {
    const text = readFileSync(new URL(file, recordings), 'utf8');
    const messages =
      text.startsWith('-- @@') || text.includes('\n-- @@') ? text.split(/^-- @@ .*$/m).slice(1) : [text];
    for (const message of messages) expect(() => parseStatements(message.trim()), message).not.toThrow();
  });
});
