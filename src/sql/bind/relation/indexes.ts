/** Indexes as definitions: kind, options and column types checked against `catalog/index-kinds.ts`. */
import {
  fittingTypes,
  INDEX_KINDS,
  INDEX_METHODS,
  type IndexKindRow,
  type IndexOption,
  isOrdinary,
  kindWith,
  optionDefault,
  optionValues,
} from '../../../catalog/index-kinds.ts';
import type { Column, Index } from '../../../catalog/model.ts';
import { type ErrorFields, notSupported, SqlError } from '../../../errors.ts';
import { NAME_BYTES_MAX } from '../../../limits.ts';
import { findTypeByOid, formatType } from '../../../types/registry.ts';
import type { IndexClause, Located } from '../../ast.ts';
import { noOperatorClass } from '../equality.ts';

type GivenOption = Located & { readonly name: string; readonly value: string };

const KINDS: readonly IndexKindRow[] = Object.values(INDEX_KINDS);

/** `keyword_index`, or `keyword` after USING. @throws SqlError 42704 listing those there are. */
export function kindOfClause(clause: string, at: number): IndexKindRow {
  const found = KINDS.find((row) => row.clause === clause);
  if (found) return found;
  const names = KINDS.flatMap((row) => row.clause ?? []);
  throw new SqlError('undefined_object', `index "${clause}" does not exist`, {
    position: at || undefined,
    hint: `Valid index clauses are ${names.map((name) => `${name}()`).join(', ')}.`,
  });
}

/** @param operatorClass of its first column. @throws SqlError 42704 listing those there are, 0A000. */
export function kindOfMethod(
  { method, operatorClass }: { readonly method: string; readonly operatorClass: string | null },
  at: number,
): IndexKindRow {
  const found = kindWith(method, operatorClass);
  if (found) return found;
  if (method === 'gist') throw notSupported(`index method "${method}"`, { position: at || undefined });
  throw new SqlError('undefined_object', `access method "${method}" does not exist`, {
    position: at || undefined,
    hint: `Valid index methods are ${INDEX_METHODS.join(', ')}.`,
  });
}

/**
 * Options with their defaults filled in.
 *
 * @param type of the column, by name. @throws SqlError 22023 listing the valid names or values.
 */
function indexOptions(
  row: IndexKindRow,
  type: string,
  given: readonly GivenOption[],
): Readonly<Record<string, string>> {
  const options: Record<string, string> = {};
  for (const [name, option] of Object.entries(row.options)) {
    const usual = optionDefault(option, type);
    if (usual !== null) options[name] = usual;
  }
  for (const { name, value, at } of given) {
    const option = Object.hasOwn(row.options, name) ? row.options[name] : undefined;
    if (!option) {
      if (TUNING.has(name)) continue;
      throw new SqlError('invalid_parameter_value', `unrecognized parameter "${name}"`, {
        position: at || undefined,
        hint: validNames(row),
      });
    }
    checkOption({ name, value, at }, option, optionValues(option, type));
    option.check?.(value);
    options[name] = value;
  }
  checkGraph(options);
  return options;
}

/** @throws SqlError 22023 with what is valid, 0A000. */
function checkOption(
  { name, value, at }: GivenOption,
  { range, lacking }: IndexOption,
  values: readonly string[] | null,
): void {
  const position = at || undefined;
  const invalid = (message: string, fields: ErrorFields = {}): SqlError =>
    new SqlError('invalid_parameter_value', message, { position, ...fields });
  const hint = `Valid values are ${values?.map((item) => `"${item}"`).join(', ')}.`;
  if (lacking?.includes(value)) throw notSupported(`${name} "${value}"`, { position, hint });
  if (values && !values.includes(value)) {
    throw invalid(`invalid value for parameter "${name}": "${value}"`, { hint });
  }
  if (!range) return;
  if (!/^[+-]?\d+$/.test(value)) throw invalid(`invalid value for integer option "${name}": ${value}`);
  if (Number(value) >= range[0] && Number(value) <= range[1]) return;
  const detail = `Valid values are between "${range[0]}" and "${range[1]}".`;
  throw invalid(`value ${value} out of bounds for option "${name}"`, { detail });
}

