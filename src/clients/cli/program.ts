/**
 * The `quern` command: its subcommands and their arguments. What they do on the server's side (`serve`,
 * `key reset-owner`, `rekey`) is handed in by `command.ts`; the others reach a server by network only.
 */
import { Command, CommanderError } from 'commander';
import { durationOf, formatAsked, oneOf, wholeNumber, withJoinedValue } from './arguments.ts';
import { ask, research, search } from './commands/ask.ts';
import { verifyAudit } from './commands/audit.ts';
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
import { createKey, KEY_OPTIONS, listKeys, revokeKey } from './commands/keys.ts';
import { login, logout } from './commands/login.ts';
import { mcp } from './commands/mcp.ts';
import { sql } from './commands/sql.ts';
import { upload } from './commands/upload.ts';
import { type CommandNames, completionScript, SHELLS } from './completion.ts';
import { EXIT, exitCodeOf, tellError, UsageError } from './errors.ts';
import { Interruption } from './interruption.ts';
import { Output } from './output.ts';
import { type Call, running } from './running.ts';
import { portOf } from './server.ts';
import { type OutputFormat, print, printJson } from './terminal.ts';
import { versionOfCommand } from './version.ts';

/** Commands that need no server on the other side. All throw what stands in the way. */
export interface ServerCommands {
  /** Name and one-line summary of each flag of `serve`, with its default. */
  readonly flags: Readonly<Record<string, { readonly default: string | null; readonly summary: string }>>;
  /** Ends when the server has been told to, and has. */
  serve(flags: Readonly<Record<string, string>>): Promise<void>;
  /** @returns the new key. */
  resetOwner(flags: Readonly<Record<string, string>>): Promise<string>;
  /** @param next command that prints the next key; null: it is in the environment, or a key file is made. */
  rekey(flags: Readonly<Record<string, string>>, next: string | null): Promise<void>;
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

const TOP_K_MAX = 1000;
const LANES_MAX = 64;

const withOutput = (command: Command): Command =>
  command.option('-o, --output <format>', 'text or json', oneOf('--output', ['text', 'json']));

/** Options that every command has which asks a server. */
const withServer = (command: Command): Command =>
  withPlace(command).option('--region <region>', 'its region (QUERN_REGION)');

/** `--region` is another thing of some commands. */
const withPlace = (command: Command): Command =>
  withOutput(command)
    .option('--host <host>', 'server (QUERN_HOST, or what `quern login` keeps)')
    .option('--port <port>', 'its SQL port (QUERN_PORT)', (text: string) => portOf(text, '--port'))
    .option('--api-key <key>', 'its key (better in QUERN_API_KEY: others on the machine can see flags)');

/** Work of a command, with its positional arguments behind its options. */
type Work<Options, Arguments extends readonly unknown[]> = (
  call: Call<Options>,
  ...given: Arguments
) => Promise<number | undefined>;

/** Options of a command with those before its name, which it may have too. */
function optionsOf(command: Command | null): Record<string, unknown> {
  return command === null ? { output: 'text' } : { ...optionsOf(command.parent), ...command.opts() };
}

/** Where commands end. */
class Ending {
  code: number = EXIT.ok;
  /** A server has ended: it waits for its readers in its own way. */
  isServer = false;
  readonly output = new Output();
  readonly interruption = new Interruption();
  readonly format: OutputFormat;

  constructor(format: OutputFormat) {
    this.format = format;
  }

