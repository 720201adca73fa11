/**
 * The `quern` command, run by `bin/quern`. The server is loaded where it is wanted: a command that asks one starts
 * in a third of the time without it.
 */
import { runProgram } from './clients/cli/program.ts';
import { SERVE_FLAGS } from './config.ts';

/** Where nobody reads the log any more, writing it fails, which would be logged, and fail again, for ever. */
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const server = async (): Promise<typeof import('./main.ts')['SERVER']> => (await import('./main.ts')).SERVER;

process.exitCode = await runProgram(
  {
    flags: SERVE_FLAGS,
    serve: async (flags) => (await server()).serve(flags),
    resetOwner: async (flags) => (await server()).resetOwner(flags),
  },
  process.argv.slice(2),
);
process.exit();
