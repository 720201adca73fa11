/** Many clients at once, clients that go in the middle, and clients that never sign in. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  askedForPassword,
  echo,
  listenEcho,
  message,
  RawClient,
  signedIn,
} from '../../sql-tests/fixtures/echo-server.ts';
import type { SqlListener } from './listener.ts';

let listener: SqlListener;

beforeAll(async () => {
  listener = await listenEcho({ signedIn: 1100, waiting: 50, http: 0 });
});

afterAll(async () => {
  await listener.close();
});

describe('crowds', () => {
  it('1,000 idle connections leave the server answering; vanished clients leave nothing behind', async () => {
    const clients: RawClient[] = [];
    for (let i = 0; i < 25; i++) {
      clients.push(...(await Promise.all(Array.from({ length: 40 }, () => signedIn(listener.port)))));
    }
    const last = await signedIn(listener.port);
    last.send(message('Q', 'still here'));
    expect(await last.types('Z')).toBe('TDCZ');
    last.destroy();
    expect(listener.sessionCount()).toBeGreaterThanOrEqual(1000);
    for (const client of clients) client.destroy();
    await expect.poll(() => listener.sessionCount()).toBe(0);
  });

  it('a flood of connections that never sign in keeps nobody out: the oldest go, and are told', async () => {
    const idle = Array.from({ length: 300 }, () => new RawClient(listener.port));
    const last = await signedIn(listener.port);
    last.send(message('Q', 'let in'));
    expect(await last.types('Z')).toBe('TDCZ');
    last.destroy();
    await Promise.all(idle.slice(0, 200).map((client) => client.closed));
    expect(idle[0]?.raw()).toContain('C53300');
    for (const client of idle) client.destroy();
  });

  it('who goes while the key is checked leaves no place taken and no session', async () => {
    await eventually(() => listener.sessionCount() === 0);
    echo.slow = Promise.withResolvers();
    const before = echo.disposedCount;
    const clients = await Promise.all(Array.from({ length: 5 }, () => askedForPassword(listener.port)));
    for (const client of clients) client.send(message('p', 'slow'));
    await new Promise((resolve) => setTimeout(resolve, 50));
    for (const client of clients) client.destroy();
    await Promise.all(clients.map((client) => client.closed));
    await new Promise((resolve) => setTimeout(resolve, 50));
    echo.slow.resolve();
    await eventually(() => echo.disposedCount === before + 5);
    expect(listener.sessionCount()).toBe(0);
  });

  it('keys that turn out right in one tick do not get more places than there are', async () => {
    const few = await listenEcho({ signedIn: 2, waiting: 50, http: 0 });
    echo.slow = Promise.withResolvers();
    const clients = await Promise.all(Array.from({ length: 5 }, () => askedForPassword(few.port)));
    for (const client of clients) client.send(message('p', 'slow'));
    await new Promise((resolve) => setTimeout(resolve, 50));
    echo.slow.resolve();
    const answers = await Promise.all(clients.map((client) => client.types('Z').catch(() => client.raw())));
    expect(answers.filter((answer) => answer === 'RRSSKZ').length).toBe(2);
    expect(answers.filter((answer) => answer.includes('C53300')).length).toBe(3);
    for (const client of clients) client.destroy();
    await few.close();
  });

  it.runIf(process.platform === 'linux')(
    'a client that goes while its socket is paused is noticed',
    async () => {
      const client = await signedIn(listener.port);
      const before = { disposed: echo.disposedCount, cancelled: echo.cancelledCount };
      echo.slow = Promise.withResolvers();
      client.send(message('Q', 'wait'));
      const filler = message('Q', 'x'.repeat(1_000_000));
      for (let i = 0; i < 20; i++) client.send(filler);
      await new Promise((resolve) => setTimeout(resolve, 200));
      client.end();
      await eventually(() => echo.cancelledCount > before.cancelled);
      echo.slow.resolve();
      await eventually(() => echo.disposedCount > before.disposed);
      client.destroy();
    },
  );
});

const eventually = async (holds: () => boolean): Promise<void> => await expect.poll(holds).toBe(true);
