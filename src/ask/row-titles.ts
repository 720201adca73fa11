/**
 * Headings above a row that alone would not say what it is of: `Revenues` of two segments are told apart by their
 * headings. Only headings that the passage's own text has, as they must stand there.
 */
import { lineWords } from '../language/texts/lines.ts';
import type { Evidence } from './evidence/evidence.ts';
import type { Passage } from './passage.ts';

const TITLE_CHARACTERS_MAX = 60;
/** Headings of sentences, addresses and the like are no names. */
const NO_NAME = new RegExp(
  `\\d|[.!?]$|\\bforward.looking\\b|\\bcautionary\\b|^${lineWords((words) => words.divisions)}`,
  'iu',
);

export class RowTitles {
  /** Headings, the nearest first, by document and the row's own name. */
  readonly #alike = new Map<string, Map<string, readonly string[]>>();

  constructor(evidence: readonly Evidence[]) {
    for (const one of evidence) {
      const key = keyOf(one);
      if (key === null) continue;
      const known = this.#alike.get(key) ?? new Map<string, readonly string[]>();
      this.#alike.set(key, known.set(one.passage.contentId, headingsOf(one.passage)));
    }
  }

  /** The nearest heading that rows of the same name have not; empty where its own name is enough, or none is there. */
  of(one: Evidence): string {
    const alike = this.#alike.get(keyOf(one) ?? '');
    const own = alike?.get(one.passage.contentId);
    if (alike === undefined || own === undefined || alike.size < 2) return '';
    const others = [...alike]
      .filter(([id]) => id !== one.passage.contentId)
      .flatMap(([, headings]) => headings);
    return own.find((heading) => !others.includes(heading) && isName(heading, one.passage.text)) ?? '';
  }
}

/** Null for what needs no title: a sentence, a row under a name of its own. */
const keyOf = ({ passage, unit }: Evidence): string | null =>
  unit.kind === 'row' && unit.row.section === ''
    ? JSON.stringify([passage.dataset, passage.docId, unit.row.label.toLowerCase().replace(/\W+/g, '')])
    : null;

const headingsOf = ({ heading }: Passage): readonly string[] => heading?.split(' > ').toReversed() ?? [];

const isName = (heading: string, text: string): boolean =>
  heading.length <= TITLE_CHARACTERS_MAX && !NO_NAME.test(heading) && text.includes(heading);
