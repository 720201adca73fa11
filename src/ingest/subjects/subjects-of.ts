/**
 * The names of whom a document is of, by rule, from what it begins with: its title, its cover or first page, what its
 * pages repeat at their edges. Companies are told by their legal form; trading symbols by their exchange or column;
 * short names by the document's own definition; initials by the name.
 */
import { initialsOf } from '../../language/names/initials.ts';
import {
  EXCHANGES,
  LEGAL_FORMS,
  LEGAL_WEAK,
  NO_COMPANY,
  SELF_WORDS,
  SYMBOL_LABELS,
} from '../../language/names/legal-forms.ts';
import { nameKey } from '../../language/names/name-keys.ts';
import { lineWordsOf } from '../../language/texts/lines.ts';
import { knownLanguage } from '../../language/detect-language.ts';

export interface Subject {
  readonly name: string;
  readonly kind: 'title' | 'cover' | 'header' | 'symbol' | 'short' | 'initials';
  /** Language of the text that has it, as `detectLanguage` names it; null where it is not told. */
  readonly language: string | null;
}

export interface Beginning {
  readonly title: string | null;
  readonly margins: readonly string[];
  /** Texts of its chunks, or their beginnings. */
  readonly texts: Pick<readonly string[], 'length' | 'at'>;
}

/** Chunks that are read, and how far. */
const COVER_CHUNKS = 4;
const COVER_CHARACTERS_MAX = 4_000;
const MARGINS_COUNT_MAX = 50;
const NAMES_COUNT_MAX = 8;
const TITLE_WORDS_MAX = 12;
const NAME_WORDS_MAX = 7;

/** The surest first, each name once. */
export function subjectsOf({ title, margins, texts }: Beginning): readonly Subject[] {
  const first = Array.from({ length: Math.min(COVER_CHUNKS, texts.length) }, (_, i) => texts.at(i));
  const cover = first.join('\n').slice(0, COVER_CHARACTERS_MAX);
  const language = knownLanguage(cover);
  const edges = margins.slice(0, MARGINS_COUNT_MAX).join('\n');
  const subjects: Subject[] = [];
  const add = (kind: Subject['kind'], names: Iterable<string>): void => {
    for (const name of names) subjects.push({ name, kind, language });
  };
  if (title !== null) {
    add('title', companiesIn(title));
    if ((title.match(/[\p{L}\p{N}]+/gu)?.length ?? 0) in WITHIN_TITLE) add('title', [title]);
  }
  const onCover = companiesIn(cover);
  add('cover', onCover);
  add('header', companiesIn(edges));
  add('symbol', symbolsIn(cover));
  if (onCover.length > 0) add('short', shortNamesIn(cover));
  const names = subjects.filter(({ kind }) => kind !== 'symbol' && kind !== 'short').map(({ name }) => name);
  add(
    'initials',
    names.filter(isCompany).flatMap((name) => [...initialsOf(capitalized(name))]),
  );
  return [...new Map(subjects.toReversed().map((one) => [nameKey(one.name), one])).values()]
    .reverse()
    .filter(({ name }) => nameKey(name) !== '');
}

/** Numbers of words that a title has which may be called by. */
const WITHIN_TITLE = Object.fromEntries(Array.from({ length: TITLE_WORDS_MAX - 1 }, (_, i) => [i + 2, true]));

