/** FinanceBench and MMLongBench over whole files: pages that are cited, placement, abstention, times. */
import { join } from 'node:path';
import type pg from 'pg';
import { percentile } from '../statistics.ts';
import { asked, type Asked } from './asked.ts';
import { type Judged, share } from './bands.ts';
import { lines, openDatasets, SETS } from './datasets.ts';
import { Placement } from './placement.ts';
import { Steps } from './steps.ts';

interface Question {
  readonly doc: string;
  readonly question: string;
  readonly answerable?: boolean;
  readonly evidence_pages_1based: readonly number[];
}

interface Result extends Asked {
  readonly set: (typeof SETS)[number];
  readonly question: Question;
  /** Of the right document, without the others: `x` stands before theirs. */
  readonly pages: readonly string[];
  readonly hasEvidence: boolean;
}

const PAGES_MAX = 5;
const QUICK_COUNT = 12;
const NAMES = { financebench: 'FinanceBench', mmlongbench: 'MMLongBench' } as const;

export async function files(
  source: string,
  { quick, data }: { readonly quick: boolean; readonly data: string | undefined },
): Promise<readonly Judged[]> {
  await using given = await openDatasets(source, data);
  const { client } = given;
  await client.query(`SELECT ask_json('net sales', ARRAY['${SETS.join("','")}'])`);
  const placement = new Placement(source);
  const results: Result[] = [];
  for (const set of SETS) {
    const steps = new Steps(client);
    const questions = lines<Question>(join(source, set, 'questions.jsonl'));
    for (const question of quick ? questions.slice(0, QUICK_COUNT) : questions) {
      const result = await resultOf(client, set, question);
      placement.add(result);
      results.push(result);
      if (question.evidence_pages_1based.length > 0 && question.answerable !== false)
        await steps.add(set, filterOf(set, question), question);
    }
    steps.report(NAMES[set]);
  }
  reportFilings(results.filter(({ set }) => set === 'financebench'));
  reportMixed(results.filter(({ set }) => set === 'mmlongbench'));
  placement.report();
  reportTimes(results.filter(({ set }) => set === 'financebench'));
  return results
    .filter(({ question }) => question.evidence_pages_1based.length > 0)
    .map(({ question, confidence, hasEvidence }) => ({
      document: question.doc,
      confidence,
      isRight: hasEvidence,
    }));
}

/** MMLongBench asks of one document, FinanceBench of all filings. */
const filterOf = (set: Result['set'], { doc }: Question): string | null =>
  set === 'mmlongbench' ? `doc_id = '${doc}'` : null;

async function resultOf(client: pg.Client, set: Result['set'], question: Question): Promise<Result> {
  const filter = filterOf(set, question);
  const answer = await asked(client, { question: question.question, dataset: set, filter });
  const cited = answer.facts.flatMap(({ refIds }) => refIds.map((id) => answer.refs[id]));
  const pages = cited.flatMap((ref) =>
    (ref?.content.doc_pages ?? []).map((page) => (ref?.doc_id === question.doc ? String(page) : `x${page}`)),
  );
  const first = [...new Set(pages)].slice(0, PAGES_MAX);
  const hasEvidence = question.evidence_pages_1based.some((page) => first.includes(String(page)));
  return { ...answer, set, question, pages: first, hasEvidence };
}

function reportFilings(results: readonly Result[]): void {
  const hits = results.filter(({ hasEvidence }) => hasEvidence).length;
  const cited = results.flatMap(({ pages, question }) =>
    pages.map((page) => question.evidence_pages_1based.includes(Number(page))),
  );
  const silent = results.filter(({ facts }) => facts.length === 0).length;
  console.log(`FinanceBench: ${results.length} questions to 13 filings`);
  console.log(
    `  an evidence page among at most ${PAGES_MAX} cited ones ${share(hits, results.length)} (bar 0.420, goal 0.550)`,
  );
  console.log(`  precision of cited pages ${share(cited.filter((right) => right).length, cited.length)}`);
  console.log(`  without facts ${silent}`);
}

function reportMixed(results: readonly Result[]): void {
  const answerable = results.filter(({ question }) => question.answerable === true);
  const others = results.filter(({ question }) => question.answerable === false);
  const given = (of: readonly Result[], least: number): string =>
    share(of.filter(({ confidence }) => confidence >= least && confidence > 0).length, of.length);
  const hits = answerable.filter(({ hasEvidence }) => hasEvidence).length;
  console.log(`MMLongBench: ${answerable.length} answerable questions, ${others.length} unanswerable ones`);
  console.log(`  an evidence page among at most ${PAGES_MAX} cited ones ${share(hits, answerable.length)}`);
  console.log('  facts are given to: answerable, unanswerable, where the confidence is at least');
  for (const least of [1, 30, 40, 50, 60, 70, 80]) {
    console.log(`  ${String(least).padStart(5)}: ${given(answerable, least)}, ${given(others, least)}`);
  }
  const sorted = answerable.map(({ confidence }) => confidence).sort((a, b) => b - a);
  const least = sorted[Math.ceil(0.7 * sorted.length) - 1] ?? 0;
  const none = others.filter(({ confidence }) => confidence < Math.max(least, 1)).length;
  console.log(
    `  with 0.70 of the answerable given facts, unanswerable without ${share(none, others.length)} (bar 0.450)`,
  );
}

function reportTimes(results: readonly Result[]): void {
  const of = (time: (result: Result) => number, part: number): string =>
    percentile(results.map(time), part).toFixed(0);
  console.log('times over the filings, ms');
  console.log(
    `  whole answer: median ${of(({ ms }) => ms, 0.5)} (bar 1,000), p95 ${of(({ ms }) => ms, 0.95)} (bar 1,500)`,
  );
  console.log(
    `  first row: median ${of(({ firstMs }) => firstMs, 0.5)}, p95 ${of(({ firstMs }) => firstMs, 0.95)} (bar 200)`,
  );
}
