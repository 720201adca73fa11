/**
 * Words of human languages stand in packs: no list of them is in code, and no pack is written from the questions that
 * answers are measured with.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { QUESTION_PACKS } from '../src/language/questions/asking/question-packs.ts';
import { tokensOf } from '../src/ask/question/tokens.ts';
import { STOP_WORDS } from '../src/language/stop-words.ts';
import { readSources } from './house/source.ts';
import { humanWords, wordListsOf } from './house/word-lists.ts';

const ROOT = join(import.meta.dirname, '..');

describe('words of human languages', () => {
  const known = humanWords(readSources(ROOT, 'src'));

  it.each([
    ['an expression', 'const A = /\\b(?:highest|lowest|average)\\b/;'],
    ['a text that is split', "const A = 'and of the for'.split(' ');"],
    ['a text of alternatives', "const A = new RegExp('warum|weshalb|wieso');"],
    ['a set', "const A = new Set(['januar', 'februar', 'mai']);"],
    ['constants', "const A = ['pourquoi', 'quand', 'combien'] as const;"],
  ])('are found in %s', (_, code) => {
    expect(wordListsOf('a.ts', code, known)).toHaveLength(1);
  });

  it.each([
    ['names of code', "const A = ['rowid', 'lsn', 'oid'];"],
    ['tags of questions', "const A = ['what', 'why', 'be'] as const;"],
    ['a sentence', "const A = 'what is the average of the year';"],
    ['codes', 'const A = /USD|EUR|CHF/;'],
  ])('are not %s', (_, code) => {
    expect(wordListsOf('a.ts', code, known)).toEqual([]);
  });
});

const DATA = join(ROOT, '../shared/data');
const isThere = existsSync(DATA);

/** Texts of questions in the sets that lie beside the checkout, in lower case, a space between words. */
function questionsOfSets(): readonly string[] {
  const files = readdirSync(DATA, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /(?:questions|queries)\.jsonl$|tatqa_dataset_dev\.json$/.test(name),
  );
  const texts: string[] = [];
  const collect = (value: unknown, key: string): void => {
    if (typeof value === 'string' && (key === 'question' || key === 'text')) texts.push(value);
    if (Array.isArray(value)) for (const one of value) collect(one, key);
    else if (typeof value === 'object' && value !== null)
      for (const [name, one] of Object.entries(value)) if (name !== 'paragraphs') collect(one, name);
  };
  for (const file of files) {
    const text = readFileSync(join(DATA, file), 'utf8');
    const rows = file.endsWith('.jsonl') ? text.split('\n').filter((line) => line !== '') : [text];
    for (const row of rows) collect(JSON.parse(row), '');
  }
  return texts.map((text) => ` ${wordsOf(text).join(' ')} `);
}

const wordsOf = (text: string): readonly string[] =>
  tokensOf(text).flatMap(({ kind, word }) => (kind === 'word' ? [word] : []));

/** Words that a language asks with, or joins others by: every question has them. */
const common = new Set(
  QUESTION_PACKS.flatMap(({ words }) => Object.values(words).flatMap((one) => one.split(/\|\s*/)))
    .concat(Object.values(STOP_WORDS).flat())
    .flatMap((word) => wordsOf(word.replace(/\*$/, ''))),
);

/** Idioms that any text of the language has. */
const IDIOMS = ['in relation to', 'as part of', 'is made up', 'in units of', 'in wie vielen'];

/** Three letters of it are about a word. */
const UNSPACED = /\p{Script=Han}/u;

/** Forms without slots, marks and choices of words, and words as they are listed. */
function textsOfPacks(): readonly string[] {
  const forms = QUESTION_PACKS.flatMap((pack) => [
    ...Object.values(pack.kinds).flat(),
    ...pack.operations.map(({ form }) => form),
    ...[...pack.causes, ...pack.verdicts, ...pack.asking, ...pack.uncomputed],
    ...[...pack.ofYears, ...pack.ofRows, ...pack.compared, ...pack.answerLeads, ...pack.answerClauses],
  ]);
  const lists = QUESTION_PACKS.flatMap(({ words }) => Object.values(words)).flatMap((one) =>
    one.split(/\|\s*/),
  );
  return [...forms.flatMap((form) => form.split(/\b(?:A|B|OF)\b,?|[|()[\]]/)), ...lists];
}

describe('packs', () => {
  it('are not written from the questions that answers are measured with', ({ skip }) => {
    if (!isThere) {
      expect(process.env.CI, `${DATA} is not there`).not.toBe('true');
      skip(`${DATA} is not there`);
    }
    const questions = questionsOfSets();
    expect(questions.length).toBeGreaterThan(1_000);
    const runs = textsOfPacks().flatMap((text) => {
      const words = wordsOf(text);
      return words.slice(2).map((last, i) => [words[i], words[i + 1], last] as string[]);
    });
    const own = runs.filter(
      (run) =>
        !run.every((word) => common.has(word) || UNSPACED.test(word)) && !IDIOMS.includes(run.join(' ')),
    );
    const taken = [...new Set(own.map((run) => run.join(' ')))].filter((run) =>
      questions.some((question) => question.includes(` ${run} `)),
    );
    expect(taken, 'a form is of the language, not of a question').toEqual([]);
  });

  it('name terms, no questions', () => {
    const { rows } = JSON.parse(readFileSync(join(ROOT, 'domains/finance.json'), 'utf8')) as {
      readonly rows: readonly { readonly names?: Readonly<Record<string, readonly string[]>> }[];
    };
    const names = rows.flatMap((row) => Object.values(row.names ?? {}).flat());
    expect(names.length).toBeGreaterThan(100);
    expect(names.filter((name) => /[?？]/.test(name) || wordsOf(name).length > TERM_WORDS_MAX)).toEqual([]);
  });
});

/** Longer ones are sentences; a Chinese letter counts as a word. */
const TERM_WORDS_MAX = 14;
