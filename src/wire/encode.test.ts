/** Backend messages, one row each: the bytes PostgreSQL sends for them. */
import { describe, expect, it } from 'vitest';
import { SqlError } from '../errors.ts';
import { ByteWriter } from '../types/column/byte-writer.ts';
import { OID } from '../types/oids.ts';
import * as encode from './encode.ts';

type Write = (writer: ByteWriter) => void;

const COLUMN = { name: 'n', type: { oid: OID.int4, modifier: -1 }, relation: 5, attribute: 2 };

/** Bytes in Latin-1, with control characters as they are. */
const MESSAGES: readonly [name: string, write: Write, bytes: string][] = [
  ['AuthenticationOk', encode.authenticationOk, 'R\0\0\0\x08\0\0\0\0'],
  ['AuthenticationCleartextPassword', encode.authenticationCleartextPassword, 'R\0\0\0\x08\0\0\0\x03'],
  [
    'NegotiateProtocolVersion',
    (w) => encode.negotiateProtocolVersion(w, 2, ['_pq_.a']),
    'v\0\0\0\x13\0\x03\0\x02\0\0\0\x01_pq_.a\0',
  ],
  ['ParameterStatus', (w) => encode.parameterStatus(w, 'a', 'b'), 'S\0\0\0\x08a\0b\0'],
  ['BackendKeyData', (w) => encode.backendKeyData(w, 1, 2), 'K\0\0\0\x0c\0\0\0\x01\0\0\0\x02'],
  ['ReadyForQuery', (w) => encode.readyForQuery(w, 'T'), 'Z\0\0\0\x05T'],
  ['ParseComplete', encode.parseComplete, '1\0\0\0\x04'],
  ['BindComplete', encode.bindComplete, '2\0\0\0\x04'],
  ['CloseComplete', encode.closeComplete, '3\0\0\0\x04'],
  ['NoData', encode.noData, 'n\0\0\0\x04'],
  ['PortalSuspended', encode.portalSuspended, 's\0\0\0\x04'],
  ['EmptyQueryResponse', encode.emptyQueryResponse, 'I\0\0\0\x04'],
  ['ParameterDescription', (w) => encode.parameterDescription(w, [25]), 't\0\0\0\x0a\0\x01\0\0\0\x19'],
  [
    'RowDescription',
    (w) => encode.rowDescription(w, [COLUMN], [1]),
    'T\0\0\0\x1a\0\x01n\0\0\0\0\x05\0\x02\0\0\0\x17\0\x04\xff\xff\xff\xff\0\x01',
  ],
  ['CommandComplete', (w) => encode.commandComplete(w, 'SELECT 1'), 'C\0\0\0\x0dSELECT 1\0'],
  ['NotificationResponse', (w) => encode.notificationResponse(w, 1, 'c', 'p'), 'A\0\0\0\x0c\0\0\0\x01c\0p\0'],
  [
    'ErrorResponse',
    (w) =>
      encode.errorResponse(
        w,
        new SqlError('undefined_column', 'no\0pe', { position: 7, hint: 'h', detail: 'd', constraint: 'k' }),
      ),
    'E\0\0\0\x41SERROR\0VERROR\0C42703\0Mnope\0Dd\0Hh\0P7\0nk\0Rinvalid_argument\0\0',
  ],
  [
    'NoticeResponse',
    (w) => encode.noticeResponse(w, { severity: 'NOTICE', condition: 'warning', message: 'm' }),
    'N\0\0\0\x20SNOTICE\0VNOTICE\0C01000\0Mm\0\0',
  ],
];

describe('backend messages', () => {
  it.each(MESSAGES)('%s', (_, write, bytes) => {
    const writer = new ByteWriter();
    write(writer);
    const written = Buffer.from(writer.finish());
    expect(written.toString('latin1').slice(5)).toBe(bytes.slice(5));
    expect(written.readInt32BE(1)).toBe(written.length - 1);
    expect(written.toString('latin1', 0, 1)).toBe(bytes[0]);
  });

  it('one format code stands for all columns, none for text', () => {
    expect([0, 1, 2].map((i) => encode.formatOf([], i))).toEqual([0, 0, 0]);
    expect([0, 1, 2].map((i) => encode.formatOf([1], i))).toEqual([1, 1, 1]);
    expect([0, 1, 2].map((i) => encode.formatOf([0, 1, 0], i))).toEqual([0, 1, 0]);
  });
});
