/** Badges of facts, steps of research, copies: what needs no browser. */
import { describe, expect, it } from 'vitest';
import { asMarkdown } from './copied.ts';
import {
  type AnswerView,
  amountOf,
  badgesOf,
  type Citation,
  type Fact,
  numbersOf,
  surenessOf,
} from './model.ts';
import { type Step, stepTree } from './research-steps.ts';

const citation = (change: Partial<Citation>): Citation => ({
  fact_number: 1,
  citation_number: 1,
  ref_id: '1',
  dataset: 'filings',
  doc_id: 'ulta',
  doc_name: 'ULTA.pdf',
  version: 1,
  content_id: 'doc#ulta#chunk#3',
  doc_pages: [1],
  quote: 'Net sales',
  quote_start: 0,
  quote_end: 9,
  line: 5,
  boxes: [],
  stands: true,
  reason: null,
  current_content_id: null,
  current_doc_pages: null,
  ...change,
});

const quotes = (...given: readonly string[]): readonly Citation[] =>
  given.map((quote, i) => citation({ quote, citation_number: i + 1 }));

const COMPUTED: Fact = {
  number: 1,
  text: 'Percentage change, net sales (computed): (8,630.9 − 6,152) / 6,152 = 40.29 %; from Net sales: 8,630.9; 6,152',
  computed: true,
  citations: quotes(
    'Net sales',
    '[52 Weeks]=$ 8,630.9',
    '29,',
    '2022',
    '[52 Weeks]=$ 6,152.0',
    '30,',
    '2021',
  ),
};

describe('badges', () => {
  it('are one for each operand of what was computed', () => {
    const badges = badgesOf([COMPUTED]);
    expect(badges.map(({ main }) => main.map(({ quote }) => quote))).toEqual([
      ['[52 Weeks]=$ 8,630.9'],
      ['[52 Weeks]=$ 6,152.0'],
    ]);
    expect(badges.flatMap(({ citations }) => citations)).toEqual(COMPUTED.citations);
  });

  it('are one for each place of a sentence, and point at the line that most of it stands on', () => {
    const fact: Fact = {
      number: 2,
      text: 'Net sales, 2022: 1',
      computed: false,
      citations: [
        citation({ line: 1, quote: 'Title' }),
        citation({ line: 5 }),
        citation({ line: 5, quote: '[2022]=1' }),
        citation({ ref_id: '2', line: 3, quote: 'elsewhere' }),
      ],
    };
    const badges = badgesOf([COMPUTED, fact]);
    expect(badges.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
    expect(badges[2]?.main.map(({ quote }) => quote)).toEqual(['Net sales', '[2022]=1']);
  });
});

describe('numbers', () => {
  it('are amounts without signs', () => {
    expect(['$ 8,630.9', '(1,577)', '−1,577', '40 %', 'n/a', '', '1.2.3'].map(amountOf)).toEqual([
      8630.9,
      1577,
      1577,
      40,
      null,
      null,
      null,
    ]);
    expect(numbersOf('Q2 of FY2024: (8,630.9 − 6,152) = 40.29 %').map(({ amount }) => amount)).toEqual([
      8630.9, 6152, 40.29,
    ]);
  });

  it('say how sure an answer is', () => {
    expect([100, 70, 50, 3, 0].map(surenessOf)).toEqual(['sure', 'likely', 'unsure', 'doubtful', 'none']);
  });
});

it('a copy as Markdown is text, whatever documents say', () => {
  const text = '<script>alert(1)</script> [x](javascript:1) *b*';
  const view: AnswerView = {
    id: null,
    thread: null,
    question: '# why',
    understood: null,
    datasets: ['d'],
    mode: 'auto',
    askedAt: null,
    progress: [],
    facts: [{ number: 1, text, computed: false, citations: quotes(text) }],
    confidence: 92,
  };
  const copy = asMarkdown(view);
  expect(copy).toContain('\\<script\\>alert(1)\\</script\\> \\[x\\](javascript:1) \\*b\\* [1]');
  expect(copy).toContain('Confidence: 92 of 100');
});

it('steps of research stand below their questions', () => {
  const step = (number: number, parent: number | null, kind: string): Step => ({
    step: number,
    parent,
    kind,
    question: null,
    text: null,
    reason: null,
    dataset: null,
    doc_id: null,
    content_id: null,
    score: null,
    finished_at: null,
  });
  const [part] = stepTree([
    step(1, null, 'plan'),
    step(2, 1, 'search'),
    step(3, 2, 'keep'),
    step(4, 2, 'reject'),
    step(5, 1, 'gap'),
  ]);
  expect(
    [part?.searches, part?.kept, part?.rejected, part?.noted].map((steps) => steps?.map((one) => one.step)),
  ).toEqual([[2], [3], [4], [5]]);
});