  /** Makes work the action of a command. */
  of<Options, Arguments extends readonly unknown[]>(
    command: Command,
    work: Work<Options, Arguments>,
    options: () => object = () => optionsOf(command),
  ): void {
    command.action(async (...given: unknown[]) => {
      // commander adds the options and the command.
      const args = given.slice(0, -2) as unknown as Arguments;
      const { output, interruption, format } = this;
      this.code = await running((signal) => work({ options: options() as Options, signal }, ...args), {
        output,
        interruption,
        format,
      });
    });
  }
}

/** @returns the exit code: 0, 1, 2 for wrong usage, 130 after Ctrl-C, 141 where nobody reads what is printed. */
export async function runProgram(commands: ServerCommands, argv: readonly string[]): Promise<number> {
  const format = formatAsked(argv);
  const ending = new Ending(format);
  const program = programOf(commands, ending);
  try {
    await program.parseAsync(withJoinedValue(argv, '--wait'), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      tellError(error, format);
      ending.code = exitCodeOf(error);
    } else if (error.exitCode !== 0) {
      ending.code = EXIT.usage;
      if (error.code !== 'commander.help') tellError(usageError(error), format);
    }
  }
  if (ending.isServer) return ending.code;
  return await ending.output.handedOver(ending.code, format, ending.interruption.signal);
}

/** As commander tells it, in the words of all other errors. */
const usageError = ({ message }: CommanderError): UsageError =>
  new UsageError(message.replace(/^error: /, '').replace(/\n\s*/g, ' '), '--help lists commands and options');

function programOf(commands: ServerCommands, ending: Ending): Command {
  const program = withServer(new Command('quern'))
    .description('A hybrid-retrieval database that speaks the PostgreSQL wire protocol.')
    .version(`quern ${versionOfCommand()}`, '-V, --version', 'which version this is')
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ outputError: () => undefined })
    .addHelpText('after', EXAMPLES);
  addServer(program, commands, ending);
  addSignIn(program, ending);
  addSql(program, ending);
  addDatasets(program, ending);
  addUpload(program, ending);
  addDocuments(program, ending);
  addQuestions(program, ending);
  addCollections(program, ending);
  addLater(program, ending);
  addCompletion(program, ending);
  addVersion(program, ending);
  return program;
}

function addServer(program: Command, commands: ServerCommands, ending: Ending): void {
  const serve = program.command('serve').description('run a server');
  for (const [name, { default: value, summary }] of Object.entries(commands.flags)) {
    serve.option(`--${name} <value>`, value === null ? summary : `${summary} (default ${value})`);
  }
  if ('console' in commands.flags) serve.option('--no-console', 'as --console off');
  // It has its own way of ending: by signals, in order, whoever reads its output.
  serve.action(async (options: Record<string, string | false>) => {
    await commands.serve(flagNames(options));
    ending.isServer = true;
  });
  const key = withOutput(program.command('key')).description('API keys');
  const reset = withOutput(key.command('reset-owner'))
    .description('make a new owner key; run on the server’s machine while the server is stopped')
    .option('--data <value>', 'folder that holds everything');
  ending.of(reset, async ({ options }: Call<{ readonly data?: string; readonly output: OutputFormat }>) => {
    const made = await commands.resetOwner(options.data === undefined ? {} : { data: options.data });
    if (options.output === 'json') printJson({ key: made });
    else print(made);
    return undefined;
  });
  addKeys(key, ending);
  addAudit(program, ending);
  addRekey(program, commands, ending);
}

function addAudit(program: Command, ending: Ending): void {
  const audit = withOutput(program.command('audit')).description('what was done on a server');
  ending.of(
    withServer(audit.command('verify'))
      .description('follow the chain of the audit: what is missing or changed is an error')
      .option('--against <file>', 'and compare it with the lines of --audit-log'),
    verifyAudit,
  );
}

interface RekeyOptions {
  readonly data?: string;
  readonly encryptionKeyCommand?: string;
  readonly newEncryptionKeyCommand?: string;
  readonly output: OutputFormat;
}

function addRekey(program: Command, commands: ServerCommands, ending: Ending): void {
  const rekey = withOutput(program.command('rekey'))
    .description('change the encryption key; run on the server’s machine while the server is stopped')
    .option('--data <value>', 'folder that holds everything')
    .option('--encryption-key-command <value>', 'prints the key of now, where it lies in no key file')
    .option(
      '--new-encryption-key-command <value>',
      'prints the next key (or QUERN_NEW_ENCRYPTION_KEY); else a new key file is made',
    );
  ending.of(rekey, async ({ options }: Call<RekeyOptions>) => {
    const { data, encryptionKeyCommand: command, newEncryptionKeyCommand: next } = options;
    const flags = {
      ...(data !== undefined && { data }),
      ...(command !== undefined && { 'encryption-key-command': command }),
    };
    await commands.rekey(flags, next ?? null);
    if (options.output === 'json') printJson({ changed: true });
    else print('the encryption key is changed; data keys follow once the server runs');
    return undefined;
  });
}

