/** The command line: usage errors, and what is handed to the server's side. */
import { expect, it } from 'vitest';
import { runProgram, type ServerCommands } from './program.ts';

function recording(): ServerCommands & { readonly calls: unknown[] } {
  const calls: unknown[] = [];
  return {
    calls,
    flags: { data: { default: 'here', summary: 'folder' }, 'http-port': { default: null, summary: 'port' } },
    serve: async (flags) => {
      calls.push(['serve', flags]);
      return 0;
    },
    resetOwner: async (flags) => {
      calls.push(['reset-owner', flags]);
      return 1;
    },
  };
}

it('hands flags to serve by their own names', async () => {
  const commands = recording();
  expect(await runProgram(commands, ['serve', '--data', 'd', '--http-port', '0'])).toBe(0);
  expect(await runProgram(commands, ['key', 'reset-owner', '--data', 'd'])).toBe(1);
  expect(commands.calls).toEqual([
    ['serve', { data: 'd', 'http-port': '0' }],
    ['reset-owner', { data: 'd' }],
  ]);
});
