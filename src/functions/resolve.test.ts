/** Resolution as PostgreSQL 18 does it: what it picks, and what it says when nothing fits. */
import { expect, test } from 'vitest';
import type { SqlError } from '../errors.ts';
import { OID } from '../types/oids.ts';
import { arrayOf } from '../types/registry.ts';
import { commonType, resolveCast, resolveFunction, resolveOperator } from './resolve.ts';

const given = (...types: number[]) => types.map((type) => ({ type, name: null }));

function failure(action: () => unknown): { sqlstate: string; message: string; hint: string | undefined } {
  try {
    action();
  } catch (error) {
    const { sqlstate, message, fields } = error as SqlError;
    return { sqlstate, message, hint: fields.hint };
  }
  throw new Error('did not fail');
}

test.each([
  [OID.int4, '+', OID.int4, '+(int4,int4)'],
  [OID.int4, '+', OID.unknown, '+(int4,int4)'],
  [OID.float8, '*', OID.numeric, '*(float8,float8)'],
  [OID.int4, '*', OID.numeric, '*(numeric,numeric)'],
  [OID.unknown, '=', OID.unknown, '=(text,text)'],
  [OID.varchar, '=', OID.varchar, '=(text,text)'],
  [OID.name, '=', OID.unknown, '=(name,name)'],
  [OID.unknown, '||', OID.unknown, '||(text,text)'],
  [OID.text, '||', OID.int4, '||(text,anynonarray)'],
  [OID.regclass, '=', OID.oid, '=(oid,oid)'],
  [OID.name, '~', OID.unknown, '~(text,text)'],
])('operator %i %s %i is %s', (left, name, right, id) => {
  expect(resolveOperator(name, left, right).id).toBe(id);
});

test('operators that do not exist', () => {
  expect(failure(() => resolveOperator('+', OID.text, OID.int4))).toEqual({
    sqlstate: '42883',
    message: 'operator does not exist: text + integer',
    hint: 'No operator matches the given name and argument types. You might need to add explicit type casts.',
  });
});

test('functions: exact, implicit casts, star, polymorphic, variadic, defaults', () => {
  expect(resolveFunction('sum', given(OID.int4)).returns.oid).toBe(OID.int8);
  expect(resolveFunction('count', [], { star: true }).id).toBe('count()');
  expect(resolveFunction('sqrt', given(OID.int4)).id).toBe('sqrt(float8)');
  const ints = arrayOf(OID.int4)?.oid ?? 0;
  expect(resolveFunction('array_append', given(ints, OID.unknown)).returns.oid).toBe(ints);
  const concat = resolveFunction('concat', given(OID.int4, OID.unknown));
  expect(concat.variadicFrom).toBe(0);
  expect(concat.argTypes.map(({ oid }) => oid)).toEqual([OID.record]);
  const named = resolveFunction('make_interval', [{ type: OID.int4, name: 'days' }]);
  expect(named.argOrder).toEqual([-1, -1, -1, 0, -1, -1, -1]);
  expect(named.defaults).toEqual(['0', '0', '0', '0', '0', '0']);
});

test('functions that do not exist, with a suggestion', () => {
  const { sqlstate, message, hint } = failure(() => resolveFunction('cuont', given(OID.int4)));
  expect([sqlstate, message]).toEqual(['42883', 'function cuont(integer) does not exist']);
  expect(hint).toContain('Perhaps you meant "count".');
});

test('casts by context', () => {
  expect(resolveCast(OID.int4, OID.int8, 'implicit')).toBe('int4->int8');
  expect(resolveCast(OID.int8, OID.int4, 'implicit')).toBeNull();
  expect(resolveCast(OID.int8, OID.int4, 'assignment')).toBe('int8->int4');
  expect(resolveCast(OID.varchar, OID.text, 'implicit')).toBe('none');
  expect(resolveCast(OID.int4, OID.text, 'implicit')).toBeNull();
  expect(resolveCast(OID.int4, OID.text, 'assignment')).toBe('text');
  expect(resolveCast(OID.text, OID.int4, 'explicit')).toBe('text');
});

test('common types', () => {
  expect(commonType([OID.int4, OID.unknown, OID.float8], 'CASE')).toBe(OID.float8);
  expect(commonType([OID.unknown, OID.unknown], 'UNION')).toBe(OID.text);
  expect(failure(() => commonType([OID.int4, OID.text], 'UNION'))).toMatchObject({
    sqlstate: '42804',
    message: 'UNION types integer and text cannot be matched',
  });
});
