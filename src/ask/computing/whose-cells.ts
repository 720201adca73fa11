/**
 * Whose figures cells are, and of which time, beside what a question asks for: the whole company and years, unless it
 * names a segment, guarantors, the parent alone, a quarter.
 */
import { scopesIn } from '../../tables/scope.ts';
import { namesOf, stemOf } from '../../session/datasets/ranking/naming.ts';
import type { Cell, Row } from '../cells/row.ts';
import type { Passage } from '../passage.ts';
import { isPartOfYear, type Question } from '../question.ts';
import type { ReadPassage } from '../reading.ts';

const WHOLE = 'consolidated';

interface InTable {
  readonly passage: Passage;
  readonly row: Row;
  readonly cell: Cell;
}

/** True for figures of what the question asks for. */
export type IsAsked = (found: InTable) => boolean;

export function isOfScope({ core, names, concepts }: Question): IsAsked {
  const asked = new Set(scopesIn(core));
  const measures = concepts.map(({ said }) => said.toLowerCase());
  const wanted = names.map((name) => name.toLowerCase()).filter((name) => name.length > 2);
  const owners = wanted.filter(
    (name) => !measures.some((said) => name.includes(said) || said.includes(name)),
  );
  const isNamed = ({ passage, row, cell }: InTable): boolean => {
    const around = `${passage.heading ?? ''} ${row.section} ${row.label} ${cell.column}`.toLowerCase();
    return owners.some((name) => around.includes(name));
  };
  return (found) => {
    const { scope } = found.cell;
    if (scope === null || scope === WHOLE) return asked.size === 0 || asked.has(WHOLE) || isNamed(found);
    return asked.has(scope) || (scope === 'segment' && isNamed(found));
  };
}

const PART_OF_YEAR = /-(?:Q|H)\d$|^P(?:[1-9]|1[01])M\/|^P(?:[1-9]|[1-3]\d|4\d)W\//;
const QUARTER = /-Q\d$|^P3M\/|^P1[2-4]W\//;
const HALF = /-H\d$|^P6M\/|^P2[5-7]W\//;

/** True for a quarter, a half, months or weeks of a year. */
const isOfPart = ({ period, column }: Cell): boolean =>
  period === null ? isPartOfYear(column) : PART_OF_YEAR.test(period);

export function isOfTime({ isOfPartOfYear, parts }: Question): IsAsked {
  if (!isOfPartOfYear) return ({ cell }) => !isOfPart(cell);
  const numbers = new Set(parts.flatMap(({ number }) => number ?? []));
  const units = new Set(parts.map(({ unit }) => unit));
  return ({ cell }) => {
    if (!isOfPart(cell)) return false;
    const { period } = cell;
    if (period === null || !PART_OF_YEAR.test(period)) return true;
    if (units.size === 1 && units.has('quarter') && !QUARTER.test(period)) return false;
    if (units.size === 1 && units.has('half') && !HALF.test(period)) return false;
    const [, own] = /-[QH](\d)$/.exec(period) ?? [];
    return own === undefined || numbers.size === 0 || numbers.has(Number(own));
  };
}

/** Shorter words of a question in lower case name nothing. */
const WORD_CHARACTERS_MIN = 4;

/** Passages of the documents that the question names by words of their names; all where it names none. */
export function ofNamedDocuments(
  { core, names }: Question,
  passages: readonly ReadPassage[],
): readonly ReadPassage[] {
  const documents = new Map(
    passages.map(({ passage }) => [keyOf(passage), namesOf(stemOf(passage.docName))]),
  );
  const common = new Map<string, number>();
  for (const own of documents.values()) for (const name of own) common.set(name, (common.get(name) ?? 0) + 1);
  const words = namesOf(names.length > 0 ? names.join(' ') : core);
  const isTold = (name: string): boolean =>
    (common.get(name) ?? 0) > 0 &&
    (common.get(name) ?? 0) < documents.size &&
    !/^\d+$/.test(name) &&
    (names.length > 0 || name.length >= WORD_CHARACTERS_MIN);
  const asked = new Set(words.filter(isTold));
  if (asked.size === 0) return passages;
  const counts = new Map(
    [...documents].map(([key, own]) => [key, own.filter((name) => asked.has(name)).length]),
  );
  const most = Math.max(...counts.values());
  return passages.filter(({ passage }) => counts.get(keyOf(passage)) === most);
}

const keyOf = ({ dataset, docId }: Passage): string => `${dataset}\n${docId}`;

/** A document's name without numbers: reports of one house, one a year, share it. */
export const familyOf = ({ docName, docId }: Passage): string => {
  const words = stemOf(docName)
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word.length > 1);
  return words.length === 0 ? docId : words.join(' ');
};

/** The latest year that its name has; 0 for none. */
export const yearOfName = ({ docName }: Passage): number =>
  Math.max(0, ...[...docName.matchAll(/(?<!\d)(?:19|20)\d{2}(?!\d)/g)].map(([year]) => Number(year)));
