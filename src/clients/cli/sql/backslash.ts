/** Commands of the prompt and of scripts that begin with a backslash: a table, one row a command, in psql's names. */
import { UsageError } from '../errors.ts';
import type { Expanded } from '../table.ts';
import { type Described, describe, listDatabases, listRelations, listSchemas } from './describe.ts';
import type { Printer } from './printer.ts';
import type { SqlSession } from './session.ts';

/** How results are shown; the commands change it. */
export interface Showing {
  expanded: Expanded;
  isTimed: boolean;
}

interface Place {
  readonly session: SqlSession;
  readonly printer: Printer;
  readonly showing: Showing;
}

/** Ends the prompt, or the script. */
export const QUIT = Symbol('quit');

interface BackslashCommand {
  readonly names: readonly string[];
  readonly argument?: string;
  readonly summary: string;
  run(
    argument: string | null,
    place: Place,
  ): Promise<typeof QUIT | string | null> | typeof QUIT | string | null;
}

const telling =
  (
    things: (session: SqlSession, argument: string | null) => Promise<readonly Described[]>,
  ): BackslashCommand['run'] =>
  async (argument, { session, printer }) => {
    printer.described(await things(session, argument));
    return null;
  };

const lists = (name: string, kinds: string, what: string): BackslashCommand => ({
  names: [name],
  argument: '[PATTERN]',
  summary: what,
  run: telling((session, pattern) => listRelations(session, kinds, pattern)),
});

const isOn = (argument: string, command: string): boolean => {
  if (argument === 'on' || argument === 'off') return argument === 'on';
  throw new UsageError(`${command} takes on or off, not "${argument}"`);
};

const COMMANDS: readonly BackslashCommand[] = [
  {
    names: ['\\d'],
    argument: '[NAME]',
    summary: 'tables, views and sequences; or columns and indexes of one',
    run: telling((session, name) =>
      name === null ? listRelations(session, 'rpvmSf', null) : describe(session, name),
    ),
  },
  lists('\\dt', 'rp', 'tables'),
  lists('\\di', 'i', 'indexes'),
  lists('\\dv', 'v', 'views'),
  lists('\\dm', 'm', 'materialized views'),
  lists('\\ds', 'S', 'sequences'),
  { names: ['\\dn'], summary: 'schemas', run: telling(listSchemas) },
  { names: ['\\l'], summary: 'databases', run: telling(listDatabases) },
  {
    names: ['\\x'],
    argument: '[on|off|auto]',
    summary: 'each row by itself; auto: where rows are wider than the terminal',
    run(argument, { showing }) {
      const toggled = showing.expanded === 'on' ? 'off' : 'on';
      showing.expanded = argument === 'auto' ? 'auto' : onOrOff(argument, toggled, '\\x');
      return `each row by itself: ${showing.expanded}`;
    },
  },
  {
    names: ['\\timing'],
    argument: '[on|off]',
    summary: 'how long each statement took',
    run(argument, { showing }) {
      showing.isTimed = argument === null ? !showing.isTimed : isOn(argument, '\\timing');
      return `timing: ${showing.isTimed ? 'on' : 'off'}`;
    },
  },
  { names: ['\\?', '\\h', '\\help'], summary: 'this help', run: () => HELP() },
  { names: ['\\q'], summary: 'ends; so do exit, quit and Ctrl-D', run: () => QUIT },
];

const onOrOff = (argument: string | null, toggled: 'on' | 'off', command: string): 'on' | 'off' =>
  argument === null ? toggled : isOn(argument, command) ? 'on' : 'off';

const HELP = (): string =>
  [
    'statements end with ; and may have several lines; Ctrl-C cancels one, or clears what is typed',
    ...COMMANDS.map(
      ({ names, argument = '', summary }) => `  ${`${names[0]} ${argument}`.padEnd(20)} ${summary}`,
    ),
  ].join('\n');

/** @returns QUIT, what is to be said, or null. @throws UsageError */
export async function runBackslash(line: string, place: Place): Promise<typeof QUIT | string | null> {
  const [, name = '', rest = ''] = /^(\S+)\s*(.*?)\s*;?\s*$/s.exec(line) ?? [];
  const command = COMMANDS.find(({ names }) => names.includes(name.replace(/;$/, '')));
  if (command === undefined) throw new UsageError(`unknown command ${name}`, '\\? lists them');
  if (rest !== '' && command.argument === undefined) throw new UsageError(`${name} takes no argument`);
  return await command.run(rest === '' ? null : rest, place);
}
