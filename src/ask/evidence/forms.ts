/** Forms of lines and sentences, told by the words that texts have for them, whatever they are about. */
import { textWords } from '../../language/texts/packs.ts';
import type { Passage } from '../passage.ts';
import type { Sentence } from '../sentences.ts';

const pattern = (source: string): RegExp => new RegExp(source, 'iu');

const SOURCES = `${textWords((pack) => pack.sources)}\\s*:`;
const CAPTION = pattern(`^(?:${textWords((pack) => pack.captions)}\\.?\\s*\\d|${SOURCES})`);
const ANNOUNCES = pattern(`:\\s*$|${textWords((pack) => pack.announcements)}`);
const REFERS = `${textWords((pack) => pack.referring)}\\.?\\s+${textWords((pack) => pack.places)}`;
const ELSEWHERE = pattern(`${textWords((pack) => [...pack.references, ...pack.audits])}|${REFERS}`);
const NOTE = pattern(`^${SOURCES}`);
const LEADS = `^(?:${textWords((pack) => pack.linking)},? ?)?${textWords((pack) => pack.leaning)}`;
const LEANS = pattern(`${LEADS}|${textWords((pack) => pack.pointing)}`);
const DID_NOT = pattern(textWords((pack) => pack.didNot));
/** A name and a page's number, maybe after dots. */
const CONTENTS = /^[^.!?:;%$€£]*\p{L}[^.!?:;%$€£]*?(?:[ .…]{2,}|\s)\d{1,3}$/u;
const LISTS = pattern(`,.*${textWords((pack) => pack.joining)}|[:;：；、]`);
const PARTS = pattern(textWords((pack) => pack.parts));
const SHARES = pattern(`%|${textWords((pack) => pack.shares)}`);
const SENTENCE_END = /[.!…:;。！？?]["'”’)\]]*$/;

/** A short name, a colon and a value, without the end of a sentence. */
const ENTRY = /^[^:：.!?]{2,40}(?::\s+|：\s?)\S.{0,80}(?<![.!?])$/u;
const ENTRY_WORDS_MAX = 5;

/** True for a line of a form: `Prepared by: Ada Byron`. */
export const isEntry = (text: string): boolean =>
  ENTRY.test(text) && (text.split(/[:：]/, 1)[0] ?? '').split(/\s+/).length <= ENTRY_WORDS_MAX;

/** Two words with capitals in a row, or a name in a script without them. */
const PERSON = /\p{Lu}[\p{L}.'’-]+,? (?:\p{Lu}\.? )?\p{Lu}[\p{L}'’-]+|\p{Lu}\. ?\p{Lu}\p{L}+|[\p{Lo}]{2}/u;
export const hasPerson = (text: string): boolean => PERSON.test(text);

export const isSentence = (text: string): boolean => SENTENCE_END.test(text);
export const leans = (text: string): boolean => LEANS.test(text);
export const sendsElsewhere = (text: string): boolean => ELSEWHERE.test(text);
export const isOfThoseWhoDidNot = (text: string): boolean => DID_NOT.test(text);
export const listsSeveral = (text: string): boolean => LISTS.test(text);
export const isAboutPart = (text: string): boolean => PARTS.test(text);
export const isAboutShare = (text: string): boolean => SHARES.test(text);
export const isOfContents = (text: string): boolean => CONTENTS.test(text);

/** Names a table or figure, or announces one. */
export const isCaption = (text: string): boolean => CAPTION.test(text) || ANNOUNCES.test(text);

/** True for the caption of a table, which says what its rows are of and nothing else, and for its notes. */
export function isBesideRows({ start, end }: Sentence, { text }: Passage): boolean {
  const isAbove = /^\n(?:[^\n]{0,100}\n)?\[row_\d+\]/.test(text.slice(end, end + 120));
  const line = text.slice(text.lastIndexOf('\n', start - 1) + 1, start + 12);
  return (isAbove && !/[.!?]$/.test(text.slice(0, end))) || NOTE.test(line);
}
