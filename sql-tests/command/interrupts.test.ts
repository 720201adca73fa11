/** Ctrl-C and Ctrl-D wherever the command waits: 130, at once, and what ran on the server ends. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Place, startPlace } from './command.ts';

const CTRL_C = '\x03';
const CTRL_D = '\x04';

let place: Place;

beforeAll(async () => {
  place = await startPlace();
  await place.run(['dataset', 'create', 'd']);
  const words = Array.from({ length: 3_000_000 }, (_, at) => `word${(at * 7919) % 10_007}`);
  writeFileSync(join(place.folder, 'large.txt'), words.join(' ').replaceAll(/(.{2000} )/g, '$1\n\n'));
  writeFileSync(join(place.folder, 'small.md'), '# Small\n\nA few words.\n');
});
afterAll(async () => await place?.[Symbol.asyncDispose]());

/** A line of bash that ends with 0 while a statement runs that begins so. */
const runs = (statement: string): string =>
  `quern sql -o json -c "SELECT count(*) AS n FROM pg_stat_activity WHERE state = 'active' AND query LIKE '${statement}%'" | grep -q '"n": 1'`;

describe('Ctrl-C', () => {
  it('at a question is 130', async () => {
    for (const args of [
      ['dataset', 'delete', 'd'],
      ['collection', 'delete', 'c'],
    ]) {
      const { code } = await place.onTerminal(args, { steps: [['[y/N] ', CTRL_C]] });
      expect(code, args.join(' ')).toBe(130);
    }
    const login = await place.onTerminal(['login', '--key'], {
      more: { QUERN_API_KEY: '' },
      steps: [['API key: ', CTRL_C]],
    });
    expect(login.code).toBe(130);
    expect((await place.run(['dataset', 'get', 'd'])).code).toBe(0);
  });

  it('at standard input is 130', async () => {
    const steps = [['', CTRL_C, 'sleep 1']] as const;
    for (const args of [
      ['ask', '-', '-d', 'd'],
      ['sql', '-c', 'COPY (SELECT 1) TO STDOUT; COPY nothing FROM STDIN'],
    ]) {
      expect((await place.onTerminal(args, { steps })).code, args.join(' ')).not.toBe(0);
    }
    expect((await place.onTerminal(['ask', '-', '-d', 'd'], { steps })).code).toBe(130);
    expect((await place.onTerminal(['mcp'], { steps })).code).toBe(130);
  });

  it('ends a statement, here and on the server', async () => {
    const statement = 'SELECT pg_sleep(601)';
    const { code } = await place.onTerminal(['sql', '-c', statement], {
      steps: [['', CTRL_C, runs(statement)]],
    });
    expect(code).toBe(130);
    expect((await place.shell(`until ! ${runs(statement)}; do sleep 0.1; done; echo over`)).out).toBe(
      'over\n',
    );
    const json = await place.shell(
      `quern sql -o json -c "SELECT pg_sleep(602)" & until ${runs('SELECT pg_sleep(602)')}; do sleep 0.1; done; kill -INT $!; wait $!; echo $?`,
    );
    expect(json.out).toBe('130\n');
    expect(JSON.parse(json.err)).toMatchObject({ error: { code: 'interrupted' } });
  });

  it('ends an upload, and says what was finished', async () => {
    const { code, out } = await place.onTerminal(['upload', 'small.md', 'large.txt', '-d', 'd', '--wait'], {
      // Both have been sent by then, and one has been read.
      steps: [[' 1/2 large.txt', CTRL_C]],
    });
    expect(code).toBe(130);
    expect(out).toMatch(/ready {4}small\.md\n/);
    expect(out).toMatch(/uploaded large\.txt: not read yet; the server goes on\n/);
    expect(out).toMatch(/interrupted: 2 sent and 1 read of 2/);
  });

  it('ends a command whose server does not answer', async () => {
    const line = `python3 -c '
import socket
listener = socket.socket(); listener.bind(("127.0.0.1", 0)); listener.listen()
print(listener.getsockname()[1], flush=True)
held = []
while True:
    held.append(listener.accept())
    open(f"asked{len(held)}", "w")' > silent & silent=$!
      shown() { until [ -e $1 ]; do sleep 0.1; done; }
      until grep -q . silent; do sleep 0.1; done
      QUERN_PORT=$(cat silent) quern sql -c 'select 1' & shown asked1; kill -INT $!; wait $!; echo $?
      QUERN_PORT=$(cat silent) quern dataset list & shown asked2; kill -INT $!; wait $!; echo $?
      kill $silent`;
    expect((await place.shell(line)).out).toBe('130\n130\n');
  });
});

describe('Ctrl-D, and no', () => {
  it('at a question leaves everything as it is', async () => {
    for (const keys of [CTRL_D, 'n\n', '\n', 'never\n']) {
      const { code, out } = await place.onTerminal(['dataset', 'delete', 'd'], { steps: [['[y/N] ', keys]] });
      expect(code, keys).toBe(1);
      expect(out.match(/nothing was done/g), keys).toHaveLength(1);
    }
    expect((await place.run(['dataset', 'get', 'd'])).code).toBe(0);
  });

  it('at the question for a key ends it', async () => {
    for (const keys of [CTRL_D, '\n']) {
      const steps = [['API key: ', keys]] as const;
      const { code, out } = await place.onTerminal(['login', '--key'], {
        more: { QUERN_API_KEY: '' },
        steps,
      });
      expect([code, out], keys).toEqual([1, expect.stringMatching(/no key was given/)]);
    }
  });

  it('a key that is typed is not shown, and may be mended', async () => {
    const typed = `${place.server.key.slice(0, 5)}X\x7f${place.server.key.slice(5)}\n`;
    const { code, raw } = await place.onTerminal(['login', '--key'], {
      more: { QUERN_API_KEY: '' },
      steps: [['API key: ', typed]],
    });
    expect([code, raw.includes(place.server.key.slice(5))]).toEqual([0, false]);
    await place.run(['logout']);
  });

  it('yes does it', async () => {
    await place.run(['dataset', 'create', 'gone']);
    const { code, out } = await place.onTerminal(['dataset', 'delete', 'gone'], {
      steps: [['[y/N] ', 'y\n']],
    });
    expect([code, out]).toEqual([0, expect.stringMatching(/deleted gone/)]);
  });
});
