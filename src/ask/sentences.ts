/** Sentences of a chunk's text, with their places; its heading and its table rows are left out. */
import { lineWords } from '../language/texts/lines.ts';

export interface Sentence {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** The line's list marker and the line before it, where that announces the list. */
  readonly lead: string;
}

const SENTENCE = /(?:(?<=[.!?…]["'”’)\]]{0,2})\s+(?=["'“‘([]*[\p{Lu}\p{N}•])|(?<=[。！？])|\n+)/u;
/** A point after these ends no sentence. */
const ABBREVIATION = new RegExp(
  `(?:${lineWords((words) => words.abbreviations)}|${lineWords((words) => words.numbered)} \\d{1,3}|\\b\\p{Lu})\\.$`,
  'u',
);
const MARKER = /^(?:[•●▪◦*–-]|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)])\s+/;

export function sentencesOf(text: string): readonly Sentence[] {
  const sentences: Sentence[] = [];
  let lead = '';
  for (const { part, start } of linesOf(text)) {
    if (/^(?:## |\[row_\d+\])/.test(part)) {
      lead = '';
      continue;
    }
    const [marker = ''] = MARKER.exec(part) ?? [];
    const own = split(part.slice(marker.length), start + marker.length);
    for (const sentence of /\d/.test(marker) ? withTitle(own, text) : own) {
      // A paragraph that begins in the middle of a sentence goes on from another page, or beside a table.
      const isTorn = marker === '' && sentence.start === start && /^\p{Ll}/u.test(sentence.text);
      if (!isTorn) sentences.push({ ...sentence, lead: marker === '' ? '' : lead });
    }
    if (/:\s*$/.test(part)) lead = part.trim();
    else if (marker === '') lead = '';
  }
  return sentences;
}

/** A clause's title is no sentence of its own: `9. Early termination. Tenant may …`. */
function withTitle<One extends Place>([title, first, ...rest]: readonly One[], text: string): readonly One[] {
  if (title === undefined || first === undefined) return title === undefined ? [] : [title];
  const isTitle = title.text.endsWith('.') && title.text.split(/\s+/).length <= TITLE_WORDS_MAX;
  if (!isTitle) return [title, first, ...rest];
  return [{ ...first, text: text.slice(title.start, first.end), start: title.start }, ...rest];
}

type Place = Pick<Sentence, 'text' | 'start' | 'end'>;
const TITLE_WORDS_MAX = 4;

function* linesOf(text: string): Generator<{ readonly part: string; readonly start: number }> {
  let start = 0;
  for (const line of text.split('\n')) {
    const indent = line.length - line.trimStart().length;
    if (line.trim() !== '') yield { part: line.trim(), start: start + indent };
    start += line.length + 1;
  }
}

function split(line: string, offset: number): readonly Omit<Sentence, 'lead'>[] {
  const found: { text: string; start: number; end: number }[] = [];
  let open = '';
  let start = offset;
  let at = 0;
  const pieces = line.split(SENTENCE);
  for (const piece of pieces) {
    const from = line.indexOf(piece, at);
    if (open === '') start = offset + from;
    at = from + piece.length;
    open = line.slice(start - offset, at);
    if (ABBREVIATION.test(open) && at < line.length) continue;
    if (open.trim() !== '') found.push({ text: open, start, end: offset + at });
    open = '';
  }
  if (open.trim() !== '') found.push({ text: open, start, end: offset + at });
  return found;
}
