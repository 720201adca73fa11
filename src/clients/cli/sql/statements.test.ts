/** Where statements end: every form of quote, comment and body that may hide a semicolon, alone and put together. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Script, type ScriptPart, scanStatement } from './statements.ts';

function partsOf(text: string): ScriptPart[] {
  const script = new Script(text);
  const parts: ScriptPart[] = [];
  for (let part = script.next(); part !== null; part = script.next()) parts.push(part);
  return parts;
}
const textsOf = (text: string): string[] => partsOf(text).map((part) => part.text);

/** Each is one token, or none: none of them ends a statement. */
const HIDING = [
  "'a;b'",
  "'it''s;'",
  String.raw`E'a\';b'`,
  String.raw`e'\\'`,
  String.raw`'\'`,
  '"a;b"',
  '"a"";b"',
  '$$ ; $$',
  "$x$ ; $$ ' $x$",
  '$1',
  'a$b$c',
  "-- it's;\n",
  '/* ; /* " */ ; */',
  '(a;b)',
  "U&'a;b'",
  'end',
  'begin',
  'x.y',
  '1e5',
  'ü',
];

describe('a statement', () => {
  it.each(HIDING)('goes on after %s', (token) => {
    const text = `select ${token} + 1`;
    expect(scanStatement(`${text}; select 2`, 0)).toEqual({ end: text.length + 1, isWithinQuote: false });
  });

  it('is what it was among any others', () => {
    const statement = fc
      .array(fc.constantFrom(...HIDING), { minLength: 1, maxLength: 6 })
      .map((tokens) => `select ${tokens.join(' , ')} x`);
    const glue = fc.constantFrom(';', ' ;\n', ';;', '; -- c;\n', '; /* ; */ ');
    fc.assert(
      fc.property(fc.array(fc.tuple(statement, glue), { maxLength: 6 }), (pairs) => {
        const parts = partsOf(pairs.map(([text, between]) => text + between).join(''));
        expect(parts.map(({ text }) => text)).toEqual(pairs.map(([text]) => text));
        const script = pairs.map(([text, between]) => text + between).join('');
        for (const { text, start } of parts) expect(script.startsWith(text, start)).toBe(true);
      }),
    );
  });

  it.each(["select 'a", 'select "a', 'select $x$ a $$', String.raw`select E'a\'`, 'select /* /* */'])(
    'is within a quote or a comment in %s',
    (text) => {
      expect(scanStatement(text, 0)).toEqual({ end: null, isWithinQuote: true });
    },
  );

  it('has a body of its own in a routine of SQL', () => {
    const routine = `CREATE OR REPLACE FUNCTION f(a int) RETURNS int BEGIN ATOMIC
      SELECT CASE a WHEN 1 THEN 2 END; SELECT 3; END`;
    expect(textsOf(`${routine}; SELECT 1`)).toEqual([routine, 'SELECT 1']);
    expect(textsOf('BEGIN; SELECT CASE 1 WHEN 1 THEN 2 END; END; SELECT 2')).toHaveLength(4);
  });
});

describe('a script', () => {
  it('has backslash commands between statements, and divides by none within', () => {
    expect(partsOf('\\x on\nselect 4 \\ 2; \\dt a*\nselect 1')).toMatchObject([
      { kind: 'command', text: '\\x on' },
      { kind: 'statement', text: 'select 4 \\ 2' },
      { kind: 'command', text: '\\dt a*' },
      { kind: 'statement', text: 'select 1' },
    ]);
  });

  it('is nothing without a statement', () => {
    for (const text of ['', ' \n', ';;', '-- c', '/* c */;', '\ufeff']) expect(textsOf(text)).toEqual([]);
  });

  it('hands out what stands behind a COPY', () => {
    const script = new Script('COPY t FROM STDIN;\n1\t;\n\\N\n\\.\nSELECT 1;\nCOPY t FROM STDIN;\n2');
    expect(script.next()?.text).toBe('COPY t FROM STDIN');
    expect(script.copyData()).toBe('1\t;\n\\N\n');
    expect(script.next()?.text).toBe('SELECT 1');
    script.next();
    expect(script.copyData()).toBe('2');
    expect(script.next()).toBeNull();
  });

  it('of 20 MB takes no more than a look at each letter', () => {
    const text = `insert into t values ('${'x'.repeat(1000)}', 1);\n`.repeat(20_000);
    expect(partsOf(text)).toHaveLength(20_000);
  });
});
