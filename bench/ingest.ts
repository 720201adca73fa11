/**
 * Ingestion beside its bounds. `sheet`: a workbook of 2,000,000 cells, from upload to cells that SQL reads.
 * `--quick`: a tenth; `--only PART`.
 */
import { sheet } from './ingest/sheet.ts';
import { options } from './options.ts';

const { quick, only } = options;
const wanted = (part: string): boolean => only === undefined || only === part;

if (wanted('sheet')) await sheet(quick);