function addKeys(key: Command, ending: Ending): void {
  ending.of(withServer(key.command('list')).description('names, roles, limits and last uses'), listKeys);
  const create = withServer(key.command('create [name]')).description('make a key, which is printed once');
  for (const [name, summary] of Object.entries(KEY_OPTIONS)) create.option(`--${name} <value>`, summary);
  create.option('--read-only', 'it only reads').option('--no-outside', 'it sends no text to an endpoint');
  ending.of(create, createKey);
  ending.of(
    withServer(key.command('revoke <name>'))
      .description('drop a key and end its sessions')
      .option('-y, --yes', 'do not ask'),
    revokeKey,
  );
}

function addSignIn(program: Command, ending: Ending): void {
  ending.of(
    withServer(program.command('login'))
      .description('keep a key on this machine: one that is made by way of the console, or that is given')
      .option('--key', 'type a key')
      .option('--no-browser', 'tell the address of the console, and open no browser')
      .option('--http-port <port>', 'HTTP port of the server (QUERN_HTTP_PORT; 8432)', (text: string) =>
        portOf(text, '--http-port'),
      ),
    login,
  );
  ending.of(withOutput(program.command('logout')).description('forget the key that login keeps'), logout);
}

function addSql(program: Command, ending: Ending): void {
  ending.of(
    withServer(program.command('sql'))
      .description('a prompt; with -c, or statements on standard input, their results')
      .option('-c, --command <sql>', 'the statements, or a backslash command'),
    sql,
  );
  ending.of(
    withServer(program.command('mcp')).description(
      'tools for an agent over standard input and output (Model Context Protocol)',
    ),
    mcp,
  );
}

function addDatasets(program: Command, ending: Ending): void {
  const dataset = withServer(program.command('dataset')).description('datasets: files in, answers out');
  ending.of(withServer(dataset.command('list')).description('all datasets'), listDatasets);
  ending.of(withServer(dataset.command('get')).argument('<name>').description('one dataset'), getDataset);
  const create = withPlace(dataset.command('create'))
    .argument('<name>')
    .description('make a dataset')
    .option('--region <region>', 'where it is to be; the server refuses a region that it does not hold')
    .option('--description <text>');
  ending.of(create, createDataset, () => {
    const { region: datasetRegion, ...own } = create.opts();
    return { ...optionsOf(dataset), ...own, datasetRegion };
  });
  ending.of(
    withServer(dataset.command('update'))
      .argument('<name>')
      .description('change its description')
      .option('--description <text>'),
    updateDataset,
  );
  ending.of(
    withServer(dataset.command('delete'))
      .argument('<name>')
      .description('delete a dataset and all its documents')
      .option('-y, --yes', 'without a question'),
    deleteDataset,
  );
}

function addUpload(program: Command, ending: Ending): void {
  ending.of(
    withServer(program.command('upload'))
      .argument('<pattern...>', 'files, folders (with -r), or patterns')
      .description('upload files')
      .requiredOption('-d, --dataset <name>')
      .option('-r, --recursive', 'folders with all below them')
      .option(
        '--ids <what>',
        'what a document is called: the file’s name, or its path as it is written',
        oneOf('--ids', ['name', 'path']),
        'name',
      )
      .option('-c, --concurrency <number>', 'files at a time', wholeNumber('--concurrency', 1, LANES_MAX), 4)
      .option('-y, --yes', 'many files without a question')
      .option('--dry-run', 'only say what would be uploaded')
      .option('--wait [time]', 'until all have been read; --wait=5m for that long', durationOf),
    upload,
  );
}

function addDocuments(program: Command, ending: Ending): void {
  ending.of(
    withServer(program.command('list'))
      .description('the documents of a dataset')
      .requiredOption('-d, --dataset <name>'),
    listDocuments,
  );
  ending.of(
    withServer(program.command('delete'))
      .description('delete documents of a dataset')
      .requiredOption('-d, --dataset <name>')
      .requiredOption('--id <id...>'),
    deleteDocuments,
  );
}

