/**
 * Steps of an answer one by one, in this process, over passages that the server finds: what the second look adds, and
 * at which step an evidence page is lost. Abstention is left aside.
 */
import type pg from 'pg';
import { type FoundFacts, factsOf } from '../../src/ask/facts.ts';
import { vocabularyFor } from '../../src/ask/vocabulary.ts';
import type { Passage } from '../../src/ask/passage.ts';
import { Reader } from '../../src/ask/question.ts';
import { foundFor } from '../../src/ask/cells/found.ts';
import { askOf } from '../wire-ask.ts';
import { share } from './bands.ts';
import { citesPage } from './found-files.ts';

export interface PageQuestion {
  readonly doc: string;
  readonly question: string;
  readonly evidence_pages_1based: readonly number[];
}

const FACTS_MAX = 5;
const FACTS_A_PASSAGE = 2;
const PAGES_MAX = 5;
/** Evidence that is looked at for facts. */
const EVIDENCE_COUNT = 30;
const signal = new AbortController().signal;

export class Steps {
  readonly #reader = new Reader();
  readonly #client: pg.Client;
  readonly #counts = { all: 0, once: 0, twice: 0, search: 0, reading: 0, choice: 0 };

  constructor(client: pg.Client) {
    this.#client = client;
  }

  /** Adds a question that has evidence pages. */
  async add(dataset: string, filter: string | null, asked: PageQuestion): Promise<void> {
    const request = { datasets: [{ dataset, filter }], filter: null };
    const ask = askOf(this.#client);
    const vocabulary = await vocabularyFor(ask, asked.question, request.datasets);
    const question = this.#reader.read(asked.question, undefined, vocabulary);
    const { passages, cells } = await foundFor(ask, question, request);
    const facts = (looksTwice: boolean): Promise<FoundFacts> =>
      factsOf({
        question,
        passages,
        cells,
        reader: this.#reader,
        factsMax: FACTS_MAX,
        factsAPassage: FACTS_A_PASSAGE,
        signal,
        looksTwice,
      });
    const counts = this.#counts;
    const [once, twice] = [await facts(false), await facts(true)];
    const isEvidence = ({ docId, pages }: Passage): boolean =>
      docId === asked.doc && pages.some((page) => asked.evidence_pages_1based.includes(page));
    counts.all++;
    const isCited = ({ facts: given }: FoundFacts): boolean =>
      citesPage(
        given.flatMap(({ citations }) => citations),
        { doc: asked.doc, pages: asked.evidence_pages_1based },
      );
    if (isCited(once)) counts.once++;
    if (isCited(twice)) counts.twice++;
    else if (!passages.some(isEvidence)) counts.search++;
    else if (!twice.evidence.slice(0, EVIDENCE_COUNT).some(({ passage }) => isEvidence(passage)))
      counts.reading++;
    else counts.choice++;
  }

  report(name: string): void {
    const { all, once, twice, search, reading, choice } = this.#counts;
    console.log(`${name}, steps, without abstention: an evidence page among at most ${PAGES_MAX} cited ones`);
    console.log(`  by words alone ${share(once, all)}, with the second look ${share(twice, all)}`);
    console.log(`  lost: ${search} by search, ${reading} by reading, ${choice} by choice`);
  }
}
