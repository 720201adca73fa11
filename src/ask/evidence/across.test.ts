/** Questions in another language than the documents: read by a model that compares languages, else not answered. */
import { describe, expect, it } from 'vitest';
import { passageOf } from '../../../sql-tests/fixtures/passage.ts';
import { similarTo } from './across.ts';
import { foundAnswer } from '../confidence.ts';
import { Reader } from '../question.ts';

const reader = new Reader();
const ENGLISH =
  'The bridge was closed in 2014 for repairs of its cables. Its towers were painted red in the following spring. ' +
  'Ferries carried the people of the town across the river during that whole time.';
const QUESTION = 'Warum war die Brücke gesperrt und wie kamen die Leute über den Fluss?';

const answered = async (question: string, closeTo: string | null) => {
  const { facts } = await foundAnswer({
    question: reader.read(question),
    passages: [passageOf(ENGLISH)],
    reader,
    factsMax: 3,
    factsAPassage: 2,
    signal: new AbortController().signal,
    similar: async (_, compared) =>
      closeTo === null ? null : compared.map((text) => Number(text.includes(closeTo))),
  });
  return facts.map(({ text }) => text);
};

describe('a question in another language', () => {
  it('is answered by what the model finds close to it', async () => {
    expect((await answered(QUESTION, 'Ferries'))[0]).toMatch(/^Ferries carried/);
  });

  it('is not answered where the model cannot compare languages', async () => {
    expect(await answered(QUESTION, null)).toEqual([]);
  });

  it('is read by its words where the documents are in its language', async () => {
    const facts = await answered('Why was the bridge closed in 2014?', 'painted');
    expect(facts[0]).toMatch(/closed in 2014/);
  });
});

describe('similarity', () => {
  const rows = (model: string) => async (sql: string) =>
    sql.includes('quern.datasets') ? [{ model }] : [{ cosine: 0.7 }, { cosine: 0.8 }, { cosine: 0.9 }];

  it('is nothing to all, by what the model gives sentences of other topics', async () => {
    const similar = similarTo(reader.read(QUESTION), rows('multilingual-e5-small'));
    expect((await similar('d', ['a', 'b', 'c']))?.map((one) => one.toFixed(2))).toEqual([
      '0.00',
      '0.50',
      '1.00',
    ]);
  });

  it('is unknown to a model of one language', async () => {
    expect(await similarTo(reader.read(QUESTION), rows('all-minilm-l6-v2'))('d', ['a'])).toBeNull();
  });
});
