/** COPY quern.upload FROM STDIN and COPY quern.download TO STDOUT: files of any size, never held as a whole. */
import { notSupported, SqlError } from '../../errors.ts';
import type { CopyStatement } from '../../sql/ast.ts';
import type { Batch } from '../../types/column/vector.ts';
import { parseJson, formatJsonb } from '../../types/json/json.ts';
import { auditExport } from '../audit/exports.ts';
import { CopyProgress, toldOf } from '../copy/progress.ts';
import type { Running } from '../running/running.ts';
import type { StatementCall } from '../statements/statement-call.ts';
import { DatasetRequest } from './request.ts';

const RAW = { isBinary: true, columnCount: 1 } as const;
const OPTIONS = {
  upload: ['format', 'dataset', 'doc_id', 'name', 'metadata', 'size'],
  download: ['format', 'dataset', 'doc_id'],
} as const;

/** Null for a COPY of something else. */
export function copiedFile({ relation, direction }: CopyStatement): keyof typeof OPTIONS | null {
  if (relation?.schema !== 'quern') return null;
  if (relation.name === 'upload' && direction === 'from') return 'upload';
  return relation.name === 'download' && direction === 'to' ? 'download' : null;
}

/** @throws SqlError 42601, 22023 before the client is asked for data. */
export function copyFile({ session, statement, tree }: StatementCall<'copy'>): Running {
  const what = copiedFile(tree) ?? 'upload';
  const options = optionsOf(tree, OPTIONS[what]);
  const dataset = required(options, 'dataset');
  const docId = required(options, 'doc_id');
  const files = new DatasetRequest(statement);
  const { sink } = statement;
  if (what === 'download') {
    const progress = new CopyProgress({ command: 'COPY TO' });
    const copy = new FileCopy(async () => {
      if (sink?.copyOut === undefined) throw notSupported('COPY TO STDOUT over this connection');
      await auditExport(statement, [`document ${dataset}/${docId}`]);
      sink.copyOut(RAW);
      for await (const block of progress.ofBytes(files.blocks(dataset, docId)))
        await sink.copyData?.(block, [block.byteLength]);
      sink.copyDone?.();
    });
    return toldOf(session, progress, copy);
  }
  const name = required(options, 'name');
  const metadata = options.get('metadata');
  const size = sizeOf(options.get('size'));
  const upload = { dataset, docId, name, metadata: metadata === undefined ? null : jsonb(metadata), size };
  const progress = new CopyProgress({ command: 'COPY FROM', bytesTotal: size ?? 0 });
  const copy = new FileCopy(async () => {
    if (sink?.copyIn === undefined) throw notSupported('COPY FROM STDIN over this connection');
    await files.upload(upload, progress.ofBytes(sink.copyIn({ ...RAW, signal: statement.signal })));
  });
  return toldOf(session, progress, copy);
}

const jsonb = (text: string): string => formatJsonb(parseJson(text));

/** @throws SqlError 42601 for what is not known, 22023 for another format than raw. */
function optionsOf(
  { options, optionsAt }: CopyStatement,
  known: readonly string[],
): ReadonlyMap<string, string> {
  const given = new Map<string, string>();
  for (const [name, value] of Object.entries(options)) {
    const position = optionsAt[name];
    if (!known.includes(name)) {
      const hint = `There are ${known.join(', ')}.`;
      throw new SqlError('syntax_error', `option "${name}" not recognized`, { position, hint });
    }
    if (name === 'format' && value !== 'raw') {
      throw new SqlError('invalid_parameter_value', `COPY format "${String(value)}" not recognized`, {
        position,
        hint: "A file's format is raw.",
      });
    }
    given.set(name, String(value));
  }
  return given;
}

/** @throws SqlError 22023. */
function required(options: ReadonlyMap<string, string>, name: string): string {
  const value = options.get(name);
  if (value !== undefined) return value;
  throw new SqlError('invalid_parameter_value', `COPY of a file needs the option ${name}`);
}

/** Null: not told. @throws SqlError 22023. */
function sizeOf(given: string | undefined): number | null {
  if (given === undefined) return null;
  if (/^\d{1,15}$/.test(given)) return Number(given);
  throw new SqlError('invalid_parameter_value', 'the option size of a file is its number of bytes');
}

/** One file on its way. */
class FileCopy implements Running {
  readonly columns = null;
  #run: (() => Promise<void>) | null;

  constructor(run: () => Promise<void>) {
    this.#run = run;
  }

  async next(): Promise<Batch | null> {
    const run = this.#run;
    this.#run = null;
    if (run === null) return null;
    await run();
    return { length: 1, columns: [] };
  }

  tag(count: number): string {
    return `COPY ${count}`;
  }

  close(): void {
    this.#run = null;
  }
}
