import { readFileSync } from 'node:fs';
import { startPostgres } from '../../scripts/postgres.ts';
import { startInProcess } from '../runner/in-process.ts';
import { renamedPostgres } from '../roles/renamed.ts';
import { connectActorSide } from './side.ts';
import { MADE } from './world.ts';
await using postgres = await startPostgres({ fsync: 'off' });
await using quern = await startInProcess('memory');
await using wanted = await connectActorSide(await renamedPostgres(postgres));
await using tested = await connectActorSide(quern.address);
for (const sql of MADE) {
  await wanted.run(sql);
  await tested.run(sql);
}
for (const sql of readFileSync(0, 'utf8')
  .split(';')
  .map((s) => s.trim())
  .filter(Boolean)) {
  const [w, t] = [await wanted.run(sql), await tested.run(sql)];
  console.log(
    w === t ? '=' : '≠',
    sql,
    '\n   PG:',
    w.replaceAll('\n', ' | ').slice(0, 300),
    w === t ? '' : `\n   QU: ${t.replaceAll('\n', ' | ').slice(0, 300)}`,
  );
}
process.exit(0);
