/** The encryption key by a command: what it may do wrong is told, and what it printed never is. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { keyOf } from './key-command.ts';
import { loadMasterKey } from './master-key.ts';

const KEY = 'ab'.repeat(32);
const folder = mkdtempSync(join(tmpdir(), 'quern-key-command-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const by = (command: string, seconds?: number) =>
  keyOf({ kind: 'command', command, name: '--encryption-key-command' }, seconds);

test('is what it prints, with blanks around it', async () => {
  const configured = await by(`printf '\\n ${KEY} \\n'; echo noise >&2`);
  const { bytes } = loadMasterKey({ dataFolder: join(folder, 'none'), configured });
  expect(Buffer.from(bytes).toString('hex')).toBe(KEY);
});

test.each([
  [
    'fails',
    `echo ${KEY}; echo first >&2; echo access denied >&2; exit 3`,
    /ended with code 3: access denied/,
  ],
  ['is not there', 'quern-no-such-command', /ended with code 127/],
  ['is ended', 'kill -9 $$', /was ended by SIGKILL/],
  ['prints nothing', 'true', /printed nothing/],
  ['prints blanks', 'printf " \\n"', /printed nothing/],
  ['prints without end', 'yes', /printed more than 4096 bytes/],
])('that %s is told', async (_, command, message) => {
  const failed = by(command);
  await expect(failed).rejects.toMatchObject({ condition: 'config_file_error' });
  await expect(failed).rejects.toThrow(message);
  await expect(failed).rejects.not.toThrow(KEY);
});

test('that hangs is ended, with all that it has started', async () => {
  const mark = join(folder, 'went on');
  await expect(by(`(sleep 2; touch '${mark}') & sleep 60`, 0.3)).rejects.toThrow(
    /did not end within 0.3 seconds/,
  );
  await new Promise((turn) => setTimeout(turn, 2500));
  expect(existsSync(mark)).toBe(false);
});

test('that prints something else is told without it', async () => {
  const configured = await by('echo my-passphrase');
  const load = () => loadMasterKey({ dataFolder: join(folder, 'none'), configured });
  expect(load).toThrow(/what --encryption-key-command printed does not hold an encryption key/);
  expect(load).not.toThrow(/my-passphrase/);
});
