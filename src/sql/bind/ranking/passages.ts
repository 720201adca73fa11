/**
 * snippet(col [, query]) and highlight(col [, query]): calls of the functions of those names with the options
 * of the column's keyword index. A query that is left out is that of the level's keyword predicates on the
 * column, known when all its clauses are bound.
 */
import { present } from '../../../assert.ts';
import { findIndex, type Index, indexedName } from '../../../catalog/model.ts';
import { SqlError } from '../../../errors.ts';
import { OID } from '../../../types/oids.ts';
import { type Expression, literal, reference, TEXT } from '../draft.ts';
import { arrayDatum } from '../../../types/composite/array.ts';
import { operate } from '../expression/operators.ts';
import { isUndeclared } from '../expression/undeclared.ts';
import { columnPath } from '../relation/text-path.ts';
import { bindExpression } from '../context.ts';
import { type Call, callFunction } from '../expression/arguments.ts';
import { arrayTypeOf } from '../expression/coerce.ts';
import type { KeywordArm, Level, PassageCall } from '../level.ts';
import { constantNames } from './call.ts';
import { answeringIndexes, chooseIndexes, type IndexedColumn, KINDS_OF_WORDS } from './index-choice.ts';
import { newId } from '../state.ts';

/** Arguments in order; those behind the query may be given by name. */
const PASSAGES: Readonly<Record<string, readonly string[]>> = {
  snippet: ['col', 'query', 'options'],
  highlight: ['col', 'query', 'before', 'after', 'html', 'options'],
};
const DEFAULTS: Readonly<Record<string, Expression>> = {
  before: literal('<b>', TEXT),
  after: literal('</b>', TEXT),
  html: literal(false, { oid: OID.bool, modifier: -1 }),
};

export function isPassage(name: string): boolean {
  return Object.hasOwn(PASSAGES, name);
}

export function bindPassage(level: Level, call: Call): Expression {
  const args = passageArguments(level, call);
  const named = call.args.find(({ name }) => name === 'index')?.value;
  const bound: PassageCall = {
    id: newId(level.state),
    name: call.name,
    args,
    indexes: named === undefined ? [] : constantNames(named, 'index', call),
    at: call.at,
  };
  const query = args.get('query');
  if (query) return passageOf(level, bound, query);
  level.passageCalls.push(bound);
  return reference(bound.id, TEXT, call.at);
}

/** @throws SqlError 42883 showing the form. */
function passageArguments(level: Level, call: Call): ReadonlyMap<string, Expression> {
  const names = PASSAGES[call.name] ?? [];
  const args = new Map<string, Expression>();
  for (const [i, arg] of call.args.entries()) {
    if (arg.name === 'index') continue;
    const name = arg.name ?? names[i];
    if (name === undefined || !names.includes(name) || args.has(name)) throw wrongCall(call, names);
    args.set(name, bindExpression(level, arg.value));
  }
  const plain = !call.over && !call.distinct && !call.star && !call.filter && call.order.length === 0;
  if (!args.has('col') || !plain) throw wrongCall(call, names);
  return args;
}

function wrongCall(call: Call, names: readonly string[]): SqlError {
  return new SqlError('undefined_function', `${call.name} is not called with these arguments`, {
    position: call.at,
    hint: `It is ${call.name}(${names.join(', ')}); all but the first may be left out, and it may be given index => 'name'.`,
  });
}

/** Ends the level: calls without a query get that of the keyword predicates. */
export function finishPassages(level: Level): void {
  for (const call of level.passageCalls) {
    level.state.substitutes.set(call.id, passageOf(level, call, predicateQuery(level, call)));
  }
}

function passageOf(level: Level, call: PassageCall, query: Expression): Expression {
  const options = JSON.stringify(indexOf(level, call)?.options ?? {});
  const given: Readonly<Record<string, Expression>> = {
    ...DEFAULTS,
    options: literal(options, { oid: OID.jsonb, modifier: -1 }),
    ...Object.fromEntries(call.args),
    col: textOf(level, call.args.get('col') as Expression),
    query,
  };
  const args = (PASSAGES[call.name] ?? []).map((name) => given[name] as Expression);
  return callFunction(level, { name: call.name, args, at: call.at });
}

