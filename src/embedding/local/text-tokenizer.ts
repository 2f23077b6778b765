/** Encodes texts to token ids by the model's `tokenizer.json`, truncated to the model's length. */
import { createRequire } from 'node:module';

/** Characters read of a text, far more than the tokens of a full input stand for. */
const CHARS_PER_TOKEN_MAX = 64;

/** The part of the library that is used. */
interface Encoder {
  encode(text: string): { readonly ids: readonly number[] };
}
interface Library {
  readonly Tokenizer: new (tokenizer: object, config: object) => Encoder;
}

export class TextTokenizer {
  readonly #tokenizer: Encoder;
  readonly #tokensMax: number;
  /** The tokens appended to every text, such as `[SEP]`. */
  readonly #end: readonly number[];

  /**
   * @param tokenizer JSON of `tokenizer.json` @param config JSON of `tokenizer_config.json`
   * @param tokensMax of one text, special tokens included
   */
  constructor(tokenizer: object, config: object, tokensMax: number) {
    // Loaded with the first model, because most servers have none.
    const { Tokenizer } = createRequire(import.meta.url)('@huggingface/tokenizers') as Library;
    this.#tokenizer = new Tokenizer(tokenizer, config);
    this.#tokensMax = tokensMax;
    const around = this.#tokenizer.encode('').ids;
    const sample = this.#tokenizer.encode('a').ids;
    const begins = around.findIndex((id, at) => sample[at] !== id);
    this.#end = begins < 0 ? [] : around.slice(begins);
  }

  encode(text: string): readonly number[] {
    const { ids } = this.#tokenizer.encode(text.slice(0, this.#tokensMax * CHARS_PER_TOKEN_MAX));
    if (ids.length <= this.#tokensMax) return ids;
    return [...ids.slice(0, this.#tokensMax - this.#end.length), ...this.#end];
  }
}
