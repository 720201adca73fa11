/** Domain packs: their rows, the formulas in them, names looked up in texts. */
import { describe, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DOMAINS, readDomains } from './domains.ts';
import { degreeOf, evaluate, operandsOf, parseFormula, writeFormula } from './expression.ts';
import { foldedRuns, Lexicon } from './lexicon.ts';
import { readPack } from './pack.ts';
import { ALL_DOMAINS, NO_DOMAIN } from './vocabulary.ts';

const idsIn = (text: string): readonly string[] => ALL_DOMAINS.conceptsIn(text).map(({ id }) => id);

describe('packs', () => {
  it('that come with Quern have no wrong row, and a hash', () => {
    expect(DOMAINS.faults).toEqual([]);
    expect([...DOMAINS.packs.keys()]).toEqual(['finance']);
    expect(DOMAINS.hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each(['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'zh'])('have names in %s for most lines', (code) => {
    const file = join(import.meta.dirname, '../../../domains/finance.json');
    const { rows } = JSON.parse(readFileSync(file, 'utf8')) as { rows: { kind: string; names: object }[] };
    const lines = rows.filter(({ kind }) => kind === 'line');
    expect(lines.filter(({ names }) => code in names).length).toBeGreaterThan(0.9 * lines.length);
  });

  it('go without the rows that are wrong, each named', () => {
    const line = (id: string, more: object = {}) => ({ id, kind: 'line', names: { en: [id] }, ...more });
    const { pack, faults } = readPack({
      id: 'made',
      rows: [
        line('good'),
        line('good'),
        line('Bad Id'),
        line('kind', { kind: 'thing' }),
        line('language', { names: { xx: ['a'] } }),
        line('empty', { names: {} }),
        line('names', { names: { en: 'alone' } }),
        line('numbers', { names: { en: [1] } }),
        line('formula', { formulas: ['good +'] }),
        line('dangling', { formulas: ['good / absent'] }),
        line('above', { parts: ['dangling'] }),
        line('field', { color: 'red' }),
        7,
      ],
    });
    expect([...pack.rows.keys()]).toEqual(['good', 'names']);
    expect(faults).toHaveLength(11);
    expect(faults[0]).toBe('row 2 (good): there is a row of this id before it');
    expect(faults.join('\n')).toMatch(/row 9 \(formula\): it ends where an operand should stand/);
    expect(faults.join('\n')).toMatch(/row above: there is no row "dangling"/);
  });

  it.each([null, 7, 'x', [], {}, { id: 'x' }, { id: 'x', rows: 7 }])('are no %j', (value) => {
    expect(readPack(value)).toMatchObject({ faults: ['the pack has no id, or no rows'] });
  });

  it('of a folder without files are none', () => {
    expect(readDomains(import.meta.dirname)).toMatchObject({ faults: [] });
    expect(readDomains(import.meta.dirname).packs.size).toBe(0);
  });
});

describe('formulas', () => {
  const values: Readonly<Record<string, number>> = { a: 6, b: 3, c: 2, zero: 0 };
  const value = (text: string) => evaluate(parseFormula(text), ({ id }) => values[id] ?? null);

  it.each([
    ['a / b', 2],
    ['a - b - c', 1],
    ['(a - b) / c', 1.5],
    ['a - (b - c)', 5],
    ['365 * a / b', 730],
    ['a + optional(absent)', 6],
    ['a + absent', null],
    ['a / zero', null],
    ['1.5 * prior(c)', 3],
  ])('%s is %s', (text, expected) => {
    expect(value(text)).toBe(expected);
  });

  it.each([
    '',
    '  ',
    'a +',
    '(a',
    'a)',
    'a b',
    '$a',
    'sum(a)',
    'average(a + b)',
    '+',
    `${'('.repeat(99)}a`,
    'a'.repeat(1_001),
  ])('are no %s', (text) => {
    expect(() => parseFormula(text)).toThrow();
  });

  it.each([
    ['365 * a / (b - (c - d))', '365 × a / (b − (c − d))', 0],
    ['a - b + c', 'a − b + c', 1],
    ['a / b + c / d', 'a / b + c / d', 0],
    ['a / (b / c)', 'a / (b / c)', 1],
    ['(a - b) * c', '(a − b) × c', 2],
    ['1 - a / b', '1 − a / b', 0],
    ['a - 1', 'a − 1', null],
    ['a - optional(gone) + (b - optional(gone))', 'a + b', 1],
  ])('%s is written %s', (text, written, degree) => {
    const formula = parseFormula(text);
    expect(writeFormula(formula, ({ id }) => (id === 'gone' ? null : id))).toBe(written);
    expect(degreeOf(formula)).toBe(degree);
  });

  it('know their operands and roles', () => {
    expect(operandsOf(parseFormula('average(a) / prior(b) + optional(c)'))).toMatchObject([
      { id: 'a', role: 'average' },
      { id: 'b', role: 'prior' },
      { id: 'c', isOptional: true },
    ]);
  });
});

describe('names', () => {
  it.each([
    ['What was the gross margin?', ['gross_margin']],
    ['operating profit margins before depreciation', ['ebitda_margin']],
    ['Is it capital-intensive, by its ROA?', ['capital_intensity', 'return_on_assets']],
    ['free cash flow to net income', ['free_cash_flow_conversion']],
    ["total stockholders' equity and Shareholder's equity", ['equity', 'equity']],
    ['SELLING, GENERAL AND ADMINISTRATIVE', ['sga']],
    ['net PP&E', ['ppe']],
    ['Wie hoch waren die Umsatzerlöse und die Bilanzsumme?', ['revenue', 'total_assets']],
    ["le chiffre d'affaires et le résultat net", ['revenue', 'net_income']],
    ['¿Cuál fue el margen operativo y la deuda a largo plazo?', ['operating_margin', 'long_term_debt']],
    ['il patrimonio netto', ['equity']],
    ['o lucro líquido e o fluxo de caixa livre', ['net_income', 'free_cash_flow']],
    ['de nettowinst en de omzet', ['net_income', 'revenue']],
    ['2022年的营业收入和净利润是多少', ['revenue', 'net_income']],
    ['PPE and DIO', ['ppe', 'days_inventory']],
  ])('%s', (text, ids) => {
    expect(idsIn(text)).toEqual(ids);
  });

  it.each([
    'Which ppe must nurses wear?',
    'protein turnover',
    'staff turnover',
    'acquired immune deficiency',
    '¿Quién dio el nombre a la calle?',
    'Chi ha detto che Dio è morto?',
    'What is the roe of a sturgeon?',
    'the quick brown fox has a current of its own',
    '',
  ])('of accounts are none in: %s', (text) => {
    expect(idsIn(text)).toEqual([]);
  });

  it('are none where no domain is active', () => {
    expect(NO_DOMAIN.conceptsIn('Which PPE must nurses wear, and what is the gross margin?')).toEqual([]);
  });

  it('have what documents print in the language of the question, and in English', () => {
    const [revenue] = ALL_DOMAINS.conceptsIn('Umsatz', 'german');
    expect(revenue).toMatchObject({ said: 'Umsatz', start: 0, end: 6, isAlias: true });
    expect(revenue?.items.slice(0, 1)).toEqual(['Umsatzerlöse']);
    expect(revenue?.items).toContain('net sales');
    expect(revenue?.place).toContain('Gewinn- und Verlustrechnung');
  });

  it('are found as long as they are, wherever they begin', () => {
    const lexicon = new Lexicon([
      { entry: 1, names: ['a b'], exact: [] },
      { entry: 2, names: ['b'], exact: [] },
      { entry: 3, names: ['a b c d'], exact: ['IT'] },
      { entry: 4, names: ['B'], exact: [] },
    ]);
    const entries = (text: string) => lexicon.in(text).map(({ entry }) => entry);
    expect(entries('a b c b')).toEqual([1, 2, 4]);
    expect(entries('a-b, c d')).toEqual([3]);
    expect(entries('it or IT')).toEqual([3]);
  });

  it('cost what their text costs', () => {
    const lexicon = new Lexicon(
      Array.from({ length: 20_000 }, (_, i) => ({ entry: i, names: [`term number ${i}`], exact: [] })),
    );
    expect(lexicon.in('term number 19999 and term number 7').map(({ entry }) => entry)).toEqual([19_999, 7]);
    expect(foldedRuns('One, two-THREE', 2)).toEqual(['one', 'one two', 'two', 'two three', 'three']);
  });
});
