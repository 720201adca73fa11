/**
 * Confidence, fitted on half of the documents and judged on the other half: log odds that an answer is right, by the
 * terms that the product gives it. A fact that is given where nothing answers is wrong. Prints the parameters that
 * `src/ask/confidence-fit.ts` holds, and what they say of the other half.
 */
import { join } from 'node:path';
import { type FoundAnswer, foundAnswer, type Terms, termsOf } from '../../src/ask/confidence.ts';
import { FIT } from '../../src/ask/confidence-fit.ts';
import { Reader } from '../../src/ask/question.ts';
import { bands, isFitted, type Judged, share } from './bands.ts';
import { openDatasets } from './datasets.ts';
import { citesPage, type FoundQuestion, findInFiles, requestOf } from './found-files.ts';
import { fitted } from './logistic.ts';
import { isRightAnswer, tatqaQuestions } from './tatqa.ts';

interface Answer extends Judged {
  readonly terms: Terms;
}

/** Answers to files are few beside those of TAT-QA. */
const FILES_WEIGHT = 3;
const NAMES = Object.keys(FIT) as (keyof typeof FIT)[];

/** @param data folder with the files' datasets. */
export async function confidence(source: string, quick: boolean, data: string | undefined): Promise<void> {
  const ofTables: Answer[] = [];
  for await (const asked of tatqaQuestions(join(source, 'tatqa/tatqa_dataset_dev.json'), quick)) {
    const answer = await foundAnswer(asked.request);
    const isRight = isRightAnswer(answer.facts, asked);
    if (answer.facts.length > 0) ofTables.push(judged(answer, asked.uid, isRight));
  }
  const found = await foundIn(source, data);
  const ofFiles: Answer[] = [];
  const ofNothing: Answer[] = [];
  const reader = new Reader();
  const counts = { answerable: 0, given: 0, unanswerable: 0, silent: 0 };
  for (const asked of found) {
    const answer = await foundAnswer(requestOf(asked, reader));
    const isGiven = answer.facts.length > 0;
    if (asked.set === 'mmlongbench') {
      counts[asked.isAnswerable ? 'answerable' : 'unanswerable']++;
      if (asked.isAnswerable === isGiven) counts[isGiven ? 'given' : 'silent']++;
    }
    if (!isGiven || (asked.isAnswerable && asked.pages.length === 0)) continue;
    const citations = answer.facts.flatMap((fact) => fact.citations);
    const isRight = asked.isAnswerable && citesPage(citations, asked);
    (asked.isAnswerable ? ofFiles : ofNothing).push(judged(answer, asked.doc, isRight));
  }
  printFit([...ofTables], [...ofFiles, ...ofNothing]);
  const { answerable, given, unanswerable, silent } = counts;
  console.log(
    `MMLongBench: ${share(given, answerable)} of the answerable given facts (bar .70), ` +
      `${silent} of ${unanswerable} unanswerable without (bar 18 of 27)`,
  );
  bands('TAT-QA', ofTables, 0.05);
  bands('files', ofFiles, 0.07);
  bands('all', [...ofTables, ...ofFiles], 0.07);
}

async function foundIn(source: string, data: string | undefined): Promise<readonly FoundQuestion[]> {
  await using given = await openDatasets(source, data);
  return findInFiles(source, given.client);
}

const judged = ({ facts, strength, confidence: said }: FoundAnswer, document: string, isRight: boolean) => ({
  document,
  confidence: said,
  isRight,
  terms: termsOf(facts, strength),
});

function printFit(ofTables: readonly Answer[], ofFiles: readonly Answer[]): void {
  const rows = [...ofTables, ...ofFiles]
    .filter(({ document }) => isFitted(document))
    .map((one) => ({
      values: NAMES.map((name) => one.terms[name] ?? 0),
      is: one.isRight,
      weight: ofFiles.includes(one) ? FILES_WEIGHT : 1,
    }));
  const parameters = fitted(rows);
  console.log(`fitted on ${rows.length} answers`);
  for (const [i, name] of NAMES.entries())
    console.log(`  ${name}: ${(parameters[i] ?? 0).toFixed(2)}, in the source ${FIT[name]}`);
}
