/** Words of a document page by page, as a person counts them, and how two lists of them agree. */
import type { Block, Document, Margin, PlacedText } from '../../src/ingest/document.ts';

/** Marks that poppler writes around runs of another direction; they are invisible, and no space stands beside them. */
const DIRECTIONS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Hyphens are left out, as lines' ends decide about them; so is punctuation around a word. */
export function wordsOfText(text: string): string[] {
  return text
    .normalize('NFKC')
    .replaceAll(DIRECTIONS, ' ')
    .replaceAll(/[-‐‑\u00ad]/g, '')
    .split(/\s+/)
    .map((word) => word.toLowerCase().replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''))
    .filter((word) => word !== '');
}

/** @returns words by page (index 0 is page 1), in reading order. */
export function wordsByPage(document: Document, blocks: readonly (Block | Margin)[]): string[][] {
  const pages: string[][] = document.pages.map(() => []);
  const add = (page: number, text: string): void => {
    pages[page - 1]?.push(...wordsOfText(text));
  };
  const addPlaced = ({ text, words }: PlacedText): void => {
    if (words === null) return;
    let start = 0;
    for (let index = 0; index < words.starts.length; index++) {
      const end = words.ends[index] as number;
      const isWhole =
        index + 1 === words.starts.length || /\s/.test(text[end] ?? '') || words.starts[index + 1] !== end;
      if (!isWhole) continue;
      add(words.pages[index] as number, text.slice(start, end));
      start = end;
    }
  };
  for (const block of blocks) {
    if ('caption' in block && block.caption !== null) addPlaced(block.caption);
    if (block.kind === 'table' && block.unit !== null && !block.text.includes(block.unit.text))
      addPlaced(block.unit);
    if ('marker' in block) add(block.page, block.marker);
    addPlaced(block);
  }
  return pages;
}

/** Share of `wanted`, each as often as it is there, that is in `found`. */
export function recall(wanted: readonly string[], found: readonly string[]): number {
  if (wanted.length === 0) return 1;
  const counts = new Map<string, number>();
  for (const word of found) counts.set(word, (counts.get(word) ?? 0) + 1);
  let hits = 0;
  for (const word of wanted) {
    const count = counts.get(word) ?? 0;
    if (count === 0) continue;
    counts.set(word, count - 1);
    hits++;
  }
  return hits / wanted.length;
}

/** Share of `wanted` in the longest common subsequence. */
export function inOrder(wanted: readonly string[], found: readonly string[]): number {
  if (wanted.length === 0) return 1;
  let before = new Uint32Array(found.length + 1);
  for (const word of wanted) {
    const row = new Uint32Array(found.length + 1);
    for (let index = 1; index <= found.length; index++) {
      row[index] =
        found[index - 1] === word
          ? (before[index - 1] as number) + 1
          : Math.max(before[index] as number, row[index - 1] as number);
    }
    before = row;
  }
  return (before[found.length] as number) / wanted.length;
}
