/** `ask()` and `ask_json()`: what they take and give. What they do is behind `services.ts`. */
import { SqlError } from '../../errors.ts';
import { formatJsonb, jsonOf } from '../../types/json/json.ts';
import { arrayDatum } from '../../types/composite/array.ts';
import { OID } from '../../types/oids.ts';
import type { Datum } from '../../types/datum.ts';
import type { FunctionContext, ScalarFunction, SetFunction } from '../function.ts';
import type { AskMode, AskRequest, AskRow } from '../services.ts';
import { DATASET_FORMS, onceEach } from './wanted-datasets.ts';

const MODES: readonly AskMode[] = ['auto', 'summarize', 'research'];

/** @throws SqlError 22023. */
function modeOf(name: string): AskMode {
  const known = MODES.find((mode) => mode === name);
  if (known !== undefined) return known;
  throw new SqlError('invalid_parameter_value', `unknown mode "${name}"`, {
    hint: `Modes are ${MODES.join(', ')}.`,
  });
}

const jsonb = (value: unknown): string => formatJsonb(jsonOf(value));

/** Columns of `ask`, each with what rows of some kinds have in it. */
export const ANSWER_COLUMNS: readonly {
  readonly name: string;
  readonly type: string;
  readonly value: (row: AskRow) => Datum;
}[] = [
  { name: 'kind', type: 'text', value: ({ kind }) => kind },
  { name: 'update', type: 'text', value: (row) => (row.kind === 'progress' ? row.update : null) },
  { name: 'fact', type: 'text', value: (row) => (row.kind === 'fact' ? row.fact : null) },
  {
    name: 'ref_ids',
    type: '_text',
    value: (row) => (row.kind === 'fact' ? arrayDatum(OID.text, [...row.refIds]) : null),
  },
  { name: 'refs', type: 'jsonb', value: (row) => (row.kind === 'answer' ? jsonb(row.refs) : null) },
  { name: 'confidence', type: 'float8', value: (row) => (row.kind === 'answer' ? row.confidence : null) },
];

/** As rows of SQL. */
export async function* answerRows(rows: AsyncIterable<AskRow>): AsyncGenerator<readonly Datum[]> {
  for await (const row of rows) yield ANSWER_COLUMNS.map(({ value }) => value(row));
}

/** The whole answer as one object. */
async function whole({ services }: FunctionContext, request: AskRequest): Promise<string> {
  const facts: { readonly fact: string; readonly ref_ids: readonly string[] }[] = [];
  for await (const row of services.datasets.ask(request)) {
    if (row.kind === 'fact') facts.push({ fact: row.fact, ref_ids: row.refIds });
    if (row.kind === 'answer') return jsonb({ facts, refs: row.refs, confidence: row.confidence });
  }
  throw new Error('ask() ended without an answer');
}

const ARGUMENTS = {
  argNames: ['question', 'datasets', 'mode', 'filter', 'thread'],
  defaults: ["'auto'", 'null', 'null'],
  strict: false,
  volatility: 'volatile',
  // The answer is kept where the session may do so: `session/answers/kept-rows.ts` looks.
  effect: 'none',
} as const;

type Form = (typeof DATASET_FORMS)[number];

/** Null where there is no question, or nothing to ask; in a thread, no datasets are those of the question before. */
function requestOf(
  { wanted }: Form,
  [question, datasets, mode, filter, thread]: Parameters<SetFunction['rows']> extends [unknown, ...infer Rest]
    ? Rest
    : never,
): AskRequest | null {
  if (question === null || (datasets === null && thread === null)) return null;
  const asked = datasets === null ? [] : onceEach(wanted(datasets));
  return { question, datasets: asked, mode: modeOf(mode ?? 'auto'), filter, thread };
}

export const ASK_SETS: readonly SetFunction[] = DATASET_FORMS.map((form) => ({
  ...ARGUMENTS,
  name: 'quern.ask',
  args: ['text', form.type, 'text', 'text', 'text'],
  returns: 'record',
  columns: ANSWER_COLUMNS.map(({ name, type }) => ({ name, type })),
  effort: 0,
  summary: 'Answers a question from datasets: facts whose words stand in what they cite, row by row.',
  example: [`SELECT count(*) FROM quern.ask(NULL, NULL::${form.sqlType})`, '0'],
  rows: ({ services }, ...args) => {
    const request = requestOf(form, args);
    return request === null ? [] : answerRows(services.datasets.ask(request));
  },
}));

export const ASK_FUNCTIONS: readonly ScalarFunction[] = DATASET_FORMS.map((form) => ({
  ...ARGUMENTS,
  name: 'quern.ask_json',
  args: ['text', form.type, 'text', 'text', 'text'],
  returns: 'jsonb',
  summary: "The whole of an ask()'s answer as one object: facts, refs, confidence.",
  example: [`SELECT quern.ask_json(NULL, NULL::${form.sqlType})`, null],
  evaluateLater: async (context, ...args): Promise<Datum> => {
    const request = requestOf(form, args);
    return request === null ? null : whole(context, request);
  },
}));
