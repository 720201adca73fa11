/** Kernels and the functions whose behaviour at the edges is easily got wrong. */
import { describe, expect, test } from 'vitest';
import { OID } from '../types/oids.ts';
import { TextVector, vectorOf, type VectorKind } from '../types/column/vector.ts';
import type { Datum } from '../types/datum.ts';
import { functionById } from './registry.ts';

const call = (id: string, ...args: Datum[]): Datum => functionById(id).evaluate?.(...args) ?? null;

function kernel(id: string, kind: VectorKind, left: readonly Datum[], right: readonly Datum[]): Datum[] {
  const vector = functionById(id).kernel?.([vectorOf(kind, left), vectorOf(kind, right)], left.length);
  return left.map((_, row) => vector?.get(row) ?? null);
}

describe('comparison kernels', () => {
  test('numbers, NULLs, NaN', () => {
    expect(kernel('<(int4,int4)', 'int32', [1, 2, null], [2, 1, 1])).toEqual([true, false, null]);
    expect(kernel('=(int8,int8)', 'int64', [2n ** 62n, 1n], [2n ** 62n, 2n])).toEqual([true, false]);
    expect(kernel('=(float8,float8)', 'float64', [Number.NaN, 1], [Number.NaN, Number.NaN])).toEqual([
      true,
      false,
    ]);
    expect(kernel('>(float8,float8)', 'float64', [Number.NaN], [Number.POSITIVE_INFINITY])).toEqual([true]);
  });
  test('texts by bytes, from strings or from UTF-8', () => {
    expect(kernel('=(text,text)', 'text', ['é', 'a'], ['é', 'b'])).toEqual([true, false]);
    expect(kernel('<(text,text)', 'text', ['a', 'ab', '￿'], ['b', 'a', '😀'])).toEqual([true, false, true]);
    const bytes = TextVector.fromBytes(new TextEncoder().encode('abab'), Uint32Array.of(0, 2, 4));
    const equal = functionById('=(text,text)').kernel?.([bytes, bytes.take([1, 0])], 2);
    expect([equal?.get(0), equal?.get(1)]).toEqual([true, true]);
  });
});

describe('arithmetic', () => {
  test('overflow and division by zero', () => {
    expect(() => kernel('+(int4,int4)', 'int32', [2147483647], [1])).toThrow('integer out of range');
    expect(() => kernel('*(int8,int8)', 'int64', [2n ** 62n], [2n])).toThrow('bigint out of range');
    expect(() => kernel('/(int4,int4)', 'int32', [1], [0])).toThrow('division by zero');
    expect(kernel('/(int4,int4)', 'int32', [null, -7], [0, 2])).toEqual([null, -3]);
    expect(() => kernel('/(float8,float8)', 'float64', [1], [0])).toThrow('division by zero');
  });
});

describe('patterns', () => {
  test.each([
    ['a_c', 'abc', true],
    ['a%', 'bc', false],
    ['50\\%', '50%', true],
    ['a.c', 'abc', false],
    ['%\n%', 'a\nb', true],
  ])('LIKE %s', (pattern, text, matches) => {
    expect(call('~~(text,text)', text, pattern)).toBe(matches);
  });
  test.each([
    ['^(books)$', 'books', true],
    ['[[:alpha:]]+', '123', false],
    ['\\mcat\\M', 'a cat sat', true],
    ['(?i)ABC', 'abc', true],
    ['a{2,3}b', 'aab', true],
    ['[^]a]', ']a', false],
  ])('~ %s', (pattern, text, matches) => {
    expect(call('~(text,text)', text, pattern)).toBe(matches);
  });
  test('patterns that are none are refused', () => {
    expect(() => call('~(text,text)', 'a', '(')).toThrow('invalid regular expression');
  });
  test('regexp_replace', () => {
    expect(call('regexp_replace(text,text,text,text)', 'foobar', 'o(.)', '[\\1]', 'g')).toBe('f[o]bar');
  });
});

test('text functions count characters', () => {
  expect(call('length(text)', 'a😀')).toBe(2);
  expect(call('substr(text,int4,int4)', 'a😀b', 2, 1)).toBe('😀');
  expect(call('substr(text,int4,int4)', 'abc', -1, 3)).toBe('a');
  expect(call('position(text,text)', '😀b', 'b')).toBe(2);
});

test('array containment ignores NULLs', () => {
  const array = (...elements: Datum[]) => ({
    datum: 'array' as const,
    elementType: OID.int4,
    dimensions: [{ length: elements.length, lowerBound: 1 }],
    elements,
  });
  expect(call('@>(anyarray,anyarray)', array(1, 2, null), array(2))).toBe(true);
  expect(call('@>(anyarray,anyarray)', array(1, null), array(null))).toBe(false);
  expect(call('&&(anyarray,anyarray)', array(1), array(2))).toBe(false);
});