/** Options that questions and searches share. */
const overDatasets = (command: Command): Command =>
  withServer(command)
    .requiredOption('-d, --dataset <name...>', 'one or more')
    .option('--filter <condition>', 'on metadata, as in WHERE: "fiscal_year >= 2022"');

function addQuestions(program: Command, ending: Ending): void {
  for (const [name, work, description] of [
    ['ask', ask, 'an answer whose facts stand in the documents they cite'],
    ['research', research, 'an answer by way of a plan of questions'],
  ] as const) {
    const command = overDatasets(program.command(name))
      .argument('[question]', '- or nothing: standard input')
      .description(description)
      .option('--show-refs', 'the cited passages too')
      .option('--output-dir <folder>', 'where cited files are put, for the links');
    if (name === 'ask') {
      const modes = ['auto', 'summarize', 'research'];
      command.option('-m, --mode <mode>', 'auto, summarize or research', oneOf('--mode', modes));
    }
    ending.of(command, work);
  }
  ending.of(
    overDatasets(program.command('search'))
      .argument('[query]', '- or nothing: standard input')
      .description('the passages that fit best')
      .option('-k, --top-k <number>', 'how many', wholeNumber('--top-k', 1, TOP_K_MAX), 10),
    search,
  );
}

function addCollections(program: Command, ending: Ending): void {
  const collection = withServer(program.command('collection')).description(
    'collections: documents with indexes',
  );
  ending.of(withServer(collection.command('list')).description('all collections'), listCollections);
  ending.of(
    withServer(collection.command('get')).argument('<name>').description('the schema of one'),
    getCollection,
  );
  ending.of(
    withServer(collection.command('create'))
      .argument('<name>')
      .description('make a collection')
      .option(
        '--schema <columns>',
        `columns as in CREATE TABLE, or @FILE: "title TEXT INDEX semantic_index()"`,
      ),
    createCollection,
  );
  ending.of(
    withServer(collection.command('delete'))
      .argument('<name>')
      .description('delete a collection and all its documents')
      .option('-y, --yes', 'without a question'),
    deleteCollection,
  );
}

function addCompletion(program: Command, ending: Ending): void {
  const command = program
    .command('completion')
    .argument('<shell>', SHELLS.join(', '), oneOf('the shell', SHELLS))
    .description('completions for a shell: source <(quern completion bash)');
  ending.of(command, async (_: Call<object>, shell: (typeof SHELLS)[number]) => {
    print(completionScript(shell, namesOf(program)).trimEnd());
    return undefined;
  });
}

/** `--version`, for who looks for a command. */
function addVersion(program: Command, ending: Ending): void {
  const command = withOutput(program.command('version')).description('which version this is');
  ending.of(command, async ({ options }: Call<{ readonly output: OutputFormat }>) => {
    if (options.output === 'json') printJson({ version: versionOfCommand() });
    else print(`quern ${versionOfCommand()}`);
    return undefined;
  });
}

const namesOf = (command: Command): CommandNames => ({
  name: command.name(),
  options: [...command.options.map(({ long }) => long ?? ''), '--help'],
  commands: command.commands.map(namesOf),
});

/** Commands whose time has not come: they say so. */
function addLater(program: Command, ending: Ending): void {
  for (const name of ['backup', 'restore', 'verify']) later(program, ending, name, 'backups');
  later(program, ending, 'bench', 'benchmarks by the command (./scripts/bench runs them in a checkout)');
}

function later(parent: Command, ending: Ending, name: string, what: string): void {
  const command = parent
    .command(name)
    .description('not available yet')
    .allowUnknownOption()
    .allowExcessArguments();
  ending.of(command, async () => {
    throw new Error(`${name} is not available yet: it comes with ${what}`);
  });
}

/** commander gives `httpPort`; flags are known as `http-port`. What begins with `--no-` is false. */
function flagNames(options: Record<string, string | false>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
      value === false ? 'off' : value,
    ]),
  );
}
