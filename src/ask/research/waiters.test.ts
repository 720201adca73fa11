/** Who waits for a run of research, and when it is given up. */
import { expect, it } from 'vitest';
import { SqlError } from '../../errors.ts';
import { Waiters } from './waiters.ts';

const CANCELLED = new SqlError('query_canceled', 'canceling statement due to user request');
const WANTS = { onlyLooks: false };
const LOOKS = { onlyLooks: true };

function watched() {
  const givenUp: string[] = [];
  return { givenUp, waiters: new Waiters((id) => void givenUp.push(id)) };
}

it('a run is given up when the last one who wants it is cancelled', () => {
  const { givenUp, waiters } = watched();
  const [first, second] = [new AbortController(), new AbortController()];
  waiters.add('a', first.signal, WANTS);
  waiters.add('a', second.signal, WANTS);
  first.abort(CANCELLED);
  expect(givenUp).toEqual([]);
  second.abort(CANCELLED);
  expect(givenUp).toEqual(['a']);
});

it('so it is when that one was cancelled before it waited', () => {
  const { givenUp, waiters } = watched();
  using _ = waiters.add('a', AbortSignal.abort(CANCELLED), WANTS);
  expect(givenUp).toEqual(['a']);
});

it('who lost the connection, or has its answer, gives nothing up', () => {
  const { givenUp, waiters } = watched();
  waiters.add('a', AbortSignal.abort(new SqlError('connection_failure', 'lost')), WANTS);
  const answered = new AbortController();
  waiters.add('b', answered.signal, WANTS)[Symbol.dispose]();
  answered.abort(CANCELLED);
  expect([givenUp, waiters.isWanted('a'), waiters.isWanted('b')]).toEqual([[], false, false]);
});

it('an onlooker neither keeps a run nor ends it, and hears of its news', async () => {
  const { givenUp, waiters } = watched();
  const [wants, looks] = [new AbortController(), new AbortController()];
  waiters.add('a', wants.signal, WANTS);
  waiters.add('a', looks.signal, LOOKS);
  const woken = waiters.woken('a');
  waiters.tell('a');
  await woken;
  wants.abort(CANCELLED);
  expect(givenUp).toEqual(['a']);
  waiters.add('b', wants.signal, LOOKS);
  looks.abort(CANCELLED);
  expect(givenUp).toEqual(['a']);
});
