/** Research with a language model: what it plans and writes is checked, and where it fails words alone do. */
import { expect, it } from 'vitest';
import { COMPARISON, REPORTS, TestResearch } from '../../../sql-tests/fixtures/research.ts';
import { whyNot } from '../../../sql-tests/fixtures/stands.ts';
import type { LanguageModel, Prompt } from '../model/language-model.ts';

/** Says what it is told to, one text a prompt. */
class SaidModel implements LanguageModel {
  readonly name = 'said';
  readonly isOutside = false;
  readonly readBytesMax = 100_000;
  readonly tokensMax = 1_000;
  readonly prompts: Prompt[] = [];
  readonly #texts: readonly ((prompt: Prompt) => string)[];

  constructor(...texts: readonly ((prompt: Prompt) => string)[]) {
    this.#texts = texts;
  }

  async write(prompt: Prompt): ReturnType<LanguageModel['write']> {
    const text = this.#texts[this.prompts.push(prompt) - 1];
    if (text === undefined) throw new Error('it says no more');
    return { text: text(prompt), promptTokens: 10, completionTokens: 5 };
  }
}

async function researched(model: LanguageModel) {
  await using research = await TestResearch.open({ model });
  await research.session.rows("CREATE DATASET filings WITH (embedding_model = 'hash')");
  await research.store('filings', REPORTS);
  const rows = await research.session.rows(
    `SELECT kind, update, fact, refs FROM research('${COMPARISON}', 'filings')`,
  );
  const of = (wanted: string, column: number): readonly string[] =>
    rows.flatMap((row) => (row[0] === wanted ? [String(row[column])] : []));
  const plan = await research.session.rows(
    "SELECT question FROM quern.research_steps WHERE kind = 'plan' ORDER BY step",
  );
  const [model_] = await research.session.rows('SELECT model FROM quern.answers');
  return {
    updates: of('progress', 1),
    facts: of('fact', 2),
    refs: JSON.parse(of('answer', 3)[0] ?? '{}') as Refs,
    plan: plan.map(([question]) => question),
    model: model_?.[0],
  };
}

type Refs = Readonly<
  Record<
    string,
    { content: { text: string }; quotes: readonly { text: string; start: number; end: number }[] }
  >
>;

const plan =
  (...questions: readonly unknown[]) =>
  (): string =>
    JSON.stringify({ questions });

/** A fact of the passage that has these words, and one that stands nowhere. */
const writes =
  (words: string, fact: string) =>
  ({ user }: Prompt): string => {
    const { passages } = JSON.parse(user) as { passages: readonly { n: number; text: string }[] };
    const n = passages.find(({ text }) => text.includes(words))?.n ?? 0;
    return JSON.stringify({
      facts: [
        { fact, quotes: [{ n, words }] },
        { fact: 'Acme is bankrupt.', quotes: [{ n, words: 'Acme is bankrupt' }] },
      ],
    });
  };

it('plans what the question is about, and writes what stands in the documents', async () => {
  const model = new SaidModel(
    plan(
      'What were the capital expenditures of Globex in 2021?',
      'What were the capital expenditures of Globex in 2021?',
      'What is the weather in Lisbon?',
      'What were the capital expenditures of Acme in 1998?',
      7,
    ),
    writes('[2021]=415', 'Capital expenditures of Globex were 415 in 2021.'),
    () => '{"facts": []}',
  );
  const { plan: planned, facts, refs, updates, model: written } = await researched(model);
  expect(planned).toEqual([COMPARISON, 'What were the capital expenditures of Globex in 2021?']);
  expect(facts[0]).toBe('Capital expenditures of Globex were 415 in 2021.');
  expect(facts.join()).not.toContain('bankrupt');
  expect(updates.some((update) => update.endsWith('language model "said" wrote 1.'))).toBe(true);
  expect(written).toBe('said');
  for (const { content, quotes } of Object.values(refs)) {
    for (const { text, start, end } of quotes)
      expect(whyNot({ quote: text, content: content.text, start, end })).toBeNull();
  }
  expect(JSON.parse(model.prompts[0]?.user ?? '')).toMatchObject({
    question: COMPARISON,
    questions_at_most: 15,
  });
});

it.each([
  ['no JSON', () => 'Sure! Here is a plan.'],
  ['another form', () => '{"questions": "none"}'],
  ['nothing of the question', plan('What is the weather in Lisbon?')],
])('a plan that is %s is made of the words', async (_, text) => {
  const { plan: planned, facts, updates, model } = await researched(new SaidModel(text));
  expect(planned).toHaveLength(9);
  expect(facts).toContain('Globex: Capital expenditures, 2022: 425 (in millions)');
  expect(updates.some((update) => update.includes('the model failed: it says no more'))).toBe(true);
  expect(model).toBeNull();
});
