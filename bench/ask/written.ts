/**
 * Questions that were written before any run (`questions/README.md` says how they are judged): about the filings in five
 * languages with the multilingual model, and about samples of all kinds. Only counts are printed, so that nobody reads
 * what was asked and mends that.
 */
import { readdirSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import type pg from 'pg';
import { asked, type Asked } from './asked.ts';
import { share } from './bands.ts';
import { lines, openServer, upload } from './datasets.ts';
import { type ExpectedNumber, holdsNumber } from './expected-number.ts';

const QUESTIONS = join(import.meta.dirname, 'questions');
const SAMPLES = join(import.meta.dirname, '../../samples');
const LANGUAGES = ['en', 'de', 'fr', 'es', 'zh'] as const;
const FACTS_MAX = 5;
/** The model of the filings in several languages. */
const MODEL = 'multilingual-e5-small';

interface FilingQuestion extends Readonly<Record<(typeof LANGUAGES)[number], string>> {
  readonly question: string;
  readonly doc: readonly string[];
  readonly pages: Readonly<Record<string, readonly number[]>>;
  readonly number: ExpectedNumber | null;
  readonly computed: boolean;
  readonly answerable: boolean;
}

interface SampleQuestion {
  readonly question: string;
  readonly file: string | null;
  readonly also?: readonly string[];
  readonly pages: readonly number[];
  readonly accepted: readonly string[];
  readonly number: ExpectedNumber | null;
  readonly kind: string;
  readonly answerable: boolean;
}

/** @param shared the folder of the evaluation data. @param data of a server, kept; absent: thrown away. */
export async function written(shared: string, data: string | undefined): Promise<void> {
  await using given = await openServer(data);
  const { client } = given;
  await fillFilings(client, join(shared, 'docqa/financebench/pdfs'));
  const files = await fillSamples(client, shared);
  for (const language of LANGUAGES) await filings(client, language);
  await samples(client, files);
}

async function fillFilings(client: pg.Client, folder: string): Promise<void> {
  await client.query(`CREATE DATASET IF NOT EXISTS written_filings WITH (embedding_model = '${MODEL}')`);
  const paths = readdirSync(folder).map((name) => join(folder, name));
  await upload(
    client,
    'written_filings',
    paths.map((path) => ({ id: basename(path, '.pdf'), path })),
  );
}

/** @returns document ids by the file's name in the questions. */
async function fillSamples(client: pg.Client, shared: string): Promise<ReadonlyMap<string, string>> {
  await client.query('CREATE DATASET IF NOT EXISTS written_samples');
  const folders = ['office', 'pdf', 'scans', 'text'].map((name) => join(shared, 'files', name));
  const paths = [join(SAMPLES, 'documents'), ...folders, join(shared, 'docqa/mmlongbench/pdfs')].flatMap(
    (folder) => readdirSync(folder).map((name) => join(folder, name)),
  );
  const named = paths
    .filter((path) => statSync(path).isFile())
    .map((path) => {
      const isOurs = path.startsWith(SAMPLES);
      const name = isOurs ? join('samples', relative(SAMPLES, path)) : relative(shared, path);
      return { name, path, id: name.replaceAll('/', '-') };
    });
  await upload(client, 'written_samples', named);
  return new Map(named.map(({ name, id }) => [name, id]));
}

interface Told {
  readonly facts: readonly {
    readonly text: string;
    readonly pages: readonly (readonly [string, number])[];
  }[];
  readonly isMissing: boolean;
}

async function tell(client: pg.Client, question: string, dataset: string): Promise<Told> {
  const { facts, refs, progress } = await asked(client, { question, dataset, filter: null });
  return {
    facts: facts
      .slice(0, FACTS_MAX)
      .map(({ fact, refIds }) => ({ text: fact, pages: pagesOf(refIds, refs) })),
    isMissing: progress.some((line) => /^No document of /i.test(line)),
  };
}

const pagesOf = (ids: readonly string[], refs: Asked['refs']): readonly (readonly [string, number])[] =>
  ids.flatMap((id) => {
    const ref = refs[id];
    if (ref === undefined) return [];
    const { doc_pages: pages } = ref.content;
    return (pages.length === 0 ? [0] : pages).map((page) => [ref.doc_id, page] as const);
  });

async function filings(client: pg.Client, language: (typeof LANGUAGES)[number]): Promise<void> {
  const all = lines<FilingQuestion>(join(QUESTIONS, 'filings.jsonl'));
  const counts = {
    pages: 0,
    asked: 0,
    absent: 0,
    ofAbsent: 0,
    numbers: 0,
    ofNumbers: 0,
    right: 0,
    computed: 0,
  };
  for (const one of all) {
    const text = language === 'en' ? one.question : one[language];
    const { facts, isMissing } = await tell(client, text, 'written_filings');
    if (!one.answerable) {
      counts.ofAbsent++;
      if (facts.length === 0 && isMissing) counts.absent++;
      continue;
    }
    counts.asked++;
    const cited = new Set(facts.flatMap(({ pages }) => pages.map(([doc, page]) => `${doc} ${page}`)));
    const isOn = (doc: string): boolean => (one.pages[doc] ?? []).some((page) => cited.has(`${doc} ${page}`));
    if (one.doc.length > 1 ? one.doc.every(isOn) : Object.keys(one.pages).some(isOn)) counts.pages++;
    const { number } = one;
    if (number === null) continue;
    counts.ofNumbers++;
    if (facts.some((fact) => holdsNumber(fact.text, number))) counts.numbers++;
    const computed = facts.filter((fact) => isComputed(fact.text));
    counts.computed += computed.length;
    counts.right += computed.filter((fact) => holdsNumber(fact.text, number)).length;
  }
  console.log(
    `filings, ${language}: a page among ${FACTS_MAX} facts ${share(counts.pages, counts.asked)} of ${counts.asked}; ` +
      `expected numbers among facts ${counts.numbers} of ${counts.ofNumbers}; computed right ${counts.right} of ` +
      `${counts.computed}; absent companies told ${counts.absent} of ${counts.ofAbsent}`,
  );
}

const isComputed = (fact: string): boolean => / \(computed\)/.test(fact);

async function samples(client: pg.Client, ids: ReadonlyMap<string, string>): Promise<void> {
  const all = lines<SampleQuestion>(join(QUESTIONS, 'samples.jsonl'));
  const kinds = new Map<string, { right: number; silent: number; all: number }>();
  for (const one of all) {
    const { facts } = await tell(client, one.question, 'written_samples');
    const own = kinds.get(one.kind) ?? { right: 0, silent: 0, all: 0 };
    kinds.set(one.kind, own);
    own.all++;
    if (facts.length === 0) own.silent++;
    if (one.answerable ? isRight(one, facts, ids) : facts.length === 0) own.right++;
  }
  const sum = (of: 'right' | 'silent' | 'all'): number =>
    [...kinds.values()].reduce((total, own) => total + own[of], 0);
  console.log(`samples: right ${sum('right')} of ${sum('all')}, without facts ${sum('silent')}`);
  for (const [kind, { right, silent, all: count }] of kinds)
    console.log(`  ${kind.padEnd(15)} right ${right} of ${count}, without facts ${silent}`);
}

const plain = (text: string): string => text.toLowerCase().replace(/\s+/gu, ' ');

function isRight(
  { accepted, number, kind, file, also = [], pages }: SampleQuestion,
  facts: Told['facts'],
  ids: ReadonlyMap<string, string>,
): boolean {
  const sources = new Set([file ?? '', ...also].map((name) => ids.get(name)));
  return facts.some(({ text, pages: cited }) => {
    const isNumber = (kind === 'sum' || kind === 'change') && number !== null;
    const holds = isNumber
      ? holdsNumber(text, number)
      : accepted.some((one) => plain(text).includes(plain(one)));
    const onPage = ([doc, page]: readonly [string, number]): boolean =>
      sources.has(doc) && (pages.length === 0 || doc !== ids.get(file ?? '') || pages.includes(page));
    return holds && cited.some(onPage);
  });
}
