/** Progress of uploads as it is drawn while a server reads, step by step. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Client } from '../../typescript/src/client.ts';
import { progressText } from './progress.ts';
import { untilRead } from './reading.ts';
import type { Upload } from './upload.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout'] }));
afterEach(() => vi.useRealTimers());

const uploadOf = (name: string, more: Partial<Upload> = {}): Upload => ({
  doc_id: name,
  file: name,
  status: 'uploaded',
  handle: name,
  size: 2_000_000,
  sent: 2_000_000,
  ...more,
});

/** Rows of `quern.handles` of a file, one an answer. */
const STEPS = [
  { state: 'queued' },
  { state: 'parsing', pages: 0, pages_done: 0 },
  { state: 'parsing', pages: 4, pages_done: 1 },
  { state: 'parsing', pages: 4, pages_done: 4 },
  { state: 'embedding', pages: 4, pages_done: 4, chunks_pending: 30 },
  { state: 'embedding', pages: 4, pages_done: 4, chunks_pending: 15 },
  { state: 'ready', pages: 4, pages_done: 4, chunks_pending: 0 },
] as const;

it('shows the bytes that are sent', () => {
  const [half, none] = [
    uploadOf('a.pdf', { status: 'not sent', sent: 1_000_000 }),
    uploadOf('b.pdf', { status: 'not sent', sent: 0 }),
  ];
  expect(progressText([half, none], false)).toBe(
    `[${'█'.repeat(6)}${'·'.repeat(18)}] 0/2 1.0 of 4.0 MB sent`,
  );
  expect(progressText([half, none], true)).toBe(`[${'█'.repeat(3)}${'·'.repeat(21)}] 0/2 1.0 of 4.0 MB sent`);
  const empty = uploadOf('c.txt', { status: 'not sent', size: 0, sent: 0 });
  expect(progressText([empty], false)).toBe(`[${'·'.repeat(24)}] 0/1 0.0 of 0.0 MB sent`);
});

it('shows the pages that are read and the passages that are embedded', async () => {
  const steps = [...STEPS];
  const drawn: string[] = [];
  const upload = uploadOf('a.pdf');
  const client = {
    sql: async () => {
      drawn.push(progressText([upload], true));
      return [{ handle: 'a.pdf', ...steps.shift() }];
    },
  } as unknown as Client;
  const { signal } = new AbortController();
  const reading = untilRead(client, [upload], { signal, isSending: () => false, endsAt: Infinity });
  while (steps.length > 0) await vi.advanceTimersByTimeAsync(10_000);
  await reading;
  drawn.push(progressText([upload], true));
  expect(drawn.map((line) => line.replace(/^\[(█*)·*\]/, (_, full: string) => String(full.length)))).toEqual([
    '12 0/1 a.pdf, waits to be read',
    '12 0/1 a.pdf, waits to be read',
    '12 0/1 a.pdf, being read',
    '13 0/1 a.pdf, page 1 of 4',
    '18 0/1 a.pdf, page 4 of 4',
    '18 0/1 a.pdf, 30 passages to embed',
    '21 0/1 a.pdf, 15 passages to embed',
    '24 1/1 2.0 MB',
  ]);
});