const WORD = /[\p{L}\p{N}][\p{L}\p{N}&'’./-]*/gu;
const bare = (word: string): string => word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
const isCapital = (word: string): boolean => /^[\p{Lu}\p{N}]/u.test(word);
/** Between the words of one name: blanks, `&`, a comma before the legal form. */
const GAP = /^,?[^\S\n]*(?:&[^\S\n]*)?$/;
const SMALL_WITHIN: ReadonlySet<string> = new Set(lineWordsOf((words) => words.withinNames));

const isCompany = (name: string): boolean => LEGAL_FORMS.has(bare(name.split(/\s+/).at(-1) ?? ''));

/** Names that end in a legal form, in their order, each once. */
function companiesIn(text: string): readonly string[] {
  const words = [...text.matchAll(WORD)];
  const names = new Map<string, string>();
  for (const [at, word] of words.entries()) {
    const next = words[at + 1];
    if (!isForm(word[0]) || (isForm(next?.[0] ?? '') && isJoined(text, word, next))) continue;
    const name = nameBefore(text, words, at);
    if (name !== null && !names.has(nameKey(name))) names.set(nameKey(name), name);
    if (names.size === NAMES_COUNT_MAX) break;
  }
  return [...names.values()];
}

/** `Inc.`, `PLC`, `GmbH`, not `as` or `company` in a sentence. */
const isForm = (word: string): boolean =>
  LEGAL_FORMS.has(bare(word)) && (isCapital(word) || /^(?:plc|gmbh|s\.?p\.?a\.?|s\.?r\.?l\.?)$/.test(word));

function isJoined(text: string, one: RegExpExecArray, next: RegExpExecArray | undefined): boolean {
  return next !== undefined && /^[.,\s]{1,3}$/.test(text.slice(one.index + one[0].length, next.index));
}

function nameBefore(text: string, words: readonly RegExpExecArray[], at: number): string | null {
  let first = at;
  while (first > 0 && at - first < NAME_WORDS_MAX && goesBack(text, words, first)) first -= 1;
  while (first < at && SMALL_WITHIN.has(words[first]?.[0] ?? '')) first += 1;
  const own = words.slice(first, at + 1).map(([word]) => bare(word));
  const told = own.filter((word) => !LEGAL_FORMS.has(word) && !SMALL_WITHIN.has(word) && word !== 'the');
  const isWeak = own.filter((word) => LEGAL_FORMS.has(word)).every((word) => LEGAL_WEAK.has(word));
  const [from, to] = [words[first], words[at]] as [RegExpExecArray, RegExpExecArray];
  const name = text.slice(from.index, to.index + to[0].length).replace(/[.,]$/, '');
  const isAmongWords = isWeak && told.length < 2 && !(/[A-Z]\.?[A-Z]$/.test(name) && /\p{Ll}/u.test(name));
  const isNobody = told.every((word) => NO_COMPANY.has(word) || /^\d+$/.test(word));
  return isNobody || isAmongWords ? null : name;
}

/** True when the word before `first` is of the same name; a legal form ends the one before. */
function goesBack(text: string, words: readonly RegExpExecArray[], first: number): boolean {
  const [before, one, next] = [words[first - 2], words[first - 1], words[first]] as [
    RegExpExecArray | undefined,
    RegExpExecArray,
    RegExpExecArray,
  ];
  if (!GAP.test(text.slice(one.index + one[0].length, next.index))) return false;
  if (isForm(one[0])) return isForm(next[0]);
  if (isCapital(one[0])) return true;
  return SMALL_WITHIN.has(one[0]) && before !== undefined && isCapital(before[0]) && !isForm(before[0]);
}

const SYMBOL = new RegExp(`\\((?:${EXCHANGES.join('|')})\\s*:\\s*([A-Z0-9][A-Z0-9.]{0,9})\\)`, 'g');
const SYMBOL_CELL = new RegExp(
  `\\[[^\\]\\n]*(?:${SYMBOL_LABELS.join('|')})[^\\]\\n]*\\]=([A-Z0-9][A-Z0-9.]{0,5})(?![\\p{L}\\p{N}])`,
  'giu',
);

const symbolsIn = (text: string): readonly string[] => [
  ...[...text.matchAll(SYMBOL)].map(([, symbol]) => symbol as string),
  ...[...text.matchAll(SYMBOL_CELL)]
    .map(([, symbol]) => symbol as string)
    .filter((one) => one === one.toUpperCase()),
];

/** In brackets and quotes: (“Acme”, the “Company”). */
const DEFINED = /\((?:[^()]{0,60}?)[“"„«]([^“”"„«»]{2,40})[”"“»](?:[^()]{0,60})\)/gu;

const shortNamesIn = (text: string): readonly string[] =>
  [...text.matchAll(DEFINED)]
    .map(([, name]) => (name as string).replace(/[,.]$/, ''))
    .filter((name) => /^\p{Lu}/u.test(name) && !name.split(/\s+/).some((word) => SELF_WORDS.has(bare(word))));

/** `THE BOEING COMPANY` as its words would be written elsewhere, so that initials are told. */
const capitalized = (name: string): string =>
  /\p{Ll}/u.test(name)
    ? name
    : name.replace(/(\p{Lu})(\p{Lu}+)/gu, (_, first: string, rest: string) => first + rest.toLowerCase());
