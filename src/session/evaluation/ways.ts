/** How a question of an evaluation is asked: by `search()`, by a query of the user's, by `ask()`. As the user would. */
import { present } from '../../assert.ts';
import { SqlError } from '../../errors.ts';
import type { AnswerRef, AskRow } from '../../functions/services.ts';
import type { OutputColumn } from '../../plan/plan.ts';
import type { WrittenQuery } from '../../sql/ast.ts';
import type { ArrayDatum, Datum } from '../../types/datum.ts';
import { OID } from '../../types/oids.ts';
import { typeByOid } from '../../types/registry.ts';
import type { FormatSettings } from '../../types/type.ts';
import { askerQuery } from '../datasets/asker-query.ts';
import { pageNumbers, text } from '../datasets/parameters.ts';
import { checkDatasets } from '../datasets/search.ts';
import { senderOf } from '../outside/sender.ts';
import { rowsOfParsed } from '../running/internal-statement.ts';
import type { Statement } from '../running/statement.ts';
import type { SessionState } from '../session-state.ts';
import type { Row } from '../server-session.ts';
import type { Configuration } from './configurations.ts';
import { key, type Question } from './question.ts';
import type { CitedContent, Given, GivenFact, Shown } from './scoring.ts';

/** @throws SqlError; the reason of a cancel. */
export type Way = (question: Question) => Promise<Given>;

/** A passage goes over two pages at most; a table may go over more, and stands for the first two. */
const PAGES_A_RESULT = 2;

/** @throws SqlError 42601, 42703, 42P02 for a query that finds nothing that could be expected. */
export function wayOf(statement: Statement, configuration: Configuration): Way {
  const { kind, query } = configuration;
  if (query !== null) return byQuery(statement, configuration, query);
  return kind === 'ask' ? byAsking(statement, configuration) : bySearch(statement, configuration);
}

function bySearch(statement: Statement, { datasets, topK, results, filter }: Configuration): Way {
  return async ({ question, filter: own }) => {
    const wanted = datasets.map((dataset) => ({ dataset, filter: own }));
    const asked = { query: question, datasets: wanted, topK, filter, results, neighbours: 0 };
    const found = await statement.services.datasets.search(asked);
    return {
      kind: 'search',
      results: found.map(({ docId, pages, contentId, contentIds, score, dataset }) => {
        const numbers = pageNumbers(pages);
        const told = { dataset, doc_id: docId, pages: numbers, content_id: contentId, score };
        return { keys: keysOf({ docId, pages: numbers, contentIds }), told };
      }),
    };
  };
}

/** Not by the service that keeps answers: a run keeps what came of its questions. */
function byAsking(statement: Statement, { datasets, mode, filter }: Configuration): Way {
  const { session, signal } = statement;
  return async ({ question, filter: own }) => {
    const wanted = datasets.map((dataset) => ({ dataset, filter: own }));
    const request = { question, datasets: wanted, mode, filter, thread: null, former: [] };
    checkDatasets(session, request);
    const sender = senderOf(statement, datasets);
    return answerOf(session.environment.asker.answer(request, askerQuery(statement), signal, sender));
  };
}

interface Place {
  readonly docId?: string;
  readonly pages?: readonly number[];
  readonly contentIds?: readonly string[];
}

const keysOf = ({ docId, pages = [], contentIds = [] }: Place): readonly string[] => [
  ...contentIds.map(key.content),
  ...(docId === undefined ? [] : pages.slice(0, PAGES_A_RESULT).map((page) => key.page(docId, page))),
  ...(docId === undefined ? [] : [key.document(docId)]),
];

async function answerOf(rows: AsyncIterable<AskRow>): Promise<Given> {
  const facts: Extract<AskRow, { readonly kind: 'fact' }>[] = [];
  for await (const row of rows) {
    if (row.kind === 'fact') facts.push(row);
    if (row.kind !== 'answer') continue;
    const cited = (ids: readonly string[]): readonly CitedContent[] =>
      ids.map((id) => citedContent(present(row.refs[id], 'what a fact cites')));
    const given = facts.map(({ fact, refIds }): GivenFact => ({ fact, cited: cited(refIds) }));
    return { kind: 'ask', facts: given, confidence: row.confidence };
  }
  throw new Error('ask() ended without an answer');
}

const citedContent = ({ dataset, doc_id, content_id, content }: AnswerRef): CitedContent => ({
  dataset,
  doc_id,
  content_id,
  pages: content.doc_pages,
});

/** Columns by which a row of a query is known again. */
const FOUND_COLUMNS = ['_id', 'doc_id', 'content_id', 'content_ids'] as const;
/** The question, and its filter. */
const PARAMETERS = [OID.text, OID.text] as const;

function byQuery(statement: Statement, { topK }: Configuration, query: WrittenQuery): Way {
  const columns = checkedColumns(statement.session, query);
  const settings = statement.session.formatSettings();
  return async (question) => {
    const parameters = [text(question.question), text(question.filter)];
    const rows = await rowsOfParsed(statement, query, { parameters, rowsMax: topK });
    return { kind: 'search', results: rows.map((row) => shownOf(row, columns, settings)) };
  };
}

/** @throws SqlError with the query's position. */
function checkedColumns(session: SessionState, query: WrittenQuery): readonly OutputColumn[] {
  const position = query.start + 1;
  const { bound } = session.plan(query, PARAMETERS);
  if (bound.kind !== 'plan' || bound.output === null || bound.writes) {
    throw new SqlError('syntax_error', 'EVALUATE takes queries that only read', { position });
  }
  if (bound.parameters.length > PARAMETERS.length) {
    throw new SqlError('undefined_parameter', `there is no parameter $${bound.parameters.length}`, {
      position,
      hint: '$1 is the question, $2 its filter.',
    });
  }
  const { output } = bound;
  if (output.some(({ name }) => FOUND_COLUMNS.some((known) => known === name))) return output;
  throw new SqlError('undefined_column', 'the query gives nothing by which its rows are known', {
    position,
    hint: 'It should have a column _id, doc_id (with doc_pages) or content_id: SELECT id AS _id ….',
  });
}

function shownOf(row: Row, columns: readonly OutputColumn[], settings: FormatSettings): Shown {
  const valuesOf = (name: string): readonly string[] => {
    const column = columns.find((known) => known.name === name);
    const datum = row[name] ?? null;
    return column === undefined || datum === null ? [] : textsOf(datum, column.type.oid, settings);
  };
  const [id] = valuesOf('_id');
  const [docId] = valuesOf('doc_id');
  const [score] = valuesOf('score');
  const pages = valuesOf('doc_pages').map(Number);
  const contentIds = [...valuesOf('content_id'), ...valuesOf('content_ids')];
  return {
    keys: [
      ...(id === undefined ? [] : [key.row(id)]),
      ...keysOf({ ...(docId !== undefined && { docId }), pages, contentIds }),
    ],
    told: {
      ...(id !== undefined && { _id: id }),
      ...(docId !== undefined && { doc_id: docId }),
      ...(pages.length > 0 && { pages }),
      ...(contentIds.length > 0 && { content_id: contentIds[0] }),
      ...(score !== undefined && { score: Number(score) }),
    },
  };
}

function textsOf(datum: Datum, oid: number, settings: FormatSettings): readonly string[] {
  const type = typeByOid(oid);
  if (type.elementOid === undefined) return [type.format(datum, settings)];
  const element = typeByOid(type.elementOid);
  return (datum as ArrayDatum).elements
    .filter((one) => one !== null)
    .map((one) => element.format(one, settings));
}
