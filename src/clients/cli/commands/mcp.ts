/** `quern mcp`: the tools of a server for an agent, over standard input and output. */
import { asking, type ServerOptions } from '../session.ts';

export const mcp = (options: Omit<ServerOptions, 'output'>): Promise<number> =>
  asking({ ...options, output: 'json' as const }, async (client) => {
    const { serveOverStdio } = await import('../../mcp/server.ts');
    await serveOverStdio(client);
    return undefined;
  });
