/** Placement: its rules one by one, and beside the checker that shares no code with it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { whyNot } from '../../sql-tests/fixtures/stands.ts';
import { Content } from './place.ts';

const found = (content: string, quote: string): string | null => {
  const place = new Content(content).place(quote);
  return place === null ? null : content.slice(place.start, place.end);
};

describe('a quote stands', () => {
  it.each([
    ['whatever its case', 'The Board met', 'the board', 'The Board'],
    ['over ends of lines', 'the\nlong\t way', 'the long way', 'the\nlong\t way'],
    ['with a word broken at a line', 'a manage-\nment plan', 'management plan', 'manage-\nment plan'],
    ['with a hyphen or without', 'long-term debt', 'long term debt', 'long-term debt'],
    ['with soft hyphens', 'man\u00adage\u00adment', 'management', 'man\u00adage\u00adment'],
    ['with ligatures', 'eﬃcient ﬁrms', 'efficient firms', 'eﬃcient ﬁrms'],
    ['with other quotation marks', 'the “new” plan', 'the "new" plan', 'the “new” plan'],
    ['without groups', 'cost 1,577 then', '1577', '1,577'],
    ['with a currency sign', 'cost $1,577.0 then', '1577', '$1,577.0'],
    ['as a negative cell', '[row_1] [2018]=(1,577); [2017]=5', '−1,577', '(1,577)'],
    ['in text without spaces', '東京は2020年に', '2020年', '2020年'],
    ['decomposed or composed', 'cafe\u0301 noir', 'café', 'cafe\u0301'],
  ])('%s', (_, content, quote, expected) => {
    expect(found(content, quote)).toBe(expected);
  });
});

describe('a quote does not stand', () => {
  it.each([
    ['as a part of a word', 'management', 'manage'],
    ['as a part of a number', 'cost 1,577', '577'],
    ['without decimals', 'cost 1.5', '1'],
    ['without its sign', '[row_1] [2018]=(1,577)', '1,577'],
    ['with the sign of brackets in prose', 'we sold all (1,577)', '-1577'],
    ['without its percent sign', 'grew 5 %', '5'],
    ['with another currency', 'paid €5', '$5'],
    ['without what scales it', 'paid 5 million', '5'],
    ['without its exponent', 'an area of 10² m', '10'],
    ['without its fraction', 'about 1½ years', '1'],
    ['as a part of a date', 'on 12/31/2022', '12'],
    ['as what may be a minus sign', '2018 - 2019', '-2019'],
    ['with letters that touch it left out', 'an amount of 5m', '5'],
    ['where commas may be decimal marks', 'waren 1,577 und 12,5', '1577'],
    ['where points may be groups', 'etwa 1.000 Stück', '1'],
    ['with the other comparison', 'where x > 5', 'x < 5'],
    ['without a word', 'a - b', '—'],
  ])('%s', (_, content, quote) => {
    expect(found(content, quote)).toBeNull();
  });
});

const WORDS = [
  'net',
  'sales',
  'long-term',
  'efficient',
  'company’s',
  'of',
  'the',
  'Board',
  'FY2022',
  'naïve',
  'first',
];

/** Two numbers of a content are never equal, so a changed one stands nowhere by chance. */
const contents = fc
  .array(
    fc.oneof(
      fc.constantFrom(...WORDS).map((word) => ({ word, value: null })),
      fc.nat(9_999_999).map((value) => ({ word: '', value })),
    ),
    { minLength: 3, maxLength: 24 },
  )
  .map((parts) =>
    parts.map((part, i) => (part.value === null ? part : { word: '', value: part.value * 31 + i + 1 })),
  );

const FORMS: readonly ((value: number) => string)[] = [
  (value) => String(value),
  (value) => value.toLocaleString('en-US'),
  (value) => `$${value.toLocaleString('en-US')}`,
  (value) => `${value}.0`,
  (value) => `${value.toLocaleString('en-US')}.00`,
];

const CHANGES: readonly ((word: string) => string)[] = [
  (word) => word,
  (word) => word.toUpperCase(),
  (word) => word.replace('-', ' '),
  (word) => word.replace('ffi', 'ﬃ').replace('fi', 'ﬁ'),
  (word) => word.replace('’', "'"),
  (word) => word.replace(/(?<=\p{L}{2})(?=\p{L})/u, '\u00ad'),
];

const written = (
  parts: readonly { readonly word: string; readonly value: number | null }[],
  choose: (count: number) => number,
  gaps: readonly string[],
): string =>
  parts
    .map(({ word, value }) => {
      const change = CHANGES[choose(CHANGES.length)] as (word: string) => string;
      const form = FORMS[choose(FORMS.length)] as (value: number) => string;
      return (value === null ? change(word) : form(value)) + gaps[choose(gaps.length)];
    })
    .join('')
    .trimEnd();

const numbers = fc.infiniteStream(fc.nat());
const chooser = (stream: IterableIterator<number>) => (count: number) => (stream.next().value ?? 0) % count;

describe('beside the checker', () => {
  it('what is placed stands there, however it is written', () => {
    fc.assert(
      fc.property(contents, fc.nat(), fc.nat(), numbers, (parts, from, length, stream) => {
        const choose = chooser(stream);
        const start = from % parts.length;
        const content = written(parts, choose, [' ', '\n', '  ', ', ']);
        const quote = written(parts.slice(start, start + 1 + (length % 6)), choose, [' ', '\t', '\n']);
        const place = new Content(content).place(quote);
        expect(place, `${quote}\nin\n${content}`).not.toBeNull();
        if (place !== null) expect(whyNot({ quote, content, ...place })).toBeNull();
      }),
      { numRuns: 400, seed: 15 },
    );
  });

  it('a changed number stands nowhere', () => {
    const changes: readonly ((value: number) => string)[] = [
      (value) => String(value + 1_000_000_007),
      (value) => `-${value}`,
      (value) => `(${value})`,
      (value) => `${value}%`,
      (value) => `${value}.5`,
      (value) => `${value} million`,
      (value) => `${value}0.1`,
      (value) => `€${value}.01`,
    ];
    fc.assert(
      fc.property(contents, fc.nat(), fc.nat(), numbers, (parts, which, how, stream) => {
        const values = parts.flatMap(({ value }) => (value === null ? [] : [value]));
        fc.pre(values.length > 0);
        const value = values[which % values.length] as number;
        const content = written(parts, chooser(stream), [' ', '\n', '; ']);
        const quote = (changes[how % changes.length] as (value: number) => string)(value);
        expect(new Content(content).place(quote), `${quote}\nin\n${content}`).toBeNull();
        const claim = new Content(content).place(String(value));
        if (claim !== null) expect(whyNot({ quote, content, ...claim })).not.toBeNull();
      }),
      { numRuns: 400, seed: 16 },
    );
  });

  it('any text is found where it was cut at spaces, or not at all', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.nat(), fc.nat(), (content, a, b) => {
        const words = content.split(/\s+/);
        const quote = words.slice(a % words.length, 1 + (b % words.length)).join(' ');
        const place = new Content(content).place(quote);
        if (place !== null) expect(whyNot({ quote, content, ...place })).toBeNull();
      }),
      { numRuns: 1000, seed: 17 },
    );
  });
});
