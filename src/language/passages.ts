/**
 * Where a text matches a query: the passage that holds most of it, and the whole text with its matches marked.
 * Matches are found by the analyser of the index, so stems and folded accents match and keep their places.
 */
import type { Analyser } from './analyse.ts';

/** Characters of a passage, without what marks that it is cut. */
const PASSAGE_CHARACTERS = 240;
/** How far a cut may move to the next space. */
const CUT_SHIFT_MAX = 40;
const ELLIPSIS = '…';

interface Match {
  readonly term: string;
  readonly start: number;
  readonly end: number;
}

/** Words of `text` whose terms are the query's, in text order. Words that overlap (pairs of CJK) are joined. */
function matchesOf(analyser: Analyser, text: string, query: string): readonly Match[] {
  const wanted = new Set(analyser.analyse(query).map(({ term }) => term));
  const matches: Match[] = [];
  if (wanted.size === 0) return matches;
  for (const { term, start, end } of analyser.analyse(text)) {
    if (!wanted.has(term)) continue;
    const last = matches.at(-1);
    if (last === undefined || start >= last.end) matches.push({ term, start, end });
    else if (end > last.end) matches[matches.length - 1] = { ...last, end };
  }
  return matches;
}

/**
 * The passage of about 240 characters with most of the query's terms, cut at spaces; the beginning of a text
 * that does not match; the whole text when it is short.
 */
export function bestPassage(analyser: Analyser, text: string, query: string): string {
  if (text.length <= PASSAGE_CHARACTERS) return text;
  const matches = matchesOf(analyser, text, query);
  const { first, last } = densest(matches);
  const start = matches[first]?.start ?? 0;
  const end = matches[last]?.end ?? 0;
  const room = Math.max(0, PASSAGE_CHARACTERS - (end - start));
  const wanted = Math.max(0, Math.min(start - Math.floor(room / 2), text.length - PASSAGE_CHARACTERS));
  const from = wanted === 0 ? 0 : cutAfter(text, wanted, start);
  const most = Math.max(end, from + PASSAGE_CHARACTERS);
  const to = most >= text.length ? text.length : cutBefore(text, most, end);
  const passage = text.slice(from, to).trim();
  return `${from > 0 ? ELLIPSIS : ''}${passage}${to < text.length ? ELLIPSIS : ''}`;
}

/** The run of matches within a passage's length that has most different terms, then most matches. */
function densest(matches: readonly Match[]): { first: number; last: number } {
  let best = { first: 0, last: 0, different: 0, count: 0 };
  const counts = new Map<string, number>();
  let first = 0;
  for (const [last, { term, end }] of matches.entries()) {
    counts.set(term, (counts.get(term) ?? 0) + 1);
    for (; end - (matches[first] as Match).start > PASSAGE_CHARACTERS && first < last; first++) {
      const gone = (matches[first] as Match).term;
      const left = (counts.get(gone) ?? 1) - 1;
      if (left === 0) counts.delete(gone);
      else counts.set(gone, left);
    }
    const count = last - first + 1;
    if (counts.size > best.different || (counts.size === best.different && count > best.count)) {
      best = { first, last, different: counts.size, count };
    }
  }
  return best;
}

/** A place to begin at or soon after `at`, at most `latest`: behind a space, and not within a character. */
function cutAfter(text: string, at: number, latest: number): number {
  const space = text.slice(at, Math.min(latest, at + CUT_SHIFT_MAX)).search(/\s/u);
  if (space >= 0) return at + space + 1;
  return isLowSurrogate(text, at) ? at - 1 : at;
}

/** A place to end at or soon before `at`, at least `earliest`. */
function cutBefore(text: string, at: number, earliest: number): number {
  for (let end = at; end > Math.max(earliest, at - CUT_SHIFT_MAX); end--) {
    if (/\s/u.test(text[end] ?? ' ')) return end;
  }
  return isLowSurrogate(text, at) ? at + 1 : at;
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit < 0xe000;
}

export interface Marks {
  readonly before: string;
  readonly after: string;
  /** True when the text is escaped for HTML; the marks are not. */
  readonly html: boolean;
}

/** The whole text with every match between the marks. */
export function markMatches(analyser: Analyser, text: string, query: string, marks: Marks): string {
  const written = (from: number, to: number): string =>
    marks.html ? escapeHtml(text.slice(from, to)) : text.slice(from, to);
  let marked = '';
  let at = 0;
  for (const { start, end } of matchesOf(analyser, text, query)) {
    marked += `${written(at, start)}${marks.before}${written(start, end)}${marks.after}`;
    at = end;
  }
  return marked + written(at, text.length);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
