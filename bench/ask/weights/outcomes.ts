/**
 * Which questions are answered rightly: those of TAT-QA, and those to files as the server has found for them. Reading
 * and computing know nothing of each other's weights, so that each is measured by itself.
 */
import { computed } from '../../../src/ask/computing/compute.ts';
import { type FactsRequest, factsOf } from '../../../src/ask/facts.ts';
import type { Passage } from '../../../src/ask/passage.ts';
import { Reader } from '../../../src/ask/question.ts';
import { type ReadPassage, readPassages } from '../../../src/ask/reading.ts';
import { Turns } from '../../../src/ask/turns.ts';
import { holdsNumber } from '../expected-number.ts';
import { citesPage, type FoundQuestion, requestOf } from '../found-files.ts';
import { isRightAnswer, isRightNumber, tatqaQuestions } from '../tatqa.ts';

/** By kind, for each question in its order, whether it is so. */
export type Outcomes = ReadonlyMap<string, readonly boolean[]>;

export interface OutcomesRequest {
  readonly step: 'reading' | 'computing';
  /** TAT-QA's file. */
  readonly tatqa: string;
  readonly quick: boolean;
  readonly found: readonly FoundQuestion[];
}

/** The one kind of which less is better. */
export const WRONG = 'computed wrongly';

export const outcomesOf = (request: OutcomesRequest): Promise<Outcomes> =>
  request.step === 'reading' ? ofReading(request) : ofComputing(request);

class Kinds {
  readonly all = new Map<string, boolean[]>();

  add(kind: string, is: boolean): void {
    const own = this.all.get(kind) ?? [];
    this.all.set(kind, own);
    own.push(is);
  }
}

/** Pages are cited whatever the confidence is. */
async function ofReading({ tatqa, quick, found }: OutcomesRequest): Promise<Outcomes> {
  const kinds = new Kinds();
  for await (const asked of tatqaQuestions(tatqa, quick)) {
    if (asked.type !== 'span') continue;
    const { facts } = await factsOf({ ...asked.request, isComputable: false });
    kinds.add('spans', isRightAnswer(facts, asked));
  }
  const reader = new Reader();
  for (const asked of found.filter(({ isAnswerable, pages }) => isAnswerable && pages.length > 0)) {
    const { facts } = await factsOf({ ...requestOf(asked, reader), isComputable: false });
    const citations = facts.flatMap((fact) => fact.citations);
    kinds.add(`${asked.set}, page`, citesPage(citations, asked));
    const { number } = asked;
    if (number !== null)
      kinds.add(
        'expected numbers',
        facts.some(({ text }) => holdsNumber(text, number)),
      );
  }
  return kinds.all;
}

async function ofComputing({ tatqa, quick, found }: OutcomesRequest): Promise<Outcomes> {
  const kinds = new Kinds();
  for await (const { type, answer, request } of tatqaQuestions(tatqa, quick)) {
    if (type !== 'arithmetic') continue;
    const text = await computedText(request);
    const isRight = text !== null && isRightNumber(text, answer);
    kinds.add('computed rightly', isRight);
    kinds.add(WRONG, text !== null && !isRight);
  }
  const reader = new Reader();
  for (const asked of found) {
    if (asked.number === null || !asked.isAnswerable) continue;
    const text = await computedText(requestOf(asked, reader));
    kinds.add('expected numbers', text !== null && holdsNumber(text, asked.number));
  }
  return kinds.all;
}

const READ = new WeakMap<readonly Passage[], readonly ReadPassage[]>();

async function computedText({
  question,
  passages,
  cells,
  reader,
  signal,
}: FactsRequest): Promise<string | null> {
  const turns = new Turns(signal);
  const read = READ.get(passages) ?? (await readPassages(passages, turns, cells));
  READ.set(passages, read);
  const { draft } = await computed({ question, passages: read, reader }, turns);
  return draft?.text ?? null;
}
