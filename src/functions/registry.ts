/** Every function, operator, cast and aggregate: the tables of the group files by id and by name. */
import { present } from '../assert.ts';
import { arrayDatum } from '../types/composite/array.ts';
import type { ArrayDatum, Datum } from '../types/datum.ts';
import { findType, typeByOid } from '../types/registry.ts';
import { TYPED_TEXT_FUNCTIONS, TYPED_TEXT_SETS } from './search/typed-text.ts';
import { ANSWER_FUNCTIONS, ANSWER_SETS } from './server/answers.ts';
import { ASK_FUNCTIONS, ASK_SETS } from './server/dataset-ask.ts';
import { RESEARCH_FUNCTIONS, RESEARCH_SETS } from './server/research.ts';
import { SAVED_QUERY_FUNCTIONS } from './server/saved-queries.ts';
import { DATASET_SETS } from './server/dataset-search.ts';
import { DATASET_FUNCTIONS } from './server/datasets.ts';
import { DOCUMENT_SETS } from './server/documents.ts';
import { ADMINISTRATION_FUNCTIONS, ADMINISTRATION_SETS } from './server/administration.ts';
import { AGGREGATES } from './aggregate/aggregate.ts';
import { ARITHMETIC_OPERATORS } from './number/arithmetic.ts';
import { ARRAY_FUNCTIONS, ARRAY_OPERATORS } from './value/array.ts';
import { ARRAY_EDIT_FUNCTIONS, ARRAY_SETS } from './value/array-edits.ts';
import { BIT_FUNCTIONS, BIT_OPERATORS } from './number/bit-strings.ts';
import { CASTS } from './cast.ts';
import { SPARSE_VECTOR_FUNCTIONS, SPARSE_VECTOR_OPERATORS } from './vector/sparse-vectors.ts';
import { TIME_FUNCTIONS, TIME_OPERATORS } from './time/times.ts';
import { CONTAINMENT_FUNCTIONS } from './value/containment.ts';
import { COMPARISON_OPERATORS } from './value/comparison.ts';
import { DATETIME_FUNCTIONS, DATETIME_OPERATORS } from './time/datetime.ts';
import { setWithLeave, withLeave } from './effect.ts';
import { ENUM_FUNCTIONS } from './value/enum.ts';
import { FORMATTING_FUNCTIONS } from './time/formatting.ts';
import type {
  AggregateFunction,
  Cast,
  FunctionContext,
  Operator,
  ScalarFunction,
  SetFunction,
} from './function.ts';
import { INFERENCE_FUNCTIONS } from './vector/inference.ts';
import { JSON_FUNCTIONS, JSON_OPERATORS } from './json/json.ts';
import { JSON_SETS } from './json/text-functions.ts';
import { JSON_NAMED_FUNCTIONS } from './json/named.ts';
import { JSON_ASSIGN } from './json/assign.ts';
import { JSON_SET_LAX } from './json/set-lax.ts';
import { JSON_RECORD_SETS } from './json/record.ts';
import { JSON_PATH_FUNCTIONS, JSON_PATH_OPERATORS, JSON_PATH_SETS } from './json/path.ts';
import { MATCHING_FUNCTIONS, MATCHING_OPERATORS, MATCHING_SETS } from './text/matching.ts';
import { TRIGRAM_FUNCTIONS, TRIGRAM_OPERATORS } from './text/trigrams.ts';
import { GEO_FUNCTIONS } from './number/geo.ts';
import { MATH_FUNCTIONS } from './number/math.ts';
import { RANDOM_FUNCTIONS } from './number/random.ts';
import { NOTIFY_FUNCTIONS, NOTIFY_SETS } from './server/notify.ts';
import { NULL_FUNCTIONS } from './value/nulls.ts';
import { OBJECT_NAME_FUNCTIONS, OBJECT_NAME_SETS } from './server/object-names.ts';
import { ORDERED_SET_AGGREGATES } from './aggregate/ordered-set.ts';
import { RECORD_OPERATORS } from './value/record.ts';
import { REGRESSION_AGGREGATES } from './aggregate/regression.ts';
import { PASSAGE_FUNCTIONS } from './search/passages.ts';
import { PRIVILEGE_FUNCTIONS } from './server/privilege.ts';
import { SESSION_FUNCTIONS } from './server/session.ts';
import { SIZE_FUNCTIONS } from './server/sizes.ts';
import { SET_FUNCTIONS } from './aggregate/set.ts';
import {
  type FunctionKind,
  functionId,
  operatorId,
  type OperatorSignature,
  operatorSignature,
  type Signature,
  signatureOf,
} from './signature.ts';
import { STATISTICS_AGGREGATES } from './aggregate/statistics.ts';
import { SUBSCRIPT_FUNCTIONS } from './value/subscript.ts';
import { SYSTEM_COLUMN_OPERATORS } from './server/system-columns.ts';
import { QUOTING_FUNCTIONS } from './text/quoting.ts';
import { TEXT_FUNCTIONS, TEXT_SETS } from './text/text.ts';
import { TEXT_SEARCH_FUNCTIONS } from './search/text-search.ts';
import { TEXT_SEARCH_OPERATORS } from './search/text-search-operators.ts';
import { CONCATENATION_FUNCTIONS, CONCATENATION_OPERATORS } from './text/concatenation.ts';
import { JSON_AGGREGATES } from './json/aggregate.ts';
import { UNDECLARED_FUNCTIONS } from './value/undeclared.ts';
import { ACL_FUNCTIONS, ACL_SET_FUNCTIONS } from './server/acl-items.ts';
import { ROLE_MEMBERSHIP_FUNCTIONS } from './server/role-membership.ts';
import { RANGE_FUNCTIONS, RANGE_OPERATORS } from './value/range.ts';
import { SEQUENCE_FUNCTIONS, SEQUENCE_SETS } from './server/sequence.ts';
import { UNICODE_FUNCTIONS } from './text/unicode.ts';
import { DEGREE_FUNCTIONS } from './number/degrees.ts';
import { UUID_FUNCTIONS } from './text/uuid.ts';
import { VECTOR_AGGREGATES, VECTOR_FUNCTIONS, VECTOR_OPERATORS } from './vector/vector.ts';
import { WINDOW_FUNCTIONS, type WindowFunction } from './aggregate/window.ts';
import { AUDIT_FUNCTIONS } from './server/audit.ts';
import { KEY_AT_FUNCTIONS } from './server/key-at.ts';
import { RECALL_FUNCTIONS } from './search/recall.ts';
import { WAITING_FUNCTIONS } from './server/waiting.ts';