/** As pgvector has it. @throws SqlError 22023. */
function checkGraph({ m, ef_construction: ef }: Readonly<Record<string, string>>): void {
  if (ef === undefined || Number(ef) >= 2 * Number(m ?? 16)) return;
  throw new SqlError('invalid_parameter_value', 'ef_construction must be greater than or equal to 2 * m');
}

/** Parameters of pgvector and PostgreSQL that are accepted without effect. */
const TUNING = new Set([
  'lists',
  'fillfactor',
  'deduplicate_items',
  'pages_per_range',
  'fastupdate',
  'autosummarize',
  'gin_pending_list_limit',
]);

function validNames(row: IndexKindRow): string {
  const names = Object.keys(row.options);
  return names.length === 0
    ? `A ${row.kind} index takes no parameters.`
    : `Valid parameters are ${names.join(', ')}.`;
}

/** @throws SqlError 42804 naming kind and type. */
function checkIndexed(row: IndexKindRow, column: Column, at: number): void {
  const type = findTypeByOid(column.type.oid);
  if (row.types === 'any' ? type?.compare : type && row.types.includes(type.name)) return;
  if (row.kind === 'btree') throw noOperatorClass(column.type);
  const shown = formatType(column.type);
  throw new SqlError(
    'datatype_mismatch',
    `${row.article ?? 'a'} ${row.kind} index does not fit column "${column.name}" of type ${shown}`,
    {
      position: at || undefined,
      hint: row.types === 'any' ? undefined : `It fits columns of type ${fittingTypes(row)}.`,
    },
  );
}

export interface IndexParts {
  readonly name: string;
  readonly row: IndexKindRow;
  readonly columns: readonly Column[];
  readonly options: readonly GivenOption[];
  readonly at: number;
}

/** An index that is not behind a constraint. */
export function makeIndex(parts: IndexParts): Index {
  const { name, row, columns, options, at } = parts;
  if (!isOrdinary(row.kind) && columns.length !== 1) {
    throw new SqlError(
      'feature_not_supported',
      `${row.article ?? 'a'} ${row.kind} index has exactly one column`,
      {
        position: at || undefined,
        hint: 'Make one for each: functions may search several columns at once.',
      },
    );
  }
  for (const column of columns) checkIndexed(row, column, at);
  return {
    oid: 0,
    name,
    kind: row.kind,
    columns: columns.map((column) => column.attribute),
    unique: false,
    primary: false,
    options: indexOptions(row, findTypeByOid(columns[0]?.type.oid ?? 0)?.name ?? '', options),
  };
}

/** An inline INDEX clause. @param named names taken already; the new one is added. */
export function clauseIndex(
  table: string,
  clause: IndexClause,
  where: { readonly columns: readonly Column[]; readonly taken: Set<string> },
): Index {
  const row = kindOfClause(clause.clause, clause.at);
  const name = indexName(table, {
    columns: where.columns.map((column) => column.name),
    row,
    taken: where.taken,
  });
  return makeIndex({ name, row, columns: where.columns, options: clause.options, at: clause.at });
}

/** `books_title_idx`; `books_title_keyword_idx` for the kinds of retrieval; a number where it is taken. */
export function indexName(
  table: string,
  parts: {
    readonly columns: readonly string[];
    readonly row: IndexKindRow | null;
    readonly taken: Set<string>;
  },
): string {
  const kind = parts.row && !['btree', 'gin'].includes(parts.row.kind) ? [parts.row.kind] : [];
  const base = [table, ...parts.columns, ...kind].join('_');
  return freeName(base, 'idx', parts.taken);
}

export function freeName(base: string, suffix: string, taken: Set<string>): string {
  const cut = base.length > NAME_BYTES_MAX - 8 ? base.slice(0, NAME_BYTES_MAX - 8) : base;
  for (let i = 0; ; i++) {
    const name = `${cut}_${suffix}${i === 0 ? '' : i}`;
    if (taken.has(name)) continue;
    taken.add(name);
    return name;
  }
}
