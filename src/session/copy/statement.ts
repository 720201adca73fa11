/**
 * COPY FROM STDIN and COPY TO STDOUT: the plan is the binder's, the bytes go through the client's sink, and
 * what stands between them is in the other `copy-` files.
 */
import { type Catalog, columnByName } from '../../catalog/model.ts';
import { notSupported, SqlError } from '../../errors.ts';
import type { Account } from '../../execute/account.ts';
import type { OutputColumn, Plan } from '../../plan/plan.ts';
import type { CopyStatement } from '../../sql/ast.ts';
import { planChildren } from '../../plan/walk.ts';
import type { Batch } from '../../types/column/vector.ts';
import { auditExport, readBy } from '../audit/exports.ts';
import { copiedFile, copyFile } from '../datasets/copy-file.ts';
import { type CopyFormat, copyFormat } from './options.ts';
import { CopyProgress, toldOf } from './progress.ts';
import { type PlanRows, SteppedRows } from '../../execute/plan-rows.ts';
import { readCopy } from './reader.ts';
import { type CopyPieces, type CopyTarget, CopyWriter } from './writer.ts';
import {
  callElsewhere,
  type Elsewhere,
  elsewhereOf,
  largeColumns,
  writtenAsText,
} from '../running/large-values.ts';
import type { Datum } from '../../types/datum.ts';
import type { TypeRef } from '../../types/type.ts';
import type { ResultSink } from '../protocol.ts';
import { lockedPlan } from '../running/locked-plan.ts';
import type { Running } from '../running/running.ts';
import type { StatementCall } from '../statements/statement-call.ts';

/** @throws SqlError of options and binding, before the client is asked for data. */
export async function copy(call: StatementCall<'copy'>): Promise<Running> {
  const { session, statement, parsed, tree } = call;
  checkSource(tree);
  if (copiedFile(tree) !== null) return copyFile(call);
  const planned = await lockedPlan(statement.with({ prepared: null }), parsed);
  const format = copyFormat(tree);
  const { sink } = statement;
  const { plan } = planned;
  if (sink === null || plan === null) throw notSupported('COPY here');
  const columns = tree.direction === 'to' ? plan.output : nodeOf(plan, 'stream')?.output;
  if (columns === undefined) throw notSupported('COPY here');
  checkForced(tree, columns, session.catalog());
  const settings = session.formatSettings();
  if (tree.direction === 'to') {
    await auditExport(statement, readBy(session.catalog(), plan));
    const relation = tree.query === null ? columns.find((column) => column.relation > 0)?.relation : 0;
    const progress = new CopyProgress({ command: 'COPY TO', relation: relation ?? 0 });
    const running = await statement.run(planned);
    const output = {
      sink,
      target: { columns, format, settings },
      elsewhere: elsewhereOf(statement),
      progress,
    };
    return toldOf(session, progress, new CopyOut(running, output));
  }
  if (sink.copyIn === undefined) throw notSupported('COPY FROM STDIN over this connection');
  const relation = nodeOf(plan, 'insert')?.relation ?? 0;
  const progress = new CopyProgress({ command: 'COPY FROM', relation });
  const sent = sink.copyIn({ ...shapeOf(format, columns.length), signal: statement.signal });
  const chunks = progress.ofBytes(sent);
  const notice = statement.notice.bind(statement);
  const name = tree.relation?.name ?? '';
  const openAccount = (): Account => session.openAccount();
  const readLarge = (bytes: Uint8Array, type: TypeRef, isBinary: boolean): Promise<Datum> =>
    callElsewhere({ kind: 'read', type, isBinary }, [bytes], elsewhereOf(statement));
  const source = { relation: name, columns, format, settings, notice, openAccount, readLarge };
  const rows = progress.ofRows(new SteppedRows(readCopy(chunks, source)));
  const insert = await statement.run(planned, { stream: rows });
  return toldOf(session, progress, new CopyIn(insert, rows));
}

function checkSource({ source, direction, where }: CopyStatement): void {
  if (source === 'file' || source === 'program') {
    throw notSupported(`COPY ${direction.toUpperCase()} a ${source} of the server`, {
      hint:
        direction === 'from'
          ? "Use COPY FROM STDIN, or psql's \\copy."
          : "Use COPY TO STDOUT, or psql's \\copy.",
    });
  }
  if (where !== null && direction === 'to') {
    throw new SqlError('syntax_error', 'WHERE clause not allowed with COPY TO');
  }
}

