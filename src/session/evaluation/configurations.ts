/** The configurations of an EVALUATE: what each is called, and its options. */
import { SqlError } from '../../errors.ts';
import type { AskMode, SearchRequest } from '../../functions/services.ts';
import {
  EVALUATION_CONFIGURATIONS_COUNT_MAX,
  EVALUATION_QUESTIONS_COUNT_MAX,
  FILTER_CHARACTERS_MAX,
  NAME_BYTES_MAX,
  SEARCH_RESULTS_COUNT_MAX,
} from '../../limits.ts';
import type { EvaluationOption, EvaluationStatement, WrittenQuery } from '../../sql/ast.ts';
import { OID } from '../../types/oids.ts';
import { choiceOption, countOption, type Sent, textOption, wrongOption } from './option-values.ts';

export type EvaluateStatement = Extract<EvaluationStatement, { readonly kind: 'evaluate' }>;

interface Options {
  readonly name: string | null;
  /** Results, or cited pages, that are judged. */
  readonly topK: number;
  readonly results: SearchRequest['results'];
  readonly mode: AskMode;
  /** Facts among which the answer is looked for. */
  readonly facts: number;
  readonly filter: string | null;
  /** So many of the evaluation's questions, the first ones; null: all. */
  readonly questions: number | null;
}

export interface Configuration extends Options {
  readonly name: string;
  readonly kind: 'search' | 'ask';
  readonly datasets: readonly string[];
  /** Query that finds rows in place of `search()`. */
  readonly query: WrittenQuery | null;
  /** As they were given, by name. */
  readonly given: Readonly<Record<string, string | number>>;
}

type Read = (option: EvaluationOption, sent: Sent) => Partial<Options>;

const READ = {
  name: (option, sent) => ({ name: textOption(option, sent, { charactersMax: NAME_BYTES_MAX }) }),
  top_k: (option, sent) => ({
    topK: countOption(option, sent, { min: 1, max: SEARCH_RESULTS_COUNT_MAX }),
  }),
  results: (option, sent) => ({ results: choiceOption(option, sent, ['passages', 'chunks', 'pages']) }),
  mode: (option, sent) => ({ mode: choiceOption(option, sent, ['auto', 'summarize']) }),
  facts: (option, sent) => ({
    facts: countOption(option, sent, { min: 1, max: SEARCH_RESULTS_COUNT_MAX }),
  }),
  filter: (option, sent) => ({
    filter: textOption(option, sent, { charactersMax: FILTER_CHARACTERS_MAX }),
  }),
  questions: (option, sent) => ({
    questions: countOption(option, sent, { min: 1, max: EVALUATION_QUESTIONS_COUNT_MAX }),
  }),
} as const satisfies Readonly<Record<string, Read>>;

type OptionName = keyof typeof READ;

const TAKEN: Readonly<Record<'search' | 'ask' | 'using', readonly OptionName[]>> = {
  search: ['name', 'top_k', 'results', 'filter', 'questions'],
  ask: ['name', 'mode', 'top_k', 'facts', 'filter', 'questions'],
  using: ['top_k', 'questions'],
};

const DEFAULTS: Options = {
  name: null,
  topK: 10,
  results: 'passages',
  mode: 'auto',
  facts: 3,
  filter: null,
  questions: null,
};
const CITED_DEFAULT = 5;

/** @throws SqlError 22023, 22004, 42601, 42712, 42P02, 54000, with the option's position. */
export function configurationsOf(statement: EvaluateStatement, sent: Sent): readonly Configuration[] {
  const { asks, queries, configurations, datasets } = statement;
  const kind = asks ? 'ask' : 'search';
  const usesQueries = queries.length > 0;
  const lists = configurations.length === 0 ? [{ at: 0, options: [] }] : configurations;
  if (usesQueries && lists.length > 1) {
    throw new SqlError('syntax_error', 'queries take one list of options', {
      position: lists[1]?.at || undefined,
      hint: 'Write another query after USING: USING a AS (…), b AS (…).',
    });
  }
  const defaults = asks ? { ...DEFAULTS, topK: CITED_DEFAULT } : DEFAULTS;
  const taken = TAKEN[usesQueries ? 'using' : kind];
  const read = lists.map(({ at, options }) => ({
    ...readOptions(options, sent, { taken, defaults }),
    at,
  }));
  const common = { kind, datasets: datasets.map(({ name }) => name) } as const;
  const all = usesQueries
    ? queries.map(({ at, label, query }) => ({
        ...(read[0] as ReadOptions),
        ...common,
        at,
        name: label,
        query,
      }))
    : read.map((one) => ({ ...one, ...common, query: null }));
  if (all.length > EVALUATION_CONFIGURATIONS_COUNT_MAX) {
    const message = `${all.length} configurations are more than ${EVALUATION_CONFIGURATIONS_COUNT_MAX}`;
    throw new SqlError('program_limit_exceeded', message);
  }
  const named = all.map((one, i) => ({
    ...one,
    name: one.name ?? (all.length === 1 ? 'default' : String(i + 1)),
  }));
  checkNames(named);
  return named;
}

type ReadOptions = Options & Pick<Configuration, 'given'>;

function readOptions(
  options: readonly EvaluationOption[],
  sent: Sent,
  { taken, defaults }: { readonly taken: readonly OptionName[]; readonly defaults: Options },
): ReadOptions {
  let read: Options = defaults;
  const given: Record<string, string | number> = {};
  for (const option of options) {
    const name = taken.find((known) => known === option.name);
    if (name === undefined) {
      throw wrongOption(option, `unrecognized parameter "${option.name}"`, `There are ${taken.join(', ')}.`);
    }
    if (name in given) throw wrongOption(option, `parameter "${name}" is given twice`);
    const value = READ[name](option, sent);
    read = { ...read, ...value };
    given[name] = Object.values(value)[0] ?? '';
  }
  return { ...read, given };
}

/** @throws SqlError 42712. */
function checkNames(named: readonly { readonly name: string; readonly at: number }[]): void {
  const twice = named.find(({ name }, i) => named.findIndex((other) => other.name === name) !== i);
  if (twice === undefined) return;
  throw new SqlError('duplicate_alias', `configuration "${twice.name}" is given twice`, {
    position: twice.at || undefined,
    hint: 'Give each a name of its own: WITH (name = …), (name = …), or USING a AS (…), b AS (…).',
  });
}

/** OIDs of the parameters that options are, as far as the client gave them; texts where it did not. */
export function optionParameters(
  { configurations }: EvaluateStatement,
  types: readonly number[],
): readonly number[] {
  const numbers = configurations.flatMap(({ options }) => options.map(({ parameter }) => parameter ?? 0));
  const count = Math.max(types.length, ...numbers);
  return Array.from({ length: count }, (_, i) => types[i] || OID.text);
}
