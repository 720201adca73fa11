/**
 * A model's tokenizer (the only file that imports `tokenizers`). One thing to know: shipped files pad to 128
 * tokens and cut at 128; both are switched off, because padding under a mask of ones makes every text alike, and
 * long texts are cut into passages by `windows.ts`. Unigram models are read by our own `unigram.ts`.
 */
import { readFileSync } from 'node:fs';
import { Tokenizer } from 'tokenizers';
import { type UnigramFile, UnigramTokenizer } from './unigram.ts';

export interface TokenizedText {
  /** Without the special tokens around a text. */
  readonly ids: readonly number[];
  readonly tokens: readonly string[];
  /** Code point start and end of each token in the text. */
  readonly offsets: readonly (readonly number[])[];
}

export interface TextTokenizer {
  tokenize(text: string): Promise<TokenizedText>;
  /** True when a token goes on with the word that the one before it is of. */
  continuesWord(token: string): boolean;
  /** @returns the id of a special token, null when there is none of that name. */
  special(token: string): number | null;
}

/** @param file `tokenizer.json`. */
export function openTokenizer(file: string): TextTokenizer {
  const content = JSON.parse(readFileSync(file, 'utf8')) as { readonly model: { readonly type?: string } };
  return content.model.type === 'Unigram'
    ? new UnigramTokenizer(content as UnigramFile)
    : new WordPieceTokenizer(file);
}

class WordPieceTokenizer implements TextTokenizer {
  readonly #tokenizer: Tokenizer;

  constructor(file: string) {
    this.#tokenizer = Tokenizer.fromFile(file);
    this.#tokenizer.disablePadding();
    this.#tokenizer.disableTruncation();
  }

  async tokenize(text: string): Promise<TokenizedText> {
    if (text === '') return { ids: [], tokens: [], offsets: [] };
    const encoding = await this.#tokenizer.encode(text, null, { addSpecialTokens: false });
    return { ids: encoding.getIds(), tokens: encoding.getTokens(), offsets: encoding.getOffsets() };
  }

  continuesWord(token: string): boolean {
    return token.startsWith('##');
  }

  special(token: string): number | null {
    return this.#tokenizer.tokenToId(token);
  }
}
