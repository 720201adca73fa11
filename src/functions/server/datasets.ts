/** Functions of datasets: files in, and what became of them. What they ask of their session is in `services.ts`. */
import type { ArrayDatum, Datum } from '../../types/datum.ts';
import type { ScalarFunction } from '../function.ts';

const texts = (array: ArrayDatum): readonly string[] =>
  array.elements.flatMap((element) => (element === null ? [] : [String(element)]));

type Row = Pick<
  ScalarFunction,
  | 'name'
  | 'effect'
  | 'args'
  | 'argNames'
  | 'returns'
  | 'summary'
  | 'evaluateIn'
  | 'evaluateLater'
  | 'strict'
  | 'defaults'
>;

const ROWS: readonly Row[] = [
  {
    name: 'quern.upsert_file',
    effect: 'data',
    args: ['text', 'text', 'text', 'bytea', 'jsonb'],
    argNames: ['dataset', 'doc_id', 'name', 'data', 'metadata'],
    defaults: ['null'],
    returns: 'text',
    strict: false,
    summary: 'Puts a file into a dataset: a handle, at once. Without metadata a document keeps what it had.',
    evaluateLater: async ({ services }, dataset, docId, name, data, metadata): Promise<Datum> => {
      if ([dataset, docId, name, data].includes(null)) return null;
      return services.datasets.upload({ dataset, docId, name, data, metadata });
    },
  },
  {
    name: 'quern.delete_document',
    effect: 'data',
    args: ['text', 'text'],
    argNames: ['dataset', 'doc_id'],
    returns: 'text',
    summary: 'Deletes a document with all that came of it: a handle.',
    evaluateLater: ({ services }, dataset, docId) => services.datasets.deleteDocument(dataset, docId),
  },
  {
    name: 'quern.update_metadata',
    effect: 'data',
    args: ['text', 'text', 'jsonb'],
    argNames: ['dataset', 'doc_id', 'metadata'],
    returns: 'text',
    summary: "Puts fields over a document's metadata, a null takes one away: a handle.",
    evaluateLater: ({ services }, dataset, docId, metadata) =>
      services.datasets.updateMetadata(dataset, docId, metadata),
  },
  {
    name: 'quern.last_handle',
    effect: 'none',
    args: [],
    argNames: [],
    returns: 'text',
    summary: 'The handle of what this session asked for last, by COPY too.',
    evaluateIn: ({ services }) => services.datasets.lastHandle(),
  },
  {
    name: 'quern.check_handle',
    effect: 'none',
    args: ['text'],
    argNames: ['handle'],
    returns: 'bool',
    summary: 'Whether what a handle stands for is done; an error tells why it failed.',
    evaluateLater: ({ services }, handle) => services.datasets.isDone(handle),
  },
  {
    name: 'quern.wait_for_handle',
    effect: 'none',
    args: ['text', 'float8'],
    argNames: ['handle', 'timeout'],
    defaults: ["'300'"],
    returns: 'bool',
    summary: 'Waits for what a handle stands for, so many seconds at most.',
    evaluateLater: async ({ services }, handle, timeout) => {
      await services.datasets.waitFor(handle, timeout);
      return true;
    },
  },
  {
    name: 'quern.get_metadata',
    effect: 'none',
    args: ['text', '_text', '_text'],
    argNames: ['dataset', 'ids', 'fields'],
    defaults: ['null'],
    returns: 'jsonb',
    strict: false,
    summary: "Documents' metadata by their ids.",
    evaluateLater: async ({ services }, dataset, ids, fields): Promise<Datum> => {
      if (dataset === null || ids === null) return null;
      return services.datasets.metadata(dataset, texts(ids), fields && texts(fields));
    },
  },
  {
    name: 'quern.put_terms',
    effect: 'data',
    args: ['text', 'jsonb'],
    argNames: ['dataset', 'terms'],
    returns: 'int4',
    summary: 'Gives a dataset terms of its own, or puts others in their place by id: how many were given.',
    evaluateLater: ({ services }, dataset, terms) => services.datasets.putTerms(dataset, terms),
  },
  {
    name: 'quern.drop_terms',
    effect: 'data',
    args: ['text', '_text'],
    argNames: ['dataset', 'ids'],
    returns: 'int4',
    summary: 'Takes terms from a dataset by their ids: how many there were.',
    evaluateLater: ({ services }, dataset, ids) => services.datasets.dropTerms(dataset, texts(ids)),
  },
  {
    name: 'quern.put_subjects',
    effect: 'data',
    args: ['text', 'jsonb'],
    argNames: ['dataset', 'subjects'],
    returns: 'int4',
    summary: 'Says whom documents are of, rows of doc_id and names: how many names were given.',
    evaluateLater: ({ services }, dataset, subjects) => services.datasets.putSubjects(dataset, subjects),
  },
  {
    name: 'quern.drop_subjects',
    effect: 'data',
    args: ['text', 'text', '_text'],
    argNames: ['dataset', 'doc_id', 'names'],
    returns: 'int4',
    summary: 'Says that a document is not of whom it is called by these names: how many it had.',
    evaluateLater: ({ services }, dataset, docId, names) =>
      services.datasets.dropSubjects(dataset, docId, texts(names)),
  },
  {
    name: 'quern.get_file',
    effect: 'none',
    args: ['text', 'text'],
    argNames: ['dataset', 'doc_id'],
    returns: 'bytea',
    summary: "A document's file, byte for byte as it was uploaded.",
    evaluateLater: ({ services }, dataset, docId) => services.datasets.file(dataset, docId),
  },
  {
    name: 'quern.get_page',
    effect: 'none',
    args: ['text', 'text', 'int4', 'int4'],
    argNames: ['dataset', 'doc_id', 'page', 'dpi'],
    defaults: ["'150'"],
    returns: 'bytea',
    summary: 'A page of a PDF or an image as PNG.',
    evaluateLater: ({ services }, dataset, docId, page, dpi) =>
      services.datasets.page({ dataset, docId, page, dpi }),
  },
  {
    name: 'quern.get_content',
    effect: 'none',
    args: ['text', 'text', 'int4'],
    argNames: ['dataset', 'content_id', 'version'],
    defaults: ['null'],
    returns: 'jsonb',
    strict: false,
    summary: 'What a citation refers to.',
    evaluateLater: async ({ services }, dataset, contentId, version): Promise<Datum> => {
      if (dataset === null || contentId === null) return null;
      return services.datasets.content(dataset, contentId, version);
    },
  },
  {
    name: 'quern.export',
    effect: 'none',
    args: ['text', 'text', 'text'],
    argNames: ['dataset', 'doc_id', 'format'],
    defaults: ["'markdown'"],
    returns: 'text',
    summary: "A document's text in reading order: 'markdown', or 'json' with its chunks and pages.",
    evaluateLater: ({ services }, dataset, docId, format) => services.datasets.export(dataset, docId, format),
  },
];

export const DATASET_FUNCTIONS: readonly ScalarFunction[] = ROWS.map((row) => ({
  ...row,
  volatility: 'volatile',
  example: [`SELECT ${row.name}(${row.args.map(() => 'NULL').join(', ')})`, null],
}));
