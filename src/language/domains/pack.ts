/**
 * A domain pack: what a field's terms are called, by language, and what they are made of. Data of `domains/*.json`, read
 * here and nowhere else. A row that is wrong is named and left out, and the rest is taken.
 */
import { languageOfCode } from '../detect-language.ts';
import { type Expression, FormulaError, operandsOf, parseFormula } from './expression.ts';

export type DomainRowKind = 'line' | 'measure' | 'statement' | 'topic';

/** Key of names whose language is not given. */
export const ANY_LANGUAGE = '';

/** Names by language, as `detectLanguage` calls it; the usual one first. */
export type ByLanguage = Readonly<Record<string, readonly string[]>>;

export interface DomainRow {
  readonly id: string;
  readonly kind: DomainRowKind;
  /** How computed figures call it. */
  readonly label: string;
  /** Ways to ask for it, in whatever case. */
  readonly names: ByLanguage;
  /** Names that count only as they are written: in lower case they are other words. */
  readonly exact: readonly string[];
  /** Ways in which documents print it; its names where there are none. */
  readonly labels: ByLanguage;
  /** Words of documents for it that are searched and read for, where they are not its labels. */
  readonly items: ByLanguage;
  /** Id of the statement that shows it. */
  readonly statement: string | null;
  /** Title of the section that it stands in, where that is no statement. */
  readonly place: ByLanguage;
  /** Shown with brackets or without; what counts is how much it is. */
  readonly isCost: boolean;
  readonly isPercent: boolean;
  /** Its labels are other names of the same, which may be computed with in its place. */
  readonly isAlias: boolean;
  /** A document that names it may be of the domain. */
  readonly isEvidence: boolean;
  /** Ways to compute it; the first counts whose operands are all there. */
  readonly formulas: readonly Expression[];
  /** Ids of what it is made of, or shown by; the operands of its formulas too. */
  readonly parts: readonly string[];
}

export interface DomainPack {
  readonly id: string;
  readonly rows: ReadonlyMap<string, DomainRow>;
}

export interface ReadPack {
  readonly pack: DomainPack;
  /** One a row that was left out. */
  readonly faults: readonly string[];
}

const KINDS: readonly DomainRowKind[] = ['line', 'measure', 'statement', 'topic'];
const FIELDS: ReadonlySet<string> = new Set([
  ...['id', 'kind', 'label', 'names', 'exact', 'labels', 'items', 'statement', 'place', 'sign', 'percent'],
  ...['alias', 'evidence', 'formulas', 'parts'],
]);
const ID = /^[a-z][a-z0-9_]*$/;

class RowFault extends Error {}

/** @param value of a file's JSON. @throws nothing: what is no pack has no rows. */
export function readPack(value: unknown): ReadPack {
  const faults: string[] = [];
  const rows = new Map<string, DomainRow>();
  const given = isObject(value) && Array.isArray(value.rows) ? value.rows : [];
  const id = isObject(value) && typeof value.id === 'string' ? value.id : '';
  if (id === '' || given.length === 0) faults.push('the pack has no id, or no rows');
  for (const [index, one] of given.entries()) {
    try {
      const row = rowOf(one);
      if (rows.has(row.id)) throw new RowFault('there is a row of this id before it');
      rows.set(row.id, row);
    } catch (error) {
      if (!(error instanceof RowFault) && !(error instanceof FormulaError)) throw error;
      faults.push(`row ${index + 1} (${nameOf(one)}): ${error.message}`);
    }
  }
  dropDangling(rows, faults);
  return { pack: { id, rows }, faults };
}

const nameOf = (row: unknown): string =>
  isObject(row) && typeof row.id === 'string' ? row.id : 'without an id';

/** Rows that refer to none that is there go, and what refers to them. */
function dropDangling(rows: Map<string, DomainRow>, faults: string[]): void {
  for (let before = -1; before !== rows.size; ) {
    before = rows.size;
    for (const { id, parts, statement } of [...rows.values()]) {
      const absent = [...parts, ...(statement === null ? [] : [statement])].find((part) => !rows.has(part));
      if (absent === undefined) continue;
      rows.delete(id);
      faults.push(`row ${id}: there is no row "${absent}"`);
    }
  }
}

type Given = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Given =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** @throws RowFault, FormulaError. */
function rowOf(value: unknown): DomainRow {
  if (!isObject(value)) throw new RowFault('it is no object');
  const unknown = Object.keys(value).find((field) => !FIELDS.has(field));
  if (unknown !== undefined) throw new RowFault(`"${unknown}" is no field of a row`);
  const { id, kind, statement = null, sign = null } = value;
  if (typeof id !== 'string' || !ID.test(id))
    throw new RowFault('its id is not of small letters, digits and _');
  const known = KINDS.find((one) => one === kind);
  if (known === undefined) throw new RowFault(`its kind is none of ${KINDS.join(', ')}`);
  if (sign !== null && sign !== 'cost') throw new RowFault('its sign is not "cost"');
  if (statement !== null && typeof statement !== 'string') throw new RowFault('its statement is no id');
  const names = byLanguage(value, 'names');
  const exact = textsOf(value.exact ?? [], 'exact');
  const labels = byLanguage(value, 'labels');
  if (Object.keys(names).length + exact.length === 0) throw new RowFault('it has no name');
  const formulas = textsOf(value.formulas ?? [], 'formulas').map(parseFormula);
  const operands = formulas.flatMap(operandsOf).map((operand) => operand.id);
  return {
    id,
    kind: known,
    label: typeof value.label === 'string' ? value.label : (firstOf(names) ?? id),
    names,
    exact,
    labels: Object.keys(labels).length === 0 ? names : labels,
    items: byLanguage(value, 'items'),
    statement,
    place: byLanguage(value, 'place'),
    isCost: sign === 'cost',
    isPercent: value.percent === true,
    isAlias: known === 'line' && value.alias !== false,
    isEvidence: known !== 'topic' && value.evidence !== false,
    formulas,
    parts: [...new Set([...textsOf(value.parts ?? [], 'parts'), ...operands])],
  };
}

const firstOf = (names: ByLanguage): string | undefined => Object.values(names)[0]?.[0];

/** @throws RowFault. */
function byLanguage(row: Given, field: string): ByLanguage {
  const value = row[field] ?? {};
  if (!isObject(value)) throw new RowFault(`its ${field} are not by language`);
  return Object.fromEntries(
    Object.entries(value).map(([code, texts]) => {
      const language = languageOfCode(code);
      if (language === null) throw new RowFault(`"${code}" is no language that is known`);
      return [language, textsOf(typeof texts === 'string' ? [texts] : texts, field)];
    }),
  );
}

/** @throws RowFault. */
function textsOf(value: unknown, field: string): readonly string[] {
  const isList =
    Array.isArray(value) && value.every((one) => typeof one === 'string' && /[\p{L}\p{N}]/u.test(one));
  if (!isList) throw new RowFault(`its ${field} are no list of names`);
  return value as readonly string[];
}
