/** The language model that a server is configured with: behind an endpoint, or from a file that runs here. */
import { ChatEndpoint, type ChatOptions } from './chat-endpoint.ts';
import { findGguf, GgufModel } from './gguf-model.ts';
import type { LanguageModel } from './language-model.ts';

export type ModelSource =
  | ({ readonly kind: 'endpoint' } & ChatOptions)
  | { readonly kind: 'gguf'; readonly path: string };

export interface OpenedModel extends Disposable {
  readonly model: LanguageModel;
  /** That it takes of `--memory`. */
  readonly memoryBytes: number;
  /** Gets ready before it is asked. @throws Error that says why it cannot. */
  warm(): Promise<void>;
}

/** @throws SqlError F0000 where it cannot be. */
export function openModel(source: ModelSource): OpenedModel {
  if (source.kind === 'endpoint') {
    const model = new ChatEndpoint(source);
    return { model, memoryBytes: 0, warm: async () => undefined, [Symbol.dispose]: () => undefined };
  }
  const file = findGguf(source.path);
  const model = new GgufModel(file);
  return {
    model,
    memoryBytes: file.bytes,
    warm: () => model.load(),
    [Symbol.dispose]: () => model[Symbol.dispose](),
  };
}
