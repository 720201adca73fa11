/** Runs a script of this folder with psql and gives what it prints, errors included. */
import { spawnSync } from 'node:child_process';

export interface PsqlServer {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly password?: string;
}

export function runPsql(script: string, server: PsqlServer): string {
  const { stdout } = spawnSync('sh', ['-c', `psql -X -q -A -t -f ${script} 2>&1`], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
    env: {
      ...process.env,
      PGTZ: 'UTC',
      PGHOST: server.host,
      PGPORT: String(server.port),
      PGUSER: server.user,
      PGDATABASE: server.database,
      PGPASSWORD: server.password ?? '',
    },
  });
  return stdout;
}
