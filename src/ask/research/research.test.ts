/** Research over stored documents: its plan, what it keeps and rejects, contradictions and gaps, and its answer. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMPARISON, REPORTS, TestResearch } from '../../../sql-tests/fixtures/research.ts';
import { whyNot } from '../../../sql-tests/fixtures/stands.ts';

let research: TestResearch;

beforeAll(async () => {
  research = await TestResearch.open();
  for (const name of ['filings', 'notes', 'empty'])
    await research.session.rows(`CREATE DATASET ${name} WITH (embedding_model = 'hash')`);
  await research.store('filings', REPORTS);
  await research.store('notes', [
    { docId: 'a', chunks: [{ text: 'Acme employed 500 people in Tucson at the end of 2021.', pages: [1] }] },
    { docId: 'b', chunks: [{ text: 'At the end of 2021 Acme employed 520 people in Tucson.', pages: [1] }] },
    { docId: 'c', chunks: [{ text: 'Acme employed 700 people in Tucson at the end of 2022.', pages: [1] }] },
    {
      docId: 'd',
      chunks: [{ text: 'Overfishing has effects: whales starve, because fish is rare.', pages: [3] }],
    },
  ]);
});

afterAll(() => research[Symbol.asyncDispose]());

interface Answer {
  readonly facts: readonly { readonly fact: string; readonly ref_ids: readonly string[] }[];
  readonly refs: Readonly<
    Record<
      string,
      {
        readonly content: { readonly text: string };
        readonly doc_id: string;
        readonly quotes: readonly { readonly text: string; readonly start: number; readonly end: number }[];
      }
    >
  >;
  readonly confidence: number;
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

async function answered(question: string, dataset = 'filings'): Promise<Answer> {
  const sql = `SELECT ask_json(${literal(question)}, ARRAY['${dataset}'], mode => 'research')`;
  return JSON.parse(String((await research.session.rows(sql))[0]?.[0])) as Answer;
}

async function told(question: string, dataset = 'filings'): Promise<readonly string[]> {
  const sql = `SELECT update FROM research(${literal(question)}, ARRAY['${dataset}']) WHERE kind = 'progress'`;
  return (await research.session.rows(sql)).map(([update]) => String(update));
}

const steps = async (columns: string, where: string): Promise<readonly string[]> =>
  (
    await research.session.rows(
      `SELECT DISTINCT ${columns} FROM quern.research_steps WHERE ${where} AND research_id =
         (SELECT research_id FROM quern.research ORDER BY seq DESC LIMIT 1) ORDER BY 1`,
    )
  ).map((row) => row.join('|'));

describe('a comparison of two companies over three years', () => {
  it('has a figure for each, by its document, and all that is cited stands', async () => {
    const { facts, refs, confidence } = await answered(COMPARISON);
    const figures = facts.map(({ fact }) => fact).filter((fact) => fact.includes('(in millions)'));
    expect(figures.toSorted()).toEqual([
      'Acme: Capital expenditures, 2020: 120 (in millions)',
      'Acme: Capital expenditures, 2021: 135 (in millions)',
      'Acme: Capital expenditures, 2022: 150 (in millions)',
      'Acme: Capital expenditures, 2022: 170 (in millions)',
      'Globex: Capital expenditures, 2020: 405 (in millions)',
      'Globex: Capital expenditures, 2021: 415 (in millions)',
      'Globex: Capital expenditures, 2022: 425 (in millions)',
    ]);
    const cited = facts.map(({ fact, ref_ids }) => [fact.slice(0, 20), refs[ref_ids[0] ?? '']?.doc_id]);
    const ofGlobex = cited.filter(([fact]) => fact?.startsWith('Globex')).map(([, id]) => id);
    expect([...new Set(ofGlobex)].toSorted()).toEqual(['globex-2020', 'globex-2021', 'globex-2022']);
    expect(Object.keys(refs)).toEqual(
      expect.arrayContaining([...new Set(facts.flatMap(({ ref_ids }) => ref_ids))]),
    );
    for (const { content, quotes } of Object.values(refs)) {
      expect(quotes.length).toBeGreaterThan(0);
      for (const { text, start, end } of quotes)
        expect(whyNot({ quote: text, content: content.text, start, end })).toBeNull();
    }
    expect(confidence).toBeGreaterThan(50);
  });

  it('tells its plan, what contradicts and what it did not find', async () => {
    const updates = await told(COMPARISON);
    expect(updates[0]).toMatch(/^Research [0-9a-f-]{36}\.$/);
    expect(updates).toContain('Plan: 9 questions.');
    expect(updates).toContain('– Capital expenditures of Globex in 2021');
    expect(updates).toContain(
      'Contradiction: Capital expenditures, Acme, 2022: 150 in acme-2022.txt, page 2, ' +
        'but 170 in acme-note-2022.txt, page 1.',
    );
  });

  it('keeps its steps, with the reason of each that is rejected', async () => {
    await told(COMPARISON);
    expect(await steps('kind', 'true')).toEqual([
      'contradiction',
      'gap',
      'keep',
      'plan',
      'reject',
      'search',
      'synthesis',
    ]);
    expect(await steps('reason', "kind = 'reject'")).toEqual(
      expect.arrayContaining(['duplicate', 'other entity', 'other year', 'too weak']),
    );
    const kept = await research.session.rows(
      `SELECT count(*) > 6, bool_and(c.text IS NOT NULL AND d.name IS NOT NULL)
       FROM quern.research_steps s LEFT JOIN filings.chunks c USING (content_id)
         LEFT JOIN filings.documents d ON d.doc_id = s.doc_id WHERE s.kind = 'keep' AND s.dataset = 'filings'`,
    );
    expect(kept).toEqual([['t', 't']]);
  });

  it('keeps its answer, as ask does', async () => {
    await told(COMPARISON);
    const [row] = await research.session.rows(
      `SELECT r.state, a.mode, a.facts = r.facts, a.facts = (SELECT count(*) FROM quern.facts f
         WHERE f.answer_id = a.answer_id), a.confidence = r.confidence, a.answer_id = quern.last_answer()
       FROM quern.research r JOIN quern.answers a USING (answer_id) ORDER BY r.seq DESC LIMIT 1`,
    );
    expect(row).toEqual(['done', 'research', 't', 't', 't', 't']);
  });
});

describe('other questions', () => {
  it('sentences that contradict are named, those of another year are not', async () => {
    const updates = await told('How many people did Acme employ in Tucson at the end of 2021?', 'notes');
    const contradictions = updates.filter((update) => update.startsWith('Contradiction'));
    expect(contradictions).toEqual([
      'Contradiction: Acme, 2021: 500 in a.txt, page 1, but 520 in b.txt, page 1.',
    ]);
  });

  it('one of whom nothing is told is a gap, and lowers the confidence', async () => {
    const question = 'Compare capital expenditures of Acme, Globex and Initech in 2021';
    const updates = await told(question);
    expect(updates.filter((update) => update.startsWith('Gap: Capital'))).toEqual([
      expect.stringMatching(
        /^Gap: Capital expenditures of Initech in 2021 – no document of filings is about "Initech"\.$/,
      ),
    ]);
    const { facts, confidence } = await answered(question);
    expect(facts.every(({ fact }) => !fact.startsWith('Initech'))).toBe(true);
    expect(confidence).toBeLessThan(
      (await answered('Compare capital expenditures of Acme and Globex in 2021')).confidence,
    );
  });

  it('a list is taken apart, and each part answered', async () => {
    const { facts } = await answered('What are the causes and effects of overfishing?', 'notes');
    expect(facts.map(({ fact }) => fact)).toEqual([
      'Overfishing has effects: whales starve, because fish is rare.',
    ]);
    expect(await steps('question', "kind = 'plan'")).toEqual([
      'Causes of overfishing',
      'Effects of overfishing',
      'What are the causes and effects of overfishing?',
    ]);
  });

  it('knows whom documents are of by what they name themselves, whatever the files are called', async () => {
    await research.session.rows("CREATE DATASET letters WITH (embedding_model = 'hash')");
    const letter = (docId: string, company: string, people: number) => ({
      docId,
      chunks: [{ text: `${company} Inc.\nAnnual letter. ${company} has ${people} employees.`, pages: [1] }],
    });
    await research.store('letters', [letter('scan-1', 'Initrode', 40), letter('scan-2', 'Vandelay', 60)]);
    await told('employees of initrode and vandelay', 'letters');
    expect(await steps('question', "kind = 'plan'")).toEqual(
      expect.arrayContaining(['Employees of initrode', 'Employees of vandelay']),
    );
  });

  it('comes as rows of six columns, the answer last', async () => {
    const rows = await research.session.rows(
      `SELECT * FROM research('net sales of Acme in 2021', ARRAY['filings'])`,
    );
    expect(rows[0]).toHaveLength(6);
    expect(rows.at(-1)?.[0]).toBe('answer');
    expect(rows.filter(([kind]) => kind === 'fact').map(([, , fact]) => fact)).toContain(
      'Net sales, 2021: 1100 (in millions)',
    );
  });

  it.each([
    ["'', ARRAY['filings']", 'The question has no word to look for.'],
    ["' 🙂 ', ARRAY['filings']", 'The question has no word to look for.'],
    ["'sales', ARRAY['empty']", 'Dataset "empty" has no document that is ready.'],
    ["'sales', ARRAY['filings'], 'year = 1'", 'The filter keeps nothing in which something was found.'],
    [
      "'Who wrote the national anthem, and where was it sung first?', ARRAY['filings']",
      'Nothing that was found supports an answer well enough: no facts are given.',
    ],
    [
      "'Who wrote the national anthem of Portugal?', ARRAY['filings']",
      'No document of filings is about "Portugal".',
    ],
  ])('no facts: research(%s)', async (call, update) => {
    const rows = await research.session.rows(`SELECT kind, update, confidence FROM research(${call})`);
    expect(rows.slice(-2)).toEqual([
      ['progress', update, null],
      ['answer', null, '0'],
    ]);
    expect(rows.some(([kind]) => kind === 'fact')).toBe(false);
  });

  it('of a NULL there is nothing', async () => {
    expect(await research.session.rows("SELECT * FROM research(NULL, ARRAY['filings'])")).toEqual([]);
    expect(await research.session.rows("SELECT start_research('x', NULL::text[])")).toEqual([[null]]);
    expect(await research.session.rows('SELECT * FROM research_result(NULL)')).toEqual([]);
  });
});

describe('refused', () => {
  it.each([
    ["research('sales', ARRAY['fillings'])", '42704', 'dataset "fillings" does not exist'],
    ["ask('sales', ARRAY['fillings'], 'research')", '42704', 'dataset "fillings" does not exist'],
    ["research('sales', ARRAY[]::text[])", '22023', 'provide at least one dataset'],
    ["research(repeat('a', 8193), 'filings')", '54000', 'question of 8193 characters is longer than 8192'],
    ["research('sales', 'filings', filter => 'nothing = 1')", '42703', 'column "nothing" does not exist'],
    [
      "research_result('00000000-0000-0000-0000-000000000000')",
      '22023',
      'research 00000000-0000-0000-0000-000000000000 does not exist',
    ],
  ])('%s', async (call, code, message) => {
    const error = await research.session.error(`SELECT * FROM ${call}`);
    expect([error.sqlstate, error.message]).toEqual([code, message]);
  });

  it('a dataset that is not committed', async () => {
    await research.session.rows("BEGIN; CREATE DATASET new WITH (embedding_model = 'hash')");
    const error = await research.session.error("SELECT * FROM research('sales', 'new')");
    expect([error.sqlstate, error.message]).toEqual([
      '55000',
      'dataset "new" is not committed: research reads what is',
    ]);
    await research.session.rows('ROLLBACK');
  });

  it('writes by clients', async () => {
    const error = await research.session.error('DELETE FROM quern.research_steps');
    expect(error.sqlstate).toBe('42501');
  });
});

describe('bounds', () => {
  it('of questions and searches: what is left out is a gap', async () => {
    await research.session.rows('SET quern.research_questions = 3; SET quern.research_searches = 2');
    const updates = await told(COMPARISON);
    await research.session.rows('RESET quern.research_questions; RESET quern.research_searches');
    expect(updates).toContain('Plan: 3 questions.');
    expect(updates.filter((update) => update.includes('quern.research_searches'))).toHaveLength(2);
  });

  it('of time: what was found by then is the answer', async () => {
    await research.session.rows('SET quern.research_timeout = 3000');
    research.gate.close(2);
    const telling = told(COMPARISON);
    await research.gate.waits;
    await research.until(
      "SELECT count(*) > 0 FROM quern.research_steps WHERE kind = 'gap' AND reason ~ 'time'",
      't',
    );
    research.gate.open();
    const updates = await telling;
    await research.session.rows('RESET quern.research_timeout');
    expect(updates.filter((update) => update.includes('quern.research_timeout')).length).toBeGreaterThan(3);
  });
});
