/** Which questions are answered rightly: those of TAT-QA, and those to files as the server has found for them. */
import { factsOf } from '../../../src/ask/facts.ts';
import { Reader } from '../../../src/ask/question.ts';
import { holdsNumber } from '../expected-number.ts';
import { citesPage, type FoundQuestion, requestOf } from '../found-files.ts';
import { isRightAnswer, tatqaQuestions } from '../tatqa.ts';

/** For each question of a kind in its order whether it is right; of numbers computed, whether one is wrong. */
export interface Outcomes {
  readonly spans: readonly boolean[];
  readonly arithmetic: readonly boolean[];
  readonly computedWrong: readonly boolean[];
  /** An evidence page is cited, whatever the confidence. */
  readonly financebench: readonly boolean[];
  readonly mmlongbench: readonly boolean[];
  readonly numbers: readonly boolean[];
}

export interface OutcomesRequest {
  /** TAT-QA's file. */
  readonly tatqa: string;
  readonly quick: boolean;
  readonly found: readonly FoundQuestion[];
}

export async function outcomesOf({ tatqa, quick, found }: OutcomesRequest): Promise<Outcomes> {
  const spans: boolean[] = [];
  const arithmetic: boolean[] = [];
  const computedWrong: boolean[] = [];
  for await (const asked of tatqaQuestions(tatqa, quick)) {
    const { facts } = await factsOf(asked.request);
    const isRight = isRightAnswer(facts, asked);
    if (asked.type === 'span') spans.push(isRight);
    else {
      arithmetic.push(isRight);
      computedWrong.push(!isRight && facts.some(({ isComputed }) => isComputed));
    }
  }
  return { spans, arithmetic, computedWrong, ...(await ofFiles(found)) };
}

async function ofFiles(
  found: readonly FoundQuestion[],
): Promise<Pick<Outcomes, 'financebench' | 'mmlongbench' | 'numbers'>> {
  const reader = new Reader();
  const pages = { financebench: [] as boolean[], mmlongbench: [] as boolean[] };
  const numbers: boolean[] = [];
  for (const asked of found) {
    if (!asked.isAnswerable || asked.pages.length === 0) continue;
    const { facts } = await factsOf(requestOf(asked, reader));
    pages[asked.set].push(
      citesPage(
        facts.flatMap(({ citations }) => citations),
        asked,
      ),
    );
    const { number } = asked;
    if (number !== null) numbers.push(facts.some(({ text }) => holdsNumber(text, number)));
  }
  return { ...pages, numbers };
}
