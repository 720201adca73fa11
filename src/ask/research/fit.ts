/** Whom evidence is of, and whether that is the one, and the time, that a question of the plan is about. */
import { QuickCache } from '../../bounded-cache.ts';
import { planningPack } from '../../language/questions/planning/planning-packs.ts';
import { wordsSource } from '../../language/questions/words.ts';
import type { Evidence } from '../evidence/evidence.ts';
import type { Fact, Passage } from '../passage.ts';
import { type Question, type Reader, yearsIn } from '../question.ts';
import { type Contents, supported } from '../support.ts';
import type { SubQuestion } from './sub-question.ts';

export type Reason =
  | 'too weak'
  | 'duplicate'
  | 'other year'
  | 'other entity'
  | 'not placed'
  | 'contradicts'
  | 'enough kept';

/** The least score for what the question does not name: only what is clear. */
const ASPECT_SCORE_MIN = 0.6;

interface Asked {
  readonly sub: SubQuestion;
  readonly question: Question;
  readonly reader: Reader;
}

/** Null where it fits; a part is of one entity and its years, and an aspect is worth only what is clear. */
export function misfit(evidence: Evidence, { sub, question, reader }: Asked): Reason | null {
  const { unit, passage, score } = evidence;
  const text =
    unit.kind === 'sentence' ? unit.sentence.text : passage.text.slice(unit.row.start, unit.row.end);
  const around = aroundOf(passage);
  if (sub.entity !== null && !isOf(text, around, passage, sub)) return 'other entity';
  const own =
    unit.kind === 'sentence'
      ? yearsIn(text)
      : unit.row.cells.flatMap(({ year }) => (year === null ? [] : [year]));
  const told = own.length > 0 ? own : yearsIn(around.replace(/_/g, ' '));
  const { years } = question;
  if (years.length > 0 && told.length > 0 && !told.some((year) => years.includes(year))) return 'other year';
  if (sub.origin === 'aspect' && score < ASPECT_SCORE_MIN) return 'too weak';
  // A sentence that only announces says nothing; rows tell no reasons, nor do sentences about something else.
  if (unit.kind === 'sentence' && /[:：]$/.test(unit.sentence.text)) return 'too weak';
  if (sub.kind !== 'reason') return null;
  return unit.kind === 'sentence' && tellsChange(text, { sub, question, reader }) ? null : 'too weak';
}

const aroundOf = ({ heading, docName }: Passage): string => `${heading ?? ''} ${docName}`;

/** Characters before and after. */
const NEAR = 80;

const CHANGING = new Map<string, RegExp>();

function changingIn(language: string, words: readonly string[]): RegExp {
  const known = CHANGING.get(language) ?? new RegExp(wordsSource(words), 'giu');
  CHANGING.set(language, known);
  return known;
}

/** True when what is asked about stands beside a word of change; asked where the pack of its language has such words. */
function tellsChange(text: string, { sub, question, reader }: Asked): boolean {
  const { language, terms } = question;
  const { changing = [], reasons = [] } = planningPack(language) ?? {};
  if (changing.length === 0) return true;
  const other = new Set(reader.terms([sub.entity ?? '', ...reasons, ...changing].join(' '), language));
  const wanted = terms.filter((term) => !other.has(term));
  return [...text.matchAll(changingIn(language, changing))].some(({ index }) => {
    const near = new Set(reader.terms(text.slice(Math.max(0, index - NEAR), index + NEAR), language));
    return wanted.every((term) => near.has(term));
  });
}

/** True for text whose passage alone names it, and whose heading or document does not name another one. */
function isOf(text: string, around: string, passage: Passage, { entity, others }: SubQuestion): boolean {
  if (entity === null || mentions(text, entity) || mentions(around, entity)) return true;
  const isOfOther = others.some((other) => mentions(text, other) || mentions(around, other));
  return !isOfOther && mentions(passage.text, entity);
}

/**
 * Where several are compared, a fact says of whom it is: by its passage's word, else by its document's name.
 * @returns with the one that it is told of.
 */
export function named(
  fact: Fact,
  { entity, others }: SubQuestion,
  contents: Contents,
): { readonly fact: Fact; readonly entity: string | null } {
  const [citation] = fact.citations;
  if (others.length === 0 || citation === undefined) return { fact, entity: null };
  const of = entity ?? (fact.isComputed ? null : soleOf(others, fact, citation.passage));
  if (of === null) return { fact, entity: null };
  if (mentions(fact.text, of)) return { fact, entity: of };
  const support = { passage: citation.passage, texts: [of], from: 0 };
  const placed = supported({ ...fact, supports: [support] }, contents);
  const quotes = placed?.citations[0]?.quotes ?? [];
  const citations = [{ ...citation, quotes: [...citation.quotes, ...quotes] }, ...fact.citations.slice(1)];
  return { fact: { ...fact, text: `${of}: ${fact.text}`, citations }, entity: of };
}

/** The only one of several that a fact's words name, else its heading and document, else its passage. */
function soleOf(names: readonly string[], { text }: Fact, passage: Passage): string | null {
  for (const within of [text, aroundOf(passage), passage.text]) {
    const found = names.filter((name) => mentions(within, name));
    if (found.length > 0) return found.length === 1 ? (found[0] ?? null) : null;
  }
  return null;
}

/** Whom a number is of: who is compared, else whom the question names; null: whom its document is of. */
export function entityOf(
  { unit, passage }: Evidence,
  entity: string | null,
  { names }: Question,
): string | null {
  if (entity !== null) return entity;
  const text = unit.kind === 'sentence' ? unit.sentence.text : '';
  const within = [text, aroundOf(passage), passage.text];
  return names.find((name) => within.some((one) => mentions(one, name))) ?? null;
}

/** Passages are asked again and again, unit by unit. */
const PLAIN_ENTRIES_MAX = 500;
const PLAIN = new QuickCache<string, string>(PLAIN_ENTRIES_MAX);

function plain(text: string): string {
  const known = PLAIN.get(text);
  if (known !== undefined) return known;
  const made = plainOf(text);
  PLAIN.set(text, made);
  return made;
}

const plainOf = (text: string): string =>
  ` ${text
    .toLowerCase()
    .replace(/['’]s\b/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `;

/** As words of the text; `Best Buy` is also `bestbuy`. */
function mentions(text: string, name: string): boolean {
  const [all, one] = [plain(text), plain(name)];
  return all.includes(one) || (one.trim().includes(' ') && all.includes(` ${one.replaceAll(' ', '')} `));
}
