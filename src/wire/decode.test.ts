/** Frontend messages, one row each: bytes as a client sends them, and what they are read as. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SqlError } from '../errors.ts';
import { decodeMessage, type FrontendMessage } from './decode.ts';
import { Framer } from './framing.ts';
import { decodeStartup, startupSettings } from './startup.ts';

/** Body as hex pairs and 'text' parts. */
function bytes(...parts: (string | number[])[]): Buffer {
  return Buffer.concat(parts.map((part) => Buffer.from(part as string, 'utf8')));
}

const MESSAGES: readonly [type: string, body: Buffer, message: FrontendMessage][] = [
  ['Q', bytes('select 1', [0]), { kind: 'query', text: 'select 1' }],
  [
    'P',
    bytes('s', [0], 'select $1', [0, 0, 1, 0, 0, 0, 23]),
    { kind: 'parse', statement: 's', text: 'select $1', types: [23] },
  ],
  [
    'B',
    bytes('p', [0], 's', [0, 0, 1, 0, 1, 0, 2, 0, 0, 0, 1, 7, 255, 255, 255, 255, 0, 1, 0, 1]),
    {
      kind: 'bind',
      portal: 'p',
      statement: 's',
      parameterFormats: [1],
      parameters: [Buffer.from([7]), null],
      resultFormats: [1],
    },
  ],
  ['D', bytes('Ss', [0]), { kind: 'describe', target: 'statement', name: 's' }],
  ['D', bytes('P', [0]), { kind: 'describe', target: 'portal', name: '' }],
  ['C', bytes('Pp', [0]), { kind: 'close', target: 'portal', name: 'p' }],
  ['E', bytes([0, 0, 0, 0, 10]), { kind: 'execute', portal: '', maxRows: 10 }],
  ['H', bytes(), { kind: 'flush' }],
  ['S', bytes(), { kind: 'sync' }],
  ['X', bytes(), { kind: 'terminate' }],
  ['p', bytes('secret', [0]), { kind: 'password', password: 'secret' }],
  ['d', bytes([1, 2]), { kind: 'copy data', data: Buffer.from([1, 2]) }],
  ['c', bytes(), { kind: 'copy done' }],
  ['f', bytes('why', [0]), { kind: 'copy fail', reason: 'why' }],
  ['F', bytes([0, 0, 0, 1]), { kind: 'function call' }],
];

describe('frontend messages', () => {
  it.each(MESSAGES)('%s is read', (type, body, message) => {
    expect(decodeMessage(type.charCodeAt(0), body)).toEqual(message);
  });

  it('random bodies are read or refused, never worse', () => {
    const types = fc.constantFrom(...MESSAGES.map(([type]) => type.charCodeAt(0)));
    fc.assert(
      fc.property(types, fc.uint8Array({ maxLength: 64 }), (type, body) => {
        try {
          decodeMessage(type, Buffer.from(body));
        } catch (error) {
          expect(error).toBeInstanceOf(SqlError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('framing', () => {
  it('gives the same messages however the bytes are cut', () => {
    const stream = Buffer.concat(
      MESSAGES.map(([type, body]) => {
        const head = Buffer.alloc(5);
        head.write(type);
        head.writeInt32BE(body.length + 4, 1);
        return Buffer.concat([head, body]);
      }),
    );
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 }), (sizes) => {
        const framer = new Framer();
        framer.phase = 'ready';
        const seen: FrontendMessage[] = [];
        for (let at = 0, i = 0; at < stream.length; i++) {
          const size = sizes[i % sizes.length] as number;
          framer.push(stream.subarray(at, at + size));
          at += size;
          for (let frame = framer.next(); frame !== null; frame = framer.next()) {
            seen.push(decodeMessage(frame.code, Buffer.from(frame.body)));
          }
        }
        expect(seen).toEqual(MESSAGES.map(([, , message]) => message));
      }),
      { numRuns: 50 },
    );
  });

  it('before sign-in only short messages are taken', () => {
    const framer = new Framer();
    framer.phase = 'authentication';
    framer.push(Buffer.from([0x70, 0, 1, 0, 0]));
    expect(() => framer.next()).toThrow('invalid message length');
  });
});

describe('start-up packets', () => {
  const packet = (version: number, text: string): Buffer => {
    const head = Buffer.alloc(4);
    head.writeUInt32BE(version);
    return Buffer.concat([head, Buffer.from(text)]);
  };

  it('are told apart by their number', () => {
    expect(decodeStartup(packet(80877103, ''))).toEqual({ kind: 'ssl request' });
    expect(decodeStartup(packet(80877104, ''))).toEqual({ kind: 'gss request' });
    expect(decodeStartup(packet(80877102, '\0\0\0\x01\0\0\0\x02'))).toEqual({
      kind: 'cancel',
      processId: 1,
      secretKey: 2,
    });
    const startup = decodeStartup(packet(0x30002, 'user\0quern\0_pq_.x\x001\0\0'));
    expect(startup).toMatchObject({ kind: 'startup', minor: 2, extensions: ['_pq_.x'] });
  });

  it('must end with a terminator and nothing else', () => {
    expect(() => decodeStartup(packet(0x30000, 'user\0quern\0'))).toThrow(SqlError);
    expect(() => decodeStartup(packet(0x30000, 'user\0quern\0\0x'))).toThrow('invalid startup packet layout');
  });

  it('carry settings, also inside options', () => {
    const settings = startupSettings(
      new Map([
        ['user', 'quern'],
        ['application_name', 'app'],
        ['options', String.raw`-c search_path=a\ b --statement-timeout=5s -cgeqo=off`],
      ]),
    );
    expect(Object.fromEntries(settings)).toEqual({
      search_path: 'a b',
      statement_timeout: '5s',
      geqo: 'off',
      application_name: 'app',
    });
    expect(() => startupSettings(new Map([['options', '-x']]))).toThrow('invalid command-line argument');
  });
});
