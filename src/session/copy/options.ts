/**
 * COPY's options, checked as PostgreSQL's ProcessCopyOptions checks them.
 * Source: PostgreSQL 18, src/backend/commands/copy.c.
 */
import { notSupported, SqlError } from '../../errors.ts';
import type { CopyStatement } from '../../sql/ast.ts';
import { invalidText } from '../../types/type-errors.ts';

export interface CopyFormat {
  readonly format: 'text' | 'csv' | 'binary';
  /** One byte each. */
  readonly delimiter: number;
  readonly quote: number;
  readonly escapeByte: number;
  readonly nullText: string;
  readonly header: 'none' | 'line' | 'match';
  /** Names of columns, or every column. */
  readonly forceQuote: ReadonlySet<string> | 'all';
  readonly forceNull: ReadonlySet<string> | 'all';
  readonly forceNotNull: ReadonlySet<string> | 'all';
  /** Rows left out for values that their types refuse; null where the first one ends the statement. */
  readonly skipped: { readonly limit: number; readonly verbosity: Verbosity } | null;
}

/** Verbosity about rows that are left out: nothing, how many, each. */
type Verbosity = (typeof VERBOSITIES)[number];
const VERBOSITIES = ['silent', 'default', 'verbose'] as const;

const KNOWN = new Set(
  (
    'format freeze delimiter null header quote escape force_quote force_null force_not_null encoding ' +
    'on_error log_verbosity reject_limit'
  ).split(' '),
);
const UNSUPPORTED = new Set(['default']);
const TEXT_ONLY = ['delimiter', 'null', 'header'] as const;
const CSV_ONLY = ['quote', 'escape', 'force_quote', 'force_not_null', 'force_null'] as const;

/** @throws SqlError 22023, 42601, 0A000 in PostgreSQL's words. */
export function copyFormat(statement: CopyStatement): CopyFormat {
  const { options, optionsAt } = statement;
  checkNames(statement);
  const format = formatOf(options.format, optionsAt.format);
  if (format === 'binary') {
    for (const name of TEXT_ONLY) {
      if (name in options) {
        throw new SqlError('syntax_error', `cannot specify ${name.toUpperCase()} in BINARY mode`);
      }
    }
  }
  if (format !== 'csv') {
    for (const name of CSV_ONLY) if (name in options) throw requiresCsv(name);
  }
  const delimiter = text(options.delimiter) ?? (format === 'csv' ? ',' : '\t');
  const nullText = text(options.null) ?? (format === 'csv' ? '' : '\\N');
  const quote = text(options.quote) ?? '"';
  const escapeMark = text(options.escape) ?? quote;
  checkBytes({ format, delimiter, nullText, quote, escapeMark });
  checkDirection(statement);
  const skipped = skippedRows(statement, format);
  return {
    format,
    delimiter: delimiter.charCodeAt(0),
    quote: quote.charCodeAt(0),
    escapeByte: escapeMark.charCodeAt(0),
    nullText,
    header: headerOf(options.header, statement.direction),
    forceQuote: columnsOf(options.force_quote),
    forceNull: columnsOf(options.force_null),
    forceNotNull: columnsOf(options.force_not_null),
    skipped,
  };
}

type Option = CopyStatement['options'][string] | undefined;

function checkNames({ options, optionsAt }: CopyStatement): void {
  for (const name of Object.keys(options)) {
    if (UNSUPPORTED.has(name)) throw notSupported(`COPY's option ${name.toUpperCase()}`);
    if (KNOWN.has(name)) continue;
    const position = optionsAt[name];
    throw new SqlError('syntax_error', `option "${name}" not recognized`, { position });
  }
  const encoding = text(options.encoding);
  if (encoding !== null && !/^(utf-?8|sql_ascii)$/i.test(encoding)) {
    throw notSupported(`COPY in encoding "${encoding}"`, { hint: 'Quern reads and writes UTF-8.' });
  }
}

function formatOf(option: Option, position: number | undefined): CopyFormat['format'] {
  const name = text(option) ?? 'text';
  if (name === 'text' || name === 'csv' || name === 'binary') return name;
  throw new SqlError('invalid_parameter_value', `COPY format "${name}" not recognized`, { position });
}

function requiresCsv(name: string): SqlError {
  return new SqlError('feature_not_supported', `COPY ${name.toUpperCase()} requires CSV mode`);
}

interface Marks {
  readonly format: CopyFormat['format'];
  readonly delimiter: string;
  readonly nullText: string;
  readonly quote: string;
  readonly escapeMark: string;
}

