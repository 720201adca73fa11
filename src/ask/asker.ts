/**
 * Answers by what documents say, word for word: the steps of an answer in their order. Each step is a file; what they
 * hand on is in `passage.ts`. Data is reached only by the asker's own statements.
 */
import { present } from '../assert.ts';
import { SqlError } from '../errors.ts';
import { QUERY_TEXT_CHARACTERS_MAX } from '../limits.ts';
import type { AskRequest, AskRow } from '../functions/services.ts';
import type { Asker } from '../session/datasets/asker.ts';
import { counted } from '../session/datasets/pending.ts';
import { datasetSchema } from '../session/datasets/relations.ts';
import type { Query } from '../session/server-session.ts';
import { takeTurn } from '../time-slice.ts';
import { confidenceOf, isStrong, strengthOf } from './confidence.ts';
import { factsOf, type FoundFacts } from './facts.ts';
import { namedDocuments } from './named-documents.ts';
import type { Fact, Passage } from './passage.ts';
import { type Question, Reader } from './question.ts';
import { References } from './refs.ts';
import { onPage, search, searchesFor } from './search.ts';
import type { Writer } from './writer.ts';

/** Facts of an answer by mode, and of one passage: a summary has a point of each. */
const MODES = {
  auto: { factsMax: 5, factsAPassage: 2 },
  summarize: { factsMax: 8, factsAPassage: 1 },
} as const;

/** A language model reads what words alone would not answer, unless it is about something else. */
const READ_STRENGTH_MIN = 0.3;

interface Given {
  readonly facts: readonly Fact[];
  /** Statements that were to become facts. */
  readonly tried: number;
  /** Whether a language model wrote them. */
  readonly isWritten?: true;
}

interface WrittenRequest {
  readonly question: Question;
  readonly found: FoundFacts;
  readonly factsMax: number;
  readonly signal: AbortSignal;
}

const progress = (update: string): AskRow => ({ kind: 'progress', update });

export class DocumentAsker implements Asker {
  readonly #reader = new Reader();
  readonly #writer: Writer | null;

  /** @param writer null: facts are sentences and cells as they stand. */
  constructor(writer: Writer | null = null) {
    this.#writer = writer;
  }

  async *answer(request: AskRequest, query: Query, signal: AbortSignal): AsyncGenerator<AskRow> {
    const mode = checked(request);
    const question = this.#reader.read(request.question);
    if (question.terms.length === 0 && question.years.length === 0) {
      yield progress('The question has no word to look for.');
      yield { kind: 'answer', refs: {}, confidence: 0 };
      return;
    }
    yield progress(`Searching ${request.datasets.map(({ dataset }) => dataset).join(', ')}.`);
    const passages = await this.#passages(question, request, query);
    signal.throwIfAborted();
    if (passages.length === 0) {
      yield progress(await whyNothing(request, query));
      yield { kind: 'answer', refs: {}, confidence: 0 };
      return;
    }
    const documents = new Set(passages.map(({ dataset, docId }) => `${dataset}\n${docId}`)).size;
    yield progress(`Reading ${counted(passages.length, 'passage')} of ${counted(documents, 'document')}.`);
    await takeTurn(signal);
    const { factsMax, factsAPassage } = MODES[mode];
    const found = await factsOf({
      question,
      passages,
      reader: this.#reader,
      factsMax,
      factsAPassage,
      signal,
    });
    const strength = strengthOf(found.evidence);
    const { facts, tried } = found;
    let given: Given = { facts: isStrong(facts, tried, strength) ? facts : [], tried };
    if (this.#writer !== null && strength.score >= READ_STRENGTH_MIN) {
      yield progress(`Asking language model "${this.#writer.name}".`);
      const written = await this.#written({ question, found, factsMax, signal });
      if (typeof written === 'string')
        yield progress(`${written} Facts are taken from the documents as they stand.`);
      else given = written;
    }
    if (given.facts.length === 0) {
      yield progress('Nothing that was found supports an answer well enough: no facts are given.');
      yield { kind: 'answer', refs: {}, confidence: 0 };
      return;
    }
    const model = given.isWritten && this.#writer !== null ? { model: this.#writer.name } : {};
    const confidence = confidenceOf(given.facts, given.tried, strength);
    yield* answerRows(given.facts, query, { confidence, ...model });
  }

  /** @returns why there are none where the model failed. @throws the signal's reason. */
  async #written({ question, found, factsMax, signal }: WrittenRequest): Promise<Given | string> {
    const writer = present(this.#writer, 'a language model');
    const [best] = found.evidence;
    try {
      const { facts, written } = await writer.facts(
        {
          question,
          passages: writer.passagesToRead(found.evidence),
          factsMax,
          reader: this.#reader,
          contents: found.contents,
          score: best?.score ?? 0,
        },
        signal,
      );
      if (written > 0 && facts.length === 0) return 'Nothing that the model wrote stands in the documents.';
      const computed = found.facts.filter(({ isComputed }) => isComputed);
      return { facts: [...computed, ...facts], tried: computed.length + written, isWritten: true };
    } catch (error) {
      signal.throwIfAborted();
      return `The model failed: ${error instanceof Error ? error.message : String(error)}.`;
    }
  }

  async #passages(question: Question, request: AskRequest, query: Query): Promise<readonly Passage[]> {
    const { datasets, filter } = request;
    const named = await namedDocuments(query, question, datasets);
    const passages = await search(query, searchesFor(question, datasets, named), filter);
    if (question.page === null) return passages;
    const ofPage = await onPage(query, question.page, passages);
    return ofPage.length > 0 ? ofPage : passages;
  }
}

type Final = Pick<Extract<AskRow, { kind: 'answer' }>, 'confidence' | 'model'>;

async function* answerRows(facts: readonly Fact[], query: Query, final: Final): AsyncGenerator<AskRow> {
  const references = new References();
  for (const fact of facts) yield references.add(fact);
  yield { kind: 'answer', refs: await references.refs(query), ...final };
}

/** @throws SqlError 0A000, 22023, 54000. */
function checked({ question, datasets, mode }: AskRequest): keyof typeof MODES {
  if (datasets.length === 0) throw new SqlError('invalid_parameter_value', 'provide at least one dataset');
  if (question.length > QUERY_TEXT_CHARACTERS_MAX) {
    const message = `question of ${question.length} characters is longer than ${QUERY_TEXT_CHARACTERS_MAX}`;
    throw new SqlError('program_limit_exceeded', message);
  }
  if (mode !== 'research') return mode;
  throw new SqlError('feature_not_supported', 'mode research of ask() is not there yet', {
    hint: 'Modes auto and summarize are.',
  });
}

/** Of datasets in which nothing was found. */
async function whyNothing({ datasets, filter }: AskRequest, query: Query): Promise<string> {
  const empty: string[] = [];
  for (const { dataset } of datasets) {
    const sql = `SELECT 1 AS found FROM ${datasetSchema(dataset)}.documents WHERE version > 0 LIMIT 1`;
    if ((await query(sql)).length === 0) empty.push(dataset);
  }
  if (empty.length === 1) return `Dataset "${empty[0]}" has no document that is ready.`;
  if (empty.length > 1)
    return `Datasets ${empty.map((name) => `"${name}"`).join(', ')} have no document that is ready.`;
  const isFiltered = filter !== null || datasets.some((one) => one.filter !== null);
  return isFiltered ? 'The filter keeps nothing in which something was found.' : 'Nothing was found.';
}
