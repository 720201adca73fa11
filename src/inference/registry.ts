/**
 * The models there are: every folder of the models folder that holds an ONNX model, the hash model, those of the
 * endpoint that is configured, and the reranker.
 */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SqlError } from '../errors.ts';
import { HASH_MODEL } from './hash-model.ts';
import { modelFileIn, OnnxModel } from './onnx-model.ts';
import type { EmbeddingModel, Inference } from './provider.ts';
import { type EmbeddingEndpoint, RemoteModel } from './remote-model.ts';
import { type RerankEndpoint, rerankerAt, WORD_RERANKER } from './reranker.ts';

/** Measured by `bench relevance` and `bench main`: docs/models.md. */
const DEFAULT_MODEL = 'all-minilm-l6-v2';

/**
 * @param options.modelsFolder one folder per model, named as the model; it may be missing.
 * @param options.threads embedding threads of each model, at least 1.
 * @throws SqlError F0000 where an endpoint's model has the name of one that is here, or the default is not there.
 */
export async function createInference(options: {
  readonly modelsFolder: string;
  readonly threads: number;
  /** `words` is the reranker for tests; absent or null: none. */
  readonly rerank?: RerankEndpoint | 'words' | null;
  /** Null: all models run here. */
  readonly embedding?: EmbeddingEndpoint | null;
  /** Null: the one that comes with the server. */
  readonly defaultModel?: string | null;
}): Promise<Inference> {
  const models = new Map<string, EmbeddingModel>([[HASH_MODEL.name, HASH_MODEL]]);
  const opened: OnnxModel[] = [];
  const folders = existsSync(options.modelsFolder) ? await readdir(options.modelsFolder) : [];
  for (const name of folders.sort()) {
    const folder = join(options.modelsFolder, name);
    if (modelFileIn(folder) === null) continue;
    const model = await OnnxModel.open(folder, options.threads);
    models.set(model.name, model);
    opened.push(model);
  }
  if (options.embedding) addRemote(models, options.embedding);
  const names = [...models.keys()].sort();
  const { defaultModel = null } = options;
  const hint = `Models are ${names.join(', ')}.`;
  if (defaultModel !== null && !models.has(defaultModel)) {
    throw new SqlError('config_file_error', `--embedding-default "${defaultModel}" does not exist`, { hint });
  }
  return {
    model(name) {
      const model = models.get(name);
      if (model) return model;
      throw new SqlError('undefined_object', `embedding model "${name}" does not exist`, { hint });
    },
    models: () => names,
    defaultModel: defaultModel ?? DEFAULT_MODEL,
    reranker() {
      const { rerank } = options;
      if (rerank) return rerank === 'words' ? WORD_RERANKER : rerankerAt(rerank);
      throw new SqlError('object_not_in_prerequisite_state', 'no reranker is configured', {
        hint: 'Start the server with --rerank-url of an endpoint that answers POST /rerank.',
      });
    },
    async [Symbol.asyncDispose]() {
      for (const model of opened) await model[Symbol.asyncDispose]();
    },
  };
}

function addRemote(models: Map<string, EmbeddingModel>, endpoint: EmbeddingEndpoint): void {
  for (const name of endpoint.models) {
    if (models.has(name)) {
      throw new SqlError(
        'config_file_error',
        `--embedding-model "${name}" is the name of a model that is here`,
      );
    }
    models.set(name, new RemoteModel(name, endpoint));
  }
}
