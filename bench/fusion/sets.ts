/** The sets that fusion is fitted to and judged by: documents of one column or several, one of them their text. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filmKey, type Item, knownItems, readFilms, titlesOf } from '../relevance/film-data.ts';
import { SETS } from '../retrieval/judged.ts';
import { readSet } from '../retrieval/sets.ts';

const REPORTS = join(import.meta.dirname, '../../../shared/data/docqa/tatqa/tatqa_dataset_dev.json');
/** Documents of a set at most, all that are relevant among them: embedding all films takes a model most of an hour. */
const DOCUMENTS_MAX = 4000;
/** Queries of a set at most, evenly chosen. */
const QUERIES_MAX = 300;

/** A value a column. */
export interface FusionDocument {
  readonly id: string;
  readonly values: readonly string[];
}

export interface FusionQuery {
  readonly text: string;
  readonly relevant: ReadonlySet<string>;
}

export interface FusionSet {
  readonly name: string;
  /** Sets of one group share their texts or queries: they are left out together. */
  readonly group: string;
  readonly language: string;
  /** The first one is the text, which is embedded. */
  readonly columns: readonly string[];
  readonly documents: readonly FusionDocument[];
  /** By what they are. */
  readonly queries: Readonly<Record<string, readonly FusionQuery[]>>;
}

/** Made when it is its turn: texts of one at a time. */
export const FUSION_SETS: Readonly<Record<string, () => FusionSet>> = {
  ...Object.fromEntries(SETS.map(({ name, language }) => [name, () => cut(judgedSet(name, language))])),
  films: () => cut(filmSet()),
  tatqa: reportSet,
};
export const QUICK_SETS: readonly string[] = ['medline', 'xquad-en', 'xquad-zh', 'tatqa'];

function cut(set: FusionSet): FusionSet {
  const { documents, queries } = set;
  const relevant = new Set(
    Object.values(queries).flatMap((own) => own.flatMap((query) => [...query.relevant])),
  );
  const others = documents.filter(({ id }) => !relevant.has(id));
  const kept = new Set(few(others, Math.max(0, DOCUMENTS_MAX - relevant.size)));
  return { ...set, documents: documents.filter((one) => relevant.has(one.id) || kept.has(one)) };
}

function judgedSet(name: string, language: string): FusionSet {
  const { documents, queries } = readSet(name);
  const hasTitles = documents.some(({ title }) => title !== '');
  return {
    name,
    group: name.split('-')[0] as string,
    language,
    columns: hasTitles ? ['body', 'title'] : ['body'],
    documents: documents.map(({ id, title, text }) => ({ id, values: hasTitles ? [text, title] : [text] })),
    queries: { [name]: few(queries) },
  };
}

function filmSet(): FusionSet {
  const all = readFilms();
  const [known, titles] = [knownItems(all), titlesOf(all)];
  const queriesOf = (items: readonly Item[]): readonly FusionQuery[] =>
    items.map((item) => ({
      text: item.query,
      relevant: new Set(all.filter((film) => filmKey(film) === filmKey(item)).map(({ _id }) => _id)),
    }));
  return {
    name: 'films',
    group: 'films',
    language: 'english',
    columns: ['extract', 'title', 'cast', 'genres'],
    documents: all.map(({ _id, title, extract = '', cast, genres }) => ({
      id: _id,
      values: [extract, title, cast.join(', '), genres.join(', ')],
    })),
    queries: { films: queriesOf(known), titles: few(queriesOf(titles)) },
  };
}

interface Report {
  readonly table: { readonly uid: string; readonly table: readonly (readonly string[])[] };
  readonly paragraphs: readonly { readonly text: string }[];
  readonly questions: readonly { readonly question: string }[];
}

/** Pages of reports, and questions that name no company: many fit several pages. */
function reportSet(): FusionSet {
  const reports = JSON.parse(readFileSync(REPORTS, 'utf8')) as readonly Report[];
  const textOf = ({ table, paragraphs }: Report): string =>
    [...paragraphs.map(({ text }) => text), ...table.table.map((row) => row.join(' '))].join('\n');
  const queries = reports.flatMap(({ table, questions }) =>
    questions.map(({ question }) => ({ text: question, relevant: new Set([table.uid]) })),
  );
  return {
    name: 'tatqa',
    group: 'tatqa',
    language: 'english',
    columns: ['body'],
    documents: reports.map((report) => ({ id: report.table.uid, values: [textOf(report)] })),
    queries: { tatqa: few(queries) },
  };
}

/** So many of them, evenly chosen. */
function few<T>(all: readonly T[], most = QUERIES_MAX): readonly T[] {
  const step = Math.max(1, all.length / most);
  const count = Math.min(all.length, most);
  return Array.from({ length: count }, (_, i) => all[Math.floor(i * step)] as T);
}
