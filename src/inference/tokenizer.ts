/**
 * The model's tokenizer (the only file that imports `tokenizers`). One thing to know: the shipped file pads
 * to 128 tokens and cuts at 128; both are switched off, because padding under a mask of ones makes every
 * text alike, and long texts are cut into passages by `windows.ts`.
 */
import { Tokenizer } from 'tokenizers';

export interface TokenizedText {
  /** Without [CLS] and [SEP]. */
  readonly ids: readonly number[];
  readonly tokens: readonly string[];
  /** Code point start and end of each token in the text. */
  readonly offsets: readonly (readonly number[])[];
}

export class TextTokenizer {
  readonly #tokenizer: Tokenizer;
  readonly start: number;
  readonly end: number;

  /** @param file `tokenizer.json` of a BERT-like model. */
  constructor(file: string) {
    this.#tokenizer = Tokenizer.fromFile(file);
    this.#tokenizer.disablePadding();
    this.#tokenizer.disableTruncation();
    this.start = this.#tokenId('[CLS]');
    this.end = this.#tokenId('[SEP]');
  }

  async tokenize(text: string): Promise<TokenizedText> {
    if (text === '') return { ids: [], tokens: [], offsets: [] };
    const encoding = await this.#tokenizer.encode(text, null, { addSpecialTokens: false });
    return { ids: encoding.getIds(), tokens: encoding.getTokens(), offsets: encoding.getOffsets() };
  }

  #tokenId(token: string): number {
    const id = this.#tokenizer.tokenToId(token);
    if (id === null) throw new Error(`the tokenizer has no token ${token}`);
    return id;
  }
}
