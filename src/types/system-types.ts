/** Types that only the system's own relations hold: tid, pg_lsn, int2vector, oidvector, pg_node_tree. */
import { arrayTypeOf } from './composite/array.ts';
import { expectBytes, int64Bytes, viewOf } from './column/bytes.ts';
import type { ArrayDatum, Datum } from './datum.ts';
import { compareBigints } from './number/integer.ts';
import { OID } from './oids.ts';
import { TEXT_CODEC } from './text/text.ts';
import type { SqlType } from './type.ts';
import { invalidText } from './type-errors.ts';

const tidParts = (text: string): [block: number, offset: number] => {
  const match = /^\s*\(\s*(\d+)\s*,\s*(\d+)\s*\)\s*$/.exec(text);
  const block = Number(match?.[1]);
  const offset = Number(match?.[2]);
  if (match === null || block > 0xffff_ffff || offset > 0xffff) throw invalidText('tid', text);
  return [block, offset];
};

/** The datum is its text `(block,offset)`. */
export const TID: SqlType = {
  oid: OID.tid,
  name: 'tid',
  displayName: 'tid',
  arrayOid: 1010,
  category: 'U',
  typlen: 6,
  vector: 'text',
  comparison: { samples: ['(0,1)', '(0,2)'], extremes: true },
  parse: (text) => `(${tidParts(text).join(',')})`,
  format: (datum) => datum as string,
  receive: (bytes) => {
    expectBytes(bytes, 6);
    const view = viewOf(bytes);
    return `(${view.getUint32(0)},${view.getUint16(4)})`;
  },
  send: (datum) => {
    const [block, offset] = tidParts(datum as string);
    const bytes = new Uint8Array(6);
    viewOf(bytes).setUint32(0, block);
    viewOf(bytes).setUint16(4, offset);
    return bytes;
  },
  compare: (a, b) => {
    const [blockA, offsetA] = tidParts(a as string);
    const [blockB, offsetB] = tidParts(b as string);
    return blockA - blockB || offsetA - offsetB;
  },
  hashKey: (datum) => datum as string,
};

export const PG_LSN: SqlType = {
  oid: OID.pg_lsn,
  name: 'pg_lsn',
  displayName: 'pg_lsn',
  arrayOid: 3221,
  category: 'U',
  typlen: 8,
  vector: 'int64',
  comparison: { samples: ['0/1', '0/2'], extremes: true },
  parse: (text) => {
    const match = /^([0-9a-fA-F]{1,8})\/([0-9a-fA-F]{1,8})$/.exec(text);
    if (match === null) throw invalidText('pg_lsn', text);
    return BigInt.asIntN(64, (BigInt(`0x${match[1]}`) << 32n) | BigInt(`0x${match[2]}`));
  },
  format: (datum) => {
    const value = BigInt.asUintN(64, datum as bigint);
    return `${(value >> 32n).toString(16)}/${(value & 0xffff_ffffn).toString(16)}`.toUpperCase();
  },
  receive: (bytes) => {
    expectBytes(bytes, 8);
    return viewOf(bytes).getBigInt64(0);
  },
  send: (datum) => int64Bytes(datum as bigint),
  compare: (a, b) => compareBigints(BigInt.asUintN(64, a as bigint), BigInt.asUintN(64, b as bigint)),
  hashKey: (datum) => datum as bigint,
};

/** An array from 0 whose text is its numbers with blanks between. */
function numberVector(name: 'int2vector' | 'oidvector', arrayOid: number, element: SqlType): SqlType {
  return {
    ...arrayTypeOf(element),
    oid: OID[name],
    name,
    displayName: name,
    arrayOid,
    ...(name === 'oidvector' && { comparison: { samples: ['1 2', '1 3'], extremes: false } }),
    parse: (text, _modifier, settings): Datum => {
      const words = text.trim() === '' ? [] : text.trim().split(/\s+/);
      const elements = words.map((word) => element.parse(word, -1, settings));
      const dimensions = [{ length: elements.length, lowerBound: 0 }];
      return { datum: 'array', elementType: element.oid, dimensions, elements };
    },
    format: (datum) => (datum as ArrayDatum).elements.join(' '),
  };
}

/** @param smallint and @param oid the element types' rows. */
export function vectorTypes(smallint: SqlType, oid: SqlType): readonly SqlType[] {
  return [numberVector('int2vector', 1006, smallint), numberVector('oidvector', 1013, oid)];
}

export const PG_NODE_TREE: SqlType = {
  ...TEXT_CODEC,
  oid: OID.pg_node_tree,
  name: 'pg_node_tree',
  displayName: 'pg_node_tree',
  arrayOid: 0,
  category: 'Z',
  typlen: -1,
};
