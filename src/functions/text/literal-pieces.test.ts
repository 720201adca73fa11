/** Pieces that a text must contain to match a pattern. */
import { describe, expect, it } from 'vitest';
import { likePieces, regexpPieces } from './literal-pieces.ts';

describe('pieces of patterns', () => {
  it.each([
    ['%abc%', ['abc']],
    ['abc', ['abc']],
    ['a%bc_d', ['a', 'bc', 'd']],
    ['100\\% of\\_%', ['100% of_']],
    ['%', []],
    ['', []],
  ])('LIKE %s', (pattern, pieces) => expect(likePieces(pattern)).toEqual(pieces));

  it.each([
    ['abc', ['abc']],
    ['^abc.*def$', ['abc', 'def']],
    ['abc?d', ['ab', 'd']],
    ['ab+cd', ['ab', 'cd']],
    ['ab{0,2}cd', ['a', 'cd']],
    ['ab(cd|ef)*gh', ['ab', 'gh']],
    ['ab[^]x]cd[[:alpha:]]ef', ['ab', 'cd', 'ef']],
    ['ab|cd', []],
    ['(?i)abc', []],
    ['***=abc', []],
    ['a\\.b\\d\\mcd', ['a.b', 'cd']],
    ['abc\\x41def', []],
    ['a😀?bc', ['a', 'bc']],
    ['(a\\)b', []],
    ['[abc', []],
  ])('regular expression %s', (pattern, pieces) => expect(regexpPieces(pattern)).toEqual(pieces));
});
