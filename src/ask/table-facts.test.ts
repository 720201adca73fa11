/** Rows of tables as facts: what they are called, and which of them, and of sentences, answer first. */
import { describe, expect, it } from 'vitest';
import { passageOf } from '../../sql-tests/fixtures/passage.ts';
import { factsOf } from './facts.ts';
import type { Passage } from './passage.ts';
import { Reader } from './question.ts';

const reader = new Reader();

describe('facts of tables', () => {
  const LOANS = passageOf(`## Graduate education
Among graduate students, percentage who borrowed and average amount: 2003
[row_1] [Degree]=Total; [Percent who borrowed]=44.8; [Average amount]=$33,200
[row_2] [Degree]=Amount borrowed (undergraduate)
[row_3] [Degree]=Did not borrow; [Percent who borrowed]=36.0; [Average amount]=36,900
[row_4] [Degree]=Highest degree earned by 2003
[row_5] [Degree]=Master’s degree; [Percent who borrowed]=45.4; [Average amount]=22,900; [Borrowed]=23.9
NOTE: Graduate students borrowed in 50 states.`);
  const PROSE = passageOf(`In addition, they had borrowed the least, graduate students $22,900.
Borrowing by graduate students resembled that of others.
Forty-five percent of graduates who enrolled took out loans, borrowing an average of $33,200 by 2003.`);
  const CHART: Passage = {
    ...passageOf('Bachelor’s 1 Master’s Doctorate borrowing graduate students'),
    kind: 'image',
  };

  const textsOf = async (question: string, ...passages: readonly Passage[]): Promise<readonly string[]> => {
    const asked = { question: reader.read(question), passages, reader, factsMax: 5, factsAPassage: 5 };
    const { facts } = await factsOf({ ...asked, signal: new AbortController().signal });
    return facts.map(({ text }) => text);
  };

  it('of how much are amounts, not of those who did not, captions, notes, or labels of a chart', async () => {
    const texts = await textsOf('How much did graduate students borrow?', LOANS, PROSE, CHART);
    expect(texts.slice(0, 2)).toContain(
      'Forty-five percent of graduates who enrolled took out loans, borrowing an average of $33,200 by 2003.',
    );
    expect(texts.slice(0, 2).join()).not.toMatch(/Did not|Among|states|Bachelor/);
  });

  it('are called by the group that their row is of, though it names a year', async () => {
    const [first] = await textsOf("What share of master's degree recipients borrowed?", LOANS);
    expect(first).toBe('Highest degree earned by 2003 – Master’s degree, Percent who borrowed: 45.4');
  });

  it('have the column that the rarest of its words name', async () => {
    const [first] = await textsOf(
      "What is the average amount that master's degree recipients borrowed?",
      LOANS,
    );
    expect(first).toBe('Highest degree earned by 2003 – Master’s degree, Average amount: 22,900');
  });
});
