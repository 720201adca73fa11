/** Lines to paste, by which each client connects with a key. The page's host is the server's; its SQL port the server tells. */
import { base } from './address.ts';
import { useSession } from './session.ts';

/** Port that a page shows while nobody is signed in. */
const USUAL_PORT = 5432;

export interface ConnectionLine {
  readonly name: string;
  readonly text: string;
}

/** @param key in the place of the password. */
export function useConnectionLines(key: string): readonly ConnectionLine[] {
  const session = useSession();
  const port = ('who' in session ? session.who.sql_port : undefined) ?? USUAL_PORT;
  const { hostname, protocol } = base;
  const isSafe = protocol === 'https:';
  const server = base.href.replace(/\/$/, '');
  return [
    { name: 'psql', text: `psql "postgresql://quern:${key}@${hostname}:${port}/quern"` },
    {
      name: 'quern',
      text: `QUERN_API_KEY=${key} QUERN_HOST=${hostname} QUERN_PORT=${port} quern sql -c "SELECT version()"`,
    },
    {
      name: 'Python',
      text: `from quern import Client; client = Client(api_key="${key}", region="local", host="${hostname}", port=${port})`,
    },
    {
      name: 'TypeScript',
      text: `new Client({ apiKey: '${key}', region: 'local', host: '${hostname}', port: ${port}, https: ${isSafe} })`,
    },
    {
      name: 'MCP',
      text: JSON.stringify({
        mcpServers: { quern: { url: `${server}/mcp`, headers: { Authorization: `Bearer ${key}` } } },
      }),
    },
    {
      name: 'curl',
      text: `curl ${server}/sql -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" -d '{"statement": "SELECT version()"}'`,
    },
  ];
}
