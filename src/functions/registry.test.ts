/** The tables are sound: unique ids, types that exist or are pseudo, operators with their mirror images. */
import { expect, test } from 'vitest';
import {
  allAggregates,
  allCasts,
  allFunctions,
  allOperators,
  allSetFunctions,
  castById,
  functionById,
} from './registry.ts';
import { functionId, operatorId } from './signature.ts';

const duplicates = (ids: readonly string[]): string[] => ids.filter((id, i) => ids.indexOf(id) !== i);

test('ids are unique within their kind', () => {
  expect(duplicates(allFunctions().map(functionId))).toEqual([]);
  expect(duplicates(allAggregates().map(functionId))).toEqual([]);
  expect(duplicates(allSetFunctions().map(functionId))).toEqual([]);
  expect(duplicates(allOperators().map(operatorId))).toEqual([]);
  expect(duplicates(allCasts().map(({ from, to }) => `${from}->${to}`))).toEqual([]);
});

test('every function and operator has an implementation, a summary and an example', () => {
  for (const row of [...allFunctions(), ...allOperators()]) {
    const { evaluate, evaluateIn, kernel, summary, example } = row;
    const later = 'returns' in row && 'args' in row ? (row.evaluateLater ?? row.evaluateAllLater) : undefined;
    expect(evaluate ?? evaluateIn ?? kernel ?? later, row.name).toBeTypeOf('function');
    expect(summary, row.name).toMatch(/^\S.*\.$|\?$/);
    expect(example[0], row.name).toMatch(/^SELECT /);
  }
});

test('operators that name a negator or commutator have it', () => {
  const names = new Set(allOperators().map(({ name }) => name));
  for (const { name, negator, commutator } of allOperators()) {
    if (negator !== undefined) expect(names.has(negator), `negator of ${name}`).toBe(true);
    if (commutator !== undefined) expect(names.has(commutator), `commutator of ${name}`).toBe(true);
  }
});

test('rows are found by id; casts of arrays follow from those of elements', () => {
  expect(functionById('lower(text)').name).toBe('lower');
  expect(functionById('-(,int4)').returns).toBe('int4');
  expect(castById('int4->float8').context).toBe('implicit');
  expect(castById('_int4->_int8').evaluateIn).toBeTypeOf('function');
});
