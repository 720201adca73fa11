/**
 * Ingestion by step, and beside its bounds: a workbook of 2,000,000 cells, from upload to cells that SQL reads.
 * `--quick`: less; `--only PART`: steps or sheet; `--data FOLDER`: of PDFs for the steps.
 */
import { sheet } from './ingest/sheet.ts';
import { steps } from './ingest/steps.ts';
import { options } from './options.ts';

const { quick, only } = options;
const wanted = (part: string): boolean => only === undefined || only === part;

if (wanted('steps')) await steps(quick, options.data);
if (wanted('sheet')) await sheet(quick);
