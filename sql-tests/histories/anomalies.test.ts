/** The checker of histories can fail: one bad history of every kind, and good ones beside them. */
import { describe, expect, it } from 'vitest';
import { ANOMALIES, type Anomaly, findAnomalies, FORBIDDEN } from './anomalies.ts';
import type { History, HistoryTransaction, Level, Step } from './history.ts';

/**
 * `a1` appends 1 to key a, `a=12` reads [1, 2] of it, `a~12` reads that as a set; `!` ends one that aborted.
 * Values are single digits, and each is appended once.
 */
function transaction(text: string, place: number, level: Level = 'serializable'): HistoryTransaction {
  const steps = text.split(' ').flatMap((word): Step[] => {
    const [, name = '', how, digits = ''] = /^([a-z])([=~]?)(\d*)$/.exec(word) ?? [];
    if (name === '') return [];
    const key = name.charCodeAt(0);
    if (how === '') return [{ kind: 'append', key, value: Number(digits) }];
    return [{ kind: 'read', key, values: Array.from(digits, Number), ordered: how === '=' }];
  });
  return { level, steps, outcome: text.includes('!') ? 'aborted' : 'committed', began: 0, ended: place };
}

const history = (...texts: string[]): History => texts.map((text, place) => transaction(text, place));

/** Those found. */
function kindsOf(of: History, options: Parameters<typeof findAnomalies>[1] = {}): readonly Anomaly[] {
  const found = findAnomalies(of, options);
  return ANOMALIES.filter((anomaly) => found[anomaly] > 0);
}

const BAD: readonly (readonly [string, Anomaly, History])[] = [
  ['writes in two orders', 'G0', history('a1 b4', 'a2 b3', 'a=12 b=34')],
  ['a value of an aborted one', 'G1a', history('a1 !', 'a=1')],
  ['a value that is overwritten by its own writer', 'G1b', history('a1 a2', 'a=1', 'a=12')],
  ['each sees the other', 'G1c', history('a1 b=2', 'b2 a=1')],
  ['two reads of one key differ', 'internal', history('a1', 'a= a=1')],
  ['its own append is not there', 'internal', history('a1 a=')],
  ['lists that contradict each other', 'contradiction', history('a1', 'a2', 'a=1', 'a=21')],
  ['a value twice', 'contradiction', history('a1', 'a=11')],
  ['half of what another wrote', 'G-single', history('a1 b2', 'a=1 b=', 'b=2')],
  ['half of a set', 'G-single', history('a1 b2', 'a~1 b~')],
  ['a lost update', 'G-single', history('a1', 'a=1 a2', 'a=1 a3', 'a=123')],
  ['a long fork', 'G-nonadjacent', history('a1', 'b2', 'a=1 b=', 'b=2 a=')],
  ['write skew', 'G2', history('a= b= a1', 'a= b= b2', 'a=1 b=2')],
  ['write skew of sets', 'G2', history('a~ b~ a1', 'a~ b~ b2')],
  [
    'the anomaly of who only reads',
    'G2',
    // Fekete, O'Neil and O'Neil, 2004: without the reader the other two are serial.
    history('a= b= a1', 'b2', 'a= b=2', 'a=1 b=2'),
  ],
];

describe('what a checker must find', () => {
  it.each(BAD)('%s: %s', (_, anomaly, of) => {
    expect(kindsOf(of)).toContain(anomaly);
  });

  it('does so with every kind', () => {
    const tested = new Set([...BAD.map(([, anomaly]) => anomaly), 'lost', 'realtime']);
    expect([...tested].sort()).toEqual([...ANOMALIES].sort());
  });

  it('values that are not there at the end', () => {
    expect(kindsOf(history('a1', 'a2', 'a=1'), { final: true })).toEqual(['lost']);
  });

  it('a read of what was before something that had ended', () => {
    const [writer, reader, later] = history('a1', 'a=', 'a=1') as [
      HistoryTransaction,
      HistoryTransaction,
      HistoryTransaction,
    ];
    expect(kindsOf([writer, { ...reader, began: 1, ended: 2 }, later])).toEqual(['realtime']);
    expect(kindsOf([writer, reader, later])).toEqual([]);
  });
});

describe('what it must let pass', () => {
  it.each([
    ['serial ones', history('a1 b2', 'a=1 a3', 'a=13 b=2', 'b=2 b4 b=24')],
    ['aborted ones that saw anything', history('a1', 'a=1 a=12 !')],
    ['reads of a state that was', history('a1', 'a=', 'a2', 'a=1', 'a=12')],
    ['sets', history('a1', 'a~1', 'a2', 'a~12', 'a~2 a~2 !')],
  ])('%s', (_, of) => {
    expect(kindsOf(of)).toEqual([]);
  });

  it('what weaker levels allow', () => {
    const skew = findAnomalies(history('a= b= a1', 'a= b= b2', 'a=1 b=2'));
    expect(FORBIDDEN['repeatable read'].filter((anomaly) => skew[anomaly] > 0)).toEqual([]);
    const single = findAnomalies(history('a1 b2', 'a=1 b=', 'b=2'));
    expect(FORBIDDEN['read committed'].filter((anomaly) => single[anomaly] > 0)).toEqual([]);
  });

  it('reads of transactions that nobody has promised anything', () => {
    const skew = [
      transaction('a= b= a1', 0),
      transaction('a= b= b2', 1, 'read committed'),
      transaction('a=1 b=2', 2),
    ];
    expect(kindsOf(skew)).toEqual(['G2']);
    expect(kindsOf(skew, { trusted: 'serializable' })).toEqual([]);
  });
});
