/**
 * Passages that stand together become one result: up to three of a page, or of two that follow each other. What one page
 * has beyond that, and what repeats a better passage, is held down, not lost. An image stands by itself.
 */
import { arrayDatum } from '../../../types/composite/array.ts';
import { OID } from '../../../types/oids.ts';
import { pageNumbers } from '../parameters.ts';
import type { Passage } from './passage.ts';
import { WEIGHTS, type Weights } from './weights.ts';

const PASSAGES_A_RESULT = 3;
const PAGES_A_RESULT = 2;
/** Neighbours and repetitions are looked for among so many of the best. */
const MERGED_COUNT_MAX = 100;

interface Result {
  /** The best first. */
  readonly passages: Passage[];
  pages: readonly number[];
}

/** @param chunks best first. @returns results, best first. */
export function merged(
  chunks: readonly Passage[],
  { heldDown: share }: Pick<Weights, 'heldDown'> = WEIGHTS,
): readonly Passage[] {
  const results: Result[] = [];
  const heldDown: Passage[] = [];
  const texts = new Set<string>();
  for (const chunk of chunks.slice(0, MERGED_COUNT_MAX)) {
    const content = withoutHeading(chunk).replace(/\s+/g, ' ').trim();
    if (texts.has(content)) {
      heldDown.push(chunk);
      continue;
    }
    texts.add(content);
    const own = { passages: [chunk], pages: pageNumbers(chunk.pages) };
    const near = results.find((result) => isNear(result, own));
    if (near === undefined) results.push(own);
    else if (near.passages.length < PASSAGES_A_RESULT) join(near, own);
    else if (isWithin(own, near)) heldDown.push(chunk);
    else results.push(own);
  }
  const last = heldDown.map((chunk) => ({ ...chunk, score: share * chunk.score }));
  const others = chunks.slice(MERGED_COUNT_MAX);
  return [...results.map(passageOf), ...last, ...others].sort((a, b) => b.score - a.score);
}

function isNear(result: Result, { passages: [own], pages }: Result): boolean {
  const first = result.passages[0];
  if (own === undefined || first === undefined || !isSameDocument(first, own)) return false;
  if (first.kind === 'image' || own.kind === 'image') return false;
  if (pages.length === 0) return result.passages.some(({ ordinal }) => Math.abs(ordinal - own.ordinal) === 1);
  const all = union(result.pages, pages);
  return all.length <= PAGES_A_RESULT && (all.at(-1) as number) - (all[0] as number) < PAGES_A_RESULT;
}

const isSameDocument = (a: Passage, b: Passage): boolean =>
  a.dataset === b.dataset && a.docId === b.docId && a.version === b.version;

const isWithin = ({ pages }: Result, result: Result): boolean =>
  pages.every((page) => result.pages.includes(page));

const union = (a: readonly number[], b: readonly number[]): readonly number[] =>
  [...new Set([...a, ...b])].sort((x, y) => x - y);

function join(result: Result, { passages, pages }: Result): void {
  result.passages.push(...passages);
  result.pages = union(result.pages, pages);
}

function passageOf({ passages, pages }: Result): Passage {
  const best = passages[0] as Passage;
  if (passages.length === 1) return best;
  const inOrder = passages.toSorted((a, b) => a.ordinal - b.ordinal);
  return {
    ...best,
    contentIds: inOrder.map(({ contentId }) => contentId),
    ordinal: (inOrder[0] as Passage).ordinal,
    lastOrdinal: (inOrder.at(-1) as Passage).ordinal,
    text: inOrder.map((passage, i) => continued(passage, inOrder[i - 1])).join('\n'),
    pages: pages.length === 0 ? best.pages : arrayDatum(OID.int4, pages),
  };
}

/** A passage's text behind another's: its heading is said once, and what is left out between them is marked. */
function continued(passage: Passage, before: Passage | undefined): string {
  if (before === undefined) return passage.text;
  const gap = passage.ordinal === before.ordinal + 1 ? '' : '[…]\n';
  return gap + (passage.heading === before.heading ? withoutHeading(passage) : passage.text);
}

function withoutHeading({ heading, text }: Passage): string {
  const line = `## ${heading}\n`;
  return heading !== null && text.startsWith(line) ? text.slice(line.length) : text;
}
