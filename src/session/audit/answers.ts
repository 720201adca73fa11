/** Asks and research as entries: who asked what of which datasets, and which documents the answer cites; the question apart. */
import type { AskRequest } from '../../functions/services.ts';
import type { FactRow, FinalRow } from '../answers/keep.ts';
import type { Environment } from '../environment.ts';
import type { SessionState } from '../session-state.ts';
import { actorOf } from './actor.ts';
import { apart, type ApartText, type AuditEvent } from './entry.ts';

/** Documents that an entry names. */
const CITED_COUNT_MAX = 200;

export interface AnswerEvent {
  readonly event: AuditEvent;
  /** The question. */
  readonly apart: ApartText;
}

interface Answered {
  readonly request: Pick<AskRequest, 'question' | 'datasets' | 'mode'>;
  readonly facts: readonly FactRow[];
  /** Null: it was broken off, after it had told facts. */
  readonly final: FinalRow | null;
}

export function answerEvent(
  { randomBytes }: Pick<Environment, 'randomBytes'>,
  { request, facts, final }: Answered,
): AnswerEvent {
  const { question, datasets, mode } = request;
  const kept = apart(question, randomBytes);
  const cited = new Set(
    facts.flatMap(({ quotes }) =>
      quotes.flatMap(({ refId }) => {
        const ref = final?.refs[refId];
        return ref === undefined ? [] : [`${ref.dataset}/${ref.doc_id}`];
      }),
    ),
  );
  const detail = {
    text: kept.digest,
    mode,
    datasets: [...new Set(datasets.map(({ dataset }) => dataset))],
    facts: facts.length,
    cited: [...cited].slice(0, CITED_COUNT_MAX),
    documents: cited.size,
    broken_off: final === null ? true : undefined,
  };
  return { event: { action: 'ask', detail }, apart: kept };
}

/** Adds the id of an answer that is kept. */
export const answerOf = ({ event, apart: kept }: AnswerEvent, answer: string): AnswerEvent => ({
  event: { ...event, detail: { ...event.detail, answer } },
  apart: kept,
});

/** Writes down one that is not kept. @throws SqlError 53100 where it cannot be written down. */
export async function auditAnswer(session: SessionState, { event, apart: kept }: AnswerEvent): Promise<void> {
  await session.directory.audit.noted(actorOf(session), event, kept);
}
