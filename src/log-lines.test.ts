/** A log whose reader is slow, stuck or gone. */
import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { LogLines } from './log-lines.ts';

/** A stream that takes nothing until it is let. */
function stuck(): { readonly stream: Writable; readonly lines: string[]; readonly release: () => void } {
  const lines: string[] = [];
  const waiting: (() => void)[] = [];
  let isFree = false;
  const stream = new Writable({
    decodeStrings: false,
    write(piece: string, _, done) {
      if (piece !== '') lines.push(piece);
      if (isFree) done();
      else waiting.push(done);
    },
  });
  const release = (): void => {
    isFree = true;
    for (const done of waiting) done();
  };
  return { stream, lines, release };
}

it('holds little for a reader that is behind, and says how much it has dropped', async () => {
  const { stream, lines, release } = stuck();
  const log = new LogLines(stream);
  for (let at = 0; at < 100_000; at++) log.write({ event: 'e', at, text: 'x'.repeat(100) });
  expect(stream.writableLength).toBeLessThan(2 << 20);
  release();
  await log.read(60_000);
  log.write({ event: 'later' });
  await log.read(60_000);
  const [told] = lines.filter((line) => line.includes('log lines dropped'));
  const kept = lines.filter((line) => line.includes('"e"')).length;
  expect(JSON.parse(told ?? '')).toMatchObject({ count: 100_000 - kept });
  expect(lines.at(-1)).toBe('{"event":"later"}\n');
});

it('does not wait for ever for a reader', async () => {
  const { stream } = stuck();
  const log = new LogLines(stream);
  log.write({ event: 'e' });
  await log.read(10);
  expect(stream.writableLength).toBeGreaterThan(0);
});

it('outlives a stream that is closed', async () => {
  const stream = new Writable({ write: (_, __, done) => done(new Error('EPIPE')) });
  const log = new LogLines(stream);
  log.write({ event: 'e' });
  await log.read(1000);
});
