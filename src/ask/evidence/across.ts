/**
 * Reading across languages: what a sentence or a row says cannot be told from its words where the question is in
 * another language, so the dataset's own model compares the two, if it is one that is known to compare languages.
 */
import { documentKey } from '../passage.ts';
import { documentLanguages, languageOfCode } from '../../language/detect-language.ts';
import { text, texts } from '../../session/datasets/parameters.ts';
import type { Query } from '../../session/server-session.ts';
import type { Unit } from './evidence.ts';
import type { Question } from '../question.ts';
import type { ReadPassage } from '../reading.ts';

/** Similarities to the question, 0..1, in the order of the texts; null where the dataset's model cannot tell. */
export type Similar = (dataset: string, compared: readonly string[]) => Promise<readonly number[] | null>;

/**
 * Cosines between a question and a sentence of another language: of another topic (below, it says nothing), and of what
 * answers it. Measured on XQuAD's German, Spanish and Chinese questions over English paragraphs: some three quarters of
 * the best sentences of other paragraphs are below the first, at most a quarter of those that answer above the second.
 */
const MODELS: Readonly<Record<string, { readonly nothing: number; readonly all: number }>> = {
  'multilingual-e5-small': { nothing: 0.75, all: 0.85 },
};

/** Texts are compared in one statement; what a model reads takes its time. */
const UNITS_MAX = 40;
const UNITS_A_PASSAGE_MAX = 8;
const CHARACTERS_MAX = 400;

/** @param query runs statements as the asker. */
export function similarTo({ core }: Question, query: Query): Similar {
  return async (dataset, compared) => {
    const [row] = await query(
      'SELECT embedding_model AS model FROM quern.datasets WHERE name = $1',
      text(dataset),
    );
    const model = String(row?.model ?? '');
    const scale = MODELS[model];
    if (scale === undefined) return null;
    const rows = await query(
      `SELECT 1 - (embed(one, model => $1) <=> embed($2, model => $1)) AS cosine
       FROM unnest($3::text[]) WITH ORDINALITY AS t (one, place) ORDER BY place`,
      text(model),
      text(core.slice(0, CHARACTERS_MAX)),
      texts(compared),
    );
    return rows.map(({ cosine }) => {
      const part = (Number(cosine) - scale.nothing) / (scale.all - scale.nothing);
      return Math.max(0, Math.min(1, part));
    });
  };
}

/** Similarities of units in another language than the question, as far as the best passages go. */
export async function foreignUnits(
  question: Question,
  passages: readonly ReadPassage[],
  units: readonly Unit[],
  similar: Similar,
): Promise<ReadonlyMap<Unit, number>> {
  const foreign = foreignPassages(question, passages);
  const similarities = new Map<Unit, number>();
  if (foreign.size === 0) return similarities;
  const byPassage = Map.groupBy(units, ({ passage }) => passage);
  const chosen: Unit[] = [];
  for (const { passage } of passages) {
    if (!foreign.has(passage)) continue;
    const own = (byPassage.get(passage) ?? []).map((unit) => ({ unit, worth: worthOf(unit, question) }));
    own.sort((a, b) => b.worth - a.worth);
    chosen.push(...own.slice(0, UNITS_A_PASSAGE_MAX).map(({ unit }) => unit));
    if (chosen.length >= UNITS_MAX) break;
  }
  const ofDatasets = Map.groupBy(chosen.slice(0, UNITS_MAX), ({ passage }) => passage.dataset);
  for (const [dataset, own] of ofDatasets) {
    const found = await similar(dataset, own.map(comparedText));
    for (const [i, unit] of own.entries()) if (found !== null) similarities.set(unit, found[i] ?? 0);
  }
  return similarities;
}

function foreignPassages(
  { language }: Question,
  passages: readonly ReadPassage[],
): ReadonlySet<Unit['passage']> {
  const documents = Map.groupBy(passages, ({ passage }) => documentKey(passage));
  const foreign = [...documents.values()].filter((own) => {
    const written = own.flatMap(({ sentences }) => sentences.map((sentence) => sentence.text));
    const known = documentLanguages(written).map(languageOfCode);
    return known.length > 0 && !known.includes(language);
  });
  return new Set(foreign.flat().map(({ passage }) => passage));
}

/** Years and numbers are written alike in all languages, so they choose what is worth comparing. */
function worthOf({ of, text: written }: Unit, { years, kind }: Question): number {
  const hasYear = years.some((year) => written.includes(String(year)));
  if (of.kind === 'row') return of.row.cells.length === 0 ? 0 : Number(hasYear) + Number(kind === 'number');
  return 1 + Number(hasYear) + Number(kind !== 'number');
}

function comparedText({ of, text: written }: Unit): string {
  if (of.kind === 'sentence') return written.slice(0, CHARACTERS_MAX);
  const { label, section, about } = of.row;
  return [label, section, about]
    .filter((part) => part !== '')
    .join(', ')
    .slice(0, CHARACTERS_MAX);
}
