/** Every relative link of the documentation leads to a file that is there, and to a heading of it. */
import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';
import { NAVIGATION } from '../../scripts/docs-site.ts';
import { anchorsOf, linksOf, PAGES, ROOT, readPage } from './markdown.ts';

function fault(page: string, target: string): string | null {
  if (/^[a-z]+:/.test(target)) return null;
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? page : normalize(join(dirname(page), path));
  if (!existsSync(join(ROOT, file))) return `there is no ${file}`;
  if (anchor === undefined || anchorsOf(readPage(file)).has(anchor)) return null;
  return `${file} has no heading #${anchor}`;
}

it.each(PAGES)('%s links to what is there', (page) => {
  const faults = linksOf(readPage(page)).flatMap(({ line, target }) => {
    const why = fault(page, target);
    return why === null ? [] : [`${page}:${line}: ${target}: ${why}`];
  });
  expect(faults).toEqual([]);
});

it('knows the anchors that GitHub gives', () => {
  const anchors = anchorsOf('# A `b()` & [c](d.md)\n## What\'s "x"?\n## A\n## A\n```\n# no\n```\n');
  expect([...anchors]).toEqual(['a-b--c', 'whats-x', 'a', 'a-1']);
});

it('puts every page of docs/ into the navigation of the site, once', () => {
  const shown = Object.values(NAVIGATION).flatMap((section) => Object.keys(section));
  const pages = PAGES.filter((page) => page.startsWith('docs/')).map((page) => page.slice(5, -3));
  expect(shown.toSorted()).toEqual(pages.toSorted());
});

it('names files of the repository that are there', () => {
  const faults = PAGES.flatMap((page) => {
    const found = readPage(page).matchAll(/`((?:sql-tests|src|scripts|bench|docs|docker)\/[\w./-]+)`/g);
    return [...found].flatMap(([, path]) =>
      existsSync(join(ROOT, path as string)) ? [] : [`${page}: ${path}`],
    );
  });
  expect(faults).toEqual([]);
});
