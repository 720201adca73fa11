/** A document as one text, put together from its chunks in order. */
import { SqlError } from '../../errors.ts';
import { formatJsonb, parseJson } from '../../types/json/json.ts';
import type { Row } from '../server-session.ts';
import { text } from './parameters.ts';
import type { DatasetRequest } from './request.ts';

interface Wanted {
  readonly dataset: string;
  readonly docId: string;
  readonly format: string;
}

export async function exportDocument(
  request: DatasetRequest,
  { dataset, docId, format }: Wanted,
): Promise<string> {
  if (format !== 'markdown' && format !== 'json') {
    throw new SqlError('invalid_parameter_value', `export format "${format}" is not known`, {
      hint: "There are 'markdown' and 'json'.",
    });
  }
  const { schema, version } = await request.document(dataset, docId);
  const columns = 'content_id, kind, heading, text, doc_pages';
  const sql = `SELECT ${columns} FROM ${schema}.chunks WHERE doc_id = $1 ORDER BY ordinal`;
  if (format === 'markdown') return markdown(await request.query(sql, text(docId)));
  const [row] = await request.query(
    `SELECT jsonb_build_object('doc_id', $1, 'version', ${version}, 'chunks',
       coalesce(jsonb_agg(to_jsonb(c)), '[]')) AS exported FROM (${sql}) c`,
    text(docId),
  );
  return formatJsonb(parseJson(String(row?.exported)));
}

/** Each heading once: chunks repeat it, as each stands by itself. */
function markdown(chunks: readonly Row[]): string {
  const parts: string[] = [];
  let above = '';
  for (const chunk of chunks) {
    const heading = chunk.heading === null ? '' : `## ${String(chunk.heading)}`;
    const whole = String(chunk.text);
    const body = heading !== '' && whole.startsWith(heading) ? whole.slice(heading.length + 1) : whole;
    if (heading !== above && heading !== '') parts.push(heading);
    above = heading;
    if (body !== '') parts.push(body);
  }
  return parts.join('\n\n');
}
