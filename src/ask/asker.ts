/**
 * Answers by what documents say, word for word: the steps of an answer in their order. Each step is a file; what they
 * hand on is in `passage.ts`. Data is reached only by the asker's own statements.
 */
import { present } from '../assert.ts';
import { SqlError } from '../errors.ts';
import { QUERY_TEXT_CHARACTERS_MAX } from '../limits.ts';
import type { Sender } from '../inference/sender.ts';
import type { AskRequest, AskRow } from '../functions/services.ts';
import type { Asker, CitedQuote, Standing, ThreadedRequest } from '../session/datasets/asker.ts';
import { counted } from '../session/datasets/pending.ts';
import { vocabularyFor } from './vocabulary.ts';
import type { Query } from '../session/server-session.ts';
import { takeTurn } from '../time-slice.ts';
import { foundFor } from './cells/found.ts';
import { confidenceOf, foundAnswer, MODES } from './confidence.ts';
import type { FoundFacts } from './facts.ts';
import { documentKey, type Fact } from './passage.ts';
import { type Question, Reader } from './question.ts';
import { References } from './refs.ts';
import { listed, noDocumentOf, sentence, whyNothing } from './why-nothing.ts';
import { standingOf } from './thread/standing.ts';
import { type Followed, followed } from './thread/follow.ts';
import { WEIGHTS } from './weights.ts';
import type { Writer } from './writer.ts';

interface Given {
  readonly facts: readonly Fact[];
  /** Statements that were to become facts. */
  readonly tried: number;
  /** True when a language model wrote them. */
  readonly isWritten?: true;
}

interface WrittenRequest {
  readonly former: ThreadedRequest['former'];
  readonly question: Question;
  readonly found: FoundFacts;
  readonly factsMax: number;
  readonly signal: AbortSignal;
  readonly sender: Sender;
}

/** A question that follows none. */
const ALONE: Followed = { understood: null, near: null };

const progress = (update: string): Extract<AskRow, { kind: 'progress' }> => ({ kind: 'progress', update });

export class DocumentAsker implements Asker {
  readonly #reader = new Reader();
  readonly #writer: Writer | null;

  /** @param writer null: facts are sentences and cells as they stand. */
  constructor(writer: Writer | null = null) {
    this.#writer = writer;
  }

  async *answer(
    request: ThreadedRequest,
    query: Query,
    signal: AbortSignal,
    sender: Sender,
  ): AsyncGenerator<AskRow> {
    const mode = checked(request);
    const { understood, near } = request.former.length === 0 ? ALONE : await followed(request, query);
    if (understood !== null) yield { ...progress(`Understood as: ${understood}`), understood };
    const asked = understood ?? request.question;
    const vocabulary = await vocabularyFor(query, asked, request.datasets);
    const question = this.#reader.read(asked, undefined, vocabulary);
    if (question.terms.length === 0 && question.years.length === 0) {
      yield progress('The question has no word to look for.');
      yield { kind: 'answer', refs: {}, confidence: 0 };
      return;
    }
    yield progress(`Searching ${listed(request.datasets.map(({ dataset }) => dataset))}.`);
    const read = await foundFor(query, question, { ...request, near });
    const { passages, missing } = read;
    signal.throwIfAborted();
    if (missing.length > 0) yield progress(sentence(noDocumentOf(missing, request)));
    if (passages.length === 0) {
      if (missing.length === 0) yield progress(await whyNothing(request, query));
      yield { kind: 'answer', refs: {}, confidence: 0 };
      return;
    }
    const documents = new Set(passages.map(documentKey)).size;
    yield progress(`Reading ${counted(passages.length, 'passage')} of ${counted(documents, 'document')}.`);
    await takeTurn(signal);
    const isComputable = missing.length === 0;
    const reading = { ...read, question, reader: this.#reader, ...MODES[mode], isComputable, signal };
    const { found, strength, facts } = await foundAnswer(reading);
    if (found.uncomputed !== null) yield progress(`Not computed: ${found.uncomputed}.`);
    let given: Given = { facts, tried: found.tried };
    const isTold = this.#writer !== null && strength.score >= WEIGHTS.readScoreMin;
    const refusal = isTold ? (this.#writer?.refusal(sender) ?? null) : null;
    if (refusal !== null) {
      yield progress(`${sentence(refusal)} Facts are taken from the documents as they stand.`);
    } else if (this.#writer !== null && isTold) {
      yield progress(`Asking language model "${this.#writer.name}".`);
      const { factsMax } = MODES[mode];
      const written = await this.#written({ ...request, question, found, factsMax, signal, sender });
      if (typeof written === 'string')
        yield progress(`${written} Facts are taken from the documents as they stand.`);
      else given = written;
    }
    if (given.facts.length === 0) {
      if (read.bystanders.length > 0) yield progress(sentence(noDocumentOf(read.bystanders, request)));
      yield progress('Nothing that was found supports an answer well enough: no facts are given.');
      yield { kind: 'answer', refs: {}, confidence: 0 };
      return;
    }
    const model = given.isWritten && this.#writer !== null ? { model: this.#writer.name } : {};
    const confidence = confidenceOf(given.facts, given.tried, strength);
    yield* answerRows(given.facts, query, { confidence, ...model });
  }

  standing(quotes: readonly CitedQuote[], query: Query, signal: AbortSignal): Promise<readonly Standing[]> {
    return standingOf(quotes, query, signal);
  }

  /** @returns why there are none where the model failed. @throws the signal's reason. */
  async #written({
    question,
    former,
    found,
    factsMax,
    signal,
    sender,
  }: WrittenRequest): Promise<Given | string> {
    const writer = present(this.#writer, 'a language model');
    const [best] = found.evidence;
    try {
      const { facts, written } = await writer.facts(
        {
          question,
          passages: writer.passagesToRead(found.evidence),
          factsMax,
          former,
          reader: this.#reader,
          contents: found.contents,
          score: best?.score ?? 0,
        },
        signal,
        sender,
      );
      if (written > 0 && facts.length === 0) return 'Nothing that the model wrote stands in the documents.';
      const computed = found.facts.filter(({ isComputed }) => isComputed);
      return { facts: [...computed, ...facts], tried: computed.length + written, isWritten: true };
    } catch (error) {
      signal.throwIfAborted();
      return `The model failed: ${error instanceof Error ? error.message : String(error)}.`;
    }
  }
}

type Final = Pick<Extract<AskRow, { kind: 'answer' }>, 'confidence' | 'model'>;

async function* answerRows(facts: readonly Fact[], query: Query, final: Final): AsyncGenerator<AskRow> {
  const references = new References();
  for (const fact of facts) yield references.add(fact);
  yield { kind: 'answer', refs: await references.refs(query), ...final };
}

/** @throws SqlError 0A000, 22023, 54000. */
function checked(request: AskRequest): keyof typeof MODES {
  checkQuestion(request);
  if (request.mode !== 'research') return request.mode;
  throw new SqlError('feature_not_supported', 'research is done by a server that keeps its runs', {
    hint: 'Modes auto and summarize are.',
  });
}

/** @throws SqlError 22023, 54000. */
export function checkQuestion({ question, datasets }: Pick<AskRequest, 'question' | 'datasets'>): void {
  if (datasets.length === 0) throw new SqlError('invalid_parameter_value', 'provide at least one dataset');
  if (question.length <= QUERY_TEXT_CHARACTERS_MAX) return;
  const message = `question of ${question.length} characters is longer than ${QUERY_TEXT_CHARACTERS_MAX}`;
  throw new SqlError('program_limit_exceeded', message);
}
