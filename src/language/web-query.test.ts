/** Web queries: any text is one, and what it says is read as it is meant. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseWebQuery, wantedWords, type WebAlternative } from './web-query.ts';

const FIELDS = ['title', 'Body'];

/** `{wanted} {-unwanted}`, phrases in brackets, alternatives divided by a bar. */
function shown(alternatives: readonly WebAlternative[]): string {
  return alternatives
    .map(({ wanted, unwanted }) =>
      [...wanted.map((part) => ({ part, sign: '' })), ...unwanted.map((part) => ({ part, sign: '-' }))]
        .map(({ part: { field, text, quoted }, sign }) => {
          return `${sign}${field === null ? '' : `${field}:`}${quoted ? `[${text}]` : text}`;
        })
        .join(' '),
    )
    .join(' | ');
}

describe('a web query', () => {
  it.each([
    ['red shoes', 'red shoes'],
    ['"red shoes" -"blue boots" +new', '[red shoes] new -[blue boots]'],
    ['title:king body:"white whale"', 'title:king Body:[white whale]'],
    ['-title:king', '-title:king'],
    ['unknown:king http://a.b', 'unknown:king http://a.b'],
    ['title: king', 'title: king'],
    ['a OR b or c', 'a | b or c'],
    ['well-known -semi-trailer', 'well-known -semi-trailer'],
    ['"open', '[open]'],
    ['a"b c"d', 'a [b c] d'],
    ['“a b” „c d“', '[a b] [c d]'],
    ['- -- + "" 🐋 "🐋" -', ''],
    ['--a +-b -+c', ' -a -b -c'.trim()],
    ['-OR', '-OR'],
    ['"OR"', '[OR]'],
  ])('%s', (query, expected) => {
    expect(shown(parseWebQuery(query, FIELDS))).toBe(expected);
  });

  it('may be any text', () => {
    const piece = fc.oneof(
      fc.constantFrom('"', '-', '+', ':', ' ', 'OR', 'title', 'a', '“', '\n'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const query = pieces.join('');
        const parts = parseWebQuery(query, FIELDS).flatMap(({ wanted, unwanted }) => [
          ...wanted,
          ...unwanted,
        ]);
        for (const { text } of parts) expect(query).toContain(text);
      }),
    );
  });

  it('is read in time in step with its length', () => {
    for (const piece of ['-', '"', 'a:', '-"', 'a', '+- ']) {
      expect(wantedWords(piece.repeat(100_000), FIELDS).length).toBeLessThan(1_000_000);
    }
  });
});