function checkBytes({ format, delimiter, nullText, quote, escapeMark }: Marks): void {
  if (Buffer.byteLength(delimiter) !== 1) {
    throw new SqlError('feature_not_supported', 'COPY delimiter must be a single one-byte character');
  }
  const invalid = (message: string): SqlError => new SqlError('invalid_parameter_value', message);
  if (/[\r\n]/.test(delimiter)) throw invalid('COPY delimiter cannot be newline or carriage return');
  if (/[\r\n]/.test(nullText)) {
    throw invalid('COPY null representation cannot use newline or carriage return');
  }
  if (format === 'text' && /[\\.a-z0-9]/.test(delimiter)) {
    throw invalid(`COPY delimiter cannot be "${delimiter}"`);
  }
  if (nullText.includes(delimiter)) {
    throw invalid('COPY delimiter character must not appear in the NULL specification');
  }
  if (format !== 'csv') return;
  if (Buffer.byteLength(quote) !== 1) {
    throw new SqlError('feature_not_supported', 'COPY quote must be a single one-byte character');
  }
  if (delimiter === quote) throw invalid('COPY delimiter and quote must be different');
  if (Buffer.byteLength(escapeMark) !== 1) {
    throw new SqlError('feature_not_supported', 'COPY escape must be a single one-byte character');
  }
  if (nullText.includes(quote)) {
    throw invalid('CSV quote character must not appear in the NULL specification');
  }
}

function checkDirection({ direction, options }: CopyStatement): void {
  const wrong = (name: string, verb: string): SqlError =>
    new SqlError('invalid_parameter_value', `COPY ${name} cannot be used with COPY ${verb}`);
  if (direction === 'from' && 'force_quote' in options) throw wrong('FORCE_QUOTE', 'FROM');
  if (direction === 'to' && 'force_null' in options) throw wrong('FORCE_NULL', 'TO');
  if (direction === 'to' && 'force_not_null' in options) throw wrong('FORCE_NOT_NULL', 'TO');
}

/** ON_ERROR, LOG_VERBOSITY and REJECT_LIMIT. @throws SqlError 22023, 42601. */
function skippedRows(
  { options, optionsAt, direction }: CopyStatement,
  format: CopyFormat['format'],
): CopyFormat['skipped'] {
  const invalid = (message: string, position?: number): SqlError =>
    new SqlError('invalid_parameter_value', message, { position });
  const onError = (text(options.on_error) ?? 'stop').toLowerCase();
  if ('on_error' in options && direction === 'to') {
    throw invalid('COPY ON_ERROR cannot be used with COPY TO', optionsAt.on_error);
  }
  if (onError !== 'stop' && onError !== 'ignore') {
    throw invalid(`COPY ON_ERROR "${text(options.on_error)}" not recognized`, optionsAt.on_error);
  }
  const wanted = text(options.log_verbosity) ?? 'default';
  const verbosity = VERBOSITIES.find((name) => name === wanted.toLowerCase());
  if (verbosity === undefined) {
    throw invalid(`COPY LOG_VERBOSITY "${wanted}" not recognized`, optionsAt.log_verbosity);
  }
  if (format === 'binary' && onError === 'ignore') {
    throw new SqlError('syntax_error', 'only ON_ERROR STOP is allowed in BINARY mode');
  }
  const limit = rejectLimit(options.reject_limit);
  if (onError === 'ignore') return { limit, verbosity };
  if (limit === Number.POSITIVE_INFINITY) return null;
  throw invalid('COPY REJECT_LIMIT requires ON_ERROR to be set to IGNORE');
}

/** @throws SqlError 22P02, 22023. */
function rejectLimit(option: Option): number {
  if (option === undefined) return Number.POSITIVE_INFINITY;
  const written = text(option);
  if (written === null || !/^-?\d+$/.test(written)) {
    throw invalidText('bigint', written ?? '');
  }
  const limit = Number(written);
  if (limit > 0) return limit;
  throw new SqlError('invalid_parameter_value', `REJECT_LIMIT (${limit}) must be greater than zero`);
}

function headerOf(option: Option, direction: CopyStatement['direction']): CopyFormat['header'] {
  if (option === undefined) return 'none';
  const value = option === true ? 'true' : String(option).toLowerCase();
  if (['true', 'on', '1'].includes(value)) return 'line';
  if (['false', 'off', '0'].includes(value)) return 'none';
  if (value !== 'match') {
    throw new SqlError('syntax_error', 'header requires a Boolean value or "match"');
  }
  if (direction === 'from') return 'match';
  throw new SqlError('invalid_parameter_value', 'cannot use "match" with HEADER in COPY TO');
}

function text(option: Option): string | null {
  return typeof option === 'string' ? option : null;
}

function columnsOf(option: Option): ReadonlySet<string> | 'all' {
  if (option === undefined) return new Set();
  if (option === true || option === '*') return 'all';
  return new Set(typeof option === 'string' ? [option] : option);
}

export function includes(columns: ReadonlySet<string> | 'all', name: string): boolean {
  return columns === 'all' || columns.has(name);
}
