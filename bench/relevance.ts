/**
 * Relevance beside what was meant: films as people describe them, the sets with judged answers, both with
 * each model, what scoring columns together costs, and what the models do. `--quick`: films by words only, two sets,
 * fewer texts; `--only PART`: films, sets, languages, speed, suggest or models.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startServer } from '../scripts/server-process.ts';
import { options } from './options.ts';
import { fieldsSpeed } from './relevance/fields-speed.ts';
import { films } from './relevance/films.ts';
import { judgedSets } from './relevance/judged-sets.ts';
import { languageAuto } from './relevance/language-auto.ts';
import { modelSpeed } from './relevance/model-speed.ts';
import { suggestSpeed } from './relevance/suggest-speed.ts';

const { quick, only } = options;
const wanted = (part: string): boolean => only === undefined || only === part;

const folder = mkdtempSync(join(tmpdir(), 'quern-bench-'));
await using server = await startServer({ data: join(folder, 'data') });
const { host, port, key } = server;
const client = new pg.Client({ host, port, user: 'quern', database: 'quern', password: key });
await client.connect();
if (wanted('films')) await films(client, quick);
if (wanted('sets')) await judgedSets(client, quick);
if (wanted('languages')) await languageAuto(client);
await client.end();
await server.stop();
rmSync(folder, { recursive: true, force: true });
if (wanted('speed')) await fieldsSpeed(quick);
if (wanted('suggest')) await suggestSpeed(quick);
if (wanted('models')) await modelSpeed(quick);
