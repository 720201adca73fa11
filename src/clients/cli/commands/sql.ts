/** `quern sql`: statements and their results as tables, or as JSON for programs; without `-c` a prompt. */
import { standardInput } from '../input.ts';
import type { Call } from '../running.ts';
import { advised, type ServerOptions, serverConfig } from '../server.ts';
import type { Showing } from '../sql/backslash.ts';
import { printerOf } from '../sql/printer.ts';
import { type Place, partsOf, runCommand, runScript } from '../sql/script.ts';
import { SqlSession } from '../sql/session.ts';

export interface SqlOptions extends ServerOptions {
  readonly command?: string;
}

export const sql = (call: Call<SqlOptions>): Promise<undefined> =>
  run(call).catch((error: unknown) => {
    throw advised(error, call.options);
  });

async function run({ options, signal }: Call<SqlOptions>): Promise<undefined> {
  const { command, output: format } = options;
  const showing: Showing = { expanded: 'auto', isTimed: true };
  const config = serverConfig(options);
  if (command === undefined && process.stdin.isTTY) {
    const { runShell } = await import('../sql/shell.ts');
    await runShell(config, { showing, format, signal });
    return;
  }
  const text = command ?? (await standardInput(signal));
  const printer = printerOf(format, showing, format === 'json' && partsOf(text).length !== 1);
  const session = await SqlSession.open(config, (notice) => printer.notice(notice));
  const cancel = (): void => session.cancel();
  signal.addEventListener('abort', cancel);
  const place: Place = { session, printer, showing, format };
  try {
    if (command === undefined) await runScript(text, place);
    else await runCommand(text, () => process.stdin, place);
  } finally {
    printer.end();
    await session.close();
  }
}
