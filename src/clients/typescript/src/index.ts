/** Quern's client. Schemas, queries and exact values have entry points of their own. */
export type {
  Answer,
  AskOptions,
  Content,
  DatasetInput,
  Fact,
  Progress,
  SearchOptions,
  SearchResult,
} from './asking.ts';
export { Client } from './client.ts';
export { CollectionClient, type ReadOptions } from './collection.ts';
export { type Collection, CollectionsClient } from './collections.ts';
export {
  type BackoffConfig,
  type ClientConfig,
  ConsistencyLevel,
  type RetryConfig,
  type StatementTrace,
  type WaitConfig,
} from './config.ts';
export { DatasetClient, type FileInput, type ListEntry, type Metadata } from './dataset.ts';
export { type Dataset, DatasetsClient } from './datasets.ts';
export * from './errors.ts';
export type { HybridOptions } from './hybrid.ts';
