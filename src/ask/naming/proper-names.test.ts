/** Names in questions of many languages, by how they are written; and which of them no document carries. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestDatabase } from '../../../sql-tests/fixtures/database.ts';
import { databaseOfFilings } from '../../../sql-tests/fixtures/stored-documents.ts';
import { nameRuns } from '../../language/names/name-keys.ts';
import { namesIn, Reader } from '../question.ts';
import { passagesFor } from '../search.ts';
import { properNames } from './proper-names.ts';

const reader = new Reader();

describe('names', () => {
  it.each([
    ["Quel était le chiffre d'affaires d'Orsund en 2022 ?", ['Orsund']],
    ['Combien de salariés compte Orsund Marine en France ?', ['Orsund Marine', 'France']],
    ['¿Cuánto ganó Orsund en 2022?', ['Orsund']],
    ["Qual è stato l'utile netto della Orsund nel 2022?", ['Orsund']],
    ['Qual era a receita da Orsund em 2022?', ['Orsund']],
    ['Hoeveel winst maakte Orsund in 2022?', ['Orsund']],
    ['Orsund在2022财年的营业收入是多少？', ['Orsund']],
    ['Orsund Marine公司2022年的净利润是多少？', ['Orsund Marine']],
    ['Wie hoch war der Umsatz von Orsund im Jahr 2022?', ['Orsund']],
    ['Wie hoch war Orsunds Umsatz 2022?', ['Orsund']],
    ['Wie viele Mitarbeiter hat Orsund?', ['Orsund']],
    ['Wie hoch war der Gewinn der Orsund AG?', ['Orsund']],
    ['Was stellt die Firma Orsund her?', ['Orsund']],
  ])('are told: %s', (question, expected) => {
    expect(properNames(reader.read(question))).toEqual(expected);
  });

  it.each([
    'Wie hoch war der Anteil von Dividenden am Gewinn?',
    'Wer hat Anspruch auf Dividende?',
    'Wie hoch waren die Ausgaben von Anfang bis Ende 2022?',
    'Wie hoch ist die Strafe bei Verzug?',
    'Qui est le PDG, et quel est le taux de TVA ?',
    '¿Cuál es el IVA en EE. UU.?',
    '公司的CEO是谁？',
    '营业收入是多少？',
    'Wat is de BTW in de EU?',
  ])('are none: %s', (question) => {
    expect(properNames(reader.read(question))).toEqual([]);
  });

  it('stand beside words of scripts without spaces, and after what is elided', () => {
    const runs = (text: string): readonly string[] => nameRuns(text).map(({ said }) => said);
    expect(runs('3M公司2018财年')).toEqual(expect.arrayContaining(['3M', '2018']));
    expect(runs("les ventes d'Orsund")).toContain('Orsund');
    expect(namesIn('Orsund Marine和Harper的收入')).toEqual(['Orsund Marine', 'Harper']);
    expect(namesIn("chiffre d'affaires d'Orsund")).toEqual(['Orsund']);
  });
});

describe('a question to documents of another language', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    const cover =
      'Annual report. The registrant has filed all reports that it has to file this year with the authority.';
    database = await databaseOfFilings([
      {
        docId: 'HARPER_2022',
        chunks: [{ text: `${cover} Harper Company.` }, { text: 'Harper sold ships for 12 million in 2022.' }],
      },
      {
        docId: 'UNION_2022',
        chunks: [{ text: `${cover} Union Works Inc.` }, { text: 'Union made cables.' }],
      },
    ]);
  });
  afterAll(() => database.close());

  const missing = async (question: string): Promise<readonly string[]> => {
    await using own = database.openOwn();
    const found = await own.transaction(
      (query) =>
        passagesFor(query, reader.read(question), {
          datasets: [{ dataset: 'filings', filter: null }],
          filter: null,
        }),
      new AbortController().signal,
    );
    return found.missing;
  };

  it.each([
    "Quel était le chiffre d'affaires d'Orsund en 2022 ?",
    'Wie hoch war der Umsatz von Orsund im Jahr 2022?',
    '¿Cuáles fueron los ingresos de Orsund en 2022?',
    'Orsund在2022年的收入是多少？',
  ])('is told that nobody is of that name: %s', async (question) => {
    expect(await missing(question)).toEqual(['Orsund']);
  });

  it.each([
    "Quel était le chiffre d'affaires de Harper en 2022 ?",
    'Quel était le chiffre du secteur Navires et Câbles de Harper en 2022 ?',
    'Wie hoch war der Umsatz von Harper in Deutschland?',
    'Harper公司2022年的收入是多少？',
    'Harper以多少金额收购cables的Reports？',
    '¿Cuánto vendió Harper en América Latina?',
    'Combien de ventes en Chine et aux États-Unis en 2022 ?',
  ])('has names that documents carry, translate, or that are places: %s', async (question) => {
    expect(await missing(question)).toEqual([]);
  });
});
