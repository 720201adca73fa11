/** Functions and operators that ask a jsonb value by a SQL/JSON path. Source: PostgreSQL 18, section 9.16.2. */
import { SqlError } from '../../errors.ts';
import { formatJsonb, isJsonObject, type JsonValue, parseJson } from '../../types/json/json.ts';
import { jsonPathOf } from '../../types/json/path-text.ts';
import type { FunctionContext, Operator, ScalarFunction, SetFunction } from '../function.ts';
import { Moment } from './path-moments.ts';
import type { PathItem } from './path-methods.ts';
import { isDataError, PathWalk } from './path-walk.ts';

const ROOT_ID = 0;

interface Question {
  readonly target: string;
  readonly path: string;
  readonly variables: string;
  /** Conversions by the session's time zone are allowed: the `_tz` functions. */
  readonly useZone: boolean;
}

function walkOf(context: FunctionContext, question: Question): PathWalk {
  const root = parseJson(question.target);
  const variables = parseJson(question.variables);
  if (!isJsonObject(variables)) {
    throw new SqlError('invalid_parameter_value', '"vars" argument is not an object', {
      detail: 'Jsonpath parameters should be encoded as key-value pairs of "vars" object.',
    });
  }
  const ids = new Map<JsonValue, number>([[root, ROOT_ID]]);
  return new PathWalk(jsonPathOf(question.path), root, {
    variables,
    settings: context.settings,
    zone: context.settings.timeZone,
    useZone: question.useZone,
    objectId: (object) => {
      const id = ids.get(object) ?? ids.size;
      ids.set(object, id);
      return id;
    },
  });
}

const itemText = (item: PathItem): string => formatJsonb(item instanceof Moment ? String(item) : item);

/** Items up to the first error, which is thrown unless `silent`. */
function* itemsOf(walk: PathWalk, silent: boolean): Generator<PathItem> {
  try {
    yield* walk.items();
  } catch (error) {
    if (!silent || !isDataError(error)) throw error;
  }
}

function existsAt(walk: PathWalk, silent: boolean): boolean | null {
  try {
    return walk.exists(walk.items());
  } catch (error) {
    if (silent && isDataError(error)) return null;
    throw error;
  }
}

/** The one boolean a path gives; null for unknown. */
function matchAt(walk: PathWalk, silent: boolean): boolean | null {
  const [item, ...more] = itemsOf(walk, silent);
  if (more.length === 0 && (typeof item === 'boolean' || item === null)) return item;
  if (silent) return null;
  throw new SqlError('singleton_sql_json_item_required', 'single boolean result is expected');
}

type Call = [target: string, path: string, variables: string, silent: boolean];

const twin = (suffix: '' | '_tz') => {
  const useZone = suffix === '_tz';
  const common = {
    args: ['jsonb', 'jsonpath', 'jsonb', 'bool'],
    argNames: ['target', 'path', 'vars', 'silent'],
    defaults: ["'{}'", 'false'],
    volatility: useZone ? 'stable' : 'immutable',
  } as const;
  const ask =
    <T>(answer: (walk: PathWalk, silent: boolean) => T) =>
    (context: FunctionContext, ...[target, path, variables, silent]: Call): T =>
      answer(walkOf(context, { target, path, variables, useZone }), silent);
  const scalars: readonly ScalarFunction[] = [
    {
      ...common,
      name: `jsonb_path_exists${suffix}`,
      returns: 'bool',
      summary: 'Does the path give any item?',
      example: [`SELECT jsonb_path_exists${suffix}('{"a": [1, 2]}', '$.a[*] ? (@ > 1)')`, 't'],
      evaluateIn: ask(existsAt),
    },
    {
      ...common,
      name: `jsonb_path_match${suffix}`,
      returns: 'bool',
      summary: "The result of the path's condition.",
      example: [`SELECT jsonb_path_match${suffix}('{"a": [1, 2]}', 'exists($.a[*] ? (@ > 1))')`, 't'],
      evaluateIn: ask(matchAt),
    },
    {
      ...common,
      name: `jsonb_path_query_array${suffix}`,
      returns: 'jsonb',
      summary: 'All items of the path as an array.',
      example: [`SELECT jsonb_path_query_array${suffix}('{"a": [1, 2, 3]}', '$.a[*] ? (@ > 1)')`, '[2, 3]'],
      evaluateIn: ask((walk, silent) => `[${[...itemsOf(walk, silent)].map(itemText).join(', ')}]`),
    },
    {
      ...common,
      name: `jsonb_path_query_first${suffix}`,
      returns: 'jsonb',
      summary: 'The first item of the path.',
      example: [`SELECT jsonb_path_query_first${suffix}('{"a": [1, 2, 3]}', '$.a[*] ? (@ > 1)')`, '2'],
      evaluateIn: ask((walk, silent) => {
        const [first] = [...itemsOf(walk, silent)];
        return first === undefined ? null : itemText(first);
      }),
    },
  ];
  const set: SetFunction = {
    ...common,
    name: `jsonb_path_query${suffix}`,
    returns: 'jsonb',
    summary: 'Each item of the path.',
    example: [`SELECT sum(i::int) FROM jsonb_path_query${suffix}('{"a": [1, 2, 3]}', '$.a[*]') i`, '6'],
    rows: ask((walk, silent) => [...itemsOf(walk, silent)].map((item) => [itemText(item)])),
  };
  return { scalars, set };
};

const PLAIN = twin('');
const ZONED = twin('_tz');

export const JSON_PATH_FUNCTIONS: readonly ScalarFunction[] = [...PLAIN.scalars, ...ZONED.scalars];
export const JSON_PATH_SETS: readonly SetFunction[] = [PLAIN.set, ZONED.set];

const asked =
  (answer: (walk: PathWalk, silent: boolean) => boolean | null): NonNullable<Operator['evaluateIn']> =>
  (context, target: string, path: string) =>
    answer(walkOf(context, { target, path, variables: '{}', useZone: false }), true);

export const JSON_PATH_OPERATORS: readonly Operator[] = [
  {
    name: '@?',
    left: 'jsonb',
    right: 'jsonpath',
    returns: 'bool',
    summary: 'Does the path give any item? Errors of the data are null.',
    example: [`SELECT '{"a": [1, 2]}'::jsonb @? '$.a[*] ? (@ > 1)'`, 't'],
    evaluateIn: asked(existsAt),
  },
  {
    name: '@@',
    left: 'jsonb',
    right: 'jsonpath',
    returns: 'bool',
    summary: "The result of the path's condition. Errors of the data are null.",
    example: [`SELECT '{"a": [1, 2]}'::jsonb @@ '$.a[*] > 1'`, 't'],
    evaluateIn: asked(matchAt),
  },
];