const SCALARS: readonly ScalarFunction[] = [
  ...INFERENCE_FUNCTIONS,
  ...JSON_FUNCTIONS,
  JSON_ASSIGN,
  JSON_SET_LAX,
  ...JSON_NAMED_FUNCTIONS,
  ...JSON_PATH_FUNCTIONS,
  ...MATCHING_FUNCTIONS,
  ...TRIGRAM_FUNCTIONS,
  ...GEO_FUNCTIONS,
  ...MATH_FUNCTIONS,
  ...RANDOM_FUNCTIONS,
  ...NULL_FUNCTIONS,
  ...NOTIFY_FUNCTIONS,
  ...OBJECT_NAME_FUNCTIONS,
  ...PASSAGE_FUNCTIONS,
  ...PRIVILEGE_FUNCTIONS,
  ...ROLE_MEMBERSHIP_FUNCTIONS,
  ...ACL_FUNCTIONS,
  ...SEQUENCE_FUNCTIONS,
  ...UUID_FUNCTIONS,
  ...SESSION_FUNCTIONS,
  ...SIZE_FUNCTIONS,
  ...WAITING_FUNCTIONS,
  ...RECALL_FUNCTIONS,
  ...AUDIT_FUNCTIONS,
  ...KEY_AT_FUNCTIONS,
  ...SUBSCRIPT_FUNCTIONS,
  ...TEXT_FUNCTIONS,
  ...QUOTING_FUNCTIONS,
  ...TEXT_SEARCH_FUNCTIONS,
  ...CONCATENATION_FUNCTIONS,
  ...UNDECLARED_FUNCTIONS,
  ...ARRAY_FUNCTIONS,
  ...CONTAINMENT_FUNCTIONS,
  ...ARRAY_EDIT_FUNCTIONS,
  ...VECTOR_FUNCTIONS,
  ...DATETIME_FUNCTIONS,
  ...FORMATTING_FUNCTIONS,
  ...TIME_FUNCTIONS,
  ...DEGREE_FUNCTIONS,
  ...UNICODE_FUNCTIONS,
  ...BIT_FUNCTIONS,
  ...SPARSE_VECTOR_FUNCTIONS,
  ...ENUM_FUNCTIONS,
  ...RANGE_FUNCTIONS,
  ...ADMINISTRATION_FUNCTIONS,
  ...DATASET_FUNCTIONS,
  ...ASK_FUNCTIONS,
  ...ANSWER_FUNCTIONS,
  ...RESEARCH_FUNCTIONS,
  ...SAVED_QUERY_FUNCTIONS,
  ...TYPED_TEXT_FUNCTIONS,
].map(withLeave);
const OPERATORS: readonly Operator[] = [
  ...ARITHMETIC_OPERATORS,
  ...COMPARISON_OPERATORS,
  ...JSON_OPERATORS,
  ...JSON_PATH_OPERATORS,
  ...MATCHING_OPERATORS,
  ...TRIGRAM_OPERATORS,
  ...CONCATENATION_OPERATORS,
  ...ARRAY_OPERATORS,
  ...VECTOR_OPERATORS,
  ...DATETIME_OPERATORS,
  ...TIME_OPERATORS,
  ...BIT_OPERATORS,
  ...SPARSE_VECTOR_OPERATORS,
  ...RECORD_OPERATORS,
  ...RANGE_OPERATORS,
  ...TEXT_SEARCH_OPERATORS,
  ...SYSTEM_COLUMN_OPERATORS,
];
const SETS: readonly SetFunction[] = [
  ...SET_FUNCTIONS,
  ...JSON_SETS,
  ...JSON_RECORD_SETS,
  ...JSON_PATH_SETS,
  ...MATCHING_SETS,
  ...NOTIFY_SETS,
  ...OBJECT_NAME_SETS,
  ...ACL_SET_FUNCTIONS,
  ...SEQUENCE_SETS,
  ...TEXT_SETS,
  ...ARRAY_SETS,
  ...ADMINISTRATION_SETS,
  ...DATASET_SETS,
  ...ASK_SETS,
  ...ANSWER_SETS,
  ...RESEARCH_SETS,
  ...DOCUMENT_SETS,
  ...TYPED_TEXT_SETS,
].map(setWithLeave);
const AGGREGATE_ROWS: readonly AggregateFunction[] = [
  ...AGGREGATES,
  ...VECTOR_AGGREGATES,
  ...STATISTICS_AGGREGATES,
  ...JSON_AGGREGATES,
  ...ORDERED_SET_AGGREGATES,
  ...REGRESSION_AGGREGATES,
];

