/** All pictures on one page: a row a page, light and dark, wide and narrow beside each other. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Taken {
  readonly name: string;
  readonly size: string;
  readonly theme: string;
  /** In the folder of the sheet. */
  readonly file: string;
}

const STYLE = `body { margin: 16px; font: 13px system-ui, sans-serif; background: #777; color: #fff }
section { margin-bottom: 24px } h2 { font-size: 15px } div { display: flex; flex-wrap: wrap; gap: 8px; align-items: start }
img { height: 380px; background: #fff } a { color: inherit }`;

export function contactSheet(folder: string, taken: readonly Taken[]): void {
  const sections = [...Map.groupBy(taken, ({ name }) => name)].map(
    ([name, pictures]) =>
      `<section id="${name}"><h2><a href="#${name}">${name}</a></h2>
<div>${pictures.map(imageOf).join('')}</div></section>`,
  );
  const head = `<!doctype html><html lang="en"><meta charset="utf-8"><title>The console</title><style>${STYLE}</style>`;
  writeFileSync(join(folder, 'index.html'), `${head}${sections.join('\n')}</html>\n`);
}

const imageOf = ({ name, size, theme, file }: Taken): string =>
  `<a href="${file}"><img loading="lazy" src="${file}" alt="${name}, ${size}, ${theme}"></a>`;
