/**
 * Keywords of one part: an inverted index (growing or stored) with its statistics, behind the interface of
 * search structures; and the access method that makes, loads, merges and asks it.
 */
import { QuickCache } from '../../bounded-cache.ts';
import { assert } from '../../assert.ts';
import { runTask, type Task } from '../../task.ts';
import type { Datum } from '../../types/datum.ts';
import type { Vector } from '../../types/column/vector.ts';
import { type Analyser, createAnalyser, ELEMENT_GAP, type Term } from '../../language/analyse.ts';
import { countBits, hasBit, intersectBits } from '../../types/column/bitset.ts';
import { WindowScores } from './window-scores.ts';
import type { RowExplanation } from '../explanation.ts';
import { explainRows } from './explain.ts';
import { HeadIndex } from './head.ts';
import { JointCounts } from './joint-counts.ts';
import { heldLanguages, languageTerm, queryAnalyser, rowsInLanguage } from './languages.ts';
import { KERNEL_BYTES_MIN, sectionTargets } from './memory.ts';
import { mergeIndexes } from './merge.ts';
import { type KeywordPart, type KeywordQuery, prepareKeywordQuery, wantsEach } from './query.ts';
import { RowScorer, searchKeywords } from './search.ts';
import { SegmentIndex } from './segment.ts';
import { END, type FieldStatistics } from './postings.ts';
import type {
  SearchRange,
  HeadStructure,
  Hits,
  StoredStructure,
  StructureInput,
  StructureLoad,
  StructureMethod,
  StructureOptions,
  StructureQuery,
  StructureWords,
} from '../structure.ts';
import { cutAtTies } from '../top-rows.ts';

/** Stands for no visibility bitset. */
const ALL_ROWS = new Uint32Array(0);
/** Terms whose visible rows are remembered for a view. */
const COUNTS_MAX = 4096;

/** Rows as a snapshot sees them. */
export interface View {
  readonly limit: number;
  /** A head's rows when the view was made. */
  readonly rowCount: number;
  readonly hidden: Uint32Array;
  readonly statistics: FieldStatistics;
  /** Visible rows of terms that were asked for. */
  readonly counts: QuickCache<string, number>;
  /** Counts of this field with others. */
  readonly joint: JointCounts;
}

export class KeywordsStructure implements HeadStructure {
  readonly kind = 'keywords';
  readonly index: HeadIndex | SegmentIndex;
  /** It remembers the stems of words, so queries use it too. */
  readonly analyser: Analyser;
  /** Room for searches; each leaves it as it was before it lets another one have a turn. */
  readonly window = new WindowScores();
  /** Views by visibility bitset; bitsets belong to immutable snapshots. */
  readonly #views = new WeakMap<Uint32Array, View>();

  constructor(analyser: Analyser, index: HeadIndex | SegmentIndex) {
    this.analyser = analyser;
    this.index = index;
  }

  get rowCount(): number {
    return this.index.rowCount;
  }

  get bytes(): number {
    return this.index.bytes;
  }