/** @throws SqlError 42703, 42P10 for a FORCE option that names a column that is not copied. */
function checkForced(tree: CopyStatement, columns: readonly OutputColumn[], catalog: Catalog): void {
  const relation = catalog.relations.get(columns.find((column) => column.relation > 0)?.relation ?? 0);
  for (const option of ['force_quote', 'force_null', 'force_not_null']) {
    const names = tree.options[option];
    if (names === undefined || names === true || names === '*') continue;
    for (const name of typeof names === 'string' ? [names] : names) {
      if (columns.some((column) => column.name === name)) continue;
      if (relation !== undefined && tree.query === null && columnByName(relation, name) === undefined) {
        const message = `column "${name}" of relation "${relation.name}" does not exist`;
        throw new SqlError('undefined_column', message);
      }
      throw new SqlError(
        'invalid_column_reference',
        `${option.toUpperCase()} column "${name}" not referenced by COPY`,
      );
    }
  }
}

function nodeOf<Kind extends Plan['kind']>(
  plan: Plan,
  kind: Kind,
): Extract<Plan, { kind: Kind }> | undefined {
  if (plan.kind === kind) return plan as Extract<Plan, { kind: Kind }>;
  for (const child of planChildren(plan)) {
    const found = nodeOf(child, kind);
    if (found !== undefined) return found;
  }
  return undefined;
}

function shapeOf(format: CopyFormat, columnCount: number): { isBinary: boolean; columnCount: number } {
  return { isBinary: format.format === 'binary', columnCount };
}

/** The insert whose rows stream in. */
class CopyIn implements Running {
  readonly columns = null;
  #insert: Running;
  #rows: PlanRows;

  constructor(insert: Running, rows: PlanRows) {
    this.#insert = insert;
    this.#rows = rows;
  }

  next(): Batch | null | Promise<Batch | null> {
    return this.#insert.next(0);
  }

  tag(count: number): string {
    return `COPY ${count}`;
  }

  async close(): Promise<void> {
    await this.#rows.close();
    await this.#insert.close();
  }
}

interface CopyOutput {
  readonly sink: ResultSink;
  readonly target: CopyTarget;
  readonly elsewhere: Elsewhere;
  readonly progress: CopyProgress;
}

/** Sends the query's rows as they come. */
class CopyOut implements Running {
  readonly columns = null;
  #query: Running;
  #output: CopyOutput;
  readonly #writer: CopyWriter;
  #begun = false;

  constructor(query: Running, output: CopyOutput) {
    this.#query = query;
    this.#output = output;
    this.#writer = new CopyWriter(output.target);
  }

  async next(): Promise<Batch | null> {
    const { sink, target } = this.#output;
    if (!this.#begun) {
      this.#begun = true;
      if (sink.copyOut === undefined) throw notSupported('COPY TO STDOUT over this connection');
      sink.copyOut(shapeOf(target.format, this.#query.columns?.length ?? 0));
      await this.#send(this.#writer.begin());
    }
    const batch = await this.#query.next(0);
    if (batch !== null) {
      this.#output.progress.rows += batch.length;
      await this.#send(await this.#written(batch));
      return { length: batch.length, columns: [] };
    }
    await this.#send(this.#writer.end());
    sink.copyDone?.();
    return null;
  }

  tag(count: number): string {
    return `COPY ${count}`;
  }

  close(): void | Promise<void> {
    return this.#query.close();
  }

  /** Values that take long to write are written elsewhere; those of the binary format do not. */
  async #written(batch: Batch): Promise<CopyPieces> {
    const { target, elsewhere } = this.#output;
    const large = target.format.format === 'binary' ? [] : largeColumns(batch);
    if (large.length === 0) return this.#writer.rows(batch);
    const written = await writtenAsText({ batch, columns: target.columns }, large, elsewhere);
    return new CopyWriter({ ...target, columns: written.columns }).rows(written.batch);
  }

  async #send(pieces: CopyPieces | null): Promise<void> {
    if (pieces === null) return;
    this.#output.progress.bytes += pieces.ends.at(-1) ?? 0;
    await this.#output.sink.copyData?.(pieces.bytes, pieces.ends);
  }
}
