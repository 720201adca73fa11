/** Questions that leave out what the one before said, made whole; and those that are whole, left alone. */
import { expect, it } from 'vitest';
import { madeWhole } from './elliptic.ts';

const NAMED = /\b(?:boeing|pepsico|pepsi|3m|best\s?buy|amd)\b/i;
const namesDocuments = (text: string): boolean => NAMED.test(text);
const whole = (former: string, question: string): string | null =>
  madeWhole({ former, question, namesDocuments });

const BOEING = "What was Boeing's revenue in 2022?";
const BOEING_DE = 'Wie hoch war der Umsatz von Boeing in 2022?';
const BOEING_FR = "Quel était le chiffre d'affaires de Boeing en 2022 ?";
const BOEING_ES = '¿Cuáles fueron los ingresos de Boeing en 2022?';
const GERMANY = 'How many students were enrolled in Germany in grade 9 in 2019?';

it.each([
  [BOEING, 'and in 2021?', "What was Boeing's revenue in 2021?"],
  [BOEING, 'What about 2020 and 2021?', "What was Boeing's revenue in 2020 and 2021?"],
  [BOEING, '2021?', "What was Boeing's revenue in 2021?"],
  [BOEING, 'And FY2021?', "What was Boeing's revenue in 2021?"],
  [BOEING, 'And for PepsiCo?', "What was PepsiCo's revenue in 2022?"],
  [BOEING, 'what about best buy', "What was best buy's revenue in 2022?"],
  [BOEING, 'how about 3M in 2018?', "What was 3M's revenue in 2018?"],
  [BOEING, 'and the net income?', "What was Boeing's net income in 2022?"],
  [BOEING, 'What about operating expenses in 2021?', "What was Boeing's operating expenses in 2021?"],
  ['What was the total revenue of Boeing?', 'and its net income?', 'What was the net income of Boeing?'],
  ['What was the revenue of "A$&" in 2022?', 'What were its costs?', "What were A$&'s costs in 2022?"],
  [BOEING, 'Why?', "Why Boeing's revenue in 2022?"],
  [BOEING, 'How did it change from 2021?', 'How did revenue of Boeing change from 2021 to 2022?'],
  [BOEING, 'What was its net income?', "What was Boeing's net income in 2022?"],
  [BOEING, 'When was it founded?', 'When was Boeing founded?'],
  [BOEING, 'What were total assets that year?', 'What were total assets in 2022 for Boeing?'],
  [BOEING, 'What was the operating margin in 2021?', 'What was the operating margin in 2021 for Boeing?'],
  [
    "What share of master's degree recipients borrowed?",
    'and doctoral degree recipients?',
    'What share of doctoral degree recipients borrowed?',
  ],
  [
    'How much did Engineering majors borrow?',
    'what about humanities majors?',
    'How much did humanities majors borrow?',
  ],
  ['what was boeing revenue in FY2022', 'and pepsi?', 'what was pepsi revenue in FY2022'],
  [
    'What was the percentage change in revenue of AMD from 2016 to 2017?',
    'and in 2018?',
    'What was the percentage change in revenue of AMD from 2017 to 2018?',
  ],
  [GERMANY, 'what about France?', 'How many students were enrolled in France in grade 9 in 2019?'],
  [GERMANY, 'and in grade 12?', 'How many students were enrolled in Germany in grade 12 in 2019?'],
  [
    'Wie hoch war der Umsatz von Boeing in 2022?',
    'und in 2021?',
    'Wie hoch war der Umsatz von Boeing in 2021?',
  ],
  [BOEING, 'und in 2021?', "What was Boeing's revenue in 2021?"],
  [BOEING_DE, 'Und von Pepsi?', 'Wie hoch war der Umsatz von Pepsi in 2022?'],
  [BOEING_DE, 'Was ist mit 2020?', 'Wie hoch war der Umsatz von Boeing in 2020?'],
  [BOEING_DE, 'Und der Gewinn?', 'Wie hoch war der Gewinn von Boeing in 2022?'],
  [BOEING_DE, 'Warum?', 'Warum Umsatz von Boeing in 2022?'],
  [BOEING_DE, 'Wie viele Mitarbeiter hat das Unternehmen?', 'Wie viele Mitarbeiter hat Boeing in 2022?'],
  [BOEING_FR, 'et en 2021 ?', "Quel était le chiffre d'affaires de Boeing en 2021 ?"],
  [BOEING_FR, 'Et pour Pepsi ?', "Quel était le chiffre d'affaires de Pepsi en 2022 ?"],
  [BOEING_FR, 'et le bénéfice net ?', 'Quel était le bénéfice net de Boeing en 2022 ?'],
  [BOEING_ES, '¿y en 2021?', '¿Cuáles fueron los ingresos de Boeing en 2021?'],
  [BOEING_ES, '¿Y de Pepsi?', '¿Cuáles fueron los ingresos de Pepsi en 2022?'],
  [BOEING_ES, '¿Cuál fue su beneficio?', '¿Cuál fue beneficio de Boeing en 2022?'],
  ['Qual era il fatturato di Boeing nel 2022?', 'e nel 2021?', 'Qual era il fatturato di Boeing nel 2021?'],
  ['Qual foi a receita da Boeing em 2022?', 'E da Pepsi?', 'Qual foi a receita da Pepsi em 2022?'],
  ['Wat was de omzet van Boeing in 2022?', 'En van Pepsi?', 'Wat was de omzet van Pepsi in 2022?'],
  ['Boeing 2022年的营业收入是多少？', '那2021年呢？', 'Boeing 2021年的营业收入是多少？'],
])('after "%s": "%s" is "%s"', (former, question, expected) => {
  expect(whole(former, question)).toBe(expected);
});

it.each([
  'What is the FY2018 capital expenditure amount (in USD millions) for 3M?',
  'Did Pepsi increase its debt between 2021 and 2022, and what drove that?',
  'Based on the information provided, what is the year end FY2018 net PPNE for 3M? Answer in USD billions.',
  'What did the Federal Reserve say about inflation in Japan?',
  'Best Buy inventory turnover FY2019',
  'How does photosynthesis work?',
  `${'What is said of the matter? '.repeat(20)}and in 2021?`,
])('is whole: %s', (question) => {
  expect(whole(BOEING, question)).toBeNull();
});
