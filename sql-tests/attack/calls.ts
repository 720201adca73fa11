/** Calls of every volatile function that the registry has, whatever it says that it does, with arguments that would tell. */
import { effectOf } from '../../src/functions/effect.ts';
import type { ScalarFunction } from '../../src/functions/function.ts';
import { allFunctions, allSetFunctions } from '../../src/functions/registry.ts';
import type { Target } from './world.ts';

/** By the function's name; as many as it has arguments are taken. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  nextval: ["'numbers'"],
  setval: ["'numbers'", '77', 'true'],
  'quern.upsert_file': ["'notes'", "'evil'", "'evil.md'", "'# Evil'::bytea", "'{}'::jsonb"],
  'quern.delete_document': ["'notes'", "'ships'"],
  'quern.update_metadata': ["'notes'", "'ships'", `'{"year": 1}'::jsonb`],
  pg_notify: ["'news'", "'evil'"],
  pg_cancel_backend: ['VICTIM'],
  pg_terminate_backend: ['VICTIM'],
  'quern.reverify': ["'ANSWER'"],
  'quern.cancel_research': ["'RESEARCH'"],
};

/** By the argument's type, where the name says nothing. */
const SAMPLES: Readonly<Record<string, string>> = {
  text: "'notes'",
  _text: "ARRAY['notes']",
  json: `'[{"_id": "evil", "title": "Evil"}]'::json`,
  jsonb: `'["notes"]'::jsonb`,
  int4: '4711',
  int8: '4711',
  bool: 'true',
  regclass: "'numbers'",
  uuid: "'ANSWER'",
  bytea: "'x'::bytea",
  '...any': "ARRAY['Evil']",
};

const DOCUMENTS = `[{"_id": "evil", "title": "Evil"}, {"_id": "b1", "title": "Evil"}]`;
/** Requests of documents, by the type of these. */
const REQUESTS: Readonly<Record<string, string>> = {
  text: `'${DOCUMENTS}'`,
  json: `'${DOCUMENTS}'::json`,
  jsonb: `'${DOCUMENTS}'::jsonb`,
  _text: "ARRAY['_id', 'title'], ARRAY['evil'], ARRAY['Evil']",
};

interface Row extends Pick<ScalarFunction, 'effect' | 'volatility'> {
  readonly name: string;
  readonly args: readonly string[];
}

function callOf({ name, args }: Row): string {
  if (name === 'quern.upsert' || name === 'quern.update') {
    const rest = args[2] === 'bool' ? ', false' : '';
    return `${name}('books', ${REQUESTS[args[1] ?? ''] ?? 'NULL'}${rest})`;
  }
  if (/research$/.test(name) && args.length === 3) {
    const [, datasets = ''] = args;
    return `${name}('What was the revenue of Acme?', ${SAMPLES[datasets] ?? 'NULL'}, NULL)`;
  }
  const named = ARGUMENTS[name];
  return `${name}(${args.map((type, i) => named?.[i] ?? SAMPLES[type] ?? 'NULL').join(', ')})`;
}

interface Calls {
  /** Expressions. */
  readonly values: readonly string[];
  /** Table functions, and views. */
  readonly rows: readonly string[];
}

/** @returns `known` to write, or to reach beyond their session; and all that might. */
export function volatileCalls({ victim, answer, research }: Target): {
  readonly known: Calls;
  readonly all: Calls;
} {
  const filled = (call: string): string =>
    call.replaceAll('VICTIM', String(victim)).replaceAll('ANSWER', answer).replaceAll('RESEARCH', research);
  const calls = (rows: readonly Row[]): string[] => rows.map(callOf).map(filled);
  const does = (row: Row): boolean => effectOf(row) === 'data' || effectOf(row) === 'server';
  const isVolatile = ({ volatility }: Row): boolean => volatility === 'volatile';
  const own = ['take()', 'take_two()', 'take_atomic()', 'unlock()', '(SELECT n FROM counting)'];
  const ownRows = ['take_rows()', 'counting', 'shouting'];
  return {
    known: {
      values: [...calls(allFunctions().filter(does)), ...own],
      rows: [...calls(allSetFunctions().filter(does)), ...ownRows],
    },
    all: {
      values: calls(allFunctions().filter(isVolatile)),
      rows: calls(allSetFunctions().filter(isVolatile)),
    },
  };
}
