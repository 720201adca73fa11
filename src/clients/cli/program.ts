/**
 * The `quern` command: its subcommands and their arguments. What they do on the server's side (`serve`,
 * `key reset-owner`) is handed in by `main.ts`; the others reach a server by network only.
 */
import { Command, CommanderError } from 'commander';
import { runSql, type SqlOptions } from './commands/sql.ts';

export interface ServerCommands {
  /** Name and one-line summary of each flag of `serve`, with its default. */
  readonly flags: Readonly<Record<string, { readonly default: string | null; readonly summary: string }>>;
  serve(flags: Readonly<Record<string, string>>): Promise<number>;
  resetOwner(flags: Readonly<Record<string, string>>): Promise<number>;
}

const USAGE_ERROR = 2;

/** @returns the exit code: 0, 1, or 2 for wrong usage. */
export async function runProgram(commands: ServerCommands, argv: readonly string[]): Promise<number> {
  let code = 0;
  const program = new Command('quern')
    .description('A hybrid-retrieval database that speaks the PostgreSQL wire protocol.')
    .exitOverride()
    .showHelpAfterError('(add --help for the options)');
  const set = (result: Promise<number>): Promise<void> =>
    result.then((value) => {
      code = value;
    });
  const serve = program.command('serve').description('run a server');
  for (const [name, { default: value, summary }] of Object.entries(commands.flags)) {
    serve.option(`--${name} <value>`, value === null ? summary : `${summary} (default ${value})`);
  }
  serve.action((options: Record<string, string>) => set(commands.serve(flagNames(options))));
  const key = program.command('key').description('API keys');
  key
    .command('reset-owner')
    .description('make a new owner key; run on the server’s machine while the server is stopped')
    .option('--data <value>', 'folder that holds everything')
    .action((options: Record<string, string>) => set(commands.resetOwner(flagNames(options))));
  program
    .command('sql')
    .description('run SQL statements on a server and print their results')
    .requiredOption('-c, --command <sql>', 'the statements')
    .option('--host <host>', 'server (QUERN_HOST)')
    .option('--port <port>', 'SQL port (QUERN_PORT)')
    .option('-o, --output <format>', 'text or json', 'text')
    .action((options: SqlOptions) => set(runSql(options)));
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : USAGE_ERROR;
  }
  return code;
}

/** commander gives `httpPort`; flags are known as `http-port`. */
function flagNames(options: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
      value,
    ]),
  );
}