/** Rows that ask whose session it is, or do something in its name. */
const IN_A_NAME: ReadonlySet<string> = new Set(
  [
    ...NOTIFY_FUNCTIONS,
    ...OBJECT_NAME_FUNCTIONS,
    ...PRIVILEGE_FUNCTIONS,
    ...SEQUENCE_FUNCTIONS,
    ...SEQUENCE_SETS,
    ...SESSION_FUNCTIONS,
    ...WAITING_FUNCTIONS,
    ...RECALL_FUNCTIONS,
    ...AUDIT_FUNCTIONS,
    ...KEY_AT_FUNCTIONS,
    ...ADMINISTRATION_FUNCTIONS,
    ...ADMINISTRATION_SETS,
    ...DATASET_FUNCTIONS,
    ...DATASET_SETS,
    ...ASK_FUNCTIONS,
    ...ASK_SETS,
    ...ANSWER_FUNCTIONS,
    ...ANSWER_SETS,
    ...RESEARCH_FUNCTIONS,
    ...RESEARCH_SETS,
    ...SAVED_QUERY_FUNCTIONS,
    ...DOCUMENT_SETS,
    ...TYPED_TEXT_FUNCTIONS,
    ...TYPED_TEXT_SETS,
  ].map(functionId),
);

/** True of functions whose result depends on whose session it is, or that do something in its name. */
export const isInAName = (id: string): boolean => IN_A_NAME.has(id);

