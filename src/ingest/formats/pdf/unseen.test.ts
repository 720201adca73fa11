/** Text that a page draws and does not show is no part of the document. */
import { expect, it } from 'vitest';
import { parsePages, summary, text } from './pdf-fixture.ts';

const white = (content: string): string => `1 1 1 rg\n${content}0 g\n`;

const textsOf = async (content: string): Promise<readonly string[]> =>
  summary((await parsePages({ content })).blocks);

it('white on bare paper is not read, however often a caption is repeated to indent its lines', async () => {
  const content =
    text(80, 700, 'Table 5.') +
    text(130, 700, 'Percentage who borrowed for their') +
    white(text(80, 688, 'Table 5.')) +
    text(130, 688, 'education, and average amounts');
  expect(await textsOf(content)).toEqual([
    'paragraph: Table 5. Percentage who borrowed for their education, and average amounts',
  ]);
});

it('white on a box that is filled, or on a drawing is read', async () => {
  const box = '0 0 0.5 rg 70 690 300 30 re f\n';
  expect(await textsOf(box + white(text(80, 700, 'Names of columns')))).toEqual([
    'paragraph: Names of columns',
  ]);
  const round = '0 0 0.5 rg 70 690 m 90 740 l 350 740 l 370 690 l f\n';
  expect(await textsOf(round + white(text(180, 700, 'On a drawing')))).toEqual(['paragraph: On a drawing']);
});

it('outside of what may be painted is not read', async () => {
  const clipped = `q 70 600 100 50 re W n\n${text(80, 610, 'Within')}${text(80, 400, 'Outside')}Q\n`;
  expect(await textsOf(clipped + text(80, 300, 'After'))).toEqual(['paragraph: Within', 'paragraph: After']);
});
