/** Lines to paste, by which each client connects with a key. */

export interface ConnectionLine {
  readonly name: string;
  readonly text: string;
}

/** The SQL port is not this page's; most keep the usual one. */
const SQL_PORT = 5432;

/** @param key in the place of the password. */
export function connectionLines(key: string): readonly ConnectionLine[] {
  const { hostname, origin, protocol } = location;
  const isSafe = protocol === 'https:';
  return [
    { name: 'psql', text: `psql "postgresql://quern:${key}@${hostname}:${SQL_PORT}/quern"` },
    { name: 'quern', text: `QUERN_API_KEY=${key} quern sql -c "SELECT version()"` },
    {
      name: 'Python',
      text: `from quern import Client; client = Client(api_key="${key}", region="local", host="${hostname}")`,
    },
    {
      name: 'TypeScript',
      text: `new Client({ apiKey: '${key}', region: 'local', host: '${hostname}', https: ${isSafe} })`,
    },
    {
      name: 'MCP',
      text: JSON.stringify({
        mcpServers: { quern: { url: `${origin}/mcp`, headers: { Authorization: `Bearer ${key}` } } },
      }),
    },
    {
      name: 'curl',
      text: `curl ${origin}/sql -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" -d '{"statement": "SELECT version()"}'`,
    },
  ];
}
