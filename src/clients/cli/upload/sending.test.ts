/** Files that change while they are sent. */
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { DatasetClient } from '../../typescript/src/dataset.ts';
import { sendFile } from './sending.ts';

it('sends a file that grows meanwhile as long as it was', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quern-sending-'));
  const path = join(folder, 'growing.txt');
  const size = 600_000;
  writeFileSync(path, 'x'.repeat(size));
  const pieces: Uint8Array[] = [];
  const dataset = {
    async upsertFile(_: string, { stream }: { readonly stream: AsyncIterable<Uint8Array> }) {
      for await (const piece of stream) {
        pieces.push(piece);
        appendFileSync(path, 'more');
      }
      return 'handle';
    },
  } as unknown as DatasetClient;
  let counted = 0;
  const onBytes = (count: number): void => {
    counted += count;
  };
  const { signal } = new AbortController();
  try {
    const sent = await sendFile(dataset, { id: 'd', path, size }, { signal, onBytes });
    expect(sent).toMatchObject({ handle: 'handle', size, isChanged: true });
    expect(pieces.length).toBeGreaterThan(1);
    expect([counted, Buffer.concat(pieces).length]).toEqual([size, size]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
