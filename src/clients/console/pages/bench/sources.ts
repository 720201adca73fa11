/**
 * Relations that the bench can search: those with a keyword or semantic index, chunks of datasets among them.
 */
import { relationName } from '../../server/names.ts';
import { type Loaded, useRows } from '../../server/use-rows.ts';

export interface BenchSource {
  /** As addresses have it. */
  readonly id: string;
  readonly shown: string;
  /** As SQL has it. */
  readonly sql: string;
  readonly key: readonly string[];
  /** A row is called by it. */
  readonly title: string | null;
  /** A text of it. */
  readonly text: string | null;
  readonly keywordColumns: readonly string[];
  readonly semanticColumns: readonly string[];
}

const SOURCES = `SELECT i.schema, i.relation AS name, d.name IS NOT NULL AS dataset,
  (SELECT p.columns FROM quern.indexes p
    WHERE p.schema = i.schema AND p.relation = i.relation AND p.is_primary) AS key,
  array_agg(i.columns[1] ORDER BY i.index) FILTER (WHERE i.kind = 'keyword') AS keyword,
  array_agg(i.columns[1] ORDER BY i.index) FILTER (WHERE i.kind = 'semantic') AS semantic,
  (SELECT array_agg(a.attname::text ORDER BY a.attnum) FROM pg_catalog.pg_attribute a
    JOIN pg_catalog.pg_class c ON c.oid = a.attrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = i.schema AND c.relname = i.relation AND a.attnum > 0 AND NOT a.attisdropped
      AND format_type(a.atttypid, -1) IN ('text', 'character varying')) AS texts
FROM quern.indexes i LEFT JOIN quern.datasets d ON d.name = i.schema
WHERE i.kind IN ('keyword', 'semantic') AND i.is_valid AND i.schema NOT IN ('quern', 'pg_catalog')
GROUP BY 1, 2, 3 ORDER BY 3, 1, 2`;

interface Listed {
  readonly schema: string;
  readonly name: string;
  readonly dataset: boolean;
  readonly key: readonly string[] | null;
  readonly keyword: readonly string[] | null;
  readonly semantic: readonly string[] | null;
  readonly texts: readonly string[] | null;
}

const TITLES = ['title', 'name', 'doc_name', 'heading', 'subject', 'headline', 'doc_id'];

function sourceOf({ schema, name, dataset, key, keyword, semantic, texts }: Listed): BenchSource[] {
  // Of a dataset what people look for is its chunks.
  if (dataset && name !== 'chunks') return [];
  const id = schema === 'public' ? name : `${schema}.${name}`;
  const indexed = [...new Set([...(semantic ?? []), ...(keyword ?? [])])];
  const title = TITLES.find((one) => texts?.includes(one)) ?? indexed[0] ?? null;
  return [
    {
      id,
      shown: dataset ? schema : id,
      sql: relationName(schema, name),
      key: key ?? [],
      title,
      // Passages of datasets begin with what their document is called.
      text: dataset ? 'text' : (indexed.find((one) => one !== title) ?? null),
      keywordColumns: [...new Set(keyword ?? [])],
      semanticColumns: [...new Set(semantic ?? [])],
    },
  ];
}

export function useSources(): Loaded<readonly BenchSource[]> {
  const { value, ...rest } = useRows<Listed>(SOURCES);
  return { ...rest, value: value?.flatMap(sourceOf) ?? null };
}