  append(input: StructureInput): void {
    assert(input.kind === 'keywords', 'keywords take text');
    assert(this.index instanceof HeadIndex, 'only a head grows');
    for (let row = 0; row < input.values.length; row++) this.index.add(this.#termsOf(input.values, row));
  }

  search(query: StructureQuery, range: SearchRange): Hits | Promise<Hits> {
    return runTask(this.#search(query as KeywordQuery, range));
  }

  *#search(query: KeywordQuery, { count, mask, limit, signal }: SearchRange): Task<Hits> {
    const end = Math.min(limit, this.rowCount);
    const { language } = query;
    const rows = language === null ? null : rowsInLanguage(this.index, language);
    const wanted = intersectBits(mask, rows, end);
    const hits = yield* searchKeywords({
      index: this.index,
      query,
      count,
      mask: wanted,
      wanted: countBits(wanted, end),
      limit: end,
      window: this.window,
      signal,
    });
    return cutAtTies(hits, count);
  }

  get words(): StructureWords {
    return this;
  }

  score(query: StructureQuery, rows: Uint32Array): Float64Array {
    const scorer = new RowScorer(this.index, query as KeywordQuery);
    return Float64Array.from(rows, (row) => scorer.score(row));
  }

  explain(query: StructureQuery, rows: Uint32Array): readonly RowExplanation[] {
    return explainRows(this.index, query as KeywordQuery, rows).map((terms) => ({ kind: 'terms', terms }));
  }

  sections(): ReadonlyMap<string, Uint8Array> {
    if (this.index instanceof SegmentIndex) return this.index.sections;
    const rowMap = Int32Array.from({ length: this.rowCount }, (_, row) => row);
    return mergeIndexes([{ index: this.index, rowMap }], this.rowCount);
  }

  release(): void {
    // Everything is garbage once the structure is.
  }

  /** Visible rows with the term. */
  countOf(term: string, visible: Uint32Array | null, limit: number): number {
    const { hidden, counts } = this.view(visible, limit);
    if (hidden.length === 0) return this.index.countOf(term);
    return counts.get(term) ?? counts.set(term, this.#countVisible(term, hidden));
  }

  #countVisible(term: string, hidden: Uint32Array): number {
    const cursor = this.index.cursor(term);
    if (cursor === null) return 0;
    let count = cursor.count;
    let at = 0;
    for (; cursor.row < END; cursor.next()) {
      while (at < hidden.length && (hidden[at] as number) < cursor.row) at++;
      if (at < hidden.length && hidden[at] === cursor.row) count--;
    }
    return count;
  }

  /** Figures of the visible rows. */
  statistics(visible: Uint32Array | null, limit: number): FieldStatistics {
    return this.view(visible, limit).statistics;
  }

  view(visible: Uint32Array | null, limit: number): View {
    const end = Math.min(limit, this.rowCount);
    const known = this.#views.get(visible ?? ALL_ROWS);
    if (known?.limit === end && known.rowCount === this.rowCount) return known;
    const hidden: number[] = [];
    let { documents, length } = this.index.statistics;
    for (let row = visible === null ? end : 0; row < this.rowCount; row++) {
      if (row < end && (visible === null || hasBit(visible, row))) continue;
      hidden.push(row);
      const terms = this.index.lengths[row] as number;
      if (terms > 0) documents--;
      length -= terms;
    }
    const view: View = {
      limit: end,
      rowCount: this.rowCount,
      hidden: Uint32Array.from(hidden),
      statistics: { documents, length },
      counts: new QuickCache(COUNTS_MAX),
      joint: new JointCounts(),
    };
    this.#views.set(visible ?? ALL_ROWS, view);
    return view;
  }

  /** With stop words. */
  #termsOf(values: Vector, row: number): readonly Term[] {
    const value: Datum = values.get(row);
    if (value === null) return [];
    const isText = typeof value === 'string';
    assert(
      isText || (typeof value === 'object' && 'datum' in value && value.datum === 'array'),
      'text or text[]',
    );
    const texts = isText ? [value] : value.elements.filter((element) => typeof element === 'string');
    const { languages } = this.analyser;
    const language = languages?.of(texts.length === 1 ? (texts[0] as string) : texts.join(' '));
    const analyser = language === undefined ? this.analyser : languages?.in(language);
    const terms: Term[] = [];
    let position = 0;
    for (const text of texts) {
      for (const term of analyser?.read(text, position) ?? []) terms.push(term);
      position = (terms.at(-1)?.position ?? position) + ELEMENT_GAP;
    }
    if (language !== undefined && terms.some(({ term }) => term !== '')) {
      terms.push({ term: languageTerm(language), written: '', position, start: 0, end: 0 });
    }
    return terms;
  }
}

/** @param kernelBytesMin sections of as many bytes go to the memory of the kernels. */
export function openKeywords(
  { options }: StructureOptions,
  { sizes, rowCount }: StoredStructure,
  kernelBytesMin: number,
): StructureLoad {
  const { sections, memory } = sectionTargets(sizes, kernelBytesMin);
  const index = (): SegmentIndex => new SegmentIndex(sections, rowCount, memory);
  return {
    targets: sections,
    finish: () => new KeywordsStructure(createAnalyser(options), index()),
  };
}

export const KEYWORDS: StructureMethod = {
  dimensioned: false,
  // 2: with words as written.
  format: 2,
  head: (options) => new KeywordsStructure(createAnalyser(options.options), new HeadIndex()),

  load: (options, sections, rowCount) =>
    new KeywordsStructure(createAnalyser(options.options), new SegmentIndex(sections, rowCount)),

  open: (options, stored) => openKeywords(options, stored, KERNEL_BYTES_MIN),

  merge(options, inputs, rowCount) {
    const sources = inputs.map(({ structure, rowMap }) => ({
      index: (structure as KeywordsStructure).index,
      rowMap,
    }));
    const sections = mergeIndexes(sources, rowCount);
    return new KeywordsStructure(createAnalyser(options.options), new SegmentIndex(sections, rowCount));
  },

  prepare(options, request, parts) {
    assert(request.kind === 'keyword', 'a keywords structure answers keyword requests');
    const keywords = parts as readonly (KeywordPart & { readonly structure: KeywordsStructure })[];
    const own = keywords[0]?.structure.analyser ?? createAnalyser(options.options);
    const indexes = keywords.map(({ structure }) => structure.index);
    return prepareKeywordQuery(queryAnalyser(own, indexes, request.language), request, keywords);
  },

  split(request, structures) {
    assert(request.kind === 'keyword', 'a keywords structure answers keyword requests');
    const keywords = structures as readonly KeywordsStructure[];
    if (keywords[0]?.analyser.languages === undefined || !wantsEach(request)) return [request];
    const languages = heldLanguages(keywords.map(({ index }) => index));
    return languages.map((language) => ({ ...request, language }));
  },
};
