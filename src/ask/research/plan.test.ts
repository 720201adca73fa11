/** Plans of questions, as their words alone make them. */
import { describe, expect, it } from 'vitest';
import { Reader } from '../question.ts';
import { planOf } from './plan.ts';

const READER = new Reader();
const KNOWN = { words: new Set(['acme', 'globex', 'bestbuy', '3m']), years: [2019, 2020, 2021, 2022] };

const plan = (text: string, max = 16): readonly string[] =>
  planOf(READER.read(text), KNOWN, max).map(({ origin, text: own }) =>
    origin === 'part' ? own : `${origin}: ${own}`,
  );

describe('a question is taken apart', () => {
  it.each([
    [
      'Compare the revenue and the net income of Acme and Globex in 2021.',
      [
        'Revenue of Acme in 2021',
        'Net income of Acme in 2021',
        'Revenue of Globex in 2021',
        'Net income of Globex in 2021',
      ],
    ],
    [
      'Compare capital expenditure over three years',
      ['Capital expenditure 2020', 'Capital expenditure 2021', 'Capital expenditure 2022'],
    ],
    ['sales of Acme between 2020 and 2021', ['Sales of Acme in 2020', 'Sales of Acme in 2021']],
    [
      'percentage change in revenue of Acme and Globex from 2021 to 2022',
      [
        'Percentage change in revenue of Acme from 2021 to 2022',
        'Percentage change in revenue of Globex from 2021 to 2022',
      ],
    ],
    [
      'How many days of leave are there, how are they approved, and why did that change between 2020 and 2022?',
      [
        'How many days of leave are there',
        'how are they approved',
        'why did that change between 2020 and 2022',
      ],
    ],
    [
      "How did Acme's sales compare to Globex's in 2022?",
      ["How did Acme's sales in 2022", "How did Globex's sales in 2022"],
    ],
    ['Which risks do 3M and Acme name?', ['Which risks do 3M name', 'Which risks do Acme name']],
    [
      'property, plant and equipment of Acme in 2022 and 2021',
      ['Property, plant and equipment of Acme in 2021', 'Property, plant and equipment of Acme in 2022'],
    ],
    [
      'Compara las ventas de Acme y Globex en 2021, ¿y por qué cambió?',
      [
        'Ventas de Acme en 2021',
        'Ventas de Globex en 2021',
        'por qué cambió: Acme',
        'por qué cambió: Globex',
      ],
    ],
    [
      'Was kosteten Strom und Wasser bei Acme und Globex?',
      [
        'Was kosteten Strom bei Acme',
        'Was kosteten Wasser bei Acme',
        'Was kosteten Strom bei Globex',
        'Was kosteten Wasser bei Globex',
      ],
    ],
    [
      'Confronta le vendite di Acme e Globex nel 2021, e perché è cambiato?',
      [
        'vendite di Acme nel 2021',
        'vendite di Globex nel 2021',
        'perché è cambiato: Acme',
        'perché è cambiato: Globex',
      ],
    ],
    [
      'Compare as vendas de Acme e Globex em 2021.',
      ['as vendas de Acme em 2021', 'as vendas de Globex em 2021'],
    ],
    [
      'Vergelijk de omzet van Acme en Globex in 2021',
      ['de omzet van Acme in 2021', 'de omzet van Globex in 2021'],
    ],
    ['比较Acme和Globex在2021年的收入', ['Acme在2021年的收入', 'Globex在2021年的收入']],
    ['Acme在2020年至2022年的收入', ['Acme在2020年的收入', 'Acme在2021年的收入', 'Acme在2022年的收入']],
  ])('%s', (text, parts) => {
    const made = plan(text).filter((one) => !/^(?:whole|aspect): /.test(one));
    expect(made.map((one) => one.toLowerCase())).toEqual(parts.map((one) => one.toLowerCase()));
  });

  it('comes as it is before its parts, and aspects last', () => {
    expect(plan('What are the causes and effects of overfishing?')).toEqual([
      'whole: What are the causes and effects of overfishing?',
      'Causes of overfishing',
      'Effects of overfishing',
    ]);
    expect(plan('revenue of Acme and Globex').at(-1)).toBe('aspect: Why did revenue of Globex change?');
  });

  it('keeps years together where there would be too many parts, and the whole in any case', () => {
    expect(plan('Compare sales of Acme and Globex over 2020-2022', 4)).toEqual([
      'whole: Compare sales of Acme and Globex over 2020-2022',
      'Sales of Acme over 2020-2022',
      'Sales of Globex over 2020-2022',
      'aspect: Why did sales of Acme change?',
    ]);
    expect(plan('Compare sales of Acme and Globex over 2020-2022', 1)).toEqual([
      'whole: Compare sales of Acme and Globex over 2020-2022',
    ]);
  });

  it('a measure is looked for by what it is made of', () => {
    expect(plan('Is 3M a capital-intensive business in 2022?')).toContain(
      'aspect: Total assets of 3M in 2022',
    );
  });

  it('a question about a thing has aspects; one about whether something is has none', () => {
    expect(plan('parental leave')).toEqual([
      'whole: parental leave',
      'aspect: How much is parental leave?',
      'aspect: What are the reasons for parental leave?',
      'aspect: What types of parental leave are there?',
    ]);
    expect(plan('Is overtime paid?')).toEqual(['whole: Is overtime paid?']);
  });

  it.each([
    ['congedo parentale del personale', 'Quali sono i motivi di congedo parentale del personale?'],
    [
      'qual é a licença parental dos funcionários',
      'Quais são as razões de licença parental dos funcionários?',
    ],
    [
      'het ouderschapsverlof van de werknemers',
      'Wat zijn de redenen voor ouderschapsverlof van de werknemers?',
    ],
    ['什么是育儿假制度', '育儿假制度的原因是什么？'],
  ])('aspects of %s are asked for in its language', (text, aspect) => {
    expect(plan(text)).toContain(`aspect: ${aspect}`);
  });

  it('a question at its largest takes a moment', () => {
    for (const word of [
      'a and ',
      'Acme, ',
      '2020-2022 ',
      'why? ',
      'x ',
      '(',
      'Acme and Globex 2020 to 2022 ',
    ])
      expect(plan(word.repeat(Math.floor(8_192 / word.length)), 64).length).toBeLessThanOrEqual(64);
  });
});
