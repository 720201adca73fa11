/**
 * A plan that a language model writes. Nothing of it is believed: a sub-question must be about what the question is
 * about and of years that it or a document names; whom it is of is read from its words. It is searched for like any.
 */
import type { Question, Reader } from '../question.ts';
import { yearsIn } from '../question.ts';
import type { Sender } from '../../inference/sender.ts';
import type { Writer } from '../writer.ts';
import { type KnownDocuments, scopeOf } from './scope.ts';
import type { SubQuestion } from './sub-question.ts';

const SYSTEM = `You plan research over a collection of documents. Take the question apart into
sub-questions that together answer it: each stands by itself, is about one thing, names whom and which year it
is about, and is in the language of the question. Do not answer. Reply with JSON only, of this form:
{"questions": ["…", "…"]}`;

const SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['questions'],
  properties: { questions: { type: 'array', items: { type: 'string' } } },
} as const;

const TEXT_CHARACTERS_MAX = 300;
/** Sub-questions that are looked at. */
const LOOKED_AT_MAX = 64;

interface PlanRequest {
  readonly question: Question;
  readonly known: KnownDocuments;
  readonly reader: Reader;
  /** Sub-questions, at most. */
  readonly max: number;
}

/** @throws Error that says why there is none; the signal's reason. */
export async function writtenPlan(
  writer: Writer,
  request: PlanRequest,
  signal: AbortSignal,
  sender: Sender,
): Promise<readonly SubQuestion[]> {
  const { question, known, max } = request;
  const user = JSON.stringify({ question: question.text, questions_at_most: max, years: known.years });
  const text = await writer.text({ system: SYSTEM, user, schema: SCHEMA }, signal, sender);
  const kept: SubQuestion[] = [];
  for (const one of questionsIn(text).slice(0, LOOKED_AT_MAX)) {
    const sub = kept.length < max ? checked(one, request) : null;
    if (sub !== null && !kept.some((other) => other.text.toLowerCase() === sub.text.toLowerCase()))
      kept.push(sub);
  }
  if (kept.length === 0) throw new Error('it wrote no sub-question of the question');
  return kept;
}

/** @throws Error. */
function questionsIn(text: string): readonly string[] {
  try {
    const { questions } = JSON.parse(text) as { readonly questions?: unknown };
    if (Array.isArray(questions)) return questions.filter((one: unknown) => typeof one === 'string');
  } catch {
    // Told below, as what is JSON of another form.
  }
  throw new Error('its plan is not of the form that was asked for');
}

/** Null where it is about something else. */
function checked(text: string, { question, known, reader }: PlanRequest): SubQuestion | null {
  const plain = text.replace(/\s+/g, ' ').trim();
  if (plain.length > TEXT_CHARACTERS_MAX) return null;
  const { terms } = reader.read(plain, question.language);
  const wanted = new Set(question.terms);
  const years = yearsIn(plain);
  const isOfYears = years.every((year) => question.years.includes(year) || known.years.includes(year));
  if (!isOfYears || !terms.some((term) => wanted.has(term))) return null;
  const all = scopeOf(question.core, question.language, known).entities?.items ?? [];
  const named = all.filter((entity) => plain.toLowerCase().includes(entity.toLowerCase()));
  const entity = named.length === 1 ? (named[0] ?? null) : null;
  const others = entity === null ? [] : all.filter((other) => other !== entity);
  return { text: plain, origin: 'part', entity, others, years, kind: null };
}
