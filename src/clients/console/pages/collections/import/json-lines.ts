/** JSON lines: an object a line. A file that is one JSON array is read as a whole. */
import type { Json } from '../../../server/messages.ts';
import { WORDS } from '../../../words.ts';
import { type SourceRecord, textOf } from './source.ts';

const { import: words } = WORDS.collections;

const isObject = (value: Json): value is { readonly [name: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function recordOf(line: number, value: Json): SourceRecord {
  if (!isObject(value)) return { line, values: new Map(), fault: words.noObject };
  return { line, values: new Map(Object.entries(value)) };
}

function lineRecord(line: number, text: string): SourceRecord {
  try {
    return recordOf(line, JSON.parse(text) as Json);
  } catch (error) {
    return { line, values: new Map(), fault: error instanceof Error ? error.message : String(error) };
  }
}

export async function* jsonRecords(
  file: File,
  onRead: (bytes: number) => void,
): AsyncGenerator<SourceRecord> {
  const begin = await file.slice(0, 64).text();
  if (begin.trimStart().startsWith('[')) {
    yield* arrayRecords(file, onRead);
    return;
  }
  let rest = '';
  let line = 1;
  for await (const text of textOf(file, onRead)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const one of lines) {
      if (one.trim() !== '') yield lineRecord(line, one);
      line++;
    }
  }
  if (rest.trim() !== '') yield lineRecord(line, rest);
}

async function* arrayRecords(file: File, onRead: (bytes: number) => void): AsyncGenerator<SourceRecord> {
  const values = JSON.parse(await file.text()) as readonly Json[];
  for (const [i, value] of values.entries()) {
    onRead(Math.round((file.size * (i + 1)) / values.length));
    yield recordOf(i + 1, value);
  }
}
