/**
 * FinanceBench and MMLongBench over whole files: pages that are cited and abstention by EVALUATE, and the same questions
 * once more over the wire for placement, which needs all of an answer, for times as a client has them, and step by step.
 */
import { join } from 'node:path';
import type pg from 'pg';
import { percentile } from '../statistics.ts';
import { asked, type Asked } from './asked.ts';
import { type Judged, share } from './bands.ts';
import { lines, openDatasets, SETS, setPacks } from './datasets.ts';
import { firstNumberOf, holdsNumber } from './expected-number.ts';
import { Placement } from './placement.ts';
import { Steps } from './steps.ts';

type SetName = (typeof SETS)[number];

interface Question {
  readonly doc: string;
  readonly question: string;
  readonly answer: string;
  readonly answerable?: boolean;
  readonly evidence_pages_1based: readonly number[];
}

/** A row of `quern.evaluation_results`. */
interface Result {
  readonly question: Question;
  /** Rank of an evidence page among those that are cited. */
  readonly rank: number | null;
  readonly facts: number;
  readonly confidence: number;
  readonly cited: number;
  readonly cited_expected: number | null;
}

const PAGES_MAX = 5;
const QUICK_COUNT = 12;
const NAMES = { financebench: 'FinanceBench', mmlongbench: 'MMLongBench' } as const;

export async function files(
  source: string,
  {
    quick,
    data,
    packs,
  }: { readonly quick: boolean; readonly data: string | undefined; readonly packs: string },
): Promise<readonly Judged[]> {
  await using given = await openDatasets(source, data);
  const { client } = given;
  await setPacks(client, SETS, packs);
  await client.query(`SELECT ask_json('net sales', ARRAY['${SETS.join("','")}'])`);
  const placement = new Placement(source);
  const times: Asked[] = [];
  const results: Result[] = [];
  for (const set of SETS) {
    const all = lines<Question>(join(source, set, 'questions.jsonl'));
    const questions = quick ? all.slice(0, QUICK_COUNT) : all;
    const own = await evaluated(client, set, questions);
    if (set === 'financebench') reportFilings(own);
    else reportMixed(own);
    results.push(...own);
    const numbers = { expected: 0, given: 0 };
    const steps = new Steps(client);
    for (const question of questions) {
      const filter = filterOf(set, question);
      const answer = await asked(client, { question: question.question, dataset: set, filter });
      placement.add(answer);
      const number = firstNumberOf(question.answer);
      if (number !== null) {
        numbers.expected++;
        if (answer.facts.some(({ fact }) => holdsNumber(fact, number))) numbers.given++;
      }
      if (set === 'financebench') times.push(answer);
      if (question.evidence_pages_1based.length > 0 && question.answerable !== false)
        await steps.add(set, filter, question);
    }
    console.log(`${NAMES[set]}: the expected number among the facts ${numbers.given} of ${numbers.expected}`);
    steps.report(NAMES[set]);
  }
  placement.report();
  reportTimes(times);
  return results
    .filter(({ question }) => question.evidence_pages_1based.length > 0)
    .map(({ question, confidence, rank }) => ({
      document: question.doc,
      confidence,
      isRight: rank !== null,
    }));
}

/** MMLongBench asks of one document, FinanceBench of all filings. */
const filterOf = (set: SetName, { doc }: Question): string | null =>
  set === 'mmlongbench' ? `doc_id = '${doc}'` : null;

async function evaluated(
  client: pg.Client,
  set: SetName,
  questions: readonly Question[],
): Promise<readonly Result[]> {
  const rows = questions.map((question, id) => {
    const { question: text, doc, answerable = true, evidence_pages_1based: pages } = question;
    const isPlaced = answerable && pages.length > 0;
    const expected = { doc_id: isPlaced ? doc : null, pages: isPlaced ? pages : [] };
    return { id, question: text, filter: filterOf(set, question), answerable, ...expected };
  });
  await client.query(`DROP EVALUATION IF EXISTS ${set}`);
  await client.query(
    `CREATE EVALUATION ${set} AS SELECT id, question, filter, answerable, doc_id,
       ARRAY(SELECT jsonb_array_elements_text(pages)::int) AS pages
     FROM jsonb_to_recordset($1::jsonb)
       AS q (id int, question text, filter text, answerable boolean, doc_id text, pages jsonb)
     ORDER BY id`,
    [JSON.stringify(rows)],
  );
  const { rows: runs } = await client.query(`EVALUATE ASK ${set} ON ${set} WITH (top_k = ${PAGES_MAX})`);
  const { rows: results } = await client.query<Omit<Result, 'question'>>(
    `SELECT rank, facts, coalesce(confidence, 0) AS confidence, cited, cited_expected
     FROM quern.evaluation_results WHERE run = $1 ORDER BY ordinal`,
    [runs[0]?.run],
  );
  return results.map((result, i) => ({ ...result, question: questions[i] as Question }));
}

function reportFilings(results: readonly Result[]): void {
  const hits = results.filter(({ rank }) => rank !== null).length;
  const sum = (of: (result: Result) => number): number =>
    results.reduce((total, result) => total + of(result), 0);
  console.log(`FinanceBench: ${results.length} questions to 13 filings`);
  console.log(
    `  an evidence page among at most ${PAGES_MAX} cited ones ${share(hits, results.length)} (bar 0.420, goal 0.550)`,
  );
  const right = sum(({ cited_expected }) => cited_expected ?? 0);
  console.log(
    `  precision of cited pages ${share(
      right,
      sum(({ cited }) => cited),
    )}`,
  );
  console.log(`  without facts ${results.filter(({ facts }) => facts === 0).length}`);
}

function reportMixed(results: readonly Result[]): void {
  const answerable = results.filter(({ question }) => question.answerable === true);
  const others = results.filter(({ question }) => question.answerable === false);
  const given = (of: readonly Result[], least: number): string =>
    share(of.filter(({ confidence }) => confidence >= least && confidence > 0).length, of.length);
  const hits = answerable.filter(({ rank }) => rank !== null).length;
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

function reportTimes(results: readonly Asked[]): void {
  const of = (time: (result: Asked) => number, part: number): string =>
    percentile(results.map(time), part).toFixed(0);
  console.log('times over the filings, ms');
  console.log(
    `  whole answer: median ${of(({ ms }) => ms, 0.5)} (bar 1,000), p95 ${of(({ ms }) => ms, 0.95)} (bar 1,500)`,
  );
  console.log(
    `  first row: median ${of(({ firstMs }) => firstMs, 0.5)}, p95 ${of(({ firstMs }) => firstMs, 0.95)} (bar 200)`,
  );
}
