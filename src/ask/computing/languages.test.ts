/** Calculations that are asked for in other languages than English, over tables of that language and of English. */
import { describe, expect, it } from 'vitest';
import { passageOf } from '../../../sql-tests/fixtures/passage.ts';
import { Reader } from '../question.ts';
import { readPassages } from '../reading.ts';
import { Turns } from '../turns.ts';
import { computed } from './compute.ts';

const reader = new Reader();

async function told(question: string, table: readonly (readonly [string, number, number])[]) {
  const rows = table.map(
    ([name, now, before], i) => `[row_${i + 1}] [column_1]=${name}; [2022]=${now}; [2021]=${before}`,
  );
  const turns = new Turns(new AbortController().signal);
  const passages = await readPassages([passageOf(rows.join('\n'))], turns);
  return (await computed({ question: reader.read(question), passages, reader }, turns)).draft?.text.split(
    ';',
  )[0];
}

describe('is computed', () => {
  it.each([
    ['Was ist der Unterschied zwischen Mieten und Löhnen im Jahr 2022?', 'Mieten', 'Löhne', '50 − 20 = 30'],
    ['Um wie viel Prozent stiegen die Mieten von 2021 auf 2022?', 'Mieten', 'Löhne', '(50 − 40) / 40 = 25 %'],
    ['¿Cuál fue la diferencia entre ingresos y gastos en 2022?', 'Ingresos', 'Gastos', '50 − 20 = 30'],
    ['¿Cuál fue el promedio de los ingresos entre 2021 y 2022?', 'Ingresos', 'Gastos', '(50 + 40) / 2 = 45'],
    [
      'Quel pourcentage des loyers représentent les salaires en 2022 ?',
      'Loyers',
      'Salaires',
      '20 / 50 = 40 %',
    ],
    [
      'Quelle est la différence entre les loyers et les salaires en 2021 ?',
      'Loyers',
      'Salaires',
      '40 − 16 = 24',
    ],
    ['Qual è il rapporto tra affitti e salari nel 2022?', 'Affitti', 'Salari', '50 / 20 = 2.5'],
    ['Di quanto sono aumentati gli affitti dal 2021 al 2022?', 'Affitti', 'Salari', '50 − 40 = 10'],
    ['Qual é a diferença entre receitas e despesas em 2022?', 'Receitas', 'Despesas', '50 − 20 = 30'],
    ['Wat is het verschil tussen huren en lonen in 2022?', 'Huren', 'Lonen', '50 − 20 = 30'],
    ['2022年收入与费用的差额是多少？', '收入', '费用', '50 − 20 = 30'],
    ['2022年收入的增长率是多少？', '收入', '费用', '(50 − 40) / 40 = 25 %'],
  ])('%s', async (question, first, second, formula) => {
    const rows = [[first, 50, 40] as const, [second, 20, 16] as const];
    expect(await told(question, rows)).toContain(formula);
  });
});

describe('is not computed', () => {
  it.each([
    'Vad är skillnaden mellan Hyror och Löner 2022?',
    'Warum stiegen die Hyror von 2021 auf 2022?',
    'In welchem Jahr waren die Hyror höher als die Löner?',
    'Was ist der Unterschied zwischen Hyror und Strom im Jahr 2022?',
  ])('%s', async (question) => {
    const rows = [['Hyror', 50, 40] as const, ['Löner', 20, 16] as const];
    expect(await told(question, rows)).toBeUndefined();
  });
});
