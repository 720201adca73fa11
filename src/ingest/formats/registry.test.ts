/** Kind of a file: by its content, then by its extension. */
import { expect, it } from 'vitest';
import { FORMAT_MEDIA_TYPES } from '../../session/datasets/media-type.ts';
import { FORMATS, formatOf } from './registry.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

it('tells a PDF by its content, whatever it is called', () => {
  expect(formatOf(bytesOf('%PDF-1.4\n'), 'notes.txt').name).toBe('pdf');
  expect(formatOf(bytesOf(`${' '.repeat(500)}%PDF-1.4`), 'x').name).toBe('pdf');
});

it('goes by the extension where the content tells nothing', () => {
  expect(formatOf(bytesOf('a\0b'), 'Broken.PDF').name).toBe('pdf');
  expect(formatOf(bytesOf('1 0 obj\n<< >>'), 'Broken.PDF').name).toBe('pdf');
  expect(formatOf(bytesOf('a,b'), 'table.csv').name).toBe('csv');
});

it('tells a text that is called something else', () => {
  for (const name of ['notes.pdf', 'notes.docx', 'notes.png']) {
    expect(formatOf(bytesOf('The whale sings.'), name).name).toBe('txt');
  }
});

it('has the media types that stored chunks are read with', () => {
  expect(Object.fromEntries(FORMATS.map(({ name, mimeTypes }) => [name, mimeTypes[0]]))).toEqual(
    FORMAT_MEDIA_TYPES,
  );
});

it('says what is accepted', () => {
  expect(() => formatOf(bytesOf('\x7fELF'), 'program')).toThrow(
    /kind of the file is not known; accepted are pdf/,
  );
  expect(() => formatOf(new Uint8Array(), 'empty.pdf')).toThrow('the file is empty');
});
