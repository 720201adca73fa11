/** How `search()` and `ask()` are told their datasets: by names, by jsonb with a filter of each, or by text of either. */
import { present } from '../../assert.ts';
import { SqlError } from '../../errors.ts';
import { SEARCH_DATASETS_COUNT_MAX } from '../../limits.ts';
import type { ArrayDatum } from '../../types/datum.ts';
import { OID } from '../../types/oids.ts';
import { arrayOf, typeByOid } from '../../types/registry.ts';
import { DEFAULT_SETTINGS } from '../../types/settings.ts';
import type { SearchRequest } from '../services.ts';

type Wanted = SearchRequest['datasets'];

const wrong = (message: string, hint?: string): SqlError =>
  new SqlError('invalid_parameter_value', message, { hint });

const FORMS = `["a", {"dataset": "b", "filter": "year > 2000"}]`;

/** @throws SqlError 22023. */
function wantedOfJson(json: string): Wanted {
  const value: unknown = JSON.parse(json);
  if (!Array.isArray(value)) throw wrong('datasets are a list', `As jsonb they are ${FORMS}.`);
  return value.map(wantedOne);
}

function wantedOne(item: unknown): Wanted[number] {
  if (typeof item === 'string') return { dataset: item, filter: null };
  if (typeof item !== 'object' || item === null || Array.isArray(item)) {
    throw wrong('a dataset is a name, or an object with "dataset" and "filter"', `Such as ${FORMS}.`);
  }
  const { dataset, filter = null, documents, ...others } = item as { readonly [key: string]: unknown };
  const [other] = Object.keys(others);
  if (other !== undefined) {
    throw wrong(`a dataset of search has no "${other}"`, 'It has "dataset", "filter" and "documents".');
  }
  if (typeof dataset !== 'string') throw wrong('"dataset" must be the name of a dataset');
  if (filter !== null && typeof filter !== 'string')
    throw wrong(`the filter of dataset "${dataset}" must be a string, or null`);
  if (documents === undefined) return { dataset, filter };
  if (documents === null || isTexts(documents)) return { dataset, filter, documents };
  throw wrong(`the documents of dataset "${dataset}" must be a list of their ids, or null`);
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

/** @throws SqlError 22004. */
const wantedOfNames = ({ elements }: ArrayDatum): Wanted =>
  elements.map((dataset) => {
    if (dataset !== null) return { dataset: String(dataset), filter: null };
    throw new SqlError('null_value_not_allowed', 'the name of a dataset may not be null');
  });

/** Names never begin with a bracket. @throws SqlError 22P02, 22023, 22004. */
function wantedOfText(text: string): Wanted {
  const first = text.trimStart().slice(0, 1);
  if (first === '[') return wantedOfJson(String(typeByOid(OID.jsonb).parse(text, -1, DEFAULT_SETTINGS)));
  if (first !== '{') return [{ dataset: text, filter: null }];
  const names = present(arrayOf(OID.text), 'text[]').parse(text, -1, DEFAULT_SETTINGS);
  return wantedOfNames(names as ArrayDatum);
}

/**
 * Each dataset of a question once: without a filter, all of it. Others with several filters
 * give what each keeps.
 *
 * @throws SqlError 54000.
 */
export function onceEach(wanted: Wanted): Wanted {
  if (wanted.length > SEARCH_DATASETS_COUNT_MAX) {
    const message = `${wanted.length} datasets are more than ${SEARCH_DATASETS_COUNT_MAX} of one question`;
    throw new SqlError('program_limit_exceeded', message);
  }
  const isWhole = ({ filter, documents }: Wanted[number]): boolean => filter === null && documents == null;
  const whole = new Map(wanted.filter(isWhole).map((one) => [one.dataset, one]));
  const once = new Map<string, Wanted[number]>();
  for (const own of wanted) {
    const one = whole.get(own.dataset) ?? own;
    once.set(JSON.stringify([one.dataset, one.filter, one.documents]), one);
  }
  return [...once.values()];
}

/** Drivers send parameters without their type: these are resolved as text, like any of PostgreSQL's. */
export const DATASET_FORMS = [
  { type: '_text', sqlType: 'text[]', wanted: wantedOfNames },
  { type: 'jsonb', sqlType: 'jsonb', wanted: wantedOfJson },
  { type: 'text', sqlType: 'text', wanted: wantedOfText },
] as const;
