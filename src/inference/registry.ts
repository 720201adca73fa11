/**
 * The models there are: every folder of the models folders that holds an ONNX model, the hash model, those of the
 * endpoint that is configured, and the reranker.
 */
import { existsSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SqlError } from '../errors.ts';
import { howToMake, listOfModels } from './absent-model.ts';
import { HASH_MODEL } from './hash-model.ts';
import { modelFileIn, OnnxModel } from './onnx-model.ts';
import type { EmbeddingModel, Inference } from './provider.ts';
import { type EmbeddingEndpoint, RemoteModel } from './remote-model.ts';
import { type RerankEndpoint, rerankerAt, WORD_RERANKER } from './reranker.ts';

/** The model of indexes that name none. Measured by `bench fusion`: docs/models.md. */
export const USUAL_MODEL = {
  ofNewData: 'all-minilm-l6-v2',
  /** The one there was before data recorded it. */
  unrecorded: 'all-minilm-l6-v2',
} as const;

/**
 * @param options.modelsFolder one folder per model, named as the model; it may be missing.
 * @param options.threads embedding threads of each model, at least 1.
 * @throws SqlError F0000 where two models have one name, `moreModels` is no folder, or the default is not there.
 */
export async function createInference(options: {
  readonly modelsFolder: string;
  readonly threads: number;
  /** Bytes of passages embedded lately that each model keeps; absent: none. */
  readonly cachedBytes?: number;
  /** Null: no folder of the user's. */
  readonly moreModels?: string | null;
  /** `words` is the reranker for tests; absent or null: none. */
  readonly rerank?: RerankEndpoint | 'words' | null;
  /** Null: all models run here. */
  readonly embedding?: EmbeddingEndpoint | null;
  /** Asked for at the start, so it must be there; null: the usual one. */
  readonly defaultModel?: string | null;
  /** The data's, which need not be there. */
  readonly usualModel?: string;
}): Promise<Inference> {
  const models = new Map<string, EmbeddingModel>([[HASH_MODEL.name, HASH_MODEL]]);
  const { threads, cachedBytes = 0 } = options;
  const folders = await modelFolders(options);
  const opened = await Promise.all(folders.map((folder) => OnnxModel.open(folder, { threads, cachedBytes })));
  for (const model of opened) add(models, model, '--models');
  if (options.embedding) addRemote(models, options.embedding);
  const names = [...models.keys()].sort();
  const { defaultModel = null } = options;
  const hint = listOfModels(names, 'Models are');
  if (defaultModel !== null && !models.has(defaultModel)) {
    throw new SqlError('config_file_error', `--embedding-default "${defaultModel}" does not exist`, {
      hint: `${howToMake(defaultModel)}${hint}`,
    });
  }
  return {
    model(name) {
      const model = models.get(name);
      if (model) return model;
      const message = `embedding model "${name}" does not exist`;
      throw new SqlError('undefined_object', message, { hint: `${howToMake(name)}${hint}` });
    },
    models: () => names,
    defaultModel: defaultModel ?? options.usualModel ?? USUAL_MODEL.ofNewData,
    reranker() {
      const { rerank } = options;
      if (rerank) return rerank === 'words' ? WORD_RERANKER : rerankerAt(rerank);
      throw new SqlError('object_not_in_prerequisite_state', 'no reranker is configured', {
        hint: 'Start the server with --rerank-url of an endpoint that answers POST /rerank.',
      });
    },
    forgetPassages() {
      for (const model of opened) model.forgetPassages();
    },
    async [Symbol.asyncDispose]() {
      for (const model of opened) await model[Symbol.asyncDispose]();
    },
  };
}

/** @returns a folder a model, those that come with the server first. */
async function modelFolders(options: {
  readonly modelsFolder: string;
  readonly moreModels?: string | null;
}): Promise<string[]> {
  const { modelsFolder, moreModels = null } = options;
  if (moreModels !== null && !statSync(moreModels, { throwIfNoEntry: false })?.isDirectory()) {
    throw new SqlError('config_file_error', `--models "${moreModels}" is no folder`);
  }
  const folders: string[] = [];
  for (const root of [modelsFolder, ...(moreModels === null ? [] : [moreModels])]) {
    const names = existsSync(root) ? await readdir(root) : [];
    folders.push(...names.sort().map((name) => join(root, name)));
  }
  return folders.filter((folder) => modelFileIn(folder) !== null);
}

function addRemote(models: Map<string, EmbeddingModel>, endpoint: EmbeddingEndpoint): void {
  for (const name of endpoint.models) add(models, new RemoteModel(name, endpoint), '--embedding-model');
}

/** @param flag that asks for it. */
function add(models: Map<string, EmbeddingModel>, model: EmbeddingModel, flag: string): void {
  if (models.has(model.name)) {
    throw new SqlError('config_file_error', `${flag} "${model.name}" is the name of a model that is here`);
  }
  models.set(model.name, model);
}
