/** Messages cut from the stream, and those of COPY's data that come as one. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Framer } from './framing.ts';

function message(code: string, body: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.write(code, 'latin1');
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const bodies = fc.array(fc.tuple(fc.constantFrom('d', 'd', 'd', 'H'), fc.uint8Array({ maxLength: 20 })));

test('data of COPY comes whole and in order, however the stream is cut, and other messages between it', () => {
  fc.assert(
    fc.property(bodies, fc.array(fc.integer({ min: 1, max: 40 })), (sent, cuts) => {
      const framer = new Framer();
      framer.phase = 'ready';
      const stream = Buffer.concat(
        sent.map(([code, body]) => message(code, code === 'd' ? body : Buffer.alloc(0))),
      );
      let got = '';
      const read = (): void => {
        for (let frame = framer.nextOfCopy(); frame !== null; frame = framer.nextOfCopy()) {
          got += frame.code === 0x64 ? frame.body.toString('hex') : '|';
        }
      };
      let at = 0;
      for (const cut of [...cuts, stream.length]) {
        if (at < stream.length) framer.push(Buffer.from(stream.subarray(at, at + cut)));
        at += cut;
        read();
      }
      expect(got).toBe(
        sent.map(([code, body]) => (code === 'd' ? Buffer.from(body).toString('hex') : '|')).join(''),
      );
      expect(framer.pending).toBe(0);
    }),
  );
});
