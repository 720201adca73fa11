/**
 * Files to documents: tables beside those that people marked, words beside poppler's, pages a second.
 * `--quick`: fewer files; `--only PART`: tables, text, speed, files, kill, large, scans, search, or, asked for alone,
 * domains, with `--data DIR` of `bench ask`.
 */
import { join } from 'node:path';
import { domains } from './docs/domains.ts';
import { files } from './docs/files.ts';
import { kill } from './docs/kill.ts';
import { large } from './docs/large.ts';
import { scans } from './docs/scans.ts';
import { search } from './docs/search.ts';
import { speed } from './docs/speed.ts';
import { tables } from './docs/tables.ts';
import { storedTables } from './docs/stored-tables.ts';
import { text } from './docs/text.ts';
import { options } from './options.ts';

const DATA = join(import.meta.dirname, '../../shared/data');
const { quick, only } = options;
const wanted = (part: string): boolean => only === undefined || only === part;

if (wanted('tables')) await tables(join(DATA, 'docqa/icdar2013-tables'), quick);
if (wanted('tables')) await storedTables(join(DATA, 'docqa/icdar2013-tables'), quick);
if (wanted('text')) await text(join(DATA, 'files/pdf'));
if (wanted('speed')) await speed(join(DATA, 'docqa/financebench/pdfs'), quick);
if (wanted('files')) await files(join(DATA, 'files'));
if (wanted('kill')) await kill(join(DATA, 'docqa/financebench/pdfs'), quick);
if (wanted('scans')) await scans(join(DATA, 'files'), quick);
if (wanted('large')) await large(quick);
if (wanted('search')) await search(join(DATA, 'docqa'), quick);
if (only === 'domains') await domains(join(DATA, 'docqa'), { quick, folder: options.data });
