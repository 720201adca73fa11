/** The command line: what is handed to the server's side, and what it ends with. */
import { expect, it, vi } from 'vitest';
import { runProgram, type ServerCommands } from './program.ts';

function recording(): ServerCommands & { readonly calls: unknown[] } {
  const calls: unknown[] = [];
  return {
    calls,
    flags: { data: { default: 'here', summary: 'folder' }, 'http-port': { default: null, summary: 'port' } },
    serve: async (flags) => {
      calls.push(['serve', flags]);
      if (flags.data === 'broken') throw new Error('it is broken');
    },
    rekey: async () => undefined,
    resetOwner: async (flags) => {
      calls.push(['reset-owner', flags]);
      return 'a-new-key';
    },
  };
}

it('hands flags to serve by their own names', async () => {
  const commands = recording();
  expect(await runProgram(commands, ['serve', '--data', 'd', '--http-port', '0'])).toBe(0);
  expect(await runProgram(commands, ['key', 'reset-owner', '--data', 'd', '-o', 'json'])).toBe(0);
  expect(commands.calls).toEqual([
    ['serve', { data: 'd', 'http-port': '0' }],
    ['reset-owner', { data: 'd' }],
  ]);
});

it('ends with 1 where a server cannot start', async () => {
  let told = '';
  const stderr = vi.spyOn(process.stderr, 'write').mockImplementation((text, done?: unknown) => {
    told += String(text);
    if (typeof done === 'function') done();
    return true;
  });
  expect(await runProgram(recording(), ['serve', '--data', 'broken'])).toBe(1);
  expect(told).toBe('quern: it is broken\n');
  stderr.mockRestore();
});
