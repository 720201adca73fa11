/** Removes what scripts have made, so that one after another finds an empty database. */
import { type Address, connectTarget } from './target.ts';

export async function dropEverything(address: Address): Promise<void> {
  await using target = await connectTarget(address);
  const rows = await target.run(
    `SELECT CASE c.relkind WHEN 'v' THEN 'VIEW' WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, c.relname
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = 'public' AND c.relkind IN ('r', 'v', 'S') ORDER BY c.relkind`,
  );
  for (const [kind, name] of rows) await target.run(`DROP ${kind} IF EXISTS "${name}" CASCADE`);
  const schemas = await target.run(
    `SELECT quote_ident(nspname) FROM pg_namespace
      WHERE nspname NOT IN ('pg_catalog', 'information_schema', 'quern', 'public') AND nspname NOT LIKE 'pg%temp%'`,
  );
  for (const [name] of schemas) await target.run(`DROP SCHEMA ${name} CASCADE`);
  const functions = await target.run(
    "SELECT p.oid::regprocedure FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang WHERE l.lanname = 'sql'",
  );
  for (const [name] of functions) await target.run(`DROP FUNCTION ${name}`);
}