/** `meta['title']` is searched as the text there, a column whose documents differ as the text of each. */
function textOf(level: Level, col: Expression): Expression {
  if (col.kind === 'column' && col.type.oid === OID.jsonb && isUndeclared(level, col)) {
    return callFunction(level, { name: 'undeclared_cast', args: [col], at: col.at ?? 0 });
  }
  if (col.type.oid !== OID.jsonb || columnPath(col) === null) return col;
  const whole = literal(arrayDatum(OID.text, []), arrayTypeOf(TEXT, col.at ?? 0));
  return operate(level, { operator: '#>>', left: col, right: whole, at: col.at ?? 0 });
}

/** Index of a stored column: the one named, that of the level's first predicate on the column, or what would answer one. */
function indexOf(level: Level, call: PassageCall): Index | undefined {
  const column = storedColumn(level, call);
  if (column === undefined) {
    if (call.indexes.length === 0) return undefined;
    throw new SqlError(
      'wrong_object_type',
      `${call.name} with an index needs a column of a stored relation`,
      {
        position: call.at,
      },
    );
  }
  if (call.indexes.length > 0) {
    const wish = { function: call.name, at: call.at, kinds: KINDS_OF_WORDS, named: call.indexes };
    return chooseIndexes([column], wish)[0];
  }
  const fitting = answeringIndexes(column, KINDS_OF_WORDS);
  const [arm] = predicatesOn(level, fitting);
  return fitting.find(({ oid }) => arm?.indexes.includes(oid)) ?? fitting[0];
}

function storedColumn(level: Level, { args }: PassageCall): IndexedColumn | undefined {
  const col = args.get('col') as Expression;
  const within = columnPath(col);
  const stored = within?.column ?? col;
  const info = stored.kind === 'column' ? level.state.columns.get(stored.id) : undefined;
  const relation = info && level.state.context.catalog.relations.get(info.relation);
  if (info === undefined || relation === undefined) return undefined;
  const { attribute, name } = info;
  return { relation, attribute, path: within?.path, name, type: stored.type };
}

const predicatesOn = (level: Level, indexes: readonly Index[]): readonly KeywordArm[] =>
  level.keywordArms
    .map(({ arm }) => arm)
    .filter((arm) => indexes.some(({ oid }) => arm.indexes.includes(oid)));

/** Query of the level's predicates on the column, one after the other. */
function predicateQuery(level: Level, call: PassageCall): Expression {
  const column = storedColumn(level, call);
  const indexes = column === undefined ? [] : answeringIndexes(column, KINDS_OF_WORDS);
  const predicates = predicatesOn(level, indexes);
  const texts = predicates.map((arm) => wordsOf(level, arm, call.at));
  const [first] = texts;
  if (first === undefined) return literal('', TEXT);
  const separator = literal(' ', TEXT);
  return texts.length === 1 && predicates[0]?.operator !== 'web'
    ? first
    : callFunction(level, { name: 'concat_ws', args: [separator, ...texts], at: call.at });
}

function wordsOf(level: Level, arm: KeywordArm, at: number): Expression {
  if (arm.operator !== 'web') return asText(level, arm.query, at);
  return webQueryWords(level, arm, at);
}

/** Words that a web query looks for; NULL: nothing. */
export function webQueryWords(
  level: Level,
  { indexes, query }: Pick<KeywordArm, 'indexes' | 'query'>,
  at: number,
): Expression {
  const names = indexes.map((oid) => searchedBy(level, oid));
  const elements = names.map((name) => literal(name, TEXT));
  const fields: Expression = { kind: 'array', elements, type: arrayTypeOf(TEXT, at) };
  return callFunction(level, { name: 'web_query_words', args: [query, fields], at });
}

function searchedBy(level: Level, oid: number): string {
  const { relation, index } = present(findIndex(level.state.context.catalog, oid), 'index');
  return indexedName(relation, index);
}

function asText(level: Level, query: Expression, at: number): Expression {
  if (query.type.oid === OID.text) return query;
  return callFunction(level, { name: 'array_to_string', args: [query, literal(' ', TEXT)], at });
}
