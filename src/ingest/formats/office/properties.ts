/** Properties in an Office file: `docProps/core.xml`. */
import type { Archive } from './archive.ts';
import { element, parseXml, xmlText } from './xml.ts';

const NAMES: readonly (readonly [element: string, property: string])[] = [
  ['title', 'title'],
  ['creator', 'author'],
  ['subject', 'subject'],
  ['keywords', 'keywords'],
  ['description', 'description'],
  ['created', 'created'],
  ['modified', 'modified'],
];

export async function officeProperties(archive: Archive): Promise<Readonly<Record<string, string>>> {
  const text = await archive.text('docProps/core.xml');
  if (text === null) return {};
  const core = element(parseXml(text), 'coreProperties');
  const given = NAMES.map(
    ([name, property]) => [property, xmlText(core && element(core, name)).trim()] as const,
  );
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
}
