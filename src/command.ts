/**
 * The `quern` command, run by `bin/quern`. The server is loaded where it is wanted: a command that asks one starts
 * in a third of the time without it.
 */
import './own-modules.ts';
import { runProgram } from './clients/cli/program.ts';
import { SERVE_FLAGS } from './config.ts';

const server = async (): Promise<typeof import('./main.ts')['SERVER']> => (await import('./main.ts')).SERVER;

const code = await runProgram(
  {
    flags: SERVE_FLAGS,
    serve: async (flags) => (await server()).serve(flags),
    resetOwner: async (flags) => (await server()).resetOwner(flags),
    rekey: async (flags, next) => (await server()).rekey(flags, next),
  },
  process.argv.slice(2),
);
// All that was written has been handed over. Connections and threads that are ending keep nobody waiting.
process.exit(code);
