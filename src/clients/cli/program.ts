/**
 * The `quern` command: its subcommands and their arguments. What they do on the server's side (`serve`,
 * `key reset-owner`) is handed in by `main.ts`; the others reach a server by network only.
 */
import { Command, CommanderError } from 'commander';
import { ask, research, search } from './commands/ask.ts';
import {
  createCollection,
  deleteCollection,
  getCollection,
  listCollections,
} from './commands/collections.ts';
import {
  createDataset,
  deleteDataset,
  deleteDocuments,
  getDataset,
  listDatasets,
  listDocuments,
  updateDataset,
} from './commands/datasets.ts';
import { mcp } from './commands/mcp.ts';
import { login, logout } from './commands/login.ts';
import { sql } from './commands/sql.ts';
import { upload } from './commands/upload.ts';
import { type CommandNames, completionScript, SHELLS, type Shell } from './completion.ts';
import { EXIT } from './session.ts';
import { print, tell } from './terminal.ts';

export interface ServerCommands {
  /** Name and one-line summary of each flag of `serve`, with its default. */
  readonly flags: Readonly<Record<string, { readonly default: string | null; readonly summary: string }>>;
  serve(flags: Readonly<Record<string, string>>): Promise<number>;
  resetOwner(flags: Readonly<Record<string, string>>): Promise<number>;
}

const EXAMPLES = `
Examples:
  quern serve --data ./data                          run a server
  quern login                                        keep its key on this machine
  quern dataset create filings
  quern upload '*.pdf' --dataset filings --wait
  quern ask "What drove the margin?" -d filings
  quern sql                                          a prompt
  quern sql -c "SELECT 1" -o json`;

/** Options that every command has which asks a server. */
const withServer = (command: Command): Command =>
  command
    .option('--host <host>', 'server (QUERN_HOST, or what `quern login` keeps)')
    .option('--port <port>', 'its SQL port (QUERN_PORT)')
    .option('--region <region>', 'its region (QUERN_REGION)')
    .option('-o, --output <format>', 'text or json', 'text');

/** Hands a command's result on as the process's exit code. */
type Ends = (result: Promise<number> | number) => Promise<void>;

/** @returns the exit code: 0, 1, 2 for wrong usage, 130 after Ctrl-C. */
export async function runProgram(commands: ServerCommands, argv: readonly string[]): Promise<number> {
  let code: number = EXIT.ok;
  const program = new Command('quern')
    .description('A hybrid-retrieval database that speaks the PostgreSQL wire protocol.')
    .exitOverride()
    .showHelpAfterError('(add --help for the options)')
    .addHelpText('after', EXAMPLES);
  const ends: Ends = async (result) => {
    code = await result;
  };
  addServer(program, commands, ends);
  addSignIn(program, ends);
  addSql(program, ends);
  addDatasets(program, ends);
  addQuestions(program, ends);
  addCollections(program, ends);
  addLater(program, ends);
  addCompletion(program, ends);
  for (const one of program.commands) one.copyInheritedSettings(program);
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
  return code;
}

function addServer(program: Command, commands: ServerCommands, ends: Ends): void {
  const serve = program.command('serve').description('run a server');
  for (const [name, { default: value, summary }] of Object.entries(commands.flags)) {
    serve.option(`--${name} <value>`, value === null ? summary : `${summary} (default ${value})`);
  }
  serve.action((options: Record<string, string>) => ends(commands.serve(flagNames(options))));
  const key = program.command('key').description('API keys');
  key
    .command('reset-owner')
    .description('make a new owner key; run on the server’s machine while the server is stopped')
    .option('--data <value>', 'folder that holds everything')
    .action((options: Record<string, string>) => ends(commands.resetOwner(flagNames(options))));
  for (const name of ['list', 'create', 'revoke']) later(key, ends, name, 'keys with roles');
}

function addSignIn(program: Command, ends: Ends): void {
  program
    .command('login')
    .description('keep a key on this machine, after it has been tried')
    .option('--host <host>', 'server (QUERN_HOST)')
    .option('--port <port>', 'its SQL port (QUERN_PORT)')
    .option('--region <region>', 'its region (QUERN_REGION)')
    .action((options) => ends(login(options)));
  program
    .command('logout')
    .description('forget the key that login keeps')
    .action(() => ends(logout()));
}

function addSql(program: Command, ends: Ends): void {
  withServer(program.command('sql'))
    .description('a prompt; with -c, or statements on standard input, their results')
    .option('-c, --command <sql>', 'the statements')
    .action((options) => ends(sql(options)));
  program
    .command('mcp')
    .description('tools for an agent over standard input and output (Model Context Protocol)')
    .option('--host <host>', 'server (QUERN_HOST)')
    .option('--port <port>', 'its SQL port (QUERN_PORT)')
    .option('--region <region>', 'its region (QUERN_REGION)')
    .action((options) => ends(mcp(options)));
}

