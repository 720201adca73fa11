/**
 * Configuration of a model's folder, beside its weights: `config.json` as it was published, and `embedding.json`
 * for what that leaves open. A folder without the latter is a BERT model that wants its texts as they are.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The first token's vector, or the mean of all. */
const POOLINGS = ['cls', 'mean'] as const;
export type Pooling = (typeof POOLINGS)[number];

export interface ModelConfig {
  /** Numbers of a vector. */
  readonly dimension: number;
  /** Put before the text of a query, and of each passage; empty: nothing. */
  readonly queryPrefix: string;
  readonly passagePrefix: string;
  /** Tokens before and after every text. */
  readonly startToken: string;
  readonly endToken: string;
  /**
   * The least cosine of unrelated texts, -1 to 1: models whose vectors all lie in a narrow cone tell it, so that a
   * fusion of scores knows where "nothing in common" is.
   */
  readonly leastCosine: number;
  /** How one vector is made of those of the tokens; null: the graph does it. */
  readonly pooling: Pooling | null;
  /** Says which weights and tokenizer these are; null: they have to be read to tell. */
  readonly fingerprint: string | null;
}

const BERT: Omit<ModelConfig, 'dimension'> = {
  queryPrefix: '',
  passagePrefix: '',
  startToken: '[CLS]',
  endToken: '[SEP]',
  leastCosine: -1,
  pooling: null,
  fingerprint: null,
};

/** @throws Error when a field is missing or of another kind, naming the file. */
export async function readModelConfig(folder: string): Promise<ModelConfig> {
  const published = await readRecord(join(folder, 'config.json'));
  const dimension = Number(published.hidden_size);
  if (!(dimension > 0)) throw new Error(`${join(folder, 'config.json')} has no hidden_size`);
  const file = join(folder, 'embedding.json');
  const own = existsSync(file) ? await readRecord(file) : {};
  const text = (name: string, otherwise: string): string => {
    const value = own[name] ?? otherwise;
    if (typeof value !== 'string') throw new Error(`${name} in ${file} is not a text`);
    return value;
  };
  const leastCosine = own.least_cosine ?? BERT.leastCosine;
  if (typeof leastCosine !== 'number' || !(leastCosine >= -1 && leastCosine < 1)) {
    throw new Error(`least_cosine in ${file} is not from -1 to 1`);
  }
  const pooling = POOLINGS.find((name) => name === own.pooling) ?? null;
  if (own.pooling !== undefined && pooling === null) {
    throw new Error(`pooling in ${file} is not one of ${POOLINGS.join(', ')}`);
  }
  return {
    dimension,
    queryPrefix: text('query_prefix', BERT.queryPrefix),
    passagePrefix: text('passage_prefix', BERT.passagePrefix),
    startToken: text('start_token', BERT.startToken),
    endToken: text('end_token', BERT.endToken),
    leastCosine,
    pooling,
    fingerprint: text('fingerprint', '') || null,
  };
}

async function readRecord(file: string): Promise<Readonly<Record<string, unknown>>> {
  return JSON.parse(await readFile(file, 'utf8')) as Readonly<Record<string, unknown>>;
}
