/** Calls of a real worker thread: replies, errors, and ends of all kinds. */
import { expect, it } from 'vitest';
import { SqlError } from './errors.ts';
import { WorkerCalls } from './worker-calls.ts';

const LIBRARY = JSON.stringify(new URL('./worker-calls.ts', import.meta.url));
const ERRORS = JSON.stringify(new URL('./errors.ts', import.meta.url));

/** Answers with twice the number; what it does with others, their words say. */
const PROGRAM = `
  import { answerCalls } from ${LIBRARY};
  import { SqlError } from ${ERRORS};
  answerCalls(async (request) => {
    if (request === 'client') throw new SqlError('undefined_table', 'no t', { hint: 'Make it.', cause: new Error('x') });
    if (request === 'bug') throw new TypeError('ours');
    if (request === 'exit') process.exit(3);
    if (request === 'hang') for (;;);
    if (request instanceof Uint8Array) return request.length;
    return 2 * request;
  });`;

const start = (): WorkerCalls<unknown, number> =>
  new WorkerCalls(new URL(`data:text/javascript,${encodeURIComponent(PROGRAM)}`));

it('pairs replies with requests, and hands memory over', async () => {
  const calls = start();
  expect(await Promise.all([1, 2, 3].map((number) => calls.call(number)))).toEqual([2, 4, 6]);
  const bytes = new Uint8Array(8);
  expect(await calls.call(bytes, [bytes.buffer])).toBe(8);
  expect(bytes.length).toBe(0);
  await calls.close();
  expect(calls.isRunning).toBe(false);
});

it('brings errors over with their class, and is of use after them', async () => {
  const calls = start();
  const error: unknown = await calls.call('client').catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(SqlError);
  expect(error).toMatchObject({
    condition: 'undefined_table',
    message: 'no t',
    fields: { hint: 'Make it.' },
  });
  const bug: unknown = await calls.call('bug').catch((thrown: unknown) => thrown);
  expect(bug).not.toBeInstanceOf(SqlError);
  expect(bug).toMatchObject({ message: 'ours', stack: expect.stringContaining('TypeError: ours') as string });
  expect(await calls.call(4)).toBe(8);
  await calls.end(new Error('over'));
});

it('fails what a thread that dies, or is ended, has not answered; the next call has another', async () => {
  const calls = start();
  await expect(calls.call('exit')).rejects.toThrow('exit code 3');
  expect(await calls.call(5)).toBe(10);
  const endless = calls.call('hang');
  const behind = calls.call(6);
  const ended = calls.end(new Error('given up'));
  const next = calls.call(7);
  await expect(endless).rejects.toThrow('given up');
  await expect(behind).rejects.toThrow('given up');
  expect(await next).toBe(14);
  await ended;
  await calls.close();
  await calls.close();
});
