/** TAT-QA: questions over a table and the texts around it, which are given: no search. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { foundAnswer } from '../../src/ask/confidence.ts';
import { type FactsRequest, factsOf } from '../../src/ask/facts.ts';
import type { Fact } from '../../src/ask/passage.ts';
import { Reader } from '../../src/ask/question.ts';
import { parseHtml } from '../../src/ingest/formats/markup/html.ts';
import { hasResult, hasWords } from '../../src/session/evaluation/answer-match.ts';
import { type ReadFile, readFileOf } from '../../sql-tests/fixtures/read-passages.ts';
import { whyNot } from '../../sql-tests/fixtures/stands.ts';
import { type Judged, share } from './bands.ts';

interface Context {
  readonly table: { readonly uid: string; readonly table: readonly (readonly string[])[] };
  readonly paragraphs: readonly { readonly order: number; readonly text: string }[];
  readonly questions: readonly {
    readonly question: string;
    readonly answer: unknown;
    readonly answer_type: 'span' | 'multi-span' | 'arithmetic' | 'count';
  }[];
}

const FACTS_MAX = 3;
/** Failures of one half may be read while rules are made; of the other nothing but its score. */
const HALVES = ['fit', 'judge'] as const;
const halfOf = (uid: string): (typeof HALVES)[number] =>
  (createHash('sha256').update(uid).digest()[0] as number) % 2 === 0 ? 'fit' : 'judge';

interface HalfCounts {
  arithmetic: number;
  computed: number;
  right: number;
}

const signal = new AbortController().signal;

export interface TatqaQuestion {
  readonly uid: string;
  readonly type: 'span' | 'arithmetic';
  readonly answer: unknown;
  readonly request: FactsRequest;
}

/** Questions with all that reading them takes. */
export async function* tatqaQuestions(path: string, quick: boolean): AsyncGenerator<TatqaQuestion> {
  const contexts = JSON.parse(readFileSync(path, 'utf8')) as readonly Context[];
  const reader = new Reader();
  for (const context of quick ? contexts.slice(0, 40) : contexts) {
    const { passages, cells } = await readContext(context);
    for (const { question: text, answer, answer_type: type } of context.questions) {
      if (type !== 'span' && type !== 'arithmetic') continue;
      const question = reader.read(text);
      const counts = { factsMax: FACTS_MAX, factsAPassage: FACTS_MAX };
      const request = { question, passages, cells, reader, signal, ...counts };
      yield { uid: context.table.uid, type, answer, request };
    }
  }
}

/** A span stands in one of the facts, or the number is computed. */
export function isRightAnswer(
  facts: readonly Fact[],
  { type, answer }: Pick<TatqaQuestion, 'type' | 'answer'>,
): boolean {
  if (type === 'span') return spanPlace(facts, answer) >= 0;
  const computed = facts.find(({ isComputed }) => isComputed);
  return computed !== undefined && isRightNumber(computed.text, answer);
}

export const isRightNumber = (text: string, answer: unknown): boolean => hasResult(text, String(answer));

export async function tatqa(path: string, quick: boolean): Promise<readonly Judged[]> {
  const judged: Judged[] = [];
  const counts = {
    span: 0,
    first: 0,
    three: 0,
    once: 0,
    arithmetic: 0,
    quotes: 0,
    standing: 0,
  };
  const halves = { fit: none(), judge: none() };
  for await (const asked of tatqaQuestions(path, quick)) {
    const { type, answer, request } = asked;
    const { found, confidence } = await foundAnswer(request);
    const { facts } = found;
    countQuotes(facts, counts);
    const isRight = isRightAnswer(facts, asked);
    counts[type]++;
    if (type === 'span') {
      const once = await factsOf({ ...request, looksTwice: false });
      if (spanPlace(once.facts, answer) >= 0) counts.once++;
      if (spanPlace(facts, answer) === 0) counts.first++;
      if (isRight) counts.three++;
    } else {
      const half = halves[halfOf(asked.uid)];
      half.arithmetic++;
      if (facts.some(({ isComputed }) => isComputed)) half.computed++;
      if (isRight) half.right++;
    }
    judged.push({ document: asked.uid, confidence, isRight });
  }
  report(counts, halves);
  return judged;
}

const none = (): HalfCounts => ({ arithmetic: 0, computed: 0, right: 0 });

function report(
  counts: Readonly<
    Record<'span' | 'first' | 'three' | 'once' | 'arithmetic' | 'quotes' | 'standing', number>
  >,
  halves: Readonly<Record<(typeof HALVES)[number], HalfCounts>>,
): void {
  const { span, first, three, once, arithmetic, quotes, standing } = counts;
  console.log(`TAT-QA: ${span} span questions, ${arithmetic} arithmetic ones, contexts given`);
  console.log(
    `  span in the first three facts ${share(three, span)} (bar 0.910), in the first ${share(first, span)}`,
  );
  console.log(`  without the second look, in the first three ${share(once, span)}`);
  const sum = (key: keyof HalfCounts): number => HALVES.reduce((total, half) => total + halves[half][key], 0);
  console.log(
    `  computed rightly, operands cited ${share(sum('right'), arithmetic)} (bar 0.680); of those computed ${share(sum('right'), sum('computed'))} (0.950)`,
  );
  for (const half of HALVES) {
    const { arithmetic: all, computed, right } = halves[half];
    console.log(
      `    ${half} half: ${share(right, all)} of ${all}; of those computed ${share(right, computed)}`,
    );
  }
  console.log(`  quotes that stand, by a checker of its own: ${standing} of ${quotes}`);
}

function countQuotes(facts: readonly Fact[], counts: { quotes: number; standing: number }): void {
  for (const { passage, quotes } of facts.flatMap(({ citations }) => citations)) {
    for (const { text, start, end } of quotes) {
      counts.quotes++;
      if (whyNot({ quote: text, content: passage.text, start, end }) === null) counts.standing++;
    }
  }
}

/** Index of the first fact that has the answer; -1 where none has. */
const spanPlace = (facts: readonly Fact[], answer: unknown): number =>
  facts.findIndex(({ text }) => hasWords(text, String((answer as readonly unknown[])[0])));

/** The table and its texts as a page of HTML, read as an upload is: nothing marks rows of names. */
async function readContext({ table, paragraphs }: Context): Promise<ReadFile> {
  const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const rows = table.table.map(
    (cells) => `<tr>${cells.map((cell) => `<td>${escaped(cell)}</td>`).join('')}</tr>`,
  );
  const texts = paragraphs.map(({ text }) => `<p>${escaped(text)}</p>`);
  const html = `<body><table>${rows.join('')}</table>${texts.join('')}</body>`;
  const document = await parseHtml({ bytes: new TextEncoder().encode(html), name: 'a.html', limits: LIMITS });
  return readFileOf({ docId: table.uid, docName: '', document });
}

const LIMITS = { pagesMax: 1, imagePixelsMax: 1 };
