/**
 * Research over the filings of FinanceBench: times of whole runs, their steps, whether all that is cited stands, and
 * its pages beside those of `ask()` on the same questions, of which none may be lost.
 */
import { join } from 'node:path';
import { percentile } from '../statistics.ts';
import { asked, type Asked } from './asked.ts';
import { share } from './bands.ts';
import { lines, openDatasets } from './datasets.ts';
import { Placement } from './placement.ts';

interface Question {
  readonly doc: string;
  readonly question: string;
  readonly evidence_pages_1based: readonly number[];
}

const SET = 'financebench';
/** Besides its questions, which are each of one filing: some that compare. */
const COMPARISONS = [
  'Compare the revenue and net income of PepsiCo, Verizon and Boeing in 2022',
  'Compare capital expenditure of Boeing and Verizon in 2021 and 2022',
  'How did the net sales of 3M change from 2020 to 2022, and why?',
  'What legal proceedings do 3M, Boeing and CVS Health report?',
];
const QUICK_COUNT = 8;
const PAGES_MAX = 10;

export async function research(
  source: string,
  { quick, data }: { readonly quick: boolean; readonly data: string | undefined },
): Promise<void> {
  await using given = await openDatasets(source, data);
  const { client } = given;
  const all = lines<Question>(join(source, SET, 'questions.jsonl'));
  const questions = quick ? all.slice(0, QUICK_COUNT) : all;
  const ask = (question: string, mode: string) =>
    asked(client, { question, dataset: SET, filter: null, mode });
  await ask(COMPARISONS[0] ?? '', 'research');
  const times: number[] = [];
  const firsts: number[] = [];
  let hits = 0;
  let hitsOfAsk = 0;
  const lost: string[] = [];
  const placement = new Placement(source);
  for (const text of [...COMPARISONS, ...questions.map(({ question }) => question)]) {
    const answer = await ask(text, 'research');
    times.push(answer.ms);
    firsts.push(answer.firstMs);
    placement.add(answer);
    const beside = await ask(text, 'auto');
    if (citedIds(beside).some((id) => !citedIds(answer).includes(id))) lost.push(text);
    const question = questions.find((one) => one.question === text);
    if (question === undefined) continue;
    if (isHit(answer, question)) hits++;
    if (isHit(beside, question)) hitsOfAsk++;
  }
  const [steps] = (
    await client.query<Record<string, number>>(
      `SELECT count(*) FILTER (WHERE kind = 'plan')::int AS plan, count(*) FILTER (WHERE kind = 'keep')::int AS keep,
         count(*) FILTER (WHERE kind = 'gap')::int AS gap,
         count(*) FILTER (WHERE kind = 'contradiction')::int AS contradiction FROM quern.research_steps`,
    )
  ).rows;
  const seconds = (values: readonly number[], at: number): string =>
    `${(percentile(values, at) / 1000).toFixed(2)} s`;
  console.log(`research: ${times.length} runs over ${SET}`);
  console.log(
    `  whole run p50 ${seconds(times, 0.5)}, p95 ${seconds(times, 0.95)} (bar 2.00 s); first row p95 ${seconds(firsts, 0.95)}`,
  );
  console.log(
    `  an evidence page among the first ${PAGES_MAX} cited ${share(hits, questions.length)} of ${questions.length}, ` +
      `of ask ${share(hitsOfAsk, questions.length)}`,
  );
  console.log(
    `  questions of which it lacks what ask cites ${lost.length} (bar 0)${lost.map(told).join('')}`,
  );
  console.log(`  steps ${JSON.stringify(steps)}`);
  placement.report();
}

const told = (question: string): string => `\n    ${question}`;

/** True where a page of the evidence is among the first that are cited. */
function isHit({ facts, refs }: Asked, { doc, evidence_pages_1based: wanted }: Question): boolean {
  const pages = facts.flatMap(({ refIds }) =>
    refIds.flatMap((id) => {
      const ref = refs[id];
      return ref?.doc_id === doc ? ref.content.doc_pages : [];
    }),
  );
  return [...new Set(pages)].slice(0, PAGES_MAX).some((page) => wanted.includes(page));
}

const citedIds = ({ refs }: Asked): readonly string[] =>
  Object.values(refs).map(({ content_id }) => content_id);
