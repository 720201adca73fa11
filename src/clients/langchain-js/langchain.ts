/**
 * LangChain.js: a vector store over a collection. It needs `@langchain/core`, which the client itself does not.
 *
 *     const store = new QuernVectorStore(new OpenAIEmbeddings(), { collection: 'notes', client });
 *     const managed = new QuernVectorStore(null, { collection: 'notes' }); // the server embeds
 */
import { Document, type DocumentInterface } from '@langchain/core/documents';
import type { EmbeddingsInterface } from '@langchain/core/embeddings';
import { type MaxMarginalRelevanceSearchOptions, VectorStore } from '@langchain/core/vectorstores';
import { Client } from '../typescript/src/client.ts';
import { InvalidArgumentError } from '../typescript/src/errors.ts';
import type { PassageFilter } from './passage-filter.ts';
import { type Passage, type PassageMode, Passages, type PassagesOptions, type Wanted } from './passages.ts';

export type { PassageFilter } from './passage-filter.ts';

export interface QuernVectorStoreConfig extends PassagesOptions {
  /** By default one of the environment's: `QUERN_API_KEY`, `QUERN_HOST`, …. */
  readonly client?: Client | undefined;
  /** Kind of search: `similarity`, or `hybrid`, words and meaning together. */
  readonly mode?: PassageMode | undefined;
}

/** Ids of documents in the order of the documents; left out, those that the documents have. */
export interface AddOptions {
  readonly ids?: readonly (string | undefined)[] | undefined;
}

type Embedding = EmbeddingsInterface | null | undefined;

/** Texts with metadata in a collection, which the first write makes where it is not there. */
export class QuernVectorStore extends VectorStore {
  declare FilterType: PassageFilter;
  readonly #passages: Passages;
  readonly #embeds: boolean;
  readonly #mode: PassageMode;

  /** @param embeddings embeds texts here, and vectors are stored; null: the server embeds. */
  constructor(embeddings: Embedding, config: QuernVectorStoreConfig) {
    super(embeddings ?? SERVER_EMBEDS, {});
    this.#embeds = embeddings !== null && embeddings !== undefined;
    this.#mode = config.mode ?? 'similarity';
    this.#passages = new Passages(config.client ?? new Client(), config, this.#embeds);
  }

  _vectorstoreType(): string {
    return 'quern';
  }

  /** Stores documents; one whose id is there is replaced. @returns their ids. */
  async addDocuments(documents: DocumentInterface[], options: AddOptions = {}): Promise<string[]> {
    if (!this.#embeds) return await this.#passages.add(textsOf(documents, options));
    const vectors = await this.embeddings.embedDocuments(documents.map((one) => one.pageContent));
    return await this.#passages.add(textsOf(documents, options), vectors);
  }

  async addVectors(
    vectors: number[][],
    documents: DocumentInterface[],
    options: AddOptions = {},
  ): Promise<string[]> {
    this.#checkEmbeds();
    return await this.#passages.add(textsOf(documents, options), vectors);
  }

  /** Deletes by ids, or what a filter finds. */
  override async delete(which: { ids?: readonly string[]; filter?: PassageFilter } = {}): Promise<void> {
    const { ids, filter } = which;
    const what = ids ?? filter;
    if (what === undefined || (ids !== undefined && filter !== undefined)) {
      throw new InvalidArgumentError('delete takes { ids }, or { filter }');
    }
    await this.#passages.delete(what);
  }

  /** Drops the collection. */
  async deleteCollection(): Promise<void> {
    await this.#passages.drop();
  }

  /** Documents that are there, in the order of the ids. */
  async getByIds(ids: readonly string[]): Promise<Document[]> {
    return (await this.#passages.get(ids)).map(documentOf);
  }

  /** The nearest to a vector with scores: cosine similarity, or what the collection's metric gives. */
  async similaritySearchVectorWithScore(
    query: number[],
    k: number,
    filter?: PassageFilter,
  ): Promise<[Document, number][]> {
    this.#checkEmbeds();
    return scored(await this.#passages.search({ vector: query, k, filter }, 'similarity'));
  }

  override async similaritySearch(query: string, k = 4, filter?: PassageFilter): Promise<Document[]> {
    return (await this.#search(query, k, filter)).map(documentOf);
  }

  /** The best with scores: cosine similarity, -1 to 1; in hybrid mode 0 to 1. */
  override async similaritySearchWithScore(
    query: string,
    k = 4,
    filter?: PassageFilter,
  ): Promise<[Document, number][]> {
    return scored(await this.#search(query, k, filter));
  }

  /** Near ones that are unlike one another, chosen by the server of the `fetchK` nearest. */
  override async maxMarginalRelevanceSearch(
    query: string,
    options: MaxMarginalRelevanceSearchOptions<PassageFilter>,
  ): Promise<Document[]> {
    const { k, fetchK = 20, lambda = 0.5, filter } = options;
    const found = await this.#passages.diverse(await this.#wanted(query, k, filter), 1 - lambda, fetchK);
    return found.map(documentOf);
  }

  static override async fromTexts(
    texts: string[],
    metadatas: object[] | object,
    embeddings: Embedding,
    config: QuernVectorStoreConfig,
  ): Promise<QuernVectorStore> {
    const of = (at: number): object => (Array.isArray(metadatas) ? (metadatas[at] ?? {}) : metadatas);
    const documents = texts.map((text, at) => new Document({ pageContent: text, metadata: of(at) }));
    return await QuernVectorStore.fromDocuments(documents, embeddings, config);
  }

  static override async fromDocuments(
    documents: DocumentInterface[],
    embeddings: Embedding,
    config: QuernVectorStoreConfig,
  ): Promise<QuernVectorStore> {
    const store = new QuernVectorStore(embeddings, config);
    await store.addDocuments(documents);
    return store;
  }

  async #search(query: string, k: number, filter: PassageFilter | undefined): Promise<Passage[]> {
    return await this.#passages.search(await this.#wanted(query, k, filter), this.#mode);
  }

  async #wanted(query: string, k: number, filter: PassageFilter | undefined): Promise<Wanted> {
    const vector = this.#embeds ? await this.embeddings.embedQuery(query) : undefined;
    return { query, vector, k, filter };
  }

  #checkEmbeds(): void {
    if (!this.#embeds) throw new InvalidArgumentError('the server embeds texts here: search by text');
  }
}

/** In place of embeddings where there are none: nothing that the store does asks it. */
const SERVER_EMBEDS: EmbeddingsInterface = {
  embedQuery: async () => {
    throw new InvalidArgumentError('the server embeds texts here');
  },
  embedDocuments: async () => {
    throw new InvalidArgumentError('the server embeds texts here');
  },
};

function textsOf(
  documents: readonly DocumentInterface[],
  { ids }: AddOptions,
): Parameters<Passages['add']>[0] {
  if (ids !== undefined && ids.length !== documents.length) {
    throw new InvalidArgumentError(`there are ${documents.length} documents, but ${ids.length} ids`);
  }
  return documents.map((one, at) => ({
    id: ids === undefined ? one.id : ids[at],
    text: one.pageContent,
    metadata: one.metadata,
  }));
}

const documentOf = ({ id, text, metadata }: Passage): Document =>
  new Document({ id, pageContent: text, metadata });

const scored = (passages: readonly Passage[]): [Document, number][] =>
  passages.map((one) => [documentOf(one), one.score]);
