/** uuid: any of PostgreSQL's spellings in, 8-4-4-4-12 lower-case out; the datum is that text. */
import { expectBytes, toHex } from '../column/bytes.ts';
import { OID } from '../oids.ts';
import { compareText } from './text.ts';
import type { SqlType } from '../type.ts';
import { invalidText } from '../type-errors.ts';

const SPELLING = /^(?:\{((?:[0-9a-f]{4}-?){7}[0-9a-f]{4})\}|((?:[0-9a-f]{4}-?){7}[0-9a-f]{4}))$/i;

function withHyphens(hex: string): string {
  const cuts = [0, 8, 12, 16, 20, 32];
  return cuts
    .slice(1)
    .map((end, i) => hex.slice(cuts[i], end))
    .join('-');
}

export const UUID: SqlType = {
  oid: OID.uuid,
  name: 'uuid',
  displayName: 'uuid',
  arrayOid: 2951,
  category: 'U',
  typlen: 16,
  vector: 'text',
  comparison: {
    samples: ['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12'],
    extremes: false,
  },
  parse: (text) => {
    const match = SPELLING.exec(text);
    if (match === null) throw invalidText('uuid', text);
    return withHyphens((match[1] ?? match[2] ?? '').replaceAll('-', '').toLowerCase());
  },
  format: (datum) => datum as string,
  receive: (bytes) => {
    expectBytes(bytes, 16);
    return withHyphens(toHex(bytes));
  },
  send: (datum) => new Uint8Array(Buffer.from((datum as string).replaceAll('-', ''), 'hex')),
  compare: (a, b) => compareText(a as string, b as string),
  hashKey: (datum) => datum as string,
};