function addDatasets(program: Command, ends: Ends): void {
  const dataset = program.command('dataset').description('datasets: files in, answers out');
  withServer(dataset.command('list'))
    .description('all datasets')
    .action((options) => ends(listDatasets(options)));
  withServer(dataset.command('get'))
    .argument('<name>')
    .description('one dataset')
    .action((name, options) => ends(getDataset(name, options)));
  withServer(dataset.command('create'))
    .argument('<name>')
    .description('make a dataset')
    .option('--description <text>')
    .action((name, options) => ends(createDataset(name, options)));
  withServer(dataset.command('update'))
    .argument('<name>')
    .description('change its description')
    .option('--description <text>')
    .action((name, options) => ends(updateDataset(name, options)));
  withServer(dataset.command('delete'))
    .argument('<name>')
    .description('delete a dataset and all its documents')
    .option('-y, --yes', 'without a question')
    .action((name, options) => ends(deleteDataset(name, options)));
  withServer(program.command('upload'))
    .argument('<pattern...>', 'files, folders (with -r), or patterns')
    .description('upload files')
    .requiredOption('-d, --dataset <name>')
    .option('-r, --recursive', 'folders with all below them')
    .option('-c, --concurrency <number>', 'files at a time', '4')
    .option('-y, --yes', 'many files without a question')
    .option('--dry-run', 'only say what would be uploaded')
    .option('--wait', 'until all have been read')
    .action((patterns, options) => ends(upload(patterns, options)));
  withServer(program.command('list'))
    .description('the documents of a dataset')
    .requiredOption('-d, --dataset <name>')
    .action((options) => ends(listDocuments(options)));
  withServer(program.command('delete'))
    .description('delete documents of a dataset')
    .requiredOption('-d, --dataset <name>')
    .requiredOption('--id <id...>')
    .action((options) => ends(deleteDocuments(options)));
}

/** What questions and searches share. */
const overDatasets = (command: Command): Command =>
  withServer(command)
    .requiredOption('-d, --dataset <name...>', 'one or more')
    .option('--filter <condition>', 'on metadata, as in WHERE: "fiscal_year >= 2022"');

function addQuestions(program: Command, ends: Ends): void {
  for (const [name, run, description] of [
    ['ask', ask, 'an answer whose facts stand in the documents they cite'],
    ['research', research, 'an answer by way of a plan of questions'],
  ] as const) {
    const command = overDatasets(program.command(name))
      .argument('<question>')
      .description(description)
      .option('--show-refs', 'the cited passages too')
      .option('--output-dir <folder>', 'where cited files are put, for the links')
      .action((question, options) => ends(run(question, options)));
    if (name === 'ask') command.option('-m, --mode <mode>', 'auto, summarize or research');
  }
  overDatasets(program.command('search'))
    .argument('<query>')
    .description('the passages that fit best')
    .option('-k, --top-k <number>', 'how many', '10')
    .action((query, options) => ends(search(query, options)));
}

function addCollections(program: Command, ends: Ends): void {
  const collection = program.command('collection').description('collections: documents with indexes');
  withServer(collection.command('list'))
    .description('all collections')
    .action((options) => ends(listCollections(options)));
  withServer(collection.command('get'))
    .argument('<name>')
    .description('the schema of one')
    .action((name, options) => ends(getCollection(name, options)));
  withServer(collection.command('create'))
    .argument('<name>')
    .description('make a collection')
    .option('--schema <columns>', `columns as in CREATE TABLE, or @FILE: "title TEXT INDEX semantic_index()"`)
    .action((name, options) => ends(createCollection(name, options)));
  withServer(collection.command('delete'))
    .argument('<name>')
    .description('delete a collection and all its documents')
    .option('-y, --yes', 'without a question')
    .action((name, options) => ends(deleteCollection(name, options)));
}

function addCompletion(program: Command, ends: Ends): void {
  program
    .command('completion')
    .argument('<shell>', SHELLS.join(', '))
    .description('completions for a shell: source <(quern completion bash)')
    .action((shell: string) => {
      if (!SHELLS.includes(shell as Shell)) {
        tell(`quern: completions are for ${SHELLS.join(', ')}`);
        return ends(EXIT.usage);
      }
      print(completionScript(shell as Shell, namesOf(program)).trimEnd());
      return ends(EXIT.ok);
    });
}

const namesOf = (command: Command): CommandNames => ({
  name: command.name(),
  options: [...command.options.map(({ long }) => long ?? ''), '--help'],
  commands: command.commands.map(namesOf),
});

/** Commands whose time has not come: they say so. */
function addLater(program: Command, ends: Ends): void {
  for (const name of ['backup', 'restore', 'verify']) later(program, ends, name, 'backups');
  later(program, ends, 'bench', 'benchmarks by the command (./scripts/bench runs them in a checkout)');
}

function later(parent: Command, ends: Ends, name: string, what: string): void {
  parent
    .command(name)
    .description('not available yet')
    .allowUnknownOption()
    .allowExcessArguments()
    .action(() => {
      tell(`quern: ${name} is not available yet: it comes with ${what}`);
      return ends(EXIT.failed);
    });
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
