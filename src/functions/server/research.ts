/** `research()` and the functions of its runs: what they take and give. What they do is behind `services.ts`. */
import type { Datum } from '../../types/datum.ts';
import type { ScalarFunction, SetFunction } from '../function.ts';
import { ANSWER_COLUMNS, answerRows } from './dataset-ask.ts';
import { DATASET_FORMS, onceEach } from './wanted-datasets.ts';

const columns = ANSWER_COLUMNS.map(({ name, type }) => ({ name, type }));

const ARGUMENTS = {
  argNames: ['question', 'datasets', 'filter'],
  defaults: ['null'],
  strict: false,
  volatility: 'volatile',
  effect: 'kept',
} as const;

const RESEARCH: readonly SetFunction[] = DATASET_FORMS.map(({ type, sqlType, wanted }) => ({
  ...ARGUMENTS,
  name: 'quern.research',
  args: ['text', type, 'text'],
  returns: 'record',
  columns,
  effort: 0,
  summary:
    'Takes a question apart, searches for each part, and answers: steps as they come, facts, the answer.',
  example: [`SELECT count(*) FROM quern.research(NULL, NULL::${sqlType})`, '0'],
  rows: ({ services }, question, datasets, filter) => {
    if (question === null || datasets === null) return [];
    return answerRows(services.research.rows({ question, datasets: onceEach(wanted(datasets)), filter }));
  },
}));

export const RESEARCH_SETS: readonly SetFunction[] = [
  ...RESEARCH,
  {
    name: 'quern.research_result',
    args: ['uuid'],
    argNames: ['research_id'],
    returns: 'record',
    columns,
    effort: 0,
    volatility: 'volatile',
    effect: 'none',
    summary: 'What a run of research does and gives, from its beginning; waits for its end.',
    example: ['SELECT count(*) FROM quern.research_result(NULL)', '0'],
    rows: ({ services }, id) => answerRows(services.research.result(id)),
  },
];

const START: readonly ScalarFunction[] = DATASET_FORMS.map(({ type, sqlType, wanted }) => ({
  ...ARGUMENTS,
  name: 'quern.start_research',
  args: ['text', type, 'text'],
  returns: 'uuid',
  summary: 'Begins research in the background: its id, at once.',
  example: [`SELECT quern.start_research(NULL, NULL::${sqlType})`, null],
  evaluateLater: async ({ services }, question, datasets, filter): Promise<Datum> => {
    if (question === null || datasets === null) return null;
    return services.research.start({ question, datasets: onceEach(wanted(datasets)), filter });
  },
}));

export const RESEARCH_FUNCTIONS: readonly ScalarFunction[] = [
  ...START,
  {
    name: 'quern.cancel_research',
    args: ['uuid'],
    argNames: ['research_id'],
    returns: 'bool',
    volatility: 'volatile',
    effect: 'kept',
    summary: 'Ends a run of research; false where it is not under way.',
    example: ['SELECT quern.cancel_research(NULL)', null],
    evaluateLater: ({ services }, id) => services.research.cancel(id),
  },
];
