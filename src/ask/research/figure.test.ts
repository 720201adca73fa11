/** Which numbers contradict each other: those of the same that differ by more than rounding, and no others. */
import { describe, expect, it } from 'vitest';
import { Reader } from '../question.ts';
import { sentencesOf } from '../sentences.ts';
import { rowsOfText as rowsOf } from '../../../sql-tests/fixtures/passage.ts';
import { contradict, describeContradiction, type Figure, figuresOf } from './figure.ts';

const READER = new Reader();

interface Told {
  readonly doc?: string;
  readonly heading?: string;
  readonly entity?: string | null;
}

/** Figure of a text's first sentence or row. */
function figure(
  text: string,
  { doc = 'acme-a.md', heading = '', entity = 'Acme' }: Told = {},
): Figure | undefined {
  const passage = {
    ...{ dataset: 'd', docId: doc, docName: doc, docType: 'md', contentId: `doc#${doc}#chunk#1`, version: 1 },
    ...{ kind: 'chunk', heading, text, pages: [3], strength: 1 },
  };
  const [row] = rowsOf(text);
  const [sentence] = sentencesOf(text);
  const unit =
    row !== undefined
      ? ({ kind: 'row', row } as const)
      : ({ kind: 'sentence', sentence: sentence as NonNullable<typeof sentence> } as const);
  const request = { entity, years: [], language: 'english', reader: READER };
  return figuresOf({ passage, unit }, request)[0];
}

const other: Told = { doc: 'acme-b.md' };
const row = (label: string, value: string, unit = '(in millions)', column = '2021'): string =>
  `${unit}\n[row_1] [column_1]=${label}; [${column}]=${value}`;

const contrary = (a: string, b: string, told: Told = other, toldOfFirst: Told = {}): boolean => {
  const [one, two] = [figure(a, toldOfFirst), figure(b, told)];
  return one !== undefined && two !== undefined && contradict(one, two);
};

describe('contradict', () => {
  it.each([
    [row('Sales', '120'), row('Sales', '125')],
    [row('Sales', '120'), row('Sales', '125', '(in thousands)')],
    [row('Sales', '1,250'), 'Sales of Acme were $1.4 billion in 2021.'],
    ['Acme employed 500 people in 2021.', 'In 2021 Acme employed 520 people.'],
    ['The margin of Acme was 12.5 % in 2021.', 'In 2021 the margin of Acme was 13.1 %.'],
  ])('%s | %s', (a, b) => {
    expect(contrary(a, b)).toBe(true);
    expect(contrary(b, a, {}, other)).toBe(true);
  });
});

describe('do not', () => {
  it.each([
    ['the same', row('Sales', '120'), row('Sales', '120.0')],
    ['rounded', row('Sales', '1,249.6'), 'Sales of Acme were $1.25 billion in 2021.'],
    ['in other units', row('Sales', '120'), row('Sales', '120,000', '(in thousands)')],
    ['of another year', row('Sales', '120'), row('Sales', '125', '(in millions)', '2022')],
    ['of a quarter', row('Sales', '120'), row('Sales', '30', '(in millions)', 'Q4 2021')],
    ['of another measure', row('Sales', '120'), row('Sales of anvils', '80')],
    ['of another kind', row('Margin', '12'), row('Margin', '12 %')],
    ['a move', 'Acme employed 500 people in 2021.', 'Acme employed 20 people more than in 2021.'],
    ['other units', 'Leave of Acme was 25 days in 2021.', 'Leave of Acme was 5 weeks in 2021.'],
    ['several numbers', row('Sales', '120'), 'Sales of Acme were 125 and costs 80 million in 2021.'],
  ])('%s', (_, a, b) => {
    expect(contrary(a, b)).toBe(false);
  });

  it('of other entities, of one table, of a segment of the same name', () => {
    const [a, b] = [row('Sales', '120'), row('Sales', '125')];
    expect(contrary(a, b, { ...other, entity: 'Globex' })).toBe(false);
    expect(contrary(a, b, {})).toBe(false);
    expect(contrary(a, row('Sales', '20'), { ...other, heading: 'Segments' })).toBe(false);
    expect(contrary(a, b, { doc: 'globex-a.md', entity: null }, { entity: null })).toBe(false);
    expect(contrary(a, b, { doc: 'acme-2022.md', entity: null }, { doc: 'acme-2021.md', entity: null })).toBe(
      true,
    );
  });
});

it('a contradiction is told in one way', () => {
  const [a, b] = [figure(row('Sales', '120')), figure(row('Sales', '125'), other)] as [Figure, Figure];
  const told = 'Sales, Acme, 2021: 120 in acme-a.md, page 3, but 125 in acme-b.md, page 3';
  expect([describeContradiction(a, b), describeContradiction(b, a)]).toEqual([told, told]);
});