const byId = <T>(rows: readonly T[], id: (row: T) => string): ReadonlyMap<string, T> =>
  new Map(rows.map((row) => [id(row), row]));

const FUNCTION_BY_ID: ReadonlyMap<string, ScalarFunction | Operator> = new Map<
  string,
  ScalarFunction | Operator
>([...byId(SCALARS, functionId), ...byId(OPERATORS, operatorId)]);
const AGGREGATE_BY_ID = byId(AGGREGATE_ROWS, functionId);
const SET_BY_ID = byId(SETS, functionId);
const CAST_BY_ID = byId(CASTS, ({ from, to }) => `${from}->${to}`);

function groupByName<T extends { readonly name: string }>(
  signatures: readonly (T | undefined)[],
): ReadonlyMap<string, readonly T[]> {
  return Map.groupBy(
    signatures.filter((signature) => signature !== undefined),
    ({ name }) => name,
  );
}

const signatures = (rows: readonly Parameters<typeof signatureOf>[0][], kind: FunctionKind) =>
  rows.map((row) => signatureOf(row, kind));

const FUNCTIONS_BY_NAME = groupByName<Signature>([
  ...signatures(SCALARS, 'scalar'),
  ...signatures(AGGREGATE_ROWS, 'aggregate'),
  ...signatures(SETS, 'set'),
  ...signatures(WINDOW_FUNCTIONS, 'window'),
]);
const OPERATORS_BY_NAME = groupByName<OperatorSignature>(OPERATORS.map(operatorSignature));

/** @param id `lower(text)`, `+(int4,int4)`, `-(,int4)`. */
export function functionById(id: string): ScalarFunction | Operator {
  return present(FUNCTION_BY_ID.get(id), `function ${id}`);
}

export function aggregateById(id: string): AggregateFunction {
  return present(AGGREGATE_BY_ID.get(id), `aggregate ${id}`);
}

export function setFunctionById(id: string): SetFunction {
  return present(SET_BY_ID.get(id), `set-returning function ${id}`);
}

/** @param id `int4->text`; casts of arrays (`_int4->_text`) follow from those of their elements. */
export function castById(id: string): Cast {
  const cast = CAST_BY_ID.get(id);
  if (cast !== undefined) return cast;
  const [from, to] = id.split('->') as [string, string];
  return arrayCast(from, to);
}

function arrayCast(from: string, to: string): Cast {
  const source = typeByOid(present(findType(from)?.elementOid, `array type ${from}`));
  const target = typeByOid(present(findType(to)?.elementOid, `array type ${to}`));
  const element = CAST_BY_ID.get(`${source.name}->${target.name}`);
  const convert = (context: FunctionContext, value: Datum): Datum => {
    if (element?.evaluate) return element.evaluate(value as never);
    if (element?.evaluateIn) return element.evaluateIn(context, value as never);
    return target.parse(source.format(value, context.settings), -1, context.settings);
  };
  return {
    from,
    to,
    context: 'explicit',
    evaluateIn: (context, value: ArrayDatum) => {
      const elements = value.elements.map((item) => (item === null ? null : convert(context, item)));
      return { ...arrayDatum(target.oid, elements), dimensions: value.dimensions };
    },
  };
}

export const functionsNamed = (name: string): readonly Signature[] =>
  FUNCTIONS_BY_NAME.get(name) ?? FUNCTIONS_BY_NAME.get(`quern.${name}`) ?? [];
export const operatorsNamed = (name: string): readonly OperatorSignature[] =>
  OPERATORS_BY_NAME.get(name) ?? [];
export const functionNames = (): Iterable<string> => FUNCTIONS_BY_NAME.keys();

export const allFunctions = (): readonly ScalarFunction[] => SCALARS;
export const allOperators = (): readonly Operator[] => OPERATORS;
export const allAggregates = (): readonly AggregateFunction[] => AGGREGATE_ROWS;
export const allSetFunctions = (): readonly SetFunction[] => SETS;
export const allWindowFunctions = (): readonly WindowFunction[] => WINDOW_FUNCTIONS;
export const allCasts = (): readonly Cast[] => CASTS;
