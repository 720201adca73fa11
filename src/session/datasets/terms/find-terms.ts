/**
 * Terms of datasets that a question names, looked up by its words, however many terms there are; and the languages of
 * documents, whose words stand for them.
 */
import { detectLanguage, languageOfCode } from '../../../language/detect-language.ts';
import { DOMAINS } from '../../../language/domains/domains.ts';
import type { DomainRow } from '../../../language/domains/pack.ts';
import { operandsOf, parseFormula } from '../../../language/domains/expression.ts';
import { foldedRuns } from '../../../language/domains/lexicon.ts';
import { ANY_LANGUAGE } from '../../../language/domains/pack.ts';
import { Vocabulary } from '../../../language/domains/vocabulary.ts';
import { TERM_WORDS_MAX } from '../../../limits.ts';
import type { Query, Row } from '../../server-session.ts';
import { texts } from '../parameters.ts';
import { datasetSchema } from '../relations.ts';
import { type Term, termOf } from './read-terms.ts';

/** The beginning of a longer question is looked at. */
const CHARACTERS_MAX = 2_000;
/** Terms that the names of one question may stand for, and those names. */
const TERMS_COUNT_MAX = 100;
const NAMES_COUNT_MAX = 1_000;
const PART_LABELS_COUNT = 2;

export interface FoundTerm {
  readonly dataset: string;
  readonly term: Term;
}

/** $1: datasets. */
const TERM_NAMES = `SELECT dataset, id FROM quern.term_names
  WHERE dataset = ANY($1) AND name = ANY($2) LIMIT ${NAMES_COUNT_MAX}`;
/** $1: datasets. */
const TERMS = `SELECT dataset, id, kind, names, parts, formula FROM quern.dataset_terms
  WHERE dataset = ANY($1) AND id = ANY($2) LIMIT ${TERMS_COUNT_MAX}`;

/** True of our own reading of terms, which is of datasets that the caller may read, from a relation that nobody may. */
export const readsTerms = (sql: string): boolean => sql === TERM_NAMES || sql === TERMS;

/** Those of all the datasets, with those that they are made of. @param query may read `quern.terms`. */
export async function termsIn(
  query: Query,
  datasets: readonly string[],
  question: string,
): Promise<readonly FoundTerm[]> {
  const runs = foldedRuns(question.slice(0, CHARACTERS_MAX), TERM_WORDS_MAX);
  const names = await query(TERM_NAMES, texts(datasets), texts(runs));
  const ids = new Set(names.map(({ dataset, id }) => placeOf(String(dataset), String(id))));
  const isNamed = ({ dataset, term }: FoundTerm): boolean => ids.has(placeOf(dataset, term.id));
  const named = (await termsOf(query, datasets, new Set(names.map(({ id }) => String(id))))).filter(isNamed);
  const parts = await termsOf(query, datasets, new Set(named.flatMap(({ term }) => partsOf(term))));
  return [...named, ...parts.filter((part) => !isNamed(part))];
}

const placeOf = (dataset: string, id: string): string => `${dataset}\n${id}`;

async function termsOf(
  query: Query,
  datasets: readonly string[],
  ids: ReadonlySet<string>,
): Promise<readonly FoundTerm[]> {
  if (ids.size === 0) return [];
  const rows = await query(TERMS, texts(datasets), texts([...ids]));
  return rows.map(termOfRow);
}

const partsOf = ({ parts, formula }: Term): readonly string[] => [
  ...parts,
  ...(formula === null ? [] : operandsOf(parseFormula(formula)).map(({ id }) => id)),
];

function termOfRow({ dataset, id, kind, names, parts, formula }: Row): FoundTerm {
  const json = (value: Row[string] | undefined): unknown =>
    value == null ? null : JSON.parse(String(value));
  return {
    dataset: String(dataset),
    term: termOf({ id, kind, names: json(names), parts: json(parts), formula }),
  };
}

/**
 * @param domains ids of packs; those that this Quern does not have are left out.
 * @param written languages of the documents; none: they are not known.
 */
export function vocabularyOf(
  domains: readonly string[],
  found: readonly FoundTerm[],
  written: readonly string[] = [],
): Vocabulary {
  const packs = domains.flatMap((id) => DOMAINS.packs.get(id) ?? []);
  const terms = found.map(({ term }) => term);
  const rows = terms.length === 0 ? [] : rowsOfTerms(terms, new Vocabulary(packs));
  return new Vocabulary(packs, rows, written);
}

/** Rows beside those of packs. @param packs whose rows may be parts of terms. */
function rowsOfTerms(terms: readonly Term[], packs: Vocabulary): readonly DomainRow[] {
  const own = new Map(terms.map((term) => [term.id, term]));
  const labelsOf = (part: string): readonly string[] => {
    const term = own.get(part);
    const labels = term === undefined ? packs.labelsOf(part, 'english') : Object.values(term.names).flat();
    return labels.slice(0, PART_LABELS_COUNT);
  };
  return terms.map((term) => {
    const { id, names, exact, formula } = term;
    const parts = partsOf(term);
    const others = Object.values(names).flat();
    return {
      id,
      kind: formula === null ? 'line' : 'measure',
      label: others[0] ?? id,
      names: Object.fromEntries(
        Object.entries(names).map(([language, all]) => [
          language,
          all.filter((name) => !exact.includes(name)),
        ]),
      ),
      exact,
      labels: names,
      items: { [ANY_LANGUAGE]: [...others, ...parts.flatMap(labelsOf)] },
      statement: null,
      place: {},
      isCost: false,
      isPercent: false,
      isAlias: formula === null && parts.length === 0,
      isEvidence: false,
      formulas: formula === null ? [] : [parseFormula(formula)],
      parts,
    };
  });
}

/** Documents that are looked at. */
const DOCUMENTS_COUNT_MAX = 500;
/** Most documents are in it, and so are most questions to them: others alone are worth a look. */
const USUAL = 'english';

/** As `detectLanguage` names them, each once; none for a question in the usual language, nor where they are not known. */
export async function writtenLanguages(
  query: Query,
  question: string,
  datasets: readonly string[],
): Promise<readonly string[]> {
  if (detectLanguage(question) === USUAL) return [];
  const languages = new Set<string>();
  for (const dataset of datasets) {
    const rows = await query(
      `SELECT DISTINCT languages[1] AS code FROM (
         SELECT languages FROM ${datasetSchema(dataset)}.documents WHERE version > 0
         LIMIT ${DOCUMENTS_COUNT_MAX}) d`,
    );
    for (const { code } of rows) {
      const language = code == null ? null : languageOfCode(String(code));
      if (language !== null) languages.add(language);
    }
  }
  return [...languages];
}
