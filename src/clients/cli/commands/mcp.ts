/** `quern mcp`: the tools of a server for an agent, over standard input and output. */
import { untilAborted } from '../../typescript/src/wire/pool.ts';
import type { Call } from '../running.ts';
import { asking, type ServerOptions } from '../server.ts';

export const mcp = (call: Call<ServerOptions>): Promise<number | undefined> =>
  asking(call, async (client, signal) => {
    const { serveOverStdio } = await import('../../mcp/server.ts');
    await untilAborted(serveOverStdio(client), signal);
    return undefined;
  });
