/** A chart of an Office file as a table of the values that it keeps: categories down, series across. */
import type { Block } from '../../document.ts';
import { plainCell, tableOf } from '../table.ts';
import type { Archive } from './archive.ts';
import { descendants, element, elements, parseXml, type XmlElement, xmlText } from './xml.ts';

/** @param part of the chart. @returns nothing where it keeps no values. */
export async function chartBlocks(archive: Archive, part: string, page: number): Promise<readonly Block[]> {
  const text = await archive.text(part);
  const chart = text === null ? undefined : element(parseXml(text), 'chartSpace', 'chart');
  if (chart === undefined) return [];
  const series = [...descendants(chart, 'ser')];
  const names = series.map((one) => [...points(element(one, 'tx'))].map(([, name]) => name).join(' '));
  const values = series.map((one) => points(element(one, 'val') ?? element(one, 'yVal')));
  const categories = series.map((one) => points(element(one, 'cat') ?? element(one, 'xVal')));
  const labels = new Map(categories.flatMap((of) => [...of]));
  const places = [...new Set(values.flatMap((of) => [...of.keys()]))].sort((a, b) => a - b);
  const rows = places.map((place) => [labels.get(place) ?? '', ...values.map((of) => of.get(place) ?? '')]);
  const caption = titleOf(chart);
  const table = tableOf({
    rows: [['', ...names], ...rows].map((row) => row.map(plainCell)),
    headerRowCount: 1,
    caption,
    page,
  });
  if (table !== null) return [table];
  return caption === '' ? [] : [{ kind: 'paragraph', text: caption, words: null, page }];
}

/** Cached values by their place. */
function points(parent: XmlElement | undefined): ReadonlyMap<number, string> {
  const all = parent === undefined ? [] : [...descendants(parent, 'pt')];
  return new Map(all.map((point) => [Number(point.attributes.idx ?? 0), xmlText(element(point, 'v'))]));
}

function titleOf(chart: XmlElement): string {
  const title = elements(chart, 'title')[0];
  return title === undefined
    ? ''
    : [...descendants(title, 't')]
        .map((run) => xmlText(run))
        .join('')
        .trim();
}
