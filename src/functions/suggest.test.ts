/** Names that are proposed for mistyped ones. */
import { describe, expect, it } from 'vitest';
import { nearestName } from './suggest.ts';

describe('nearestName', () => {
  it.each([
    ['titel', ['rating', 'title'], 'title'],
    ['TITLE', ['title'], 'title'],
    ['sumary', ['summary', 'sum'], 'summary'],
    ['x', ['y'], 'y'],
    ['author', ['rating', 'title'], undefined],
    ['a', ['bc'], undefined],
  ])('%s among %j: %s', (name, candidates, expected) => {
    expect(nearestName(name, candidates, { changesMin: 1, ignoreCase: true })).toBe(expected);
  });
});
