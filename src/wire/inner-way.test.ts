/** Connections within the process: bytes as they were when they were written, in order, and ends that are heard. */
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { InnerSide } from './inner-way.ts';

it('hands on what was written, whatever becomes of the bytes, and never within the write', async () => {
  const { client, server } = InnerSide.pair();
  const bytes = Buffer.from('one');
  let heard = 0;
  server.on('data', () => heard++);
  client.write(bytes);
  bytes.fill('x');
  expect(heard).toBe(0);
  const [given] = await once(server, 'data');
  expect(String(given)).toBe('one');
});

it('carries a long conversation, in which each waits for the other', async () => {
  const { client, server } = InnerSide.pair();
  server.on('data', (asked: Buffer) => server.write(Buffer.alloc(100_000, asked)));
  let answered = 0;
  for (let i = 0; i < 20; i++) {
    client.write('?');
    while (answered < (i + 1) * 100_000) answered += (await once(client, 'data'))[0].length;
  }
  expect(answered).toBe(2_000_000);
});

it('is full when nobody reads', async () => {
  const { client, server } = InnerSide.pair();
  let written = 0;
  while (client.write(Buffer.alloc(1000)) && written < 1_000_000) written += 1000;
  await new Promise(setImmediate);
  expect(written).toBeLessThan(1_000_000);
  expect(client.writableNeedDrain).toBe(true);
  server.resume();
  await once(client, 'drain');
});

it('tells all before the end, and closes on both sides', async () => {
  const { client, server } = InnerSide.pair();
  const closed = Promise.all([once(client, 'close'), once(server, 'close')]);
  server.end('all of it');
  expect(await text(client)).toBe('all of it');
  await server.resume();
  await closed;
  expect(client.readyState).toBe('closed');
  const gone = InnerSide.pair();
  gone.client.destroy();
  await once(gone.server, 'close');
});
