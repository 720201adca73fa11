/** Lines of forms, tables beside a name, and persons: what a question says of the whole stands around what answers it. */
import { describe, expect, it } from 'vitest';
import { passageOf } from '../../../sql-tests/fixtures/passage.ts';
import { foundAnswer } from '../confidence.ts';
import { Reader } from '../question.ts';
import { hasPerson, isEntry } from './forms.ts';

const reader = new Reader();

const answered = async (question: string, text: string): Promise<string | undefined> => {
  const { facts } = await foundAnswer({
    question: reader.read(question),
    passages: [passageOf(text)],
    reader,
    factsMax: 3,
    factsAPassage: 2,
    signal: new AbortController().signal,
  });
  return facts[0]?.text;
};

const REPORT =
  '## STOCK CHECK REPORT\nReport no: ST-12\nStore: Northern Supply Centre\nChecked by: Ada Lindholm\n' +
  'The stock check shows several things that matter. Stock was counted twice.';

describe('a form', () => {
  it('is answered by the line of the name that is asked for', async () => {
    expect(await answered('Who checked the stock of the report?', REPORT)).toBe('Checked by: Ada Lindholm');
  });

  it.each([
    ['Checked by: Ada Lindholm', true],
    ['Kassierer: Ada Lindholm', true],
    ['仓库：东部', true],
    ['The board decided the following: it will meet again in May.', false],
    ['Meet at 10:30', false],
    ['The store and all of its other places in the north of the country: none', false],
  ])('has lines of a name and a value: %s', (text, is) => {
    expect(isEntry(text)).toBe(is);
  });
});

it.each([
  ['Paid by Ada Lindholm.', true],
  ['J. Berg signed it.', true],
  ['由王芳签署', true],
  ['The Board signed it.', true],
  ['Sales rose by 12 percent.', false],
])('a person is two words with capitals, or in a script without them: %s', (text, is) => {
  expect(hasPerson(text)).toBe(is);
});

it.each([
  'Who signed it?',
  'By whom was it signed?',
  '¿Quién firmó el contrato?',
  'Wer hat unterschrieben?',
  '谁签署了合同？',
])('asks for a person: %s', (question) => {
  expect(reader.read(question).kind).toBe('person');
});
