/** Terms as users give them: JSON checked, row by row. What is wrong is said of the row that has it. */
import { SqlError } from '../../../errors.ts';
import { FormulaError, parseFormula } from '../../../language/domains/expression.ts';
import { foldedName } from '../../../language/domains/lexicon.ts';
import { type ByLanguage, ANY_LANGUAGE } from '../../../language/domains/pack.ts';
import { languageOfCode } from '../../../language/detect-language.ts';
import { STOP_WORDS } from '../../../language/stop-words.ts';
import { TERM_CHARACTERS_MAX, TERM_NAMES_COUNT_MAX, TERM_WORDS_MAX } from '../../../limits.ts';

export interface Term {
  readonly id: string;
  readonly kind: string | null;
  /** By language as `detectLanguage` calls it. */
  readonly names: ByLanguage;
  /** Names that count only as they are written: in lower case they are stop words. */
  readonly exact: readonly string[];
  /** As given: a list, or lists by ISO 639-1 codes. */
  readonly givenNames: unknown;
  /** Ids of terms and of packs' rows, or words of documents. */
  readonly parts: readonly string[];
  readonly formula: string | null;
}

/** `dataset` and `updated_at` are those of `quern.terms`, whose rows can be put back as they are. */
const FIELDS: ReadonlySet<string> = new Set([
  ...['id', 'kind', 'names', 'parts', 'formula', 'dataset', 'updated_at'],
]);

class TermFault extends Error {}

/** @param json an array of terms, or one. @throws SqlError 22023, which names the row. */
export function readTerms(json: string): readonly Term[] {
  const value: unknown = JSON.parse(json);
  const rows: readonly unknown[] = Array.isArray(value) ? value : [value];
  const terms = rows.map((row, index) => {
    try {
      return termOf(row);
    } catch (error) {
      if (!(error instanceof TermFault) && !(error instanceof FormulaError)) throw error;
      throw new SqlError('invalid_parameter_value', `term ${index + 1}${nameOf(row)}: ${error.message}`, {
        hint: 'A term has names, and may have id, kind, parts and formula; none of the terms was stored.',
      });
    }
  });
  return [...new Map(terms.map((term) => [term.id, term])).values()];
}

function nameOf(row: unknown): string {
  if (!isObject(row)) return '';
  const name = typeof row.id === 'string' ? row.id : Array.isArray(row.names) ? row.names[0] : null;
  return typeof name === 'string' ? ` ("${name.slice(0, 40)}")` : '';
}

type Given = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Given =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** @throws TermFault, FormulaError. A row that was stored is read by the same rules. */
export function termOf(row: unknown): Term {
  if (!isObject(row)) throw new TermFault('it is no object');
  const unknown = Object.keys(row).find((field) => !FIELDS.has(field));
  if (unknown !== undefined) throw new TermFault(`"${unknown}" is no field of a term`);
  const names = namesOf(row.names);
  const all = Object.values(names).flat();
  // jsonb keeps no order of languages.
  const [first] = [...(names[ANY_LANGUAGE] ?? []), ...(names.english ?? []), ...all];
  if (first === undefined) throw new TermFault('it has no name');
  if (all.length > TERM_NAMES_COUNT_MAX)
    throw new TermFault(`it has ${all.length} names, more than ${TERM_NAMES_COUNT_MAX}`);
  const formula = textOrNull(row.formula, 'formula');
  if (formula !== null) parseFormula(formula);
  return {
    id: textOrNull(row.id, 'id') ?? foldedName(first).replaceAll(' ', '_'),
    kind: textOrNull(row.kind, 'kind'),
    names,
    exact: Object.entries(names).flatMap(([language, own]) => own.filter((name) => isExact(name, language))),
    givenNames: row.names,
    parts: row.parts === undefined || row.parts === null ? [] : textsOf(row.parts, 'parts'),
    formula,
  };
}

/** @throws TermFault. */
function namesOf(value: unknown): ByLanguage {
  const given = isObject(value) ? Object.entries(value) : [[ANY_LANGUAGE, value] as const];
  return Object.fromEntries(
    given.map(([code, texts]) => {
      const language = code === ANY_LANGUAGE ? code : languageOfCode(code);
      if (language === null) throw new TermFault(`"${code}" is no language that is known, as en or de are`);
      const names = textsOf(texts, 'names');
      for (const name of names) checkName(name, language);
      return [language, names];
    }),
  );
}

/** @throws TermFault. */
function checkName(name: string, language: string): void {
  const words = foldedName(name).split(' ');
  if (words.length > TERM_WORDS_MAX)
    throw new TermFault(`its name "${name.slice(0, 40)}…" has more than ${TERM_WORDS_MAX} words`);
  if (isStopWord(name, language) && !isAbbreviation(name))
    throw new TermFault(`its name "${name}" is a stop word, which stands in every text`);
}

const isAbbreviation = (name: string): boolean => /^[\p{Lu}\p{N}]{2,}$/u.test(name);

const isExact = (name: string, language: string): boolean =>
  isAbbreviation(name) && isStopWord(name, language);

/** @param language of the name; where none is given, English is meant. */
const isStopWord = (name: string, language: string): boolean =>
  (STOP_WORDS[language === ANY_LANGUAGE ? 'english' : language] ?? []).includes(name.trim().toLowerCase());

/** @throws TermFault. */
function textsOf(value: unknown, field: string): readonly string[] {
  const texts: readonly unknown[] =
    typeof value === 'string' ? [value] : Array.isArray(value) ? value : [null];
  return texts.map((text) => {
    if (typeof text !== 'string' || foldedName(text) === '')
      throw new TermFault(`its ${field} are no list of texts with a letter or digit`);
    if (text.length > TERM_CHARACTERS_MAX)
      throw new TermFault(`one of its ${field} has more than ${TERM_CHARACTERS_MAX} characters`);
    return text.trim();
  });
}

/** @throws TermFault. */
function textOrNull(value: unknown, field: string): string | null {
  if (value === undefined || value === null) return null;
  const isText = typeof value === 'string' && value.trim() !== '' && value.length <= TERM_CHARACTERS_MAX;
  if (!isText) throw new TermFault(`its ${field} is no text of 1 to ${TERM_CHARACTERS_MAX} characters`);
  return value.trim();
}
