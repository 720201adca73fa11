/**
 * Entailment of a language model's facts by their quotes. That they stand does not make it true: a number, a name,
 * a "not" or a "fell" of its own can turn them round. What may be checked by words is checked here, strictly: a fact
 * that is refused costs a smaller answer, one that is wrong costs trust.
 */
import { senseWords } from '../../language/texts/senses.ts';
import type { Passage } from '../passage.ts';
import { Content, type Place } from '../place.ts';
import type { Question, Reader } from '../question.ts';
import { sentencesOf } from '../sentences.ts';

export interface Borne {
  readonly passage: Passage;
  readonly words: string;
  /** Place of the words in the passage's text. */
  readonly place: Place;
}

interface Saying {
  readonly fact: string;
  readonly quotes: readonly Borne[];
  readonly question: Question;
  readonly reader: Reader;
}

/** The least share of a fact's words, besides those of the question, that must be in its quotes. */
const WORDS_SHARE_MIN = 0.5;

const pattern = (source: string, flags = 'iu'): RegExp => new RegExp(source, flags);

/** `No. 5` is a number, `non-current` a kind of its own. */
const NEGATION = pattern(
  `(?!no\\.|non-)${senseWords(({ denials }) => denials)}|n['’]t\\b|\\bne\\b.{1,30}\\bpas\\b`,
);
const CLAUSE = pattern(`[,;:.!?–—]\\s|\\n|${senseWords(({ contrasts }) => contrasts)}`, 'giu');
const BEFORE_NUMBER = `(?= (?:${senseWords(({ than }) => than)} )?\\p{Sc}?\\d)`;

/** Words of one meaning, and those of the opposite. */
const DIRECTIONS: readonly RegExp[] = [
  pattern(senseWords(({ rises }) => rises)),
  pattern(senseWords(({ falls }) => falls)),
  pattern(`${senseWords(({ atLeast }) => atLeast)}${BEFORE_NUMBER}`),
  pattern(`${senseWords(({ atMost }) => atMost)}${BEFORE_NUMBER}`),
  pattern(senseWords(({ profits }) => profits)),
  pattern(senseWords(({ losses }) => losses)),
];

/** @returns what the fact says that its quotes do not; null where they bear it out. */
export function whyNotBorne(saying: Saying): string | null {
  return wrongNumber(saying) ?? wrongSense(saying) ?? wrongName(saying) ?? otherWords(saying);
}

/** Each stands in a quote with the word that scales it; a year of the question may stand beside the quote. */
function wrongNumber({ fact, quotes, question }: Saying): string | null {
  const quoted = quotes.map(({ words }) => new Content(words));
  const beside = quotes.map(({ passage }) => new Content(surroundings(passage)));
  for (const { text, scale } of new Content(fact).numberTexts()) {
    const isIn = (contents: readonly Content[], words: string): boolean =>
      contents.some((content) => content.place(words) !== null);
    if (isIn(quoted, text + scale)) continue;
    const isYear = question.years.some((year) => text === String(year));
    if (isYear && scale === '' && isIn([...quoted, ...beside], text)) continue;
    // A table's header may say that all are in millions.
    if (scale !== '' && isIn(quoted, text) && isIn(beside, scale)) continue;
    return `${text}${scale} is in none of its quotes`;
  }
  return null;
}

/** A "not" and a direction are those of the quotes' own clauses and sentences. */
function wrongSense({ fact, quotes }: Saying): string | null {
  const clauses = quotes.map(({ passage, place }) => clauseOf(passage.text, place)).join('\n');
  if (NEGATION.test(fact) !== NEGATION.test(clauses)) return 'one of it and its quotes says "not"';
  const sentences = quotes.map(({ passage, place }) => sentenceOf(passage.text, place)).join('\n');
  for (const direction of DIRECTIONS) {
    const [word] = direction.exec(fact) ?? [];
    if (word !== undefined && !direction.test(sentences))
      return `where its quotes stand, nothing says "${word}"`;
  }
  return null;
}

/** From where the quote's clause begins: what goes before it may turn it round. */
function clauseOf(text: string, { start, end }: Place): string {
  const sentence = sentenceOf(text, { start, end });
  const before = text.slice(Math.max(0, start - sentence.length), start);
  const from = [...before.matchAll(CLAUSE)].at(-1);
  return before.slice(from === undefined ? 0 : from.index + from[0].length) + text.slice(start, end);
}

/** Those that hold the quote; a row of a table has none and is one. */
function sentenceOf(text: string, { start, end }: Place): string {
  const held = sentencesOf(text).filter((sentence) => sentence.start < end && sentence.end > start);
  if (held.length > 0) return held.map((sentence) => sentence.text).join(' ');
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const to = text.indexOf('\n', end);
  return text.slice(from, to < 0 ? text.length : to);
}

/** Names that it says stand in what it cites: those of the question too, which may be of somebody else. */
function wrongName({ fact, quotes, question, reader }: Saying): string | null {
  const terms = (text: string): readonly string[] => reader.terms(text, question.language);
  const known = new Set(quotes.flatMap(({ passage }) => terms(surroundings(passage))));
  const [, ...later] = fact.split(/\s+/);
  const capital = later.filter((word) => /^[^\p{L}\p{N}]*\p{Lu}/u.test(word));
  const asked = question.names.filter((name) => fact.toLowerCase().includes(name.toLowerCase()));
  for (const name of [...asked, ...capital]) {
    const unknown = terms(name.replace(/['’]s\b/g, '')).find((term) => !known.has(term));
    if (unknown !== undefined) return `"${name}" does not stand in what it cites`;
  }
  return null;
}

/** The passage with the names that it goes by. */
const surroundings = ({ text, heading, docName }: Passage): string =>
  [text, heading ?? '', docName.replace(/[_.\-/]+/g, ' ')].join('\n');

function otherWords({ fact, quotes, question, reader }: Saying): string | null {
  const terms = (text: string): readonly string[] => reader.terms(text, question.language);
  const given = new Set(quotes.flatMap(({ words }) => terms(words)));
  const own = terms(fact).filter((term) => !question.terms.includes(term));
  const isBorne = own.filter((term) => given.has(term)).length >= WORDS_SHARE_MIN * own.length;
  return isBorne ? null : 'its quotes say other things';
}
