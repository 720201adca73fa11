/**
 * Questions in other languages than the documents: XQuAD's English paragraphs, asked in four languages with the
 * multilingual model, and how often a question that nothing there answers gets no facts.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asked } from './asked.ts';
import { share } from './bands.ts';
import { lines, openServer } from './datasets.ts';

const LANGUAGES = ['en', 'de', 'es', 'zh'] as const;
const MODEL = 'multilingual-e5-small';
/** One question of so many. */
const STEP = 20;
const QUICK_STEP = 60;
const FACTS_MAX = 5;
/** Every second paragraph is left out: nothing answers the questions about it. */
const isKept = (place: number): boolean => place % 2 === 0;

interface Paragraph {
  readonly id: string;
  readonly text: string;
}

interface Question {
  readonly id: string;
  readonly text: string;
  readonly answers: readonly string[];
}

export async function across(shared: string, quick: boolean, data: string | undefined): Promise<void> {
  await using given = await openServer(data);
  const { client } = given;
  const folder = (language: string): string => join(shared, 'retrieval', `xquad-${language}`);
  const paragraphs = lines<Paragraph>(join(folder('en'), 'docs.jsonl'));
  const places = new Map(paragraphs.map(({ id }, place) => [id, place]));
  await client.query(`CREATE DATASET IF NOT EXISTS across WITH (embedding_model = '${MODEL}')`);
  const { rows } = await client.query('SELECT count(*)::int AS count FROM across.documents');
  if (rows[0]?.count === 0) {
    const kept = paragraphs.filter((_, place) => isKept(place));
    const handles: string[] = [];
    for (const { id, text } of kept) {
      const put = await client.query('SELECT quern.upsert_file($1, $2, $3, $4) AS handle', [
        'across',
        id,
        `${id}.txt`,
        Buffer.from(text),
      ]);
      handles.push(String(put.rows[0]?.handle));
    }
    for (const handle of handles) await client.query('SELECT quern.wait_for_handle($1, 3600)', [handle]);
  }
  const of = new Map(
    readFileSync(join(folder('en'), 'qrels.tsv'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split('\t'))
      .map((fields) => [String(fields[0]), fields.find((field) => places.has(field)) ?? '']),
  );
  const english = new Map(lines<Question>(join(folder('en'), 'queries.jsonl')).map((one) => [one.id, one]));
  for (const language of LANGUAGES) {
    const counts = { there: 0, cited: 0, right: 0, silent: 0, absent: 0, refused: 0, ms: 0 };
    const questions = lines<Question>(join(folder(language), 'queries.jsonl'));
    for (const { id, text } of questions.filter((_, i) => i % (quick ? QUICK_STEP : STEP) === 0)) {
      const document = of.get(id) ?? '';
      const { facts, refs, ms } = await asked(client, { question: text, dataset: 'across', filter: null });
      counts.ms += ms;
      if (!isKept(places.get(document) ?? 1)) {
        counts.absent++;
        if (facts.length === 0) counts.refused++;
        continue;
      }
      counts.there++;
      if (facts.length === 0) counts.silent++;
      const first = facts.slice(0, FACTS_MAX);
      const answers = english.get(id)?.answers ?? [];
      if (first.some(({ refIds }) => refIds.some((ref) => refs[ref]?.doc_id === document))) counts.cited++;
      if (first.some(({ fact }) => answers.some((answer) => fact.includes(answer)))) counts.right++;
    }
    const { there, cited, right, silent, absent, refused, ms } = counts;
    console.log(
      `across, ${language} over en: paragraph cited ${share(cited, there)}, answer among ${FACTS_MAX} facts ` +
        `${share(right, there)}, silent ${silent} of ${there}; nothing answers: silent ${refused} of ${absent}; ` +
        `${(ms / (there + absent)).toFixed(0)} ms an answer`,
    );
  }
}
