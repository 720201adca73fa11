/**
 * Research never loses what `ask()` finds: its first step is the question as it was asked, answered by the same code.
 * Questions of any shape are drawn over a few documents, and all that `ask()` cites is cited, before anything else.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REPORTS, TestResearch } from '../../../sql-tests/fixtures/research.ts';

let research: TestResearch;

beforeAll(async () => {
  research = await TestResearch.open();
  await research.session.rows("CREATE DATASET filings WITH (embedding_model = 'hash')");
  await research.store('filings', [
    ...REPORTS,
    {
      docId: 'leave',
      chunks: [
        {
          text: '## Leave\nEmployees of Acme have 25 days of leave. Parental leave takes 14 weeks.',
          pages: [1],
        },
        { text: 'Leave is approved by the head of the team, because someone has to plan.', pages: [2] },
        { text: 'Acme and Globex have 500 employees each in Tucson.', pages: [3] },
      ],
    },
  ]);
});

afterAll(() => research[Symbol.asyncDispose]());

interface Answer {
  readonly facts: readonly { readonly fact: string; readonly ref_ids: readonly string[] }[];
  readonly refs: Readonly<Record<string, { readonly content_id: string }>>;
}

const asked = async (question: string, mode: string): Promise<Answer> => {
  const text = `'${question.replaceAll("'", "''")}'`;
  const sql = `SELECT ask_json(${text}, ARRAY['filings'], mode => '${mode}')`;
  return JSON.parse(String((await research.session.rows(sql))[0]?.[0])) as Answer;
};

/** In the order in which facts cite them. */
const cited = ({ facts, refs }: Answer): readonly string[] => [
  ...new Set(facts.flatMap(({ ref_ids }) => ref_ids.map((id) => refs[id]?.content_id ?? 'none'))),
];

const WHOM = ['Acme', 'Globex', 'Acme and Globex', 'Initech', 'the company'];
const WHAT = [
  'net sales',
  'capital expenditures',
  'net sales and capital expenditures',
  'days of leave',
  'parental leave',
  'employees',
];
const WHEN = ['', ' in 2021', ' in 2020 and 2022', ' over 2020-2022', ' from 2020 to 2022', ' in 1999'];
const SHAPES: readonly ((whom: string, what: string, when: string) => string)[] = [
  (whom, what, when) => `What are the ${what} of ${whom}${when}?`,
  (whom, what, when) => `Compare ${what} of ${whom}${when}`,
  (whom, what, when) => `What is the percentage change in ${what} of ${whom}${when}?`,
  (whom, what, when) => `Why did ${what} of ${whom} change${when}, and who approves leave?`,
  (_, what) => what,
  (whom, what, when) => `Is ${whom} one whose ${what} grew${when}?`,
];

const QUESTION = fc
  .tuple(
    fc.constantFrom(...SHAPES),
    fc.constantFrom(...WHOM),
    fc.constantFrom(...WHAT),
    fc.constantFrom(...WHEN),
  )
  .map(([shape, whom, what, when]) => shape(whom, what, when));

describe('research', () => {
  it('cites all that ask() cites, and first', async () => {
    await fc.assert(
      fc.asyncProperty(QUESTION, async (question) => {
        const [asks, researches] = [await asked(question, 'auto'), await asked(question, 'research')];
        const [own, all] = [cited(asks), cited(researches)];
        expect(all, question).toEqual(expect.arrayContaining([...own]));
        expect(all.slice(0, Math.max(10, own.length)), question).toEqual(expect.arrayContaining([...own]));
        for (const [i, { fact }] of asks.facts.entries())
          expect(researches.facts[i]?.fact.endsWith(fact), `${question}: ${fact}`).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it('gives nothing of others where the question names one of whom there is nothing', async () => {
    for (const question of [
      'Is Initech a capital-intensive business in 2021?',
      'What are the net sales of Initech, and why did they change?',
      'Why did net sales of Initech change, and how many employees are there?',
    ])
      expect((await asked(question, 'research')).facts, question).toEqual([]);
  });
});
